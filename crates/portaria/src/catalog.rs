//! The tables that the table API knows, as data: columns, what they hold, who fills them, how tables relate.
//!
//! What is not here does not exist for any caller. Who may touch which rows is `policy.rs`'s to say.

/// The bucket of the documents' files (spec §9).
pub const BUCKET: &str = "client-documents";
/// The bucket of the files that come with tickets' messages.
pub const ATTACHMENTS: &str = "ticket-attachments";

/// A table or view of the API. The enum lets `policy` prove at compile time that it forgot none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are the tables'")]
pub enum TableId {
    Folders,
    Documents,
    Tickets,
    Clients,
    EmailNotificationSettings,
    EmailTemplates,
    TicketMessages,
    TicketAttachments,
    TicketHistory,
    DocumentReceipts,
    SavedReplies,
    Sessions,
    MutedTopics,
}

/// A table of the API.
#[derive(Debug)]
pub struct Table {
    /// Which one.
    pub id: TableId,
    /// Its name on the wire and in the database.
    pub name: &'static str,
    /// In the order in which `*` gives them.
    pub columns: &'static [Column],
    /// The column that names a row.
    pub key: &'static str,
    /// Columns, besides the key, of which no two rows hold the same value; an upsert may name them.
    pub unique: &'static [&'static str],
    /// Whether nobody writes to it: a view, or what the server alone writes down.
    pub read_only: bool,
}

/// A column of a table.
#[derive(Debug)]
pub struct Column {
    /// Its name on the wire and in the database.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// Whether it may be NULL.
    pub nullable: bool,
    /// For staff only: for clients it does not exist.
    pub hidden: bool,
    /// What it holds if an insert does not say.
    pub default: Default,
    /// Filled with the default whatever a client says: what the client library sends is accepted, not believed.
    pub server: bool,
}

/// What a column holds: how it is checked on the way in and written on the way out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A UUID, lower case.
    Uuid,
    /// Text of at most so many characters.
    Text(usize),
    /// A moment; a date without a time means the given end of that day in the portal's zone.
    Timestamp(DayEdge),
    /// true or false.
    Bool,
    /// A 64-bit number.
    Int,
    /// Any JSON, stored as text.
    Json,
}

/// Which moment a bare date stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DayEdge {
    /// 00:00:00
    Start,
    /// 23:59:59: something that expires on a day is good all that day.
    End,
}

/// What fills a column that an insert leaves out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Default {
    /// NULL, which a column that is not nullable refuses.
    Null,
    /// A fixed text.
    Text(&'static str),
    /// A fixed number.
    Int(i64),
    /// `false`
    False,
    /// A new id.
    NewId,
    /// The moment of the insert.
    Now,
    /// The caller's own id.
    Caller,
}

/// A way from one table to another: `child.column` holds a value of `parent.parent_column`.
#[derive(Debug)]
pub struct Relation {
    /// The foreign key's name, by which a caller may tell relations apart.
    pub name: &'static str,
    /// The table that refers.
    pub child: TableId,
    /// The column that refers.
    pub column: &'static str,
    /// The table that is referred to.
    pub parent: TableId,
    /// The column that is referred to.
    pub parent_column: &'static str,
}

/// Every relation.
pub static RELATIONS: &[Relation] = &[
    Relation {
        name: "documents_folder_id_supabase_fkey",
        child: TableId::Documents,
        column: "folder_id_supabase",
        parent: TableId::Folders,
        parent_column: "id_supabase",
    },
    Relation {
        name: "documents_client_id_fkey",
        child: TableId::Documents,
        column: "client_id",
        parent: TableId::Clients,
        parent_column: "id",
    },
    Relation {
        name: "ticket_messages_ticket_id_fkey",
        child: TableId::TicketMessages,
        column: "ticket_id",
        parent: TableId::Tickets,
        parent_column: "id",
    },
    Relation {
        name: "ticket_history_ticket_id_fkey",
        child: TableId::TicketHistory,
        column: "ticket_id",
        parent: TableId::Tickets,
        parent_column: "id",
    },
    Relation {
        name: "ticket_attachments_message_id_fkey",
        child: TableId::TicketAttachments,
        column: "message_id",
        parent: TableId::TicketMessages,
        parent_column: "id",
    },
    Relation {
        name: "document_receipts_document_id_fkey",
        child: TableId::DocumentReceipts,
        column: "document_id",
        parent: TableId::Documents,
        parent_column: "id",
    },
    Relation {
        name: "tickets_user_id_fkey",
        child: TableId::Tickets,
        column: "user_id",
        parent: TableId::Clients,
        parent_column: "id",
    },
];

const TEXT: Kind = Kind::Text(10_000);
const LINE: Kind = Kind::Text(255);
const MOMENT: Kind = Kind::Timestamp(DayEdge::Start);

