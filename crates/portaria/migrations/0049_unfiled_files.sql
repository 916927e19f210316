-- The files that clients sent without a request and that wait to be filed: few of many.
CREATE INDEX received_files_unfiled ON received_files (created_at, id)
WHERE item_id IS NULL AND filed_at IS NULL;
