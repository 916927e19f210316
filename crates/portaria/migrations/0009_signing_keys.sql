-- ES256 keys that sign access tokens. Without an active key the portal secret signs them (HS256).
CREATE TABLE signing_keys (
    id TEXT NOT NULL PRIMARY KEY, -- the `kid` of its tokens
    private_key TEXT NOT NULL, -- PKCS #8, encrypted with a key derived from the portal secret
    state TEXT NOT NULL,
    state_since TEXT NOT NULL,
    created_at TEXT NOT NULL,
    CONSTRAINT signing_keys_state_check CHECK (state IN ('standby', 'active', 'retired'))
);
-- At most one key waits, and at most one signs.
CREATE UNIQUE INDEX signing_keys_state_key ON signing_keys (state) WHERE state <> 'retired';
