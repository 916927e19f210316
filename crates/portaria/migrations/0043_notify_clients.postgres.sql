-- Rules may remind clients by a notification as well.
ALTER TABLE reminder_rules DROP CONSTRAINT reminder_rules_recipient_check;
ALTER TABLE reminder_rules
    ADD CONSTRAINT reminder_rules_recipient_check CHECK (recipient IN ('client', 'client_notification', 'staff'));
