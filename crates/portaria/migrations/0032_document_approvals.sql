-- A document may ask its client to acknowledge or to approve it. An answer is about one file, so a replaced file is
-- asked about again, and what was answered before stays.
ALTER TABLE documents ADD COLUMN approval_request TEXT
    CONSTRAINT documents_approval_request_check CHECK (approval_request IN ('acknowledge', 'approve'));

-- The answer about the present file, for lists.
ALTER TABLE documents ADD COLUMN approval_outcome TEXT;

CREATE TABLE document_approvals (
    id TEXT NOT NULL PRIMARY KEY,
    document_id TEXT NOT NULL,
    client_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    author_id TEXT, -- the person who answered
    file_url TEXT NOT NULL,
    outcome TEXT NOT NULL,
    reason TEXT,
    created_at TEXT NOT NULL,
    CONSTRAINT document_approvals_document_id_file_url_key UNIQUE (document_id, file_url),
    CONSTRAINT document_approvals_document_id_fkey
        FOREIGN KEY (document_id) REFERENCES documents (id) ON DELETE CASCADE,
    CONSTRAINT document_approvals_outcome_check CHECK (outcome IN ('acknowledged', 'approved', 'refused'))
);

CREATE INDEX document_approvals_client ON document_approvals (client_id, created_at);
-- The documents that wait for an answer of a client.
CREATE INDEX documents_unanswered ON documents (client_id, created_at, id)
WHERE approval_request IS NOT NULL AND approval_outcome IS NULL;

CREATE INDEX document_approvals_created ON document_approvals (created_at, id);
