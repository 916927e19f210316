-- Indexes of the stored words. Words are lower-case letters and digits between spaces, so they need no parser and no
-- configuration of the server.
CREATE INDEX documents_name_words_search ON documents USING gin (array_to_tsvector(string_to_array(btrim(name_words), ' ')));
CREATE INDEX tickets_subject_words_search ON tickets USING gin (array_to_tsvector(string_to_array(btrim(subject_words), ' ')));
CREATE INDEX tickets_message_words_search ON tickets USING gin (array_to_tsvector(string_to_array(btrim(message_words), ' ')));
CREATE INDEX ticket_messages_body_words_search ON ticket_messages USING gin (array_to_tsvector(string_to_array(btrim(body_words), ' ')));
CREATE INDEX saved_replies_title_words_search ON saved_replies USING gin (array_to_tsvector(string_to_array(btrim(title_words), ' ')));
CREATE INDEX saved_replies_body_words_search ON saved_replies USING gin (array_to_tsvector(string_to_array(btrim(body_words), ' ')));
