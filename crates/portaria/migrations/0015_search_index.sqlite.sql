-- Full-text indexes of the stored words. The tokenizer splits at spaces only, because words are lower-case letters and
-- digits. The indexes contain no texts: they refer to the rows.
CREATE VIRTUAL TABLE documents_search USING fts5(name_words, content = 'documents', tokenize = 'ascii', detail = column);
CREATE VIRTUAL TABLE tickets_search USING fts5(subject_words, message_words, content = 'tickets', tokenize = 'ascii', detail = column);
CREATE VIRTUAL TABLE ticket_messages_search USING fts5(body_words, content = 'ticket_messages', tokenize = 'ascii', detail = column);
CREATE VIRTUAL TABLE saved_replies_search USING fts5(title_words, body_words, content = 'saved_replies', tokenize = 'ascii', detail = column);

-- The words of deleted rows are removed at once, not at a later merge.
INSERT INTO documents_search (documents_search, rank) VALUES ('secure-delete', 1);
INSERT INTO tickets_search (tickets_search, rank) VALUES ('secure-delete', 1);
INSERT INTO ticket_messages_search (ticket_messages_search, rank) VALUES ('secure-delete', 1);
INSERT INTO saved_replies_search (saved_replies_search, rank) VALUES ('secure-delete', 1);

INSERT INTO documents_search (documents_search) VALUES ('rebuild');
INSERT INTO tickets_search (tickets_search) VALUES ('rebuild');
INSERT INTO ticket_messages_search (ticket_messages_search) VALUES ('rebuild');
INSERT INTO saved_replies_search (saved_replies_search) VALUES ('rebuild');

CREATE TRIGGER documents_search_insert AFTER INSERT ON documents BEGIN
    INSERT INTO documents_search (rowid, name_words) VALUES (new.rowid, new.name_words);
END;
CREATE TRIGGER documents_search_update AFTER UPDATE OF name_words ON documents BEGIN
    INSERT INTO documents_search (documents_search, rowid, name_words) VALUES ('delete', old.rowid, old.name_words);
    INSERT INTO documents_search (rowid, name_words) VALUES (new.rowid, new.name_words);
END;
CREATE TRIGGER documents_search_delete AFTER DELETE ON documents BEGIN
    INSERT INTO documents_search (documents_search, rowid, name_words) VALUES ('delete', old.rowid, old.name_words);
END;

CREATE TRIGGER tickets_search_insert AFTER INSERT ON tickets BEGIN
    INSERT INTO tickets_search (rowid, subject_words, message_words) VALUES (new.rowid, new.subject_words, new.message_words);
END;
CREATE TRIGGER tickets_search_update AFTER UPDATE OF subject_words, message_words ON tickets BEGIN
    INSERT INTO tickets_search (tickets_search, rowid, subject_words, message_words) VALUES ('delete', old.rowid, old.subject_words, old.message_words);
    INSERT INTO tickets_search (rowid, subject_words, message_words) VALUES (new.rowid, new.subject_words, new.message_words);
END;
CREATE TRIGGER tickets_search_delete AFTER DELETE ON tickets BEGIN
    INSERT INTO tickets_search (tickets_search, rowid, subject_words, message_words) VALUES ('delete', old.rowid, old.subject_words, old.message_words);
END;

CREATE TRIGGER ticket_messages_search_insert AFTER INSERT ON ticket_messages BEGIN
    INSERT INTO ticket_messages_search (rowid, body_words) VALUES (new.rowid, new.body_words);
END;
CREATE TRIGGER ticket_messages_search_update AFTER UPDATE OF body_words ON ticket_messages BEGIN
    INSERT INTO ticket_messages_search (ticket_messages_search, rowid, body_words) VALUES ('delete', old.rowid, old.body_words);
    INSERT INTO ticket_messages_search (rowid, body_words) VALUES (new.rowid, new.body_words);
END;
CREATE TRIGGER ticket_messages_search_delete AFTER DELETE ON ticket_messages BEGIN
    INSERT INTO ticket_messages_search (ticket_messages_search, rowid, body_words) VALUES ('delete', old.rowid, old.body_words);
END;

CREATE TRIGGER saved_replies_search_insert AFTER INSERT ON saved_replies BEGIN
    INSERT INTO saved_replies_search (rowid, title_words, body_words) VALUES (new.rowid, new.title_words, new.body_words);
END;
CREATE TRIGGER saved_replies_search_update AFTER UPDATE OF title_words, body_words ON saved_replies BEGIN
    INSERT INTO saved_replies_search (saved_replies_search, rowid, title_words, body_words) VALUES ('delete', old.rowid, old.title_words, old.body_words);
    INSERT INTO saved_replies_search (rowid, title_words, body_words) VALUES (new.rowid, new.title_words, new.body_words);
END;
CREATE TRIGGER saved_replies_search_delete AFTER DELETE ON saved_replies BEGIN
    INSERT INTO saved_replies_search (saved_replies_search, rowid, title_words, body_words) VALUES ('delete', old.rowid, old.title_words, old.body_words);
END;
