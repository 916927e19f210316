-- The list of documents that ask for an answer, by outcome.
CREATE INDEX documents_approval ON documents (approval_outcome, uploaded_at DESC NULLS LAST, id DESC)
WHERE approval_request IS NOT NULL;
