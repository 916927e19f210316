-- The notification center: a row per person and event. A client's person reads the rows about the client for whom the
-- session acts, a member of the staff all of their own rows. Rows are deleted after 90 days (jobs/nightly.rs).
CREATE TABLE notifications (
    id TEXT NOT NULL PRIMARY KEY,
    person_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    client_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    document_id TEXT,
    ticket_id TEXT,
    request_item_id TEXT,
    created_at TEXT NOT NULL,
    read_at TEXT,
    CONSTRAINT notifications_document_id_fkey
        FOREIGN KEY (document_id) REFERENCES documents (id) ON DELETE CASCADE,
    CONSTRAINT notifications_ticket_id_fkey
        FOREIGN KEY (ticket_id) REFERENCES tickets (id) ON DELETE CASCADE,
    CONSTRAINT notifications_request_item_id_fkey
        FOREIGN KEY (request_item_id) REFERENCES request_items (id) ON DELETE CASCADE,
    CONSTRAINT notifications_kind_check CHECK (kind IN ('document_new', 'document_withdrawn', 'approval_asked', 'ticket_new', 'ticket_reply', 'request_new', 'request_refused', 'request_answered', 'files_received', 'approval_answered', 'payment_reported'))
);

CREATE INDEX notifications_person ON notifications (person_id, created_at, id);
CREATE INDEX notifications_unread ON notifications (person_id, client_id, id) WHERE read_at IS NULL;
CREATE INDEX notifications_client ON notifications (client_id);
CREATE INDEX notifications_created ON notifications (created_at);
CREATE INDEX notifications_document ON notifications (document_id) WHERE document_id IS NOT NULL;
CREATE INDEX notifications_ticket ON notifications (ticket_id) WHERE ticket_id IS NOT NULL;
CREATE INDEX notifications_request_item ON notifications (request_item_id) WHERE request_item_id IS NOT NULL;
