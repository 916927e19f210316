-- Several people per client, and several clients per person.

-- FALSE for a person who has no documents of their own and works for clients only.
ALTER TABLE users ADD COLUMN is_client BOOLEAN NOT NULL DEFAULT TRUE;

-- People who act for a client besides the client's own account.
CREATE TABLE memberships (
    id TEXT NOT NULL PRIMARY KEY,
    client_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role TEXT NOT NULL, -- owner: also invites and removes people
    name TEXT NOT NULL, -- as the inviter wrote it
    created_at TEXT NOT NULL,
    CONSTRAINT memberships_client_id_user_id_key UNIQUE (client_id, user_id),
    CONSTRAINT memberships_name_check CHECK (length(name) BETWEEN 1 AND 200),
    CONSTRAINT memberships_other_person_check CHECK (client_id <> user_id),
    CONSTRAINT memberships_role_check CHECK (role IN ('owner', 'member'))
);

CREATE INDEX memberships_user ON memberships (user_id, created_at, client_id);

-- The client for whom the person of the session acts; NULL: the person's own account.
ALTER TABLE sessions ADD COLUMN client_id TEXT REFERENCES users (id) ON DELETE SET NULL;

-- The person, where client_id is the client for whom the person acted.
ALTER TABLE document_receipts ADD COLUMN author_id TEXT;
UPDATE document_receipts SET author_id = client_id;
ALTER TABLE document_payments ADD COLUMN author_id TEXT;
UPDATE document_payments SET author_id = client_id;
ALTER TABLE tickets ADD COLUMN author_id TEXT;
UPDATE tickets SET author_id = user_id;

-- Name of the member who wrote; NULL for the client's own account, and for the office.
ALTER TABLE tickets ADD COLUMN member_name TEXT;
ALTER TABLE ticket_messages ADD COLUMN member_name TEXT;

DROP VIEW clients;
CREATE VIEW clients AS
SELECT
    id, email, created_at, last_sign_in_at, last_visit_at, user_metadata, search_name,
    CASE WHEN email_confirmed_at IS NULL THEN invited_at END AS invited_at
FROM users WHERE NOT is_admin AND is_client;
