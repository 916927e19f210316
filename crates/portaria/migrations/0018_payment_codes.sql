-- The values with which a client pays a document, the time when the client could first open it, and the responsible
-- member of staff.

ALTER TABLE documents ADD COLUMN category TEXT; -- kind of slip or paper, such as das or boleto; free for later rules
ALTER TABLE documents ADD COLUMN reference_month TEXT; -- month that the document is about, as YYYY-MM
ALTER TABLE documents ADD COLUMN amount_cents BIGINT
    CONSTRAINT documents_amount_cents_check CHECK (amount_cents >= 0);
ALTER TABLE documents ADD COLUMN payment_line TEXT; -- 47 or 48 digits with correct check digits
ALTER TABLE documents ADD COLUMN pix_code TEXT; -- BR Code with a correct checksum
ALTER TABLE documents ADD COLUMN published_at TEXT; -- when the client could first open the document
ALTER TABLE documents ADD COLUMN responsible_id TEXT
    CONSTRAINT documents_responsible_id_fkey REFERENCES users (id) ON DELETE SET NULL;

CREATE INDEX documents_responsible ON documents (responsible_id) WHERE responsible_id IS NOT NULL;

-- The best evidence of documents that were published before.
UPDATE documents SET published_at = COALESCE(uploaded_at, created_at)
WHERE status <> 'pending' AND client_id IS NOT NULL;
