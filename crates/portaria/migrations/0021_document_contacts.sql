-- Contacts of staff with a client about a document that the client did not open.
CREATE TABLE document_contacts (
    id TEXT NOT NULL PRIMARY KEY,
    document_id TEXT NOT NULL,
    client_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    kind TEXT NOT NULL, -- a reminder by mail or WhatsApp, or the delivery by other means
    contacted_on TEXT NOT NULL, -- the day in the portal's zone, YYYY-MM-DD
    note TEXT, -- how the document was delivered
    author_id TEXT, -- the member of staff; NULL: a program
    created_at TEXT NOT NULL,
    -- One of a kind a day: a repeated request is the same contact.
    CONSTRAINT document_contacts_document_id_client_id_kind_contacted_on_key
        UNIQUE (document_id, client_id, kind, contacted_on),
    CONSTRAINT document_contacts_document_id_fkey
        FOREIGN KEY (document_id) REFERENCES documents (id) ON DELETE CASCADE,
    CONSTRAINT document_contacts_author_id_fkey
        FOREIGN KEY (author_id) REFERENCES users (id) ON DELETE SET NULL,
    CONSTRAINT document_contacts_kind_check CHECK (kind IN ('mail', 'whatsapp', 'delivery'))
);

CREATE INDEX document_contacts_client ON document_contacts (client_id, created_at);
CREATE INDEX document_contacts_created ON document_contacts (created_at, id);
CREATE INDEX document_contacts_author ON document_contacts (author_id) WHERE author_id IS NOT NULL;
