-- Accounts, sessions and MFA factors. Portable SQL: ids are UUIDs and times are UTC with microseconds, both as TEXT.
-- JSON is TEXT.

CREATE TABLE users (
    id TEXT NOT NULL PRIMARY KEY,
    email TEXT NOT NULL, -- lower case
    password_hash TEXT,
    signed_up BOOLEAN NOT NULL, -- created by sign-up, not by the office
    email_confirmed_at TEXT,
    confirmation_sent_at TEXT,
    invited_at TEXT,
    recovery_sent_at TEXT,
    reauthentication_sent_at TEXT,
    new_email TEXT, -- requested, not yet confirmed
    email_change_sent_at TEXT,
    email_change_confirmed TEXT, -- the confirmed side of an address change: current or new
    last_sign_in_at TEXT,
    last_visit_at TEXT, -- sign-in of the previous visit
    banned_until TEXT,
    app_metadata TEXT NOT NULL,
    user_metadata TEXT NOT NULL,
    search_name TEXT NOT NULL DEFAULT '', -- search key: the name without accents and case; see accounts/user.rs
    is_admin BOOLEAN NOT NULL, -- app_metadata.roles contains "admin"; see accounts/user.rs
    must_change_password BOOLEAN NOT NULL DEFAULT FALSE, -- copy of app_metadata; see accounts/user.rs
    second_step BOOLEAN NOT NULL DEFAULT FALSE, -- there is a verified factor; see accounts/mfa_factor.rs
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CONSTRAINT users_email_key UNIQUE (email)
);

CREATE INDEX users_created_at ON users (created_at, id);
CREATE INDEX users_search_name ON users (search_name, id);

-- Clients: all accounts without the role admin.
CREATE VIEW clients AS
SELECT id, email, created_at, last_sign_in_at, last_visit_at, user_metadata, search_name FROM users WHERE NOT is_admin;

-- Staff: all administrators.
CREATE VIEW staff AS
SELECT id, email, created_at, last_sign_in_at, user_metadata, second_step FROM users WHERE is_admin;

-- MFA factors of administrators: authenticator apps and sets of recovery codes.
CREATE TABLE factors (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    kind TEXT NOT NULL, -- totp or recovery_code
    friendly_name TEXT NOT NULL,
    verified BOOLEAN NOT NULL, -- the first code was accepted
    secret TEXT, -- TOTP secret, encrypted with a key derived from the portal secret
    last_step BIGINT, -- time step of the last accepted code, so that no code is accepted twice
    last_challenged_at TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
);

CREATE INDEX factors_user_id ON factors (user_id);

-- Challenges of factors.
CREATE TABLE challenges (
    id TEXT NOT NULL PRIMARY KEY,
    factor_id TEXT NOT NULL REFERENCES factors (id) ON DELETE CASCADE,
    created_at TEXT NOT NULL
);

CREATE INDEX challenges_factor_id ON challenges (factor_id);

CREATE TABLE recovery_codes (
    factor_id TEXT NOT NULL REFERENCES factors (id) ON DELETE CASCADE,
    code_hash TEXT NOT NULL, -- SHA-256 of 80 random bits
    used_at TEXT,
    PRIMARY KEY (factor_id, code_hash)
);

CREATE TABLE sessions (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    factor_id TEXT REFERENCES factors (id) ON DELETE SET NULL, -- factor of a session that passed MFA
    refresh_counter BIGINT NOT NULL, -- counter of the live refresh token
    amr TEXT NOT NULL, -- authentication methods, JSON
    user_agent TEXT,
    created_at TEXT NOT NULL,
    refreshed_at TEXT NOT NULL,
    spent TEXT NOT NULL DEFAULT '[]' -- use times of recent refresh tokens, newest first, for the reuse interval
);

CREATE INDEX sessions_user_id ON sessions (user_id);

-- Recent attempts, for rate limits that survive a restart and apply to all nodes.
CREATE TABLE attempts (
    id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL, -- SHA-256 of the e-mail address, whether or not it has an account
    origin TEXT, -- SHA-256 of e-mail and network address
    at TEXT NOT NULL
);

CREATE INDEX attempts_subject ON attempts (subject, kind, at);
CREATE INDEX attempts_at ON attempts (at);

-- Key-value table for state of the whole portal, such as leases and the hash of the setup token.
CREATE TABLE system_state (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);
