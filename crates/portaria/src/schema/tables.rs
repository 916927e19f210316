//! The tables of the table API; docs/adding-a-table.md lists the steps. A table or column that is not listed here does
//! not exist for any caller. `policy/` decides the rows.

use crate::schema::document_tables::{
    DELETED_DOCUMENTS, DOCUMENT_APPROVALS, DOCUMENT_CONTACTS, DOCUMENT_PAYMENTS, DOCUMENT_VERSIONS,
    REMINDER_RULES,
};
use crate::schema::inbox_tables::{INBOX_FILES, INBOX_RULES, RECOGNITION_RULES};
use crate::schema::member_tables::{CLIENT_ASSIGNMENTS, CLIENT_MEMBERS};
use crate::schema::notification_tables::{NOTIFICATIONS, SAVED_VIEWS, STAFF_MAIL_CHOICES};
use crate::schema::office_tables::OFFICE_SETTINGS;
pub use crate::schema::relations::RELATIONS;
use crate::schema::request_tables::{RECEIVED_FILES, REQUEST_ITEMS, REQUEST_TEMPLATES};
use crate::schema::{Column, ColumnDefault, ColumnType, DayBoundary, Table, TableId};

/// A text of several lines.
pub(super) const TEXT: ColumnType = ColumnType::Text(10_000);
/// A text of one line.
pub(super) const LINE: ColumnType = ColumnType::Text(255);
/// A timestamp; a date without a time is the start of that day.
pub(super) const MOMENT: ColumnType = ColumnType::Timestamp(DayBoundary::Start);

pub(super) const fn column(name: &'static str, kind: ColumnType) -> Column {
    Column::new(name, kind)
}

