//! The tables that the table API knows, as data.
//! What is not here does not exist for any caller. Who may touch which rows is `policy.rs`'s to say.

pub use crate::schema::relations::RELATIONS;
use crate::schema::{Column, DayEdge, Default, Kind, Table, TableId};

const TEXT: Kind = Kind::Text(10_000);
const LINE: Kind = Kind::Text(255);
const MOMENT: Kind = Kind::Timestamp(DayEdge::Start);

const fn column(name: &'static str, kind: Kind) -> Column {
    Column::new(name, kind)
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
            column("keep_months", Kind::Int).nullable().hidden(),
            column("discards", Kind::Bool).default(Default::False).hidden(),
            column("hold_reason", LINE).nullable().hidden(),
        ],
        key: "id",
        unique: &["id_supabase"],
        hidden: false,
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
            column("name_key", TEXT).hidden().default(Default::Text("")).server(),
            column("hold_reason", LINE).nullable().hidden(),
            column("was_opened", Kind::Bool).hidden().default(Default::False),
            column("outlived_at", MOMENT).nullable().hidden(),
            column("erased_client_id", Kind::Uuid).nullable().hidden(),
        ],
        key: "id",
        unique: &[],
        hidden: false,
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
            column("assignee_id", Kind::Uuid).nullable().hidden(),
            column("due_at", MOMENT).nullable().hidden(),
        ],
        key: "id",
        unique: &[],
        hidden: false,
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
            column("name_key", TEXT).hidden(),
        ],
        key: "id",
        unique: &[],
        hidden: false,
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
        hidden: false,
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
        hidden: false,
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
        hidden: false,
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
        hidden: false,
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
        hidden: false,
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
        hidden: false,
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
        hidden: false,
        read_only: false,
    },
    Table {
        id: TableId::Staff,
        name: "staff",
        columns: &[
            column("id", Kind::Uuid),
            column("email", LINE),
            column("created_at", MOMENT),
            column("last_sign_in_at", MOMENT).nullable(),
            column("user_metadata", Kind::Json),
            column("second_step", Kind::Bool),
        ],
        key: "id",
        unique: &[],
        hidden: false,
        read_only: true,
    },
    Table {
        id: TableId::TicketPresence,
        name: "ticket_presence",
        columns: &[
            column("id", Kind::Uuid).default(Default::NewId),
            column("ticket_id", Kind::Uuid),
            column("user_id", Kind::Uuid).default(Default::Caller),
            column("touched_at", MOMENT).default(Default::Now),
        ],
        key: "id",
        unique: &[],
        hidden: false,
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
        hidden: false,
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
        hidden: false,
        read_only: false,
    },
    // Without what chains its lines: that is for `portaria audit verify`.
    Table {
        id: TableId::Activity,
        name: "activity",
        columns: &[
            column("number", Kind::Int),
            column("created_at", MOMENT),
            column("event", LINE),
            column("actor", LINE),
            column("actor_id", Kind::Uuid).nullable(),
            column("actor_name", LINE).nullable(),
            column("person_id", Kind::Uuid).nullable(),
            column("person_name", LINE).nullable(),
            column("subject_id", LINE).nullable(),
            column("subject", LINE).nullable(),
            column("detail", Kind::Json),
        ],
        key: "number",
        unique: &[],
        hidden: true,
        read_only: true,
    },
    // The mails, without what is written in them: links in there prove who opens them.
    Table {
        id: TableId::Outbox,
        name: "outbox",
        columns: &[
            column("id", Kind::Uuid),
            column("created_at", MOMENT),
            column("event", LINE),
            column("user_id", Kind::Uuid).nullable(),
            column("recipient", LINE),
            column("subject", LINE),
            column("topic", LINE).nullable(),
            column("document_id", Kind::Uuid).nullable(),
            column("ticket_id", Kind::Uuid).nullable(),
            column("state", LINE),
            column("attempts", Kind::Int),
            column("next_attempt_at", MOMENT),
            column("last_error", TEXT).nullable(),
            column("sent_at", MOMENT).nullable(),
            column("digest_id", Kind::Uuid).nullable(),
        ],
        key: "id",
        unique: &[],
        hidden: true,
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

#[cfg(test)]
mod tests {
    use crate::schema::tables::{RELATIONS, TABLES};

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
