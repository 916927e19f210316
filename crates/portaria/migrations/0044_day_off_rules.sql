-- What happens to due dates on days off, where the office knows better than the defaults. JSON: category to
-- "earlier", "later" or null.
ALTER TABLE office_settings ADD COLUMN day_off_rules TEXT NOT NULL DEFAULT '{}';
