-- How each member of the staff wants to hear by mail of what clients did. Without a row of a topic: not at all.
CREATE TABLE staff_mail_choices (
    id TEXT NOT NULL PRIMARY KEY,
    person_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    topic TEXT NOT NULL,
    delivery TEXT NOT NULL,
    created_at TEXT NOT NULL,
    CONSTRAINT staff_mail_choices_person_id_topic_key UNIQUE (person_id, topic),
    CONSTRAINT staff_mail_choices_topic_check CHECK (topic IN ('new_tickets', 'client_replies', 'received_files', 'approval_answers')),
    CONSTRAINT staff_mail_choices_delivery_check CHECK (delivery IN ('at_once', 'daily', 'none'))
);

-- Finds the people who want a digest.
CREATE INDEX staff_mail_choices_delivery ON staff_mail_choices (delivery, person_id);
