-- One-time tokens of mailed links, and the outbox.

CREATE TABLE one_time_tokens (
    hash TEXT NOT NULL PRIMARY KEY, -- SHA-256 of the mailed token, from which the six-digit code is derived
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    type TEXT NOT NULL,
    email TEXT NOT NULL, -- the address that the token confirms
    code_challenge TEXT, -- PKCE challenge of the requesting program
    code_challenge_method TEXT,
    created_at TEXT NOT NULL,
    CONSTRAINT one_time_tokens_user_id_type_key UNIQUE (user_id, type)
);

CREATE INDEX one_time_tokens_email ON one_time_tokens (email);

-- PKCE: sessions of opened links that wait for the code exchange.
CREATE TABLE auth_codes (
    hash TEXT NOT NULL PRIMARY KEY, -- SHA-256 of the code
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    method TEXT NOT NULL, -- authentication method
    code_challenge TEXT NOT NULL,
    code_challenge_method TEXT NOT NULL,
    created_at TEXT NOT NULL
);

CREATE TABLE outbox (
    id TEXT NOT NULL PRIMARY KEY,
    event TEXT NOT NULL,
    dedupe_key TEXT NOT NULL, -- one mail per cause and recipient, also after a restart
    user_id TEXT REFERENCES users (id) ON DELETE CASCADE, -- recipient's account; NULL: an address without an account
    about_id TEXT REFERENCES users (id) ON DELETE CASCADE, -- account mail: the account that it is about
    recipient TEXT NOT NULL,
    subject TEXT NOT NULL,
    html TEXT NOT NULL, -- emptied when it is no longer needed
    topic TEXT, -- topic that the recipient can turn off; NULL: account mail
    document_id TEXT, -- the document of the notification, which may be deleted
    ticket_id TEXT,
    state TEXT NOT NULL DEFAULT 'queued',
    attempts BIGINT NOT NULL DEFAULT 0,
    next_attempt_at TEXT NOT NULL, -- earliest time of the next attempt
    claimed_by TEXT, -- worker that sends it, until its lease expires
    lease_until TEXT,
    last_error TEXT,
    sent_at TEXT,
    digest_id TEXT, -- the digest that contains this notification
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
