-- Folders to which a member of a client is limited (docs/decisions/0155-members-may-be-limited-to-folders.md).

-- TRUE: the person reaches the documents of the folders of member_folders only, of none if there are none.
ALTER TABLE memberships ADD COLUMN is_limited BOOLEAN NOT NULL DEFAULT FALSE
    CONSTRAINT memberships_is_limited_check CHECK (NOT is_limited OR role = 'member');

CREATE TABLE member_folders (
    id TEXT NOT NULL PRIMARY KEY,
    membership_id TEXT NOT NULL REFERENCES memberships (id) ON DELETE CASCADE,
    folder_id_supabase TEXT NOT NULL,
    CONSTRAINT member_folders_membership_id_folder_id_supabase_key UNIQUE (membership_id, folder_id_supabase),
    CONSTRAINT member_folders_folder_id_supabase_fkey
        FOREIGN KEY (folder_id_supabase) REFERENCES folders (id_supabase) ON DELETE CASCADE
);

CREATE INDEX member_folders_folder ON member_folders (folder_id_supabase);

-- The people of each client, with the folders of limited ones as a JSON list; NULL: all folders.
DROP VIEW client_members;
CREATE VIEW client_members AS
SELECT
    id, id AS client_id, id AS user_id, 'owner' AS role, COALESCE(CAST(json_extract(user_metadata, '$.full_name') AS TEXT), email) AS name, email, created_at, last_sign_in_at,
    CASE WHEN email_confirmed_at IS NULL THEN invited_at END AS invited_at,
    CAST(NULL AS TEXT) AS folders
FROM users WHERE NOT is_admin AND is_client
UNION ALL
SELECT
    memberships.id, memberships.client_id, memberships.user_id, memberships.role, memberships.name, users.email,
    memberships.created_at, users.last_sign_in_at,
    CASE WHEN users.email_confirmed_at IS NULL THEN users.invited_at END AS invited_at,
    CASE WHEN memberships.is_limited THEN (
        SELECT json_group_array(member_folders.folder_id_supabase ORDER BY member_folders.folder_id_supabase)
        FROM member_folders WHERE member_folders.membership_id = memberships.id
    ) END AS folders
FROM memberships INNER JOIN users ON users.id = memberships.user_id;
