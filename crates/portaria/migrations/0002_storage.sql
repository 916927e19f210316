-- Files: an object is a name in a bucket, a blob is the stored bytes under a random name.

CREATE TABLE buckets (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    owner_id TEXT, -- creator; kept after the account is deleted
    public BOOLEAN NOT NULL,
    file_size_limit BIGINT, -- bytes; NULL: the limit of the portal
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
    version TEXT NOT NULL, -- changes with every change of the bytes or the name
    owner_id TEXT, -- uploader; kept after the account is deleted
    blob TEXT NOT NULL, -- copies share a blob
    size BIGINT NOT NULL,
    sha256 TEXT NOT NULL,
    mime_type TEXT NOT NULL, -- detected in the portal's own buckets, declared in others
    detected_mime_type TEXT, -- detected type, if known; required for inline display
    content_encoding TEXT,
    cache_control TEXT NOT NULL,
    user_metadata TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    CONSTRAINT objects_bucket_id_fkey FOREIGN KEY (bucket_id) REFERENCES buckets (id),
    CONSTRAINT objects_bucket_id_name_key UNIQUE (bucket_id, name)
);

-- Finds the objects of a blob.
CREATE INDEX objects_blob ON objects (blob);

-- Blobs that lost an object. They are deleted after a grace period unless another object refers to them.
CREATE TABLE blob_gc (
    blob TEXT NOT NULL PRIMARY KEY,
    since TEXT NOT NULL
);

-- Resumable uploads in progress. Their bytes are in the data folder under the name of the future blob.
CREATE TABLE uploads (
    id TEXT NOT NULL PRIMARY KEY,
    blob TEXT NOT NULL,
    bucket_id TEXT NOT NULL,
    name TEXT NOT NULL,
    owner_id TEXT, -- NULL: a program of the office
    replaces BOOLEAN NOT NULL,
    size BIGINT NOT NULL, -- announced size in bytes
    received BIGINT NOT NULL, -- number of bytes on the disk
    metadata TEXT NOT NULL, -- Upload-Metadata as sent by the client
    writer TEXT, -- holder of the write lock
    writer_until TEXT, -- expiry of the write lock
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    CONSTRAINT uploads_bucket_id_fkey FOREIGN KEY (bucket_id) REFERENCES buckets (id) ON DELETE CASCADE
);

CREATE INDEX uploads_expires_at ON uploads (expires_at);
