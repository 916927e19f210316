-- The department of a member of the staff, a label. Derived from app_metadata; NULL: none.
ALTER TABLE users ADD COLUMN department TEXT;

DROP VIEW staff;
CREATE VIEW staff AS
SELECT
    id, email, created_at, last_sign_in_at, user_metadata, second_step,
    CASE WHEN email_confirmed_at IS NULL THEN invited_at END AS invited_at,
    office_role, assigned_clients_only, department
FROM users WHERE is_admin;
