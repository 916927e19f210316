-- Kinds of documents that the office describes by phrases (docs/decisions/0137-rules-of-recognition.md).
CREATE TABLE recognition_rules (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL, -- the name of the kind, from which the category of its documents is derived
    phrases TEXT NOT NULL, -- all occur in a document of the kind; JSON list
    excluded_phrases TEXT NOT NULL DEFAULT '[]', -- none occurs; JSON list
    folder_id_supabase TEXT,
    is_payable BOOLEAN NOT NULL DEFAULT FALSE, -- the documents have an amount and a due date
    created_at TEXT NOT NULL,
    CONSTRAINT recognition_rules_name_key UNIQUE (name),
    CONSTRAINT recognition_rules_folder_id_supabase_fkey
        FOREIGN KEY (folder_id_supabase) REFERENCES folders (id_supabase) ON DELETE SET NULL
);

CREATE INDEX recognition_rules_folder ON recognition_rules (folder_id_supabase)
WHERE folder_id_supabase IS NOT NULL;
CREATE INDEX recognition_rules_created ON recognition_rules (created_at, id);
