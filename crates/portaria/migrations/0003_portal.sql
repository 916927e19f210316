-- Documents in folders, tickets, and the settings of mails.

CREATE TABLE folders (
    id TEXT NOT NULL PRIMARY KEY,
    id_supabase TEXT NOT NULL,
    name TEXT NOT NULL,
    icon TEXT NOT NULL DEFAULT 'folder',
    kind TEXT,
    position BIGINT NOT NULL DEFAULT 0,
    archived_at TEXT,
    retention_months BIGINT, -- retention in months after upload or due date, whichever is later; NULL: unlimited
    auto_delete BOOLEAN NOT NULL DEFAULT FALSE, -- expired documents are deleted automatically; otherwise only marked
    legal_hold_reason TEXT, -- legal hold on all documents of the folder: the reason
    created_at TEXT NOT NULL,
    CONSTRAINT folders_id_supabase_key UNIQUE (id_supabase),
    CONSTRAINT folders_auto_delete_check CHECK (NOT auto_delete OR retention_months IS NOT NULL),
    CONSTRAINT folders_legal_hold_reason_check CHECK (length(trim(legal_hold_reason)) >= 1),
    CONSTRAINT folders_retention_months_check CHECK (retention_months BETWEEN 1 AND 1200),
    CONSTRAINT folders_kind_check CHECK (kind IN ('contrato', 'fatura', 'relatorio', 'aviso')),
    CONSTRAINT folders_name_check CHECK (length(name) BETWEEN 1 AND 200)
);

INSERT INTO folders (id, id_supabase, name, icon, kind, position, created_at) VALUES
    ('019b7600-0000-7000-8000-000000000001', 'contratos', 'Contratos', 'file-text', 'contrato', 1, '2026-01-01T00:00:00.000000+00:00'),
    ('019b7600-0000-7000-8000-000000000002', 'faturas', 'Faturas', 'receipt', 'fatura', 2, '2026-01-01T00:00:00.000000+00:00'),
    ('019b7600-0000-7000-8000-000000000003', 'documentos-pessoais', 'Documentos Pessoais', 'user', NULL, 3, '2026-01-01T00:00:00.000000+00:00');

CREATE TABLE documents (
    id TEXT NOT NULL PRIMARY KEY,
    client_id TEXT REFERENCES users (id), -- NULL: inserted without a file, has no owner
    folder_id_supabase TEXT NOT NULL,
    name TEXT NOT NULL,
    search_name TEXT NOT NULL, -- search key: the name without accents and case
    type TEXT NOT NULL,
    kind TEXT, -- NULL: same as the folder
    status TEXT NOT NULL DEFAULT 'active',
    file_url TEXT,
    size BIGINT,
    created_at TEXT NOT NULL,
    expires_at TEXT,
    uploaded_at TEXT,
    legal_hold_reason TEXT, -- legal hold on the document: the reason
    was_opened BOOLEAN NOT NULL DEFAULT FALSE, -- opened by the client, according to a receipt that was deleted
    retention_expired_at TEXT, -- time at which the retention ended; see jobs/document_retention.rs
    erased_client_id TEXT, -- former client: a legal hold kept the document at the erasure
    updated_at TEXT NOT NULL,
    CONSTRAINT documents_folder_id_supabase_fkey
        FOREIGN KEY (folder_id_supabase) REFERENCES folders (id_supabase),
    CONSTRAINT documents_legal_hold_reason_check CHECK (length(trim(legal_hold_reason)) >= 1),
    CONSTRAINT documents_kind_check CHECK (kind IN ('contrato', 'fatura', 'relatorio', 'aviso')),
    CONSTRAINT documents_name_check CHECK (length(name) BETWEEN 1 AND 255)
);

-- Indexes for: a client's list in a folder, a client's newest, a client's next due, all next due, the office's
-- newest, and the documents of a file.
CREATE INDEX documents_client_folder ON documents (client_id, folder_id_supabase);
CREATE INDEX documents_client_uploaded ON documents (client_id, uploaded_at, id);
CREATE INDEX documents_client_expires ON documents (client_id, expires_at);
CREATE INDEX documents_expires ON documents (expires_at, id);
CREATE INDEX documents_uploaded ON documents (uploaded_at, id);
CREATE INDEX documents_folder ON documents (folder_id_supabase);
CREATE INDEX documents_file_url ON documents (file_url);
CREATE INDEX documents_retention_expired ON documents (retention_expired_at, id) WHERE retention_expired_at IS NOT NULL;

