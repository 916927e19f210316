-- The orders of the other lists. Few tickets are not closed, and few accounts are administrators.
DROP INDEX tickets_due;
CREATE INDEX tickets_due ON tickets (due_at, updated_at DESC, id DESC);
CREATE INDEX tickets_unsettled ON tickets (due_at, updated_at DESC, id DESC) WHERE status <> 'closed';
DROP INDEX outbox_created_at;
CREATE INDEX outbox_created_at ON outbox (created_at, id);
CREATE INDEX outbox_state_created ON outbox (state, created_at, id);
CREATE INDEX users_staff ON users (email, id) WHERE is_admin;
-- The receipts of a page of documents.
CREATE INDEX document_receipts_client_document ON document_receipts (client_id, document_id);
