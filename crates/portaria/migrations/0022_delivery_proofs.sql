-- Issued proofs of delivery ("Comprovante de entrega"), by which anybody who holds one can check it. A proof holds no
-- personal data: the PDF itself is not stored, only its hash.
CREATE TABLE delivery_proofs (
    code TEXT NOT NULL PRIMARY KEY, -- printed on the proof
    issued_at TEXT NOT NULL,
    pdf_sha256 TEXT NOT NULL,
    file_sha256 TEXT, -- the document's file; NULL if it has none
    published_at TEXT,
    opened_at TEXT, -- the first opening by the client
    event_count BIGINT NOT NULL, -- audit events in the proof
    last_number BIGINT, -- the last one: its number and hash in the audit log
    last_hash TEXT
);

-- The mail server's reply to an accepted mail.
ALTER TABLE outbox ADD COLUMN smtp_reply TEXT;

-- Finds the mails about a document.
CREATE INDEX outbox_document ON outbox (document_id) WHERE document_id IS NOT NULL;