const fn column(name: &'static str, kind: Kind) -> Column {
    Column { name, kind, nullable: false, hidden: false, default: Default::Null, server: false }
}

impl Column {
    const fn nullable(self) -> Self {
        Self { nullable: true, ..self }
    }

    const fn hidden(self) -> Self {
        Self { hidden: true, ..self }
    }

    const fn server(self) -> Self {
        Self { server: true, ..self }
    }

    const fn default(self, default: Default) -> Self {
        Self { default, ..self }
    }
}

/// Every table.
pub static TABLES: &[Table] = &[
    Table {
        id: TableId::Folders,
        name: "folders",
        columns: &[
            column("id", Kind::Uuid).hidden().default(Default::NewId),
            column("id_supabase", LINE),
            column("name", Kind::Text(200)),
            column("icon", LINE).default(Default::Text("folder")),
            column("kind", LINE).nullable(),
            column("position", Kind::Int).default(Default::Int(0)),
            column("archived_at", MOMENT).nullable(),
            column("created_at", MOMENT).default(Default::Now),
        ],
        key: "id",
        unique: &["id_supabase"],
        read_only: false,
    },
    Table {
        id: TableId::Documents,
        name: "documents",
        columns: &[
            column("id", Kind::Uuid).default(Default::NewId),
            column("folder_id_supabase", LINE),
            column("name", LINE),
            column("type", LINE).default(Default::Text("")),
            column("created_at", MOMENT).default(Default::Now),
            column("expires_at", Kind::Timestamp(DayEdge::End)).nullable(),
            column("status", LINE).default(Default::Text("active")),
            column("file_url", Kind::Text(1024)).nullable(),
            column("uploaded_at", MOMENT).nullable(),
            column("size", Kind::Int).nullable(),
            column("kind", LINE).nullable(),
            column("client_id", Kind::Uuid).nullable().hidden(),
            column("updated_at", MOMENT).hidden().default(Default::Now).server(),
        ],
        key: "id",
        unique: &[],
        read_only: false,
    },
    Table {
        id: TableId::Tickets,
        name: "tickets",
        columns: &[
            column("id", Kind::Uuid).default(Default::NewId),
            column("created_at", MOMENT).default(Default::Now).server(),
            column("updated_at", MOMENT).default(Default::Now).server(),
            column("closed_at", MOMENT).nullable().server(),
            column("status", LINE).default(Default::Text("open")).server(),
            column("subject", Kind::Text(200)),
            column("category", LINE).default(Default::Text("support")),
            column("priority", LINE).default(Default::Text("normal")),
            column("message", TEXT),
            column("follows_id", Kind::Uuid).nullable(),
            column("idempotency_key", Kind::Uuid).nullable(),
            column("user_id", Kind::Uuid).nullable().hidden().default(Default::Caller),
        ],
        key: "id",
        unique: &[],
        read_only: false,
    },
    Table {
        id: TableId::Clients,
        name: "clients",
        columns: &[
            column("id", Kind::Uuid),
            column("email", LINE),
            column("created_at", MOMENT),
            column("last_sign_in_at", MOMENT).nullable(),
            column("last_visit_at", MOMENT).nullable(),
            column("user_metadata", Kind::Json),
        ],
        key: "id",
        unique: &[],
        read_only: true,
    },
    Table {
        id: TableId::EmailNotificationSettings,
        name: "email_notification_settings",
        columns: &[
            column("document_type_event", LINE),
            column("enabled", Kind::Bool).default(Default::False),
        ],
        key: "document_type_event",
        unique: &[],
        read_only: false,
    },
    Table {
        id: TableId::EmailTemplates,
        name: "email_templates",
        columns: &[
            column("id", Kind::Uuid).default(Default::NewId),
            column("name", LINE),
            column("subject", LINE),
            column("html_content", Kind::Text(500_000)),
            column("event_trigger", LINE),
            column("description", TEXT).nullable(),
            column("created_at", MOMENT).default(Default::Now),
            column("updated_at", MOMENT).default(Default::Now),
        ],
        key: "id",
        unique: &[],
        read_only: false,
    },
    Table {
        id: TableId::TicketMessages,
        name: "ticket_messages",
        columns: &[
            column("id", Kind::Uuid).default(Default::NewId),
            column("ticket_id", Kind::Uuid),
            column("created_at", MOMENT).default(Default::Now).server(),
            column("from_staff", Kind::Bool).default(Default::False).server(),
            column("body", TEXT),
            column("idempotency_key", Kind::Uuid).nullable(),
            column("internal", Kind::Bool).hidden().default(Default::False),
            column("author_id", Kind::Uuid).nullable().hidden().default(Default::Caller),
            column("client_id", Kind::Uuid).nullable().hidden(),
        ],
        key: "id",
        unique: &[],
        read_only: false,
    },
    Table {
        id: TableId::TicketAttachments,
        name: "ticket_attachments",
        columns: &[
            column("id", Kind::Uuid).default(Default::NewId),
            column("message_id", Kind::Uuid),
            column("created_at", MOMENT).default(Default::Now).server(),
            column("name", LINE),
            column("file_url", Kind::Text(1024)),
            column("size", Kind::Int).default(Default::Int(0)).server(),
            column("client_id", Kind::Uuid).nullable().hidden(),
        ],
        key: "id",
        unique: &[],
        read_only: false,
    },
    Table {
        id: TableId::TicketHistory,
        name: "ticket_history",
        columns: &[
            column("id", Kind::Uuid),
            column("ticket_id", Kind::Uuid),
            column("created_at", MOMENT),
            column("status", LINE),
            column("from_staff", Kind::Bool),
            column("author_id", Kind::Uuid).nullable().hidden(),
            column("client_id", Kind::Uuid).nullable().hidden(),
        ],
        key: "id",
        unique: &[],
        read_only: true,
    },
    Table {
        id: TableId::DocumentReceipts,
        name: "document_receipts",
        columns: &[
            column("id", Kind::Uuid).default(Default::NewId),
            column("document_id", Kind::Uuid),
            column("action", LINE),
            column("created_at", MOMENT).default(Default::Now).server(),
            column("client_id", Kind::Uuid).hidden().default(Default::Caller),
        ],
        key: "id",
        unique: &[],
        read_only: false,
    },
    Table {
        id: TableId::SavedReplies,
        name: "saved_replies",
        columns: &[
            column("id", Kind::Uuid).default(Default::NewId),
            column("title", LINE),
            column("body", TEXT),
            column("created_at", MOMENT).default(Default::Now),
            column("updated_at", MOMENT).default(Default::Now),
        ],
        key: "id",
        unique: &[],
        read_only: false,
    },
    // Where a person is signed in. What their tokens are made of is not among the columns.
    Table {
        id: TableId::Sessions,
        name: "sessions",
        columns: &[
            column("id", Kind::Uuid),
            column("user_agent", LINE).nullable(),
            column("created_at", MOMENT),
            column("refreshed_at", MOMENT),
            column("user_id", Kind::Uuid).hidden(),
        ],
        key: "id",
        unique: &[],
        read_only: false,
    },
    Table {
        id: TableId::MutedTopics,
        name: "muted_topics",
        columns: &[
            column("id", Kind::Uuid).default(Default::NewId),
            column("topic", LINE),
            column("created_at", MOMENT).default(Default::Now).server(),
            column("client_id", Kind::Uuid).hidden().default(Default::Caller),
        ],
        key: "id",
        unique: &[],
        read_only: false,
    },
];

