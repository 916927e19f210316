//! The table about the office itself.

use crate::schema::{
    ColumnDefault, ColumnType, Table, TableId,
    tables::{LINE, MOMENT, column},
};

/// The profile of the office, in one row. `GET /config.json` shows its public part to everybody.
pub(super) const OFFICE_SETTINGS: Table = Table {
    id: TableId::OfficeSettings,
    name: "office_settings",
    columns: &[
        column("id", LINE).default(ColumnDefault::Text("office")).server_managed(),
        column("name", ColumnType::Text(80)).nullable(),
        column("logo", ColumnType::Text(150_000)).nullable(),
        column("color", ColumnType::Text(7)).nullable(),
        column("dark_color", ColumnType::Text(7)).nullable(),
        column("phone", ColumnType::Text(30)).nullable(),
        column("whatsapp", ColumnType::Text(15)).nullable(),
        column("email", ColumnType::Text(254)).nullable(),
        column("address", ColumnType::Text(300)).nullable(),
        column("opening_hours", ColumnType::Json).default(ColumnDefault::Text("[]")),
        column("holidays", ColumnType::Json).default(ColumnDefault::Text("[]")),
        column("day_off_rules", ColumnType::Json).default(ColumnDefault::Text("{}")),
        column("welcome_text", ColumnType::Text(500)).nullable(),
        column("mail_footer", ColumnType::Text(500)).nullable(),
        column("mail_sender_name", ColumnType::Text(80)).nullable(),
        column("updated_at", MOMENT).default(ColumnDefault::Now).server_managed(),
    ],
    key: "id",
    unique: &[],
    staff_only: true,
    read_only: false,
};
