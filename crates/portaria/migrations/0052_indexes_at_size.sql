-- Most mails are about no client in particular, and most documents were not kept for a client who was erased: an index of
-- all rows leads SQLite to read all of them.
DROP INDEX outbox_about_id;
CREATE INDEX outbox_about_id ON outbox (about_id) WHERE about_id IS NOT NULL;
CREATE INDEX documents_erased_client ON documents (erased_client_id) WHERE erased_client_id IS NOT NULL;
-- Confirmations of erasures, which the garbage collection deletes soon after they were sent.
CREATE INDEX outbox_data_erased ON outbox (created_at) WHERE event = 'data_erased';
