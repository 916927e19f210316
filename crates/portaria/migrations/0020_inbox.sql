-- The inbox: files that the office dropped and that become documents of clients when staff publish them.

INSERT INTO buckets (id, name, public, created_at, updated_at)
VALUES
    ('inbox', 'inbox', FALSE, '2026-11-25T00:00:00.000000+00:00', '2026-11-25T00:00:00.000000+00:00')
ON CONFLICT DO NOTHING;

-- A bucket of a program may have this name.
UPDATE buckets SET public = FALSE WHERE id = 'inbox';

CREATE TABLE inbox_files (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL, -- the sender's name of the file
    file_url TEXT, -- object in the bucket inbox; NULL once the file is a document
    size BIGINT NOT NULL,
    sha256 TEXT NOT NULL,
    mime_type TEXT NOT NULL,
    source TEXT NOT NULL,
    uploaded_by_id TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    -- Reading
    state TEXT NOT NULL DEFAULT 'waiting',
    attempts BIGINT NOT NULL DEFAULT 0,
    lease_until TEXT, -- while a node reads the file
    problem TEXT, -- why the file could not be read, or not be published
    findings TEXT, -- what was read, with place and confidence; JSON
    -- Review: the document to be
    review_group TEXT NOT NULL DEFAULT 'reading', -- derived (inbox/review_group.rs)
    doubts TEXT, -- why a person has to confirm the client; JSON list
    reviewed_at TEXT, -- when a person chose or confirmed the client
    client_id TEXT,
    folder_id_supabase TEXT,
    document_name TEXT,
    category TEXT,
    reference_month TEXT,
    expires_at TEXT,
    amount_cents BIGINT,
    payment_line TEXT,
    pix_code TEXT,
    duplicate_of_id TEXT,
    duplicate_choice TEXT,
    -- Publication
    publish_at TEXT,
    publisher_id TEXT,
    document_id TEXT,
    CONSTRAINT inbox_files_file_url_key UNIQUE (file_url),
    CONSTRAINT inbox_files_uploaded_by_id_fkey
        FOREIGN KEY (uploaded_by_id) REFERENCES users (id) ON DELETE SET NULL,
    CONSTRAINT inbox_files_client_id_fkey FOREIGN KEY (client_id) REFERENCES users (id) ON DELETE SET NULL,
    CONSTRAINT inbox_files_publisher_id_fkey
        FOREIGN KEY (publisher_id) REFERENCES users (id) ON DELETE SET NULL,
    CONSTRAINT inbox_files_folder_id_supabase_fkey
        FOREIGN KEY (folder_id_supabase) REFERENCES folders (id_supabase) ON DELETE SET NULL,
    CONSTRAINT inbox_files_duplicate_of_id_fkey
        FOREIGN KEY (duplicate_of_id) REFERENCES documents (id) ON DELETE SET NULL,
    CONSTRAINT inbox_files_document_id_fkey
        FOREIGN KEY (document_id) REFERENCES documents (id) ON DELETE SET NULL,
    CONSTRAINT inbox_files_source_check CHECK (source IN ('upload', 'program', 'folder', 'mail')),
    CONSTRAINT inbox_files_state_check
        CHECK (state IN ('waiting', 'reading', 'ready', 'scheduled', 'published')),
    CONSTRAINT inbox_files_review_group_check
        CHECK (
            review_group IN
            ('reading', 'recognized', 'doubtful', 'no_owner', 'problem', 'scheduled', 'published')
        ),
    CONSTRAINT inbox_files_duplicate_choice_check CHECK (duplicate_choice IN ('replace', 'keep')),
    CONSTRAINT inbox_files_document_name_check CHECK (length(document_name) BETWEEN 1 AND 255),
    CONSTRAINT inbox_files_amount_cents_check CHECK (amount_cents >= 0)
);

-- The review, the files to read, the files to publish, and the foreign keys.
CREATE INDEX inbox_files_group ON inbox_files (review_group, created_at, id);
CREATE INDEX inbox_files_created ON inbox_files (created_at, id);
CREATE INDEX inbox_files_unread ON inbox_files (created_at, id) WHERE state IN ('waiting', 'reading');
CREATE INDEX inbox_files_due ON inbox_files (publish_at, id) WHERE state = 'scheduled';
CREATE INDEX inbox_files_client ON inbox_files (client_id) WHERE client_id IS NOT NULL;
CREATE INDEX inbox_files_folder ON inbox_files (folder_id_supabase) WHERE folder_id_supabase IS NOT NULL;
CREATE INDEX inbox_files_duplicate ON inbox_files (duplicate_of_id) WHERE duplicate_of_id IS NOT NULL;
CREATE INDEX inbox_files_document ON inbox_files (document_id) WHERE document_id IS NOT NULL;

-- Files that a program had put into a bucket of this name.
INSERT INTO inbox_files (id, name, file_url, size, sha256, mime_type, source, created_at, updated_at)
SELECT id, name, name, size, sha256, mime_type, 'program', created_at, updated_at
FROM objects WHERE bucket_id = 'inbox';

-- The same bytes among the files of documents.
CREATE INDEX objects_sha256 ON objects (sha256);

-- The documents of a client with the same category and month.
CREATE INDEX documents_subject ON documents (client_id, category, reference_month)
WHERE category IS NOT NULL;

-- The decisions of the office that later files repeat.
CREATE TABLE inbox_rules (
    id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL,
    pattern TEXT NOT NULL, -- the words of file names, or a category of documents
    client_id TEXT,
    folder_id_supabase TEXT,
    created_at TEXT NOT NULL,
    CONSTRAINT inbox_rules_kind_pattern_key UNIQUE (kind, pattern),
    CONSTRAINT inbox_rules_client_id_fkey FOREIGN KEY (client_id) REFERENCES users (id) ON DELETE CASCADE,
    CONSTRAINT inbox_rules_folder_id_supabase_fkey
        FOREIGN KEY (folder_id_supabase) REFERENCES folders (id_supabase) ON DELETE CASCADE,
    CONSTRAINT inbox_rules_kind_check CHECK (kind IN ('alias', 'folder')),
    CONSTRAINT inbox_rules_target_check CHECK (
        (kind = 'alias' AND client_id IS NOT NULL) OR (kind = 'folder' AND folder_id_supabase IS NOT NULL)
    )
);

CREATE INDEX inbox_rules_client ON inbox_rules (client_id) WHERE client_id IS NOT NULL;
CREATE INDEX inbox_rules_folder ON inbox_rules (folder_id_supabase) WHERE folder_id_supabase IS NOT NULL;
CREATE INDEX inbox_rules_created ON inbox_rules (created_at, id);

-- The former client of a document that staff withdrew. Without a client a document is hidden from all clients.
ALTER TABLE documents ADD COLUMN withdrawn_at TEXT;
ALTER TABLE documents ADD COLUMN withdrawn_client_id TEXT
    CONSTRAINT documents_withdrawn_client_id_fkey REFERENCES users (id);

CREATE INDEX documents_withdrawn_client ON documents (withdrawn_client_id)
WHERE withdrawn_client_id IS NOT NULL;