/// All tables.
pub static TABLES: &[Table] = &[
    Table {
        id: TableId::Folders,
        name: "folders",
        columns: &[
            column("id", ColumnType::Uuid).staff_only().default(ColumnDefault::NewId),
            column("id_supabase", LINE),
            column("name", ColumnType::Text(200)),
            column("icon", LINE).default(ColumnDefault::Text("folder")),
            column("kind", LINE).nullable(),
            column("position", ColumnType::Int).default(ColumnDefault::Int(0)),
            column("archived_at", MOMENT).nullable(),
            column("created_at", MOMENT).default(ColumnDefault::Now),
            column("retention_months", ColumnType::Int).nullable().staff_only(),
            column("auto_delete", ColumnType::Bool).default(ColumnDefault::False).staff_only(),
            column("legal_hold_reason", LINE).nullable().staff_only(),
        ],
        key: "id",
        unique: &["id_supabase"],
        staff_only: false,
        read_only: false,
    },
    Table {
        id: TableId::Documents,
        name: "documents",
        columns: &[
            column("id", ColumnType::Uuid).default(ColumnDefault::NewId),
            column("folder_id_supabase", LINE),
            column("name", LINE).searchable("name_words"),
            column("type", LINE).default(ColumnDefault::Text("")),
            column("created_at", MOMENT).default(ColumnDefault::Now),
            column("expires_at", ColumnType::Timestamp(DayBoundary::End)).nullable(),
            column("status", LINE).default(ColumnDefault::Text("active")),
            column("file_url", ColumnType::Text(1024)).nullable(),
            column("uploaded_at", MOMENT).nullable(),
            column("size", ColumnType::Int).nullable(),
            column("kind", LINE).nullable(),
            column("category", ColumnType::Text(50)).nullable(),
            column("reference_month", LINE).nullable(),
            column("amount_cents", ColumnType::Int).nullable(),
            column("payment_line", LINE).nullable(),
            column("pix_code", ColumnType::Text(512)).nullable(),
            column("published_at", MOMENT).nullable(),
            column("approval_request", LINE).nullable(),
            column("approval_outcome", LINE).nullable(),
            column("client_id", ColumnType::Uuid).nullable().staff_only(),
            column("updated_at", MOMENT).staff_only().default(ColumnDefault::Now).server_managed(),
            column("search_name", TEXT)
                .staff_only()
                .default(ColumnDefault::Text(""))
                .server_managed(),
            column("legal_hold_reason", LINE).nullable().staff_only(),
            column("was_opened", ColumnType::Bool).staff_only().default(ColumnDefault::False),
            column("retention_expired_at", MOMENT).nullable().staff_only(),
            column("erased_client_id", ColumnType::Uuid).nullable().staff_only(),
            column("responsible_id", ColumnType::Uuid).nullable().staff_only(),
            column("withdrawn_at", MOMENT).nullable().staff_only(),
            column("withdrawn_client_id", ColumnType::Uuid).nullable().staff_only(),
        ],
        key: "id",
        unique: &[],
        staff_only: false,
        read_only: false,
    },
    Table {
        id: TableId::Tickets,
        name: "tickets",
        columns: &[
            column("id", ColumnType::Uuid).default(ColumnDefault::NewId),
            column("created_at", MOMENT).default(ColumnDefault::Now).server_managed(),
            column("updated_at", MOMENT).default(ColumnDefault::Now).server_managed(),
            column("closed_at", MOMENT).nullable().server_managed(),
            column("status", LINE).default(ColumnDefault::Text("open")).server_managed().states(&[
                "open",
                "in-progress",
                "closed",
            ]),
            column("subject", ColumnType::Text(200)).searchable("subject_words"),
            column("category", LINE).default(ColumnDefault::Text("support")),
            column("priority", LINE).default(ColumnDefault::Text("normal")),
            column("message", TEXT).searchable("message_words"),
            column("follow_up_of_id", ColumnType::Uuid).nullable(),
            column("idempotency_key", ColumnType::Uuid).nullable(),
            column("document_id", ColumnType::Uuid).nullable(),
            column("member_name", LINE).nullable().server_managed(),
            column("user_id", ColumnType::Uuid)
                .nullable()
                .staff_only()
                .default(ColumnDefault::Caller),
            column("author_id", ColumnType::Uuid)
                .nullable()
                .staff_only()
                .default(ColumnDefault::Caller),
            column("assignee_id", ColumnType::Uuid).nullable().staff_only(),
            column("due_at", MOMENT).nullable().staff_only(),
            column("priority_rank", ColumnType::Int)
                .staff_only()
                .server_managed()
                .default(ColumnDefault::Int(1)),
        ],
        key: "id",
        unique: &[],
        staff_only: false,
        read_only: false,
    },
    Table {
        id: TableId::Clients,
        name: "clients",
        columns: &[
            column("id", ColumnType::Uuid),
            column("email", LINE),
            column("created_at", MOMENT),
            column("last_sign_in_at", MOMENT).nullable(),
            column("last_visit_at", MOMENT).nullable(),
            column("user_metadata", ColumnType::Json),
            column("search_name", TEXT).staff_only(),
            column("invited_at", MOMENT).nullable().staff_only(),
        ],
        key: "id",
        unique: &[],
        staff_only: false,
        read_only: true,
    },
    CLIENT_MEMBERS,
    Table {
        id: TableId::EmailNotificationSettings,
        name: "email_notification_settings",
        columns: &[
            column("document_type_event", LINE),
            column("enabled", ColumnType::Bool).default(ColumnDefault::False),
        ],
        key: "document_type_event",
        unique: &[],
        staff_only: false,
        read_only: false,
    },
    Table {
        id: TableId::EmailTemplates,
        name: "email_templates",
        columns: &[
            column("id", ColumnType::Uuid).default(ColumnDefault::NewId),
            column("name", LINE),
            column("subject", LINE),
            column("html_content", ColumnType::Text(500_000)),
            column("event_trigger", LINE),
            column("description", TEXT).nullable(),
            column("created_at", MOMENT).default(ColumnDefault::Now),
            column("updated_at", MOMENT).default(ColumnDefault::Now),
        ],
        key: "id",
        unique: &[],
        staff_only: false,
        read_only: false,
    },
    Table {
        id: TableId::TicketMessages,
        name: "ticket_messages",
        columns: &[
            column("id", ColumnType::Uuid).default(ColumnDefault::NewId),
            column("ticket_id", ColumnType::Uuid),
            column("created_at", MOMENT).default(ColumnDefault::Now).server_managed(),
            column("from_staff", ColumnType::Bool).default(ColumnDefault::False).server_managed(),
            column("body", TEXT).searchable("body_words"),
            column("idempotency_key", ColumnType::Uuid).nullable(),
            column("member_name", LINE).nullable().server_managed(),
            column("internal", ColumnType::Bool).staff_only().default(ColumnDefault::False),
            column("author_id", ColumnType::Uuid)
                .nullable()
                .staff_only()
                .default(ColumnDefault::Caller),
            column("client_id", ColumnType::Uuid).nullable().staff_only(),
        ],
        key: "id",
        unique: &[],
        staff_only: false,
        read_only: false,
    },
    Table {
        id: TableId::TicketAttachments,
        name: "ticket_attachments",
        columns: &[
            column("id", ColumnType::Uuid).default(ColumnDefault::NewId),
            column("message_id", ColumnType::Uuid),
            column("created_at", MOMENT).default(ColumnDefault::Now).server_managed(),
            column("name", LINE),
            column("file_url", ColumnType::Text(1024)),
            column("size", ColumnType::Int).default(ColumnDefault::Int(0)).server_managed(),
            column("client_id", ColumnType::Uuid).nullable().staff_only(),
        ],
        key: "id",
        unique: &[],
        staff_only: false,
        read_only: false,
    },
    Table {
        id: TableId::TicketHistory,
        name: "ticket_history",
        columns: &[
            column("id", ColumnType::Uuid),
            column("ticket_id", ColumnType::Uuid),
            column("created_at", MOMENT),
            column("status", LINE),
            column("from_staff", ColumnType::Bool),
            column("member_name", LINE).nullable(),
            column("author_id", ColumnType::Uuid).nullable().staff_only(),
            column("client_id", ColumnType::Uuid).nullable().staff_only(),
        ],
        key: "id",
        unique: &[],
        staff_only: false,
        read_only: true,
    },
    Table {
        id: TableId::DocumentReceipts,
        name: "document_receipts",
        columns: &[
            column("id", ColumnType::Uuid).default(ColumnDefault::NewId),
            column("document_id", ColumnType::Uuid),
            column("action", LINE),
            column("created_at", MOMENT).default(ColumnDefault::Now).server_managed(),
            column("client_id", ColumnType::Uuid).staff_only().default(ColumnDefault::Caller),
            column("author_id", ColumnType::Uuid)
                .nullable()
                .staff_only()
                .default(ColumnDefault::Caller),
        ],
        key: "id",
        unique: &[],
        staff_only: false,
        read_only: false,
    },
    DOCUMENT_PAYMENTS,
    DOCUMENT_APPROVALS,
    DOCUMENT_CONTACTS,
    DELETED_DOCUMENTS,
    DOCUMENT_VERSIONS,
    REMINDER_RULES,
    Table {
        id: TableId::SavedReplies,
        name: "saved_replies",
        columns: &[
            column("id", ColumnType::Uuid).default(ColumnDefault::NewId),
            column("title", LINE).searchable("title_words"),
            column("body", TEXT).searchable("body_words"),
            column("created_at", MOMENT).default(ColumnDefault::Now),
            column("updated_at", MOMENT).default(ColumnDefault::Now),
        ],
        key: "id",
        unique: &[],
        staff_only: false,
        read_only: false,
    },
    Table {
        id: TableId::Staff,
        name: "staff",
        columns: &[
            column("id", ColumnType::Uuid),
            column("email", LINE),
            column("created_at", MOMENT),
            column("last_sign_in_at", MOMENT).nullable(),
            column("user_metadata", ColumnType::Json),
            column("second_step", ColumnType::Bool),
            column("invited_at", MOMENT).nullable(),
            column("office_role", LINE).nullable(),
            column("assigned_clients_only", ColumnType::Bool),
            column("department", LINE).nullable(),
        ],
        key: "id",
        unique: &[],
        staff_only: false,
        read_only: true,
    },
    Table {
        id: TableId::TicketPresence,
        name: "ticket_presence",
        columns: &[
            column("id", ColumnType::Uuid).default(ColumnDefault::NewId),
            column("ticket_id", ColumnType::Uuid),
            column("user_id", ColumnType::Uuid).default(ColumnDefault::Caller),
            column("last_seen_at", MOMENT).default(ColumnDefault::Now),
        ],
        key: "id",
        unique: &[],
        staff_only: false,
        read_only: false,
    },
    // Without the columns that tokens are derived from.
    Table {
        id: TableId::Sessions,
        name: "sessions",
        columns: &[
            column("id", ColumnType::Uuid),
            column("user_agent", LINE).nullable(),
            column("created_at", MOMENT),
            column("refreshed_at", MOMENT),
            column("user_id", ColumnType::Uuid).staff_only(),
        ],
        key: "id",
        unique: &[],
        staff_only: false,
        read_only: false,
    },
    Table {
        id: TableId::MutedTopics,
        name: "muted_topics",
        columns: &[
            column("id", ColumnType::Uuid).default(ColumnDefault::NewId),
            column("topic", LINE),
            column("created_at", MOMENT).default(ColumnDefault::Now).server_managed(),
            column("client_id", ColumnType::Uuid).staff_only().default(ColumnDefault::Caller),
        ],
        key: "id",
        unique: &[],
        staff_only: false,
        read_only: false,
    },
    NOTIFICATIONS,
    STAFF_MAIL_CHOICES,
    SAVED_VIEWS,
    // Without the columns of the hash chain, which only `portaria audit verify` reads.
    Table {
        id: TableId::Activity,
        name: "activity",
        columns: &[
            column("number", ColumnType::Int),
            column("created_at", MOMENT),
            column("event", LINE),
            column("actor", LINE),
            column("actor_id", ColumnType::Uuid).nullable(),
            column("actor_name", LINE).nullable(),
            column("person_id", ColumnType::Uuid).nullable(),
            column("person_name", LINE).nullable(),
            column("subject_id", LINE).nullable(),
            column("subject", LINE).nullable(),
            column("detail", ColumnType::Json),
        ],
        key: "number",
        unique: &[],
        staff_only: true,
        read_only: true,
    },
    // Without the texts of the mails, whose links contain one-time tokens.
    Table {
        id: TableId::Outbox,
        name: "outbox",
        columns: &[
            column("id", ColumnType::Uuid),
            column("created_at", MOMENT),
            column("event", LINE),
            column("user_id", ColumnType::Uuid).nullable(),
            column("recipient", LINE),
            column("subject", LINE),
            column("topic", LINE).nullable(),
            column("document_id", ColumnType::Uuid).nullable(),
            column("ticket_id", ColumnType::Uuid).nullable(),
            column("state", LINE).states(&["queued", "sending", "sent", "failed", "cancelled"]),
            column("attempts", ColumnType::Int),
            column("next_attempt_at", MOMENT),
            column("hold_reason", LINE).nullable(),
            column("last_error", TEXT).nullable(),
            column("smtp_reply", TEXT).nullable(),
            column("sent_at", MOMENT).nullable(),
            column("digest_id", ColumnType::Uuid).nullable(),
        ],
        key: "id",
        unique: &[],
        staff_only: true,
        read_only: false,
    },
    INBOX_FILES,
    INBOX_RULES,
    RECOGNITION_RULES,
    REQUEST_ITEMS,
    RECEIVED_FILES,
    REQUEST_TEMPLATES,
    OFFICE_SETTINGS,
    CLIENT_ASSIGNMENTS,
];

/// Finds a table by its name.
#[must_use]
pub fn find_table(name: &str) -> Option<&'static Table> {
    TABLES.iter().find(|table| table.name == name)
}

impl TableId {
    /// Returns the description of the table.
    #[must_use]
    pub fn table(self) -> &'static Table {
        TABLES.iter().find(|table| table.id == self).expect("every id has a table (tested below)")
    }
}

#[cfg(test)]
mod tests {
    use crate::schema::tables::{RELATIONS, TABLES};

    #[test]
    fn descriptions_refer_to_existing_tables_and_columns() {
        for table in TABLES {
            assert!(std::ptr::eq(table.id.table(), table));
            for name in table.unique.iter().chain([&table.key]) {
                assert!(table.column(name, true).is_some(), "{}.{name}", table.name);
            }
            let key = table.public_key_column(false);
            assert!(table.column(key, false).is_some(), "{}", table.name);
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
