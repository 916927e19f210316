-- Rules may remind the staff who care for a client instead of the client.
ALTER TABLE reminder_rules ADD COLUMN recipient TEXT NOT NULL DEFAULT 'client';
ALTER TABLE reminder_rules ADD CONSTRAINT reminder_rules_recipient_check CHECK (recipient IN ('client', 'staff'));
ALTER TABLE reminder_rules DROP CONSTRAINT reminder_rules_days_category_key;
ALTER TABLE reminder_rules
    ADD CONSTRAINT reminder_rules_days_category_recipient_key UNIQUE (days, category, recipient);

ALTER TABLE notifications DROP CONSTRAINT notifications_kind_check;
ALTER TABLE notifications ADD CONSTRAINT notifications_kind_check CHECK (kind IN ('document_new', 'document_withdrawn', 'approval_asked', 'ticket_new', 'ticket_reply', 'request_new', 'request_refused', 'request_answered', 'files_received', 'approval_answered', 'payment_reported', 'documents_unopened', 'requests_unanswered'));