CREATE TABLE tickets (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT REFERENCES users (id), -- NULL: inserted by a program, has no owner
    status TEXT NOT NULL DEFAULT 'open',
    subject TEXT NOT NULL,
    category TEXT NOT NULL DEFAULT 'support',
    priority TEXT NOT NULL DEFAULT 'normal',
    message TEXT NOT NULL,
    follow_up_of_id TEXT, -- the ticket that this one follows up
    assignee_id TEXT, -- responsible staff member
    due_at TEXT, -- response due date; NULL: answered; see tickets/sla.rs
    idempotency_key TEXT, -- chosen by the sender, so that a repeated request has one effect
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    closed_at TEXT,
    CONSTRAINT tickets_assignee_id_fkey FOREIGN KEY (assignee_id) REFERENCES users (id) ON DELETE SET NULL,
    CONSTRAINT tickets_follow_up_of_id_fkey FOREIGN KEY (follow_up_of_id) REFERENCES tickets (id) ON DELETE SET NULL,
    CONSTRAINT tickets_user_id_idempotency_key_key UNIQUE (user_id, idempotency_key),
    -- In the order of their names, in which PostgreSQL checks them: if several are violated, both databases report
    -- the same one.
    CONSTRAINT tickets_category_check CHECK (category IN ('support', 'billing', 'account', 'other')),
    CONSTRAINT tickets_closed_check CHECK ((status = 'closed') = (closed_at IS NOT NULL)),
    CONSTRAINT tickets_message_check CHECK (length(trim(message)) >= 10),
    CONSTRAINT tickets_priority_check CHECK (priority IN ('low', 'normal', 'high', 'urgent')),
    CONSTRAINT tickets_status_check CHECK (status IN ('open', 'in-progress', 'closed')),
    CONSTRAINT tickets_subject_check CHECK (length(trim(subject)) >= 1)
);

CREATE INDEX tickets_user_created ON tickets (user_id, created_at, id);
CREATE INDEX tickets_status_created ON tickets (status, created_at, id);
CREATE INDEX tickets_follows_id ON tickets (follow_up_of_id);
CREATE INDEX tickets_due ON tickets (due_at, id);
CREATE INDEX tickets_assignee ON tickets (assignee_id, due_at, id);

-- Changes of a ticket's status, with the side that caused them. Written in the transaction of the change.
CREATE TABLE ticket_history (
    id TEXT NOT NULL PRIMARY KEY,
    ticket_id TEXT NOT NULL REFERENCES tickets (id) ON DELETE CASCADE,
    client_id TEXT REFERENCES users (id) ON DELETE CASCADE, -- the ticket's owner
    author_id TEXT, -- kept after the account is deleted; NULL: a program of the office
    from_staff BOOLEAN NOT NULL,
    status TEXT NOT NULL,
    created_at TEXT NOT NULL
);

CREATE INDEX ticket_history_ticket ON ticket_history (ticket_id, created_at, id);
CREATE INDEX ticket_history_client ON ticket_history (client_id);

-- Messages of a ticket. client_id is the ticket's owner, or NULL for a note.
CREATE TABLE ticket_messages (
    id TEXT NOT NULL PRIMARY KEY,
    ticket_id TEXT NOT NULL REFERENCES tickets (id) ON DELETE CASCADE,
    client_id TEXT REFERENCES users (id) ON DELETE CASCADE,
    author_id TEXT, -- kept after the account is deleted
    from_staff BOOLEAN NOT NULL DEFAULT FALSE,
    internal BOOLEAN NOT NULL DEFAULT FALSE,
    body TEXT NOT NULL,
    idempotency_key TEXT, -- as in tickets
    created_at TEXT NOT NULL,
    CONSTRAINT ticket_messages_author_id_idempotency_key_key UNIQUE (author_id, idempotency_key),
    CONSTRAINT ticket_messages_body_check CHECK (length(trim(body)) >= 1)
);

