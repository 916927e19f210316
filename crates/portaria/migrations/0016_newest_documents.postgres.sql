-- The newest documents first, those without a time of upload last. PostgreSQL reads an index forwards or backwards, and
-- backwards an index in ascending order begins with NULL.
DROP INDEX documents_client_uploaded;
CREATE INDEX documents_client_newest ON documents (client_id, uploaded_at DESC NULLS LAST, id DESC);
CREATE INDEX documents_newest ON documents (uploaded_at DESC NULLS LAST, id DESC);
