-- Rules may remind clients by a notification as well. SQLite changes constraints with a new table.
ALTER TABLE reminder_rules RENAME TO former_reminder_rules;
CREATE TABLE reminder_rules (
    id TEXT NOT NULL PRIMARY KEY,
    days BIGINT NOT NULL, -- business days until the due date; negative: after it
    category TEXT NOT NULL DEFAULT '', -- the category of documents; empty: all
    created_at TEXT NOT NULL,
    recipient TEXT NOT NULL DEFAULT 'client',
    CONSTRAINT reminder_rules_days_category_recipient_key UNIQUE (days, category, recipient),
    CONSTRAINT reminder_rules_days_check CHECK (days BETWEEN -30 AND 60),
    CONSTRAINT reminder_rules_recipient_check CHECK (recipient IN ('client', 'client_notification', 'staff'))
);
INSERT INTO reminder_rules (id, days, category, created_at, recipient)
SELECT id, days, category, created_at, recipient FROM former_reminder_rules;
DROP TABLE former_reminder_rules;
