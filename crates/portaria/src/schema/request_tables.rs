//! The tables of requests.

use crate::schema::{
    ColumnDefault, ColumnType, Table, TableId,
    tables::{LINE, MOMENT, column},
};

/// Items that the office asks of clients.
pub(super) const REQUEST_ITEMS: Table = Table {
    id: TableId::RequestItems,
    name: "request_items",
    columns: &[
        column("id", ColumnType::Uuid).default(ColumnDefault::NewId),
        column("name", ColumnType::Text(120)),
        column("hint", ColumnType::Text(500)).nullable(),
        column("month", LINE),
        column("due_on", LINE).nullable(),
        column("repeats_monthly", ColumnType::Bool).default(ColumnDefault::False),
        column("status", LINE).default(ColumnDefault::Text("open")),
        column("refusal_reason", ColumnType::Text(500)).nullable(),
        column("answered_at", MOMENT).nullable(),
        column("created_at", MOMENT).default(ColumnDefault::Now).server_managed(),
        column("updated_at", MOMENT).default(ColumnDefault::Now).server_managed(),
        column("client_id", ColumnType::Uuid).staff_only(),
    ],
    key: "id",
    unique: &[],
    staff_only: false,
    read_only: false,
};

/// Files that clients sent, for an item or at any time.
pub(super) const RECEIVED_FILES: Table = Table {
    id: TableId::ReceivedFiles,
    name: "received_files",
    columns: &[
        column("id", ColumnType::Uuid).default(ColumnDefault::NewId),
        column("item_id", ColumnType::Uuid).nullable(),
        column("created_at", MOMENT).default(ColumnDefault::Now).server_managed(),
        column("name", LINE),
        column("file_url", ColumnType::Text(1024)).nullable(),
        column("size", ColumnType::Int).default(ColumnDefault::Int(0)).server_managed(),
        column("note", ColumnType::Text(500)).nullable(),
        column("refused_at", MOMENT).nullable().server_managed(),
        column("filed_at", MOMENT).nullable().server_managed(),
        column("document_id", ColumnType::Uuid).nullable().server_managed(),
        column("client_id", ColumnType::Uuid).staff_only().default(ColumnDefault::Caller),
    ],
    key: "id",
    unique: &[],
    staff_only: false,
    read_only: false,
};

/// Lists of items that the office asks for again and again.
pub(super) const REQUEST_TEMPLATES: Table = Table {
    id: TableId::RequestTemplates,
    name: "request_templates",
    columns: &[
        column("id", ColumnType::Uuid).default(ColumnDefault::NewId),
        column("name", ColumnType::Text(120)),
        column("items", ColumnType::Json),
        column("created_at", MOMENT).default(ColumnDefault::Now),
        column("updated_at", MOMENT).default(ColumnDefault::Now),
    ],
    key: "id",
    unique: &[],
    staff_only: true,
    read_only: false,
};