/// The table of that name.
#[must_use]
pub fn table(name: &str) -> Option<&'static Table> {
    TABLES.iter().find(|table| table.name == name)
}

impl TableId {
    /// Its description.
    #[must_use]
    pub fn table(self) -> &'static Table {
        TABLES.iter().find(|table| table.id == self).expect("every id has its table: tested below")
    }
}

impl Table {
    /// The column that names a row to a caller: the key, or where that is hidden another of its kind.
    #[must_use]
    pub fn shown_key(&self, sees_hidden: bool) -> &'static str {
        let shown = |name: &&'static str| self.column(name, sees_hidden).is_some();
        let mut keys = [self.key].into_iter().chain(self.unique.iter().copied());
        keys.find(shown).expect("some key of every table is shown: tested below")
    }

    /// The column of that name, if the caller may know of it.
    #[must_use]
    pub fn column(&self, name: &str, sees_hidden: bool) -> Option<&'static Column> {
        // The tables are constants; going through the id gives the borrow its true lifetime.
        self.id
            .table()
            .columns
            .iter()
            .find(|column| column.name == name && (sees_hidden || !column.hidden))
    }
}

#[cfg(test)]
mod tests {
    use super::{RELATIONS, TABLES};

    #[test]
    fn names_refer_to_what_exists() {
        for table in TABLES {
            assert!(std::ptr::eq(table.id.table(), table));
            for name in table.unique.iter().chain([&table.key]) {
                assert!(table.column(name, true).is_some(), "{}.{name}", table.name);
            }
            assert!(table.column(table.shown_key(false), false).is_some(), "{}", table.name);
        }
        for relation in RELATIONS {
            assert!(
                relation.child.table().column(relation.column, true).is_some(),
                "{}",
                relation.name
            );
            assert!(
                relation.parent.table().column(relation.parent_column, true).is_some(),
                "{}",
                relation.name
            );
        }
    }
}
