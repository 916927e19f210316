-- Files: an object is a name that people know, a blob the bytes behind it under a random name.

CREATE TABLE buckets (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    public BOOLEAN NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
);

INSERT INTO buckets (id, name, public, created_at, updated_at)
VALUES ('client-documents', 'client-documents', FALSE,
    '2026-01-01T00:00:00.000000+00:00', '2026-01-01T00:00:00.000000+00:00');

CREATE TABLE objects (
    id TEXT NOT NULL PRIMARY KEY,
    bucket_id TEXT NOT NULL REFERENCES buckets (id),
    name TEXT NOT NULL,
    owner_id TEXT, -- who uploaded it; kept when they are gone
    blob TEXT NOT NULL,
    size BIGINT NOT NULL,
    sha256 TEXT NOT NULL,
    mime_type TEXT NOT NULL, -- by content, never as claimed
    cache_control TEXT NOT NULL,
    user_metadata TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CONSTRAINT objects_bucket_id_name_key UNIQUE (bucket_id, name)
);

-- Blobs that lost their last object, to be unlinked after a grace period.
CREATE TABLE blob_gc (
    blob TEXT NOT NULL PRIMARY KEY,
    since TEXT NOT NULL
);
