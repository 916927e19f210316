-- Tokens that add files to the inbox and permit nothing else (docs/decisions/0136-tokens-of-the-inbox.md).
CREATE TABLE inbox_tokens (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL, -- the device or program, as the office calls it
    token_hash TEXT NOT NULL, -- SHA-256 of the token, in hexadecimal
    created_by_id TEXT,
    created_at TEXT NOT NULL,
    last_used_at TEXT, -- time of the last file
    CONSTRAINT inbox_tokens_token_hash_key UNIQUE (token_hash),
    CONSTRAINT inbox_tokens_created_by_id_fkey
        FOREIGN KEY (created_by_id) REFERENCES users (id) ON DELETE SET NULL
);

CREATE INDEX inbox_tokens_created_by ON inbox_tokens (created_by_id) WHERE created_by_id IS NOT NULL;
