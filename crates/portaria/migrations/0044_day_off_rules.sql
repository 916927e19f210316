-- The office's changes of the rules for due dates on days off. JSON: category to "earlier", "later" or null.
ALTER TABLE office_settings ADD COLUMN day_off_rules TEXT NOT NULL DEFAULT '{}';
