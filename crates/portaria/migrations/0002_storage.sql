-- Files: an object is a name that people know, a blob the bytes behind it under a random name.

CREATE TABLE buckets (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    owner_id TEXT, -- who made it; kept when they are gone
    public BOOLEAN NOT NULL,
    file_size_limit BIGINT, -- bytes; NULL: the portal's own limit
    allowed_mime_types TEXT, -- JSON list; NULL: all
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CONSTRAINT buckets_name_key UNIQUE (name)
);

INSERT INTO buckets (id, name, public, created_at, updated_at)
VALUES
    ('client-documents', 'client-documents', FALSE,
        '2026-01-01T00:00:00.000000+00:00', '2026-01-01T00:00:00.000000+00:00'),
    ('ticket-attachments', 'ticket-attachments', FALSE,
        '2026-01-01T00:00:00.000000+00:00', '2026-01-01T00:00:00.000000+00:00');

CREATE TABLE objects (
    id TEXT NOT NULL PRIMARY KEY,
    bucket_id TEXT NOT NULL,
    name TEXT NOT NULL,
    version TEXT NOT NULL, -- another one with every change of the bytes or the name
    owner_id TEXT, -- who uploaded it; kept when they are gone
    blob TEXT NOT NULL, -- copies share one
    size BIGINT NOT NULL,
    sha256 TEXT NOT NULL,
    mime_type TEXT NOT NULL, -- of documents by their content, elsewhere as claimed
    sniffed TEXT, -- by its content, if that is known: only so does a browser get to show it
    content_encoding TEXT,
    cache_control TEXT NOT NULL,
    user_metadata TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CONSTRAINT objects_bucket_id_fkey FOREIGN KEY (bucket_id) REFERENCES buckets (id),
    CONSTRAINT objects_bucket_id_name_key UNIQUE (bucket_id, name)
);

-- Whether a blob still has an object.
CREATE INDEX objects_blob ON objects (blob);

-- Blobs that lost an object, to be unlinked after a grace period unless another object holds them.
CREATE TABLE blob_gc (
    blob TEXT NOT NULL PRIMARY KEY,
    since TEXT NOT NULL
);

-- Resumable uploads under way. Their bytes lie in the data folder under the name that their blob is to have.
CREATE TABLE uploads (
    id TEXT NOT NULL PRIMARY KEY,
    blob TEXT NOT NULL,
    bucket_id TEXT NOT NULL,
    name TEXT NOT NULL,
    owner_id TEXT, -- NULL: a program of the office
    replaces BOOLEAN NOT NULL,
    size BIGINT NOT NULL, -- announced
    received BIGINT NOT NULL, -- so many are on the disk
    metadata TEXT NOT NULL, -- as the client sent it
    writer TEXT, -- who is sending bytes at this moment
    writer_until TEXT, -- unless they said nothing more until then
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    CONSTRAINT uploads_bucket_id_fkey FOREIGN KEY (bucket_id) REFERENCES buckets (id) ON DELETE CASCADE
);

CREATE INDEX uploads_expires_at ON uploads (expires_at);
