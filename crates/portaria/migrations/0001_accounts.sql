-- Who can sign in, and where they are signed in.
-- Portable SQL: ids are UUIDs and times UTC with microseconds, both as TEXT; JSON is TEXT.

CREATE TABLE users (
    id TEXT NOT NULL PRIMARY KEY,
    email TEXT NOT NULL, -- lower case
    password_hash TEXT,
    signed_up BOOLEAN NOT NULL, -- made by a stranger, not by the office
    email_confirmed_at TEXT,
    confirmation_sent_at TEXT,
    invited_at TEXT,
    recovery_sent_at TEXT,
    reauthentication_sent_at TEXT,
    new_email TEXT, -- asked for, not yet proved
    email_change_sent_at TEXT,
    email_change_confirmed TEXT, -- the half of a change that was confirmed: current or new
    last_sign_in_at TEXT,
    last_visit_at TEXT, -- the sign-in that began the visit before the present one
    banned_until TEXT,
    app_metadata TEXT NOT NULL,
    user_metadata TEXT NOT NULL,
    name_key TEXT NOT NULL DEFAULT '', -- the name as people look for it, accents and capitals aside; kept by users.rs
    is_admin BOOLEAN NOT NULL, -- app_metadata.roles holds "admin"; kept by users.rs
    must_change_password BOOLEAN NOT NULL DEFAULT FALSE, -- app_metadata says so; kept by users.rs
    second_step BOOLEAN NOT NULL DEFAULT FALSE, -- there is a verified factor; kept by auth/factors
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CONSTRAINT users_email_key UNIQUE (email)
);

CREATE INDEX users_created_at ON users (created_at, id);
CREATE INDEX users_name_key ON users (name_key, id);

-- The people whom the office serves: everybody but its staff.
CREATE VIEW clients AS
SELECT id, email, created_at, last_sign_in_at, last_visit_at, user_metadata, name_key FROM users WHERE NOT is_admin;

-- The people of the office.
CREATE VIEW staff AS
SELECT id, email, created_at, last_sign_in_at, user_metadata, second_step FROM users WHERE is_admin;

-- What an administrator shows beside the password: an authenticator app, and codes on paper for when it is lost.
CREATE TABLE factors (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    kind TEXT NOT NULL, -- totp or recovery_code
    friendly_name TEXT NOT NULL,
    verified BOOLEAN NOT NULL, -- its first code was shown
    secret TEXT, -- an authenticator's, encrypted by a key of the portal's secret
    last_step BIGINT, -- the time step of the newest code that was taken: none is good twice
    last_challenged_at TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
);

CREATE INDEX factors_user_id ON factors (user_id);

-- A factor was asked for a code.
CREATE TABLE challenges (
    id TEXT NOT NULL PRIMARY KEY,
    factor_id TEXT NOT NULL REFERENCES factors (id) ON DELETE CASCADE,
    created_at TEXT NOT NULL
);

CREATE INDEX challenges_factor_id ON challenges (factor_id);

CREATE TABLE recovery_codes (
    factor_id TEXT NOT NULL REFERENCES factors (id) ON DELETE CASCADE,
    code_hash TEXT NOT NULL, -- SHA-256 of 80 bits of chance
    used_at TEXT,
    PRIMARY KEY (factor_id, code_hash)
);

CREATE TABLE sessions (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    factor_id TEXT REFERENCES factors (id) ON DELETE SET NULL, -- by which the second step was done, if it was
    refresh_counter BIGINT NOT NULL, -- the number of the only live refresh token
    amr TEXT NOT NULL, -- how the person proved who they are, JSON
    user_agent TEXT,
    created_at TEXT NOT NULL,
    refreshed_at TEXT NOT NULL,
    spent TEXT NOT NULL DEFAULT '[]' -- when the last refresh tokens were, the latest first, while they may be shown again
);

CREATE INDEX sessions_user_id ON sessions (user_id);

-- What was tried lately and may not be tried too often, so that limits outlive a restart and hold on every node.
CREATE TABLE attempts (
    id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL, -- SHA-256 of the e-mail address, whether or not it has an account
    origin TEXT, -- SHA-256 of e-mail and network address
    at TEXT NOT NULL
);

CREATE INDEX attempts_subject ON attempts (subject, kind, at);
CREATE INDEX attempts_at ON attempts (at);

-- Small facts that belong to the whole portal, such as the one-time set-up token's hash.
CREATE TABLE facts (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);
