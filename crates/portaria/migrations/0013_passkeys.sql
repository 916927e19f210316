-- Passkeys: WebAuthn credentials with which a person signs in, or passes MFA.
CREATE TABLE passkeys (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    credential_id TEXT NOT NULL, -- chosen by the authenticator, base64url
    credential TEXT NOT NULL, -- public key, signature counter and flags, JSON
    friendly_name TEXT NOT NULL,
    created_at TEXT NOT NULL,
    last_used_at TEXT,
    CONSTRAINT passkeys_credential_id_key UNIQUE (credential_id)
);

CREATE INDEX passkeys_user_id ON passkeys (user_id);

-- Open WebAuthn ceremonies. A row serves once.
CREATE TABLE passkey_challenges (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT REFERENCES users (id) ON DELETE CASCADE, -- NULL: a sign-in, whose person is not known yet
    purpose TEXT NOT NULL,
    state TEXT NOT NULL, -- the challenge and what the answer must fulfill, JSON
    created_at TEXT NOT NULL,
    CONSTRAINT passkey_challenges_purpose_check CHECK (purpose IN ('registration', 'authentication'))
);

CREATE INDEX passkey_challenges_user_id ON passkey_challenges (user_id);
CREATE INDEX passkey_challenges_created_at ON passkey_challenges (created_at);

-- Passkey with which the session passed MFA.
ALTER TABLE sessions ADD COLUMN passkey_id TEXT REFERENCES passkeys (id) ON DELETE SET NULL;

CREATE INDEX sessions_passkey_id ON sessions (passkey_id);

-- State of a WebAuthn factor's challenge, JSON.
ALTER TABLE challenges ADD COLUMN state TEXT;
