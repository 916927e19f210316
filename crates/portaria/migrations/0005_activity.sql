-- What happened in the portal, in the order in which it was committed. Each line's hash is made of the line and of the
-- hash before it, by a key that is not in the database: what is changed, removed or added afterwards shows.

CREATE TABLE activity (
    number BIGINT NOT NULL PRIMARY KEY, -- from 1 on, without gaps
    created_at TEXT NOT NULL,
    event TEXT NOT NULL,
    actor TEXT NOT NULL, -- staff, client, program, or nobody that we know
    actor_id TEXT, -- kept, as all ids here, when they are gone
    person_id TEXT, -- whom it is about
    subject_id TEXT, -- what it was done to
    detail TEXT NOT NULL, -- JSON that says nothing personal
    -- As they were called at that time. They can be erased without breaking the chain, which holds only their hash.
    actor_name TEXT,
    person_name TEXT,
    subject TEXT,
    salt TEXT, -- erased with them, so that nobody can try names against the hash
    names_hash TEXT NOT NULL,
    hash TEXT NOT NULL
);

CREATE INDEX activity_created_at ON activity (created_at);
CREATE INDEX activity_event ON activity (event, number);
CREATE INDEX activity_actor_id ON activity (actor_id, number);
CREATE INDEX activity_person_id ON activity (person_id, number);
-- Whoever reads a file asks whether that was written down just now.
CREATE INDEX activity_subject_id ON activity (subject_id, created_at);

-- The last line, and the one before the oldest that is kept: whoever drops old lines moves 'start' along.
CREATE TABLE activity_ends (
    name TEXT NOT NULL PRIMARY KEY,
    number BIGINT NOT NULL,
    hash TEXT NOT NULL,
    seal TEXT -- of 'start': that the portal dropped the lines before, and nobody else
);

INSERT INTO activity_ends (name, number, hash) VALUES ('start', 0, ''), ('end', 0, '');

-- Whose data were erased: ids alone, so that they are erased again from what a backup brings back.
CREATE TABLE erasures (
    person_id TEXT NOT NULL PRIMARY KEY,
    created_at TEXT NOT NULL
);
