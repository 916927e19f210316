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
    is_admin BOOLEAN NOT NULL, -- app_metadata.roles holds "admin"; kept by auth/users.rs
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CONSTRAINT users_email_key UNIQUE (email)
);

CREATE INDEX users_created_at ON users (created_at, id);

-- The people whom the office serves: everybody but its staff.
CREATE VIEW clients AS
SELECT id, email, created_at, last_sign_in_at, last_visit_at, user_metadata FROM users WHERE NOT is_admin;

-- Its staff.
CREATE VIEW staff AS
SELECT id, email, created_at, last_sign_in_at, user_metadata FROM users WHERE is_admin;

CREATE TABLE sessions (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    refresh_counter BIGINT NOT NULL, -- the number of the only live refresh token
    amr TEXT NOT NULL, -- how the person proved who they are, JSON
    user_agent TEXT,
    created_at TEXT NOT NULL,
    refreshed_at TEXT NOT NULL
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
