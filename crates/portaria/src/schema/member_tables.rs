//! The view of the people of each client (docs/decisions/0100-a-session-acts-for-one-client.md).

use crate::schema::tables::{LINE, MOMENT, column};
use crate::schema::{ColumnType, Table, TableId};

/// The people of each client: its own account, and the people of its memberships. A person is named as the inviter named
/// them, because an inviter must not learn what the account of an address contains.
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
    ],
    key: "id",
    unique: &[],
    staff_only: false,
    read_only: true,
};
