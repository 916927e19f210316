-- Requests: items that the office asks of clients, and the files that clients send, for an item or at any time.

INSERT INTO buckets (id, name, public, created_at, updated_at)
VALUES
    ('received-files', 'received-files', FALSE,
        '2026-11-25T00:00:00.000000+00:00', '2026-11-25T00:00:00.000000+00:00')
ON CONFLICT DO NOTHING;

-- A bucket of a program may have this name.
UPDATE buckets SET public = FALSE WHERE id = 'received-files';

CREATE TABLE request_items (
    id TEXT NOT NULL PRIMARY KEY,
    client_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    hint TEXT, -- what exactly to send
    month TEXT NOT NULL, -- YYYY-MM
    due_on TEXT, -- YYYY-MM-DD
    -- Whether the nightly maintenance asks for the item again in the next month. The newest item of a series has it.
    repeats_monthly BOOLEAN NOT NULL DEFAULT FALSE,
    status TEXT NOT NULL DEFAULT 'open',
    refusal_reason TEXT,
    answered_at TEXT, -- of the client's latest answer
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    -- The same item of a month is asked for once.
    CONSTRAINT request_items_client_id_month_name_key UNIQUE (client_id, month, name),
    CONSTRAINT request_items_name_check CHECK (length(trim(name)) BETWEEN 1 AND 120),
    CONSTRAINT request_items_refusal_reason_check
        CHECK ((status = 'refused') = (refusal_reason IS NOT NULL)),
    CONSTRAINT request_items_status_check
        CHECK (status IN ('open', 'answered', 'nothing', 'accepted', 'refused'))
);

CREATE INDEX request_items_month ON request_items (month, client_id);
CREATE INDEX request_items_status ON request_items (status, created_at, id);
CREATE INDEX request_items_repeats ON request_items (month, id) WHERE repeats_monthly;

CREATE TABLE received_files (
    id TEXT NOT NULL PRIMARY KEY,
    client_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    item_id TEXT, -- NULL: sent without a request
    name TEXT NOT NULL, -- the sender's name of the file
    file_url TEXT, -- object in the bucket received-files; NULL once the file is a document
    size BIGINT NOT NULL,
    note TEXT, -- of the client
    refused_at TEXT, -- when the office refused the item with this file
    filed_at TEXT, -- when the file became a document
    document_id TEXT, -- NULL: not filed, or the document was deleted
    created_at TEXT NOT NULL,
    CONSTRAINT received_files_file_url_key UNIQUE (file_url),
    CONSTRAINT received_files_item_id_fkey
        FOREIGN KEY (item_id) REFERENCES request_items (id) ON DELETE CASCADE,
    CONSTRAINT received_files_document_id_fkey
        FOREIGN KEY (document_id) REFERENCES documents (id) ON DELETE SET NULL,
    CONSTRAINT received_files_name_check CHECK (length(name) BETWEEN 1 AND 255)
);

CREATE INDEX received_files_client ON received_files (client_id, created_at);
CREATE INDEX received_files_item ON received_files (item_id) WHERE item_id IS NOT NULL;
CREATE INDEX received_files_document ON received_files (document_id) WHERE document_id IS NOT NULL;
CREATE INDEX received_files_created ON received_files (created_at, id);

-- Lists of items that the office asks for again and again.
CREATE TABLE request_templates (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    items TEXT NOT NULL, -- JSON list of name, hint and repeats_monthly
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CONSTRAINT request_templates_name_key UNIQUE (name),
    CONSTRAINT request_templates_name_check CHECK (length(trim(name)) BETWEEN 1 AND 120)
);
