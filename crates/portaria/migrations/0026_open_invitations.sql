-- The views show when the account was invited, until the invitation is accepted.
DROP VIEW clients;
CREATE VIEW clients AS
SELECT
    id, email, created_at, last_sign_in_at, last_visit_at, user_metadata, search_name,
    CASE WHEN email_confirmed_at IS NULL THEN invited_at END AS invited_at
FROM users WHERE NOT is_admin;

DROP VIEW staff;
CREATE VIEW staff AS
SELECT
    id, email, created_at, last_sign_in_at, user_metadata, second_step,
    CASE WHEN email_confirmed_at IS NULL THEN invited_at END AS invited_at
FROM users WHERE is_admin;
