//! The people of each client: those who act for it (docs/decisions/0100-a-session-acts-for-one-client.md), and the staff
//! who care for it (docs/decisions/0125-staff-roles.md).

use crate::schema::tables::{LINE, MOMENT, column};
use crate::schema::{ColumnDefault, ColumnType, Table, TableId};

/// The people of each client: its own account, and the people of its memberships. A person is named as the inviter named
/// them, because an inviter must not learn what the account of an address contains.
/// `folders` lists the folders to which a person is limited; null for all folders.
pub(super) const CLIENT_MEMBERS: Table = Table {
    id: TableId::ClientMembers,
    name: "client_members",
    columns: &[
        column("id", ColumnType::Uuid),
        column("client_id", ColumnType::Uuid),
        column("user_id", ColumnType::Uuid),
        column("role", LINE),
        column("name", LINE),
        column("email", LINE),
        column("created_at", MOMENT),
        column("last_sign_in_at", MOMENT).nullable().staff_only(),
        column("invited_at", MOMENT).nullable().staff_only(),
        column("folders", ColumnType::Json).nullable(),
    ],
    key: "id",
    unique: &[],
    staff_only: false,
    read_only: true,
};

/// The clients for whom members of the staff care.
pub(super) const CLIENT_ASSIGNMENTS: Table = Table {
    id: TableId::ClientAssignments,
    name: "client_assignments",
    columns: &[
        column("id", ColumnType::Uuid).default(ColumnDefault::NewId),
        column("client_id", ColumnType::Uuid),
        column("staff_id", ColumnType::Uuid),
        column("is_responsible", ColumnType::Bool).default(ColumnDefault::False),
        column("created_at", MOMENT).default(ColumnDefault::Now).server_managed(),
    ],
    key: "id",
    unique: &[],
    staff_only: true,
    read_only: false,
};
