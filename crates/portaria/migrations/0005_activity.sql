-- The audit log, in the order of the commits. Each event's hash covers the event and the previous hash, with a key
-- that is not in the database. A later change, removal or insertion is therefore detectable.

CREATE TABLE activity (
    number BIGINT NOT NULL PRIMARY KEY, -- from 1, without gaps
    created_at TEXT NOT NULL,
    event TEXT NOT NULL,
    actor TEXT NOT NULL, -- staff, client, program, or unknown
    actor_id TEXT, -- kept, like all ids in this table, after the account is deleted
    person_id TEXT, -- the person whom the event is about
    subject_id TEXT, -- the row that was changed
    detail TEXT NOT NULL, -- JSON without personal data
    -- Names at the time of the event. They can be redacted without a break of the chain, which contains only their
    -- hash.
    actor_name TEXT,
    person_name TEXT,
    subject TEXT,
    salt TEXT, -- erased with the names, against guesses of names by their hash
    names_hash TEXT NOT NULL,
    hash TEXT NOT NULL
);

CREATE INDEX activity_created_at ON activity (created_at);
CREATE INDEX activity_event ON activity (event, number);
CREATE INDEX activity_actor_id ON activity (actor_id, number);
CREATE INDEX activity_person_id ON activity (person_id, number);
-- Finds a recent event of the same read.
CREATE INDEX activity_subject_id ON activity (subject_id, created_at);

-- The head of the chain, and the event before the oldest one that is kept, which moves when old events are pruned.
CREATE TABLE activity_ends (
    name TEXT NOT NULL PRIMARY KEY,
    number BIGINT NOT NULL,
    hash TEXT NOT NULL,
    seal TEXT -- HMAC of 'start': proves that the portal pruned the events before it
);

INSERT INTO activity_ends (name, number, hash) VALUES ('start', 0, ''), ('end', 0, '');

-- Tombstones: ids of erased people, who are erased again after a restore of a backup.
CREATE TABLE erasures (
    person_id TEXT NOT NULL PRIMARY KEY,
    created_at TEXT NOT NULL
);
