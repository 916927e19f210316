-- Transformed images, a cache: rows and blobs may be deleted at any time, and are made again from the object.

CREATE TABLE renditions (
    version TEXT NOT NULL, -- version of the object
    transformation TEXT NOT NULL, -- size, mode, quality and format, in one canonical form
    object_id TEXT NOT NULL,
    blob TEXT NOT NULL,
    size BIGINT NOT NULL,
    sha256 TEXT NOT NULL,
    mime_type TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (version, transformation),
    CONSTRAINT renditions_object_id_fkey FOREIGN KEY (object_id) REFERENCES objects (id) ON DELETE CASCADE
);

-- Finds the renditions of an object.
CREATE INDEX renditions_object_id ON renditions (object_id);
-- Finds the oldest renditions.
CREATE INDEX renditions_created_at ON renditions (created_at);
-- Finds the rendition of a blob.
CREATE INDEX renditions_blob ON renditions (blob);
