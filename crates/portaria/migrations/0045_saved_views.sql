-- Names that a member of the staff gave to the filters and the order of a list.
CREATE TABLE saved_views (
    id TEXT NOT NULL PRIMARY KEY,
    person_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    list TEXT NOT NULL, -- the list's name in the web app
    name TEXT NOT NULL,
    search TEXT NOT NULL, -- URL parameters
    created_at TEXT NOT NULL
);
CREATE INDEX saved_views_person ON saved_views (person_id, list, created_at, id);
