-- The orders of the lists, with the key at the end. SQLite reads an index in two parts, the NULLs and the others, in the
-- order that a list requires.
DROP INDEX documents_client_folder;
CREATE INDEX documents_client_folder ON documents (client_id, folder_id_supabase, uploaded_at, id);
DROP INDEX documents_folder;
CREATE INDEX documents_folder ON documents (folder_id_supabase, uploaded_at, id);
DROP INDEX documents_client_expires;
CREATE INDEX documents_client_expires ON documents (client_id, expires_at, id);
