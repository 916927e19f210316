-- Rules may remind the staff who care for a client instead of the client. SQLite changes constraints with a new table.
ALTER TABLE reminder_rules RENAME TO former_reminder_rules;
CREATE TABLE reminder_rules (
    id TEXT NOT NULL PRIMARY KEY,
    days BIGINT NOT NULL, -- business days until the due date; negative: after it
    category TEXT NOT NULL DEFAULT '', -- the category of documents; empty: all
    created_at TEXT NOT NULL,
    recipient TEXT NOT NULL DEFAULT 'client',
    CONSTRAINT reminder_rules_days_category_recipient_key UNIQUE (days, category, recipient),
    CONSTRAINT reminder_rules_days_check CHECK (days BETWEEN -30 AND 60),
    CONSTRAINT reminder_rules_recipient_check CHECK (recipient IN ('client', 'staff'))
);
INSERT INTO reminder_rules (id, days, category, created_at)
SELECT id, days, category, created_at FROM former_reminder_rules;
DROP TABLE former_reminder_rules;

ALTER TABLE notifications RENAME TO former_notifications;
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
    CONSTRAINT notifications_kind_check CHECK (kind IN ('document_new', 'document_withdrawn', 'approval_asked', 'ticket_new', 'ticket_reply', 'request_new', 'request_refused', 'request_answered', 'files_received', 'approval_answered', 'payment_reported', 'documents_unopened', 'requests_unanswered'))
);
INSERT INTO notifications (id, person_id, client_id, kind, document_id, ticket_id, request_item_id, created_at, read_at)
SELECT id, person_id, client_id, kind, document_id, ticket_id, request_item_id, created_at, read_at FROM former_notifications;
DROP TABLE former_notifications;
CREATE INDEX notifications_person ON notifications (person_id, created_at, id);
CREATE INDEX notifications_unread ON notifications (person_id, client_id, id) WHERE read_at IS NULL;
CREATE INDEX notifications_client ON notifications (client_id);
CREATE INDEX notifications_created ON notifications (created_at);
CREATE INDEX notifications_document ON notifications (document_id) WHERE document_id IS NOT NULL;
CREATE INDEX notifications_ticket ON notifications (ticket_id) WHERE ticket_id IS NOT NULL;
CREATE INDEX notifications_request_item ON notifications (request_item_id) WHERE request_item_id IS NOT NULL;
