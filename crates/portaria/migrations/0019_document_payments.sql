-- Payments that clients reported ("Já paguei"). The office's own books remain the authority.
CREATE TABLE document_payments (
    id TEXT NOT NULL PRIMARY KEY,
    document_id TEXT NOT NULL,
    client_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    paid_on TEXT NOT NULL, -- a day, YYYY-MM-DD
    note TEXT,
    created_at TEXT NOT NULL,
    CONSTRAINT document_payments_document_id_client_id_key UNIQUE (document_id, client_id),
    CONSTRAINT document_payments_document_id_fkey
        FOREIGN KEY (document_id) REFERENCES documents (id) ON DELETE CASCADE,
    CONSTRAINT document_payments_paid_on_check CHECK (length(paid_on) = 10)
);

CREATE INDEX document_payments_client ON document_payments (client_id, created_at);
CREATE INDEX document_payments_created ON document_payments (created_at, id);

-- The document that a ticket is about.
ALTER TABLE tickets ADD COLUMN document_id TEXT
    CONSTRAINT tickets_document_id_fkey REFERENCES documents (id) ON DELETE SET NULL;

CREATE INDEX tickets_document ON tickets (document_id) WHERE document_id IS NOT NULL;

-- Whether the calendar subscription contains amounts and payment lines.
ALTER TABLE calendar_feeds ADD COLUMN with_payments BOOLEAN NOT NULL DEFAULT FALSE;
