-- Find the rows whose words a node of an earlier version did not write. They are empty otherwise.
CREATE INDEX documents_missing_name_words ON documents (id) WHERE name_words IS NULL AND name IS NOT NULL;
CREATE INDEX tickets_missing_subject_words ON tickets (id) WHERE subject_words IS NULL AND subject IS NOT NULL;
CREATE INDEX tickets_missing_message_words ON tickets (id) WHERE message_words IS NULL AND message IS NOT NULL;
CREATE INDEX ticket_messages_missing_body_words ON ticket_messages (id) WHERE body_words IS NULL AND body IS NOT NULL;
CREATE INDEX saved_replies_missing_title_words ON saved_replies (id) WHERE title_words IS NULL AND title IS NOT NULL;
CREATE INDEX saved_replies_missing_body_words ON saved_replies (id) WHERE body_words IS NULL AND body IS NOT NULL;
