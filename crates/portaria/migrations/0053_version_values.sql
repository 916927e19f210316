-- The payment values that a document had while this was its file, as JSON; NULL: not known, because the version is older than
-- this column.
ALTER TABLE document_versions ADD COLUMN document_values TEXT;
