-- What proves that a mailed link is ours, and the mail that waits to be sent.

CREATE TABLE one_time_tokens (
    hash TEXT NOT NULL PRIMARY KEY, -- SHA-256 of what was mailed; the six digits beside it are made from this by the secret
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    type TEXT NOT NULL,
    email TEXT NOT NULL, -- the address that it proves
    code_challenge TEXT, -- PKCE: of the program that asked for the mail
    code_challenge_method TEXT,
    created_at TEXT NOT NULL,
    CONSTRAINT one_time_tokens_user_id_type_key UNIQUE (user_id, type)
);

CREATE INDEX one_time_tokens_email ON one_time_tokens (email);

-- PKCE: a link was opened, and its session waits for the program that asked for it.
CREATE TABLE auth_codes (
    hash TEXT NOT NULL PRIMARY KEY, -- SHA-256 of the code
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    method TEXT NOT NULL, -- how the person proved who they are
    code_challenge TEXT NOT NULL,
    code_challenge_method TEXT NOT NULL,
    created_at TEXT NOT NULL
);

CREATE TABLE outbox (
    id TEXT NOT NULL PRIMARY KEY,
    event TEXT NOT NULL,
    dedupe_key TEXT NOT NULL, -- one mail per cause and recipient, whatever restarts
    user_id TEXT REFERENCES users (id) ON DELETE CASCADE, -- whose address it is; without an account: none
    about_id TEXT REFERENCES users (id) ON DELETE CASCADE, -- of a letter: whose account it tells of, be the address theirs or not
    recipient TEXT NOT NULL,
    subject TEXT NOT NULL,
    html TEXT NOT NULL, -- emptied when nobody has a use for it any more
    topic TEXT, -- what the recipient may turn off; of mails about the account: none
    document_id TEXT, -- what it tells of, which may be gone by now
    ticket_id TEXT,
    state TEXT NOT NULL DEFAULT 'queued',
    attempts BIGINT NOT NULL DEFAULT 0,
    next_attempt_at TEXT NOT NULL, -- not before
    claimed_by TEXT, -- the worker that is sending it, until its lease is over
    lease_until TEXT,
    last_error TEXT,
    sent_at TEXT,
    digest_id TEXT, -- the mail that told this one's news together with others'
    created_at TEXT NOT NULL,
    CONSTRAINT outbox_dedupe_key_key UNIQUE (dedupe_key),
    CONSTRAINT outbox_topic_check CHECK (topic IN ('documents', 'expiries', 'tickets')),
    CONSTRAINT outbox_state_check CHECK (state IN ('queued', 'sending', 'sent', 'failed', 'cancelled'))
);

CREATE INDEX outbox_state ON outbox (state, next_attempt_at);
CREATE INDEX outbox_recipient ON outbox (recipient, sent_at);
CREATE INDEX outbox_user_id ON outbox (user_id);
CREATE INDEX outbox_about_id ON outbox (about_id);
CREATE INDEX outbox_created_at ON outbox (created_at);
CREATE INDEX outbox_sent_at ON outbox (sent_at);
CREATE INDEX outbox_digest_id ON outbox (digest_id);
CREATE INDEX outbox_html ON outbox (created_at) WHERE html <> '';
