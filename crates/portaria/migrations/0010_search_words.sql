-- The stems of the words of searched texts, with a space before and after each. The server writes them with the text.
ALTER TABLE documents ADD COLUMN name_words TEXT;
ALTER TABLE tickets ADD COLUMN subject_words TEXT;
ALTER TABLE tickets ADD COLUMN message_words TEXT;
ALTER TABLE ticket_messages ADD COLUMN body_words TEXT;
ALTER TABLE saved_replies ADD COLUMN title_words TEXT;
ALTER TABLE saved_replies ADD COLUMN body_words TEXT;
