-- The orders of the lists, with the key at the end. NULL comes last in them, so the newest first is an index of its own:
-- PostgreSQL reads an index forwards or backwards, and backwards an ascending one begins with NULL.
DROP INDEX documents_client_uploaded;
CREATE INDEX documents_client_newest ON documents (client_id, uploaded_at DESC NULLS LAST, id DESC);
DROP INDEX documents_uploaded;
CREATE INDEX documents_newest ON documents (uploaded_at DESC NULLS LAST, id DESC);
DROP INDEX documents_client_folder;
CREATE INDEX documents_client_folder ON documents (client_id, folder_id_supabase, uploaded_at DESC NULLS LAST, id DESC);
DROP INDEX documents_folder;
CREATE INDEX documents_folder ON documents (folder_id_supabase, uploaded_at DESC NULLS LAST, id DESC);
DROP INDEX documents_client_expires;
CREATE INDEX documents_client_expires ON documents (client_id, expires_at, id);
