-- The earlier files of documents. They have no foreign key to the document, so they stay while it is in the trash.

INSERT INTO buckets (id, name, public, created_at, updated_at)
VALUES
    ('document-versions', 'document-versions', FALSE,
        '2026-11-27T00:00:00.000000+00:00', '2026-11-27T00:00:00.000000+00:00')
ON CONFLICT DO NOTHING;

-- A bucket of a program may have this name.
UPDATE buckets SET public = FALSE WHERE id = 'document-versions';

CREATE TABLE document_versions (
    id TEXT NOT NULL PRIMARY KEY,
    document_id TEXT NOT NULL,
    client_id TEXT REFERENCES users (id) ON DELETE CASCADE,
    name TEXT NOT NULL, -- of the file
    file_url TEXT NOT NULL, -- object in the bucket document-versions
    size BIGINT NOT NULL,
    sha256 TEXT NOT NULL,
    uploaded_at TEXT NOT NULL, -- of the file
    replaced_at TEXT NOT NULL,
    replaced_by_id TEXT, -- the member of staff; NULL: a program
    CONSTRAINT document_versions_file_url_key UNIQUE (file_url),
    CONSTRAINT document_versions_replaced_by_id_fkey
        FOREIGN KEY (replaced_by_id) REFERENCES users (id) ON DELETE SET NULL
);

CREATE INDEX document_versions_document ON document_versions (document_id, replaced_at, id);
CREATE INDEX document_versions_client ON document_versions (client_id) WHERE client_id IS NOT NULL;
CREATE INDEX document_versions_replaced_by ON document_versions (replaced_by_id) WHERE replaced_by_id IS NOT NULL;
