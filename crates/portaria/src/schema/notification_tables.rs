//! Tables that belong to one person: the notification center, and the mails and views of staff.

use crate::schema::{
    ColumnDefault, ColumnType, Table, TableId,
    tables::{LINE, MOMENT, column},
};

/// The entries of the notification center, one per person and event
/// (docs/decisions/0129-the-notification-center-has-a-row-per-person.md).
pub(super) const NOTIFICATIONS: Table = Table {
    id: TableId::Notifications,
    name: "notifications",
    columns: &[
        column("id", ColumnType::Uuid).default(ColumnDefault::NewId),
        column("kind", LINE),
        column("document_id", ColumnType::Uuid).nullable(),
        column("ticket_id", ColumnType::Uuid).nullable(),
        column("request_item_id", ColumnType::Uuid).nullable(),
        column("created_at", MOMENT).default(ColumnDefault::Now),
        column("read_at", MOMENT).nullable(),
        column("client_id", ColumnType::Uuid).staff_only(),
        column("person_id", ColumnType::Uuid).staff_only(),
    ],
    key: "id",
    unique: &[],
    staff_only: false,
    read_only: false,
};

/// How members of the staff want to hear by mail of what clients did, for each topic.
pub(super) const STAFF_MAIL_CHOICES: Table = Table {
    id: TableId::StaffMailChoices,
    name: "staff_mail_choices",
    columns: &[
        column("id", ColumnType::Uuid).default(ColumnDefault::NewId),
        column("topic", LINE),
        column("delivery", LINE),
        column("created_at", MOMENT).default(ColumnDefault::Now),
        column("person_id", ColumnType::Uuid).default(ColumnDefault::Caller),
    ],
    key: "id",
    unique: &[],
    staff_only: true,
    read_only: false,
};

/// Names of the filters and the order of a list, for each member of the staff.
pub(super) const SAVED_VIEWS: Table = Table {
    id: TableId::SavedViews,
    name: "saved_views",
    columns: &[
        column("id", ColumnType::Uuid).default(ColumnDefault::NewId),
        column("list", ColumnType::Text(40)),
        column("name", ColumnType::Text(60)),
        column("search", ColumnType::Text(2_000)),
        column("created_at", MOMENT).default(ColumnDefault::Now).server_managed(),
        column("person_id", ColumnType::Uuid).default(ColumnDefault::Caller),
    ],
    key: "id",
    unique: &[],
    staff_only: true,
    read_only: false,
};