CREATE INDEX ticket_messages_ticket ON ticket_messages (ticket_id, created_at, id);
CREATE INDEX ticket_messages_client ON ticket_messages (client_id, created_at);

-- Presence of staff members who write a reply: a row per browser tab, valid for seconds (policy.rs).
CREATE TABLE ticket_presence (
    id TEXT NOT NULL PRIMARY KEY,
    ticket_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    last_seen_at TEXT NOT NULL,
    CONSTRAINT ticket_presence_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets (id) ON DELETE CASCADE,
    CONSTRAINT ticket_presence_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE INDEX ticket_presence_ticket ON ticket_presence (ticket_id, last_seen_at);
CREATE INDEX ticket_presence_user ON ticket_presence (user_id);
CREATE INDEX ticket_presence_last_seen ON ticket_presence (last_seen_at);

-- Attachments of messages. client_id is that of the message.
CREATE TABLE ticket_attachments (
    id TEXT NOT NULL PRIMARY KEY,
    message_id TEXT NOT NULL REFERENCES ticket_messages (id) ON DELETE CASCADE,
    client_id TEXT REFERENCES users (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    file_url TEXT NOT NULL, -- object name in the bucket ticket-attachments
    size BIGINT NOT NULL,
    created_at TEXT NOT NULL,
    CONSTRAINT ticket_attachments_file_url_key UNIQUE (file_url),
    CONSTRAINT ticket_attachments_name_check CHECK (length(name) BETWEEN 1 AND 255)
);

CREATE INDEX ticket_attachments_message ON ticket_attachments (message_id, created_at, id);
CREATE INDEX ticket_attachments_client ON ticket_attachments (client_id);

-- Read receipts: opens and downloads of documents by their clients.
CREATE TABLE document_receipts (
    id TEXT NOT NULL PRIMARY KEY,
    document_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    client_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    action TEXT NOT NULL,
    created_at TEXT NOT NULL,
    CONSTRAINT document_receipts_action_check CHECK (action IN ('opened', 'downloaded'))
);

CREATE INDEX document_receipts_document ON document_receipts (document_id, created_at);
CREATE INDEX document_receipts_created ON document_receipts (created_at);
CREATE INDEX document_receipts_client ON document_receipts (client_id, created_at);

-- Topics that a user turned off. A topic without a row is on. Account mails have no topic.
CREATE TABLE muted_topics (
    id TEXT NOT NULL PRIMARY KEY,
    client_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    topic TEXT NOT NULL,
    created_at TEXT NOT NULL,
    CONSTRAINT muted_topics_client_id_topic_key UNIQUE (client_id, topic),
    CONSTRAINT muted_topics_topic_check CHECK (topic IN ('documents', 'expiries', 'tickets'))
);

-- Calendar subscriptions. The address contains a token that is derived from the row's id and the portal secret, so
-- the owner can see it again and a stolen database does not contain it.
CREATE TABLE calendar_feeds (
    client_id TEXT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    token_hash TEXT NOT NULL, -- SHA-256
    created_at TEXT NOT NULL,
    CONSTRAINT calendar_feeds_token_hash_key UNIQUE (token_hash)
);

-- Saved replies.
CREATE TABLE saved_replies (
    id TEXT NOT NULL PRIMARY KEY,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
);

CREATE TABLE email_notification_settings (
    document_type_event TEXT NOT NULL PRIMARY KEY,
    enabled BOOLEAN NOT NULL DEFAULT FALSE
);

CREATE TABLE email_templates (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    subject TEXT NOT NULL,
    html_content TEXT NOT NULL,
    event_trigger TEXT NOT NULL,
    description TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
);

CREATE INDEX email_templates_trigger ON email_templates (event_trigger, updated_at);

-- Requests with an Idempotency-Key within 24 hours, and the keys of the rows that they created. Contains no content.
CREATE TABLE idempotency_keys (
    caller TEXT NOT NULL, -- an account's id, or service
    key TEXT NOT NULL,
    user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
    request_hash TEXT NOT NULL, -- SHA-256 of the whole request
    outcome TEXT, -- JSON; NULL until it is known
    created_at TEXT NOT NULL,
    PRIMARY KEY (caller, key)
);

CREATE INDEX idempotency_keys_created_at ON idempotency_keys (created_at);
