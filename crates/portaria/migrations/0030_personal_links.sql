-- Personal links (`/d/{token}`): each shows one document to its recipient without a session. The token is derived from
-- the row's id and the portal secret, so a stolen database does not contain it.
CREATE TABLE personal_links (
    id TEXT NOT NULL PRIMARY KEY,
    document_id TEXT NOT NULL,
    client_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    token_hash TEXT NOT NULL,
    author_id TEXT, -- the member of staff; NULL: a program
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    revoked_at TEXT,
    locked_at TEXT, -- after too many wrong answers
    wrong_answers BIGINT NOT NULL, -- since the last right one
    codes_sent BIGINT NOT NULL,
    code_sent_at TEXT, -- the code that is valid; NULL: none, or it was used
    opened_at TEXT, -- the last opening
    CONSTRAINT personal_links_token_hash_key UNIQUE (token_hash),
    CONSTRAINT personal_links_document_id_fkey
        FOREIGN KEY (document_id) REFERENCES documents (id) ON DELETE CASCADE,
    CONSTRAINT personal_links_author_id_fkey
        FOREIGN KEY (author_id) REFERENCES users (id) ON DELETE SET NULL
);

CREATE INDEX personal_links_document ON personal_links (document_id, created_at);
CREATE INDEX personal_links_client ON personal_links (client_id);
CREATE INDEX personal_links_author ON personal_links (author_id) WHERE author_id IS NOT NULL;

-- A receipt of an opening by a personal link.
ALTER TABLE document_receipts DROP CONSTRAINT document_receipts_action_check;
ALTER TABLE document_receipts ADD
    CONSTRAINT document_receipts_action_check CHECK (action IN ('opened', 'downloaded', 'opened_by_link'));
