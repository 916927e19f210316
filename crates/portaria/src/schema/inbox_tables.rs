//! The tables of the inbox.

use crate::schema::{
    ColumnDefault, ColumnType, DayBoundary, Table, TableId,
    tables::{LINE, MOMENT, TEXT, column},
};

/// Files of the inbox, without the lease and the attempts of reading.
pub(super) const INBOX_FILES: Table = Table {
    id: TableId::InboxFiles,
    name: "inbox_files",
    columns: &[
        column("id", ColumnType::Uuid),
        column("name", LINE),
        column("file_url", ColumnType::Text(1024)).nullable(),
        column("size", ColumnType::Int),
        column("mime_type", LINE),
        column("source", LINE),
        column("uploaded_by_id", ColumnType::Uuid).nullable(),
        column("created_at", MOMENT),
        column("updated_at", MOMENT),
        column("state", LINE),
        column("problem", TEXT).nullable(),
        column("findings", ColumnType::Json).nullable(),
        column("review_group", LINE).states(&[
            "reading",
            "recognized",
            "doubtful",
            "no_owner",
            "problem",
            "scheduled",
            "published",
        ]),
        column("doubts", ColumnType::Json).nullable(),
        column("reviewed_at", MOMENT).nullable(),
        column("client_id", ColumnType::Uuid).nullable(),
        column("folder_id_supabase", LINE).nullable(),
        column("document_name", LINE).nullable(),
        column("category", ColumnType::Text(50)).nullable(),
        column("reference_month", LINE).nullable(),
        column("expires_at", ColumnType::Timestamp(DayBoundary::End)).nullable(),
        column("amount_cents", ColumnType::Int).nullable(),
        column("payment_line", LINE).nullable(),
        column("pix_code", ColumnType::Text(512)).nullable(),
        column("duplicate_of_id", ColumnType::Uuid).nullable(),
        column("duplicate_choice", LINE).nullable(),
        column("repeats_id", ColumnType::Uuid).nullable(),
        column("repeats_kept", ColumnType::Bool).default(ColumnDefault::False),
        column("publish_at", MOMENT).nullable(),
        column("publisher_id", ColumnType::Uuid).nullable(),
        column("document_id", ColumnType::Uuid).nullable(),
    ],
    key: "id",
    unique: &[],
    staff_only: true,
    read_only: false,
};

/// The decisions of the office that later files repeat.
pub(super) const INBOX_RULES: Table = Table {
    id: TableId::InboxRules,
    name: "inbox_rules",
    columns: &[
        column("id", ColumnType::Uuid).default(ColumnDefault::NewId),
        column("kind", LINE),
        column("pattern", LINE),
        column("client_id", ColumnType::Uuid).nullable(),
        column("folder_id_supabase", LINE).nullable(),
        column("created_at", MOMENT).default(ColumnDefault::Now),
    ],
    key: "id",
    unique: &[],
    staff_only: true,
    read_only: false,
};

/// Kinds of documents that the office describes by phrases.
pub(super) const RECOGNITION_RULES: Table = Table {
    id: TableId::RecognitionRules,
    name: "recognition_rules",
    columns: &[
        column("id", ColumnType::Uuid).default(ColumnDefault::NewId),
        column("name", ColumnType::Text(50)),
        column("phrases", ColumnType::Json),
        column("excluded_phrases", ColumnType::Json).default(ColumnDefault::Text("[]")),
        column("folder_id_supabase", LINE).nullable(),
        column("is_payable", ColumnType::Bool).default(ColumnDefault::False),
        column("created_at", MOMENT).default(ColumnDefault::Now).server_managed(),
    ],
    key: "id",
    unique: &[],
    staff_only: true,
    read_only: false,
};
