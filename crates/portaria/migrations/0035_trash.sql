-- The trash: deleted documents, which staff can restore for 30 days. A deleted document is no row of `documents`, so no
-- rule, list or mail about documents has to leave it out.

INSERT INTO buckets (id, name, public, created_at, updated_at)
VALUES
    ('deleted-documents', 'deleted-documents', FALSE,
        '2026-11-27T00:00:00.000000+00:00', '2026-11-27T00:00:00.000000+00:00')
ON CONFLICT DO NOTHING;

-- A bucket of a program may have this name.
UPDATE buckets SET public = FALSE WHERE id = 'deleted-documents';

CREATE TABLE deleted_documents (
    id TEXT NOT NULL PRIMARY KEY, -- of the document
    name TEXT NOT NULL,
    search_name TEXT NOT NULL, -- search key: the name without accents and case
    client_id TEXT REFERENCES users (id) ON DELETE CASCADE, -- also of a withdrawn document
    folder_id_supabase TEXT, -- NULL: the folder was deleted
    file_url TEXT, -- object in the bucket deleted-documents
    size BIGINT,
    deleted_at TEXT NOT NULL,
    deleted_by_id TEXT, -- NULL: a program
    purge_at TEXT NOT NULL, -- the nightly maintenance removes it for good then
    snapshot TEXT NOT NULL, -- JSON: the row, and the rows that were deleted with it (documents/trash/snapshot.rs)
    CONSTRAINT deleted_documents_folder_id_supabase_fkey
        FOREIGN KEY (folder_id_supabase) REFERENCES folders (id_supabase) ON DELETE SET NULL,
    CONSTRAINT deleted_documents_deleted_by_id_fkey
        FOREIGN KEY (deleted_by_id) REFERENCES users (id) ON DELETE SET NULL
);

CREATE INDEX deleted_documents_deleted ON deleted_documents (deleted_at, id);
CREATE INDEX deleted_documents_purge ON deleted_documents (purge_at, id);
CREATE INDEX deleted_documents_client ON deleted_documents (client_id, deleted_at) WHERE client_id IS NOT NULL;
CREATE INDEX deleted_documents_folder ON deleted_documents (folder_id_supabase) WHERE folder_id_supabase IS NOT NULL;
CREATE INDEX deleted_documents_deleted_by ON deleted_documents (deleted_by_id) WHERE deleted_by_id IS NOT NULL;
CREATE INDEX deleted_documents_file ON deleted_documents (file_url) WHERE file_url IS NOT NULL;
