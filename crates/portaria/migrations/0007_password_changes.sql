-- Time of the last change of the password, which ends the signed URLs of the account. NULL: not changed since this
-- column exists.
ALTER TABLE users ADD COLUMN password_changed_at TEXT;
