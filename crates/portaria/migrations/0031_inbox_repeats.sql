-- Files of the inbox with the bytes of an earlier one that is not published.
ALTER TABLE inbox_files ADD COLUMN repeats_id TEXT
    CONSTRAINT inbox_files_repeats_id_fkey REFERENCES inbox_files (id) ON DELETE SET NULL;
ALTER TABLE inbox_files ADD COLUMN repeats_kept BOOLEAN NOT NULL DEFAULT FALSE; -- a person keeps both

CREATE INDEX inbox_files_sha256 ON inbox_files (sha256);
CREATE INDEX inbox_files_repeats ON inbox_files (repeats_id) WHERE repeats_id IS NOT NULL;
