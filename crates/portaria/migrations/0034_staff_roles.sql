-- Members of the staff with fewer rights than an administrator, and the clients whom members of the staff care for.

-- NULL: an administrator. Derived from app_metadata, as is_admin is.
ALTER TABLE users ADD COLUMN office_role TEXT
    CONSTRAINT users_office_role_check CHECK (office_role IN ('employee', 'reader'));
-- TRUE for a member of the staff who reaches assigned clients only. Derived.
ALTER TABLE users ADD COLUMN assigned_clients_only BOOLEAN NOT NULL DEFAULT FALSE;

CREATE TABLE client_assignments (
    id TEXT NOT NULL PRIMARY KEY,
    client_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    staff_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    is_responsible BOOLEAN NOT NULL DEFAULT FALSE,
    created_at TEXT NOT NULL,
    CONSTRAINT client_assignments_staff_id_client_id_key UNIQUE (staff_id, client_id)
);

-- A client has at most one responsible person.
CREATE UNIQUE INDEX client_assignments_responsible_key ON client_assignments (client_id) WHERE is_responsible;
CREATE INDEX client_assignments_client ON client_assignments (client_id, created_at, id);
CREATE INDEX client_assignments_created ON client_assignments (created_at, id);

DROP VIEW staff;
CREATE VIEW staff AS
SELECT
    id, email, created_at, last_sign_in_at, user_metadata, second_step,
    CASE WHEN email_confirmed_at IS NULL THEN invited_at END AS invited_at,
    office_role, assigned_clients_only
FROM users WHERE is_admin;
