-- The people of each client: its own account, and the people of its memberships.
CREATE VIEW client_members AS
SELECT
    id, id AS client_id, id AS user_id, 'owner' AS role, COALESCE(CAST(json_extract(user_metadata, '$.full_name') AS TEXT), email) AS name, email, created_at, last_sign_in_at,
    CASE WHEN email_confirmed_at IS NULL THEN invited_at END AS invited_at
FROM users WHERE NOT is_admin AND is_client
UNION ALL
SELECT
    memberships.id, memberships.client_id, memberships.user_id, memberships.role, memberships.name, users.email,
    memberships.created_at, users.last_sign_in_at,
    CASE WHEN users.email_confirmed_at IS NULL THEN users.invited_at END AS invited_at
FROM memberships INNER JOIN users ON users.id = memberships.user_id;
