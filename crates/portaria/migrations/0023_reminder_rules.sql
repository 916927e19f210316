-- Days on which clients are reminded of documents that they did not open.
CREATE TABLE reminder_rules (
    id TEXT NOT NULL PRIMARY KEY,
    days BIGINT NOT NULL, -- business days until the due date; negative: after it
    category TEXT NOT NULL DEFAULT '', -- the category of documents; empty: all
    created_at TEXT NOT NULL,
    CONSTRAINT reminder_rules_days_category_key UNIQUE (days, category),
    CONSTRAINT reminder_rules_days_check CHECK (days BETWEEN -30 AND 60)
);
