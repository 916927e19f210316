//! Tables about documents.

use crate::schema::{
    ColumnDefault, ColumnType, Table, TableId,
    tables::{LINE, MOMENT, TEXT, column},
};

/// Payments that clients report.
pub(super) const DOCUMENT_PAYMENTS: Table = Table {
    id: TableId::DocumentPayments,
    name: "document_payments",
    columns: &[
        column("id", ColumnType::Uuid).default(ColumnDefault::NewId),
        column("document_id", ColumnType::Uuid),
        column("paid_on", LINE),
        column("note", LINE).nullable(),
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
};

/// Answers of clients to documents that ask for one. Each is about one file and never changes.
pub(super) const DOCUMENT_APPROVALS: Table = Table {
    id: TableId::DocumentApprovals,
    name: "document_approvals",
    columns: &[
        column("id", ColumnType::Uuid).default(ColumnDefault::NewId),
        column("document_id", ColumnType::Uuid),
        column("file_url", ColumnType::Text(1024)),
        column("outcome", LINE),
        column("reason", ColumnType::Text(1000)).nullable(),
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
};

/// Contacts of staff with clients about documents. Clients see that and when they were contacted.
pub(super) const DOCUMENT_CONTACTS: Table = Table {
    id: TableId::DocumentContacts,
    name: "document_contacts",
    columns: &[
        column("id", ColumnType::Uuid).default(ColumnDefault::NewId),
        column("document_id", ColumnType::Uuid),
        column("kind", LINE),
        column("contacted_on", LINE).default(ColumnDefault::Text("")).server_managed(),
        column("created_at", MOMENT).default(ColumnDefault::Now).server_managed(),
        column("note", ColumnType::Text(500)).nullable().staff_only(),
        column("author_id", ColumnType::Uuid)
            .nullable()
            .staff_only()
            .default(ColumnDefault::Caller),
        column("client_id", ColumnType::Uuid).staff_only().default(ColumnDefault::Caller),
    ],
    key: "id",
    unique: &[],
    staff_only: false,
    read_only: false,
};

/// Deleted documents, which staff can restore. The snapshot of the deleted rows exists for no caller.
pub(super) const DELETED_DOCUMENTS: Table = Table {
    id: TableId::DeletedDocuments,
    name: "deleted_documents",
    columns: &[
        column("id", ColumnType::Uuid),
        column("name", LINE),
        column("search_name", TEXT),
        column("client_id", ColumnType::Uuid).nullable(),
        column("folder_id_supabase", LINE).nullable(),
        column("file_url", ColumnType::Text(1024)).nullable(),
        column("size", ColumnType::Int).nullable(),
        column("deleted_at", MOMENT),
        column("deleted_by_id", ColumnType::Uuid).nullable(),
        column("purge_at", MOMENT),
    ],
    key: "id",
    unique: &[],
    staff_only: true,
    read_only: false,
};

/// Earlier files of documents.
pub(super) const DOCUMENT_VERSIONS: Table = Table {
    id: TableId::DocumentVersions,
    name: "document_versions",
    columns: &[
        column("id", ColumnType::Uuid),
        column("document_id", ColumnType::Uuid),
        column("client_id", ColumnType::Uuid).nullable(),
        column("name", LINE),
        column("file_url", ColumnType::Text(1024)),
        column("size", ColumnType::Int),
        column("sha256", LINE),
        column("uploaded_at", MOMENT),
        column("replaced_at", MOMENT),
        column("replaced_by_id", ColumnType::Uuid).nullable(),
    ],
    key: "id",
    unique: &[],
    staff_only: true,
    read_only: false,
};

/// Days before and after the due date on which clients, or the staff who care for them, are reminded of documents and
/// items of requests.
pub(super) const REMINDER_RULES: Table = Table {
    id: TableId::ReminderRules,
    name: "reminder_rules",
    columns: &[
        column("id", ColumnType::Uuid).default(ColumnDefault::NewId),
        column("days", ColumnType::Int),
        column("category", ColumnType::Text(50)).default(ColumnDefault::Text("")),
        column("recipient", LINE).default(ColumnDefault::Text("client")),
        column("created_at", MOMENT).default(ColumnDefault::Now).server_managed(),
    ],
    key: "id",
    unique: &[],
    staff_only: true,
    read_only: false,
};
