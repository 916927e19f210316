//! The changes of rows that the caller of a channel of the realtime API may receive, by a reach that is read once for many
//! events.

use std::{collections::HashSet, sync::Arc};

use uuid::Uuid;

use crate::{
    db::{Error, Tx},
    policy::{
        Access, Action, Denied, RowScope, access, assignments,
        folder_limits::{self, LimitedRows},
    },
    schema::TableId,
    security::{caller::Caller, ids::UserId},
};

/// The clients who are assigned to a limited member of the staff, by id, or the folders of a limited member of a client,
/// by `id_supabase`. Empty for callers whose rights do not depend on it.
#[derive(Debug, Clone, Default)]
pub struct Reach(Arc<HashSet<String>>);

impl Reach {
    /// Reads the reach of a caller.
    ///
    /// # Errors
    /// Of the database.
    pub(crate) fn of(tx: &mut Tx<'_>, caller: Caller) -> Result<Self, Error> {
        let query = if let Some(staff) = caller.limited_to_assigned() {
            assignments::clients_of(staff)
        } else if let Some(limit) = caller.folder_limit() {
            folder_limits::folders_of(limit.membership)
        } else {
            return Ok(Self::default());
        };
        let rows = tx.rows(&query)?;
        let ids = rows.iter().map(|row| row.text(0).map(str::to_owned));
        Ok(Self(Arc::new(ids.collect::<Result<_, Error>>()?)))
    }

    pub(super) fn contains(&self, id: &str) -> bool {
        self.0.contains(id)
    }
}

/// Permission to receive the changes of rows of a table. Only staff receive those of `clients`: the column that changed
/// may be one that exists for staff alone.
///
/// # Errors
/// [`Denied`] if the caller may receive the changes of no row.
pub fn listening(caller: Caller, table: TableId) -> Result<Access, Denied> {
    if table == TableId::Clients && !caller.is_staff() {
        return Err(Denied);
    }
    access(caller, table, Action::Select)
}

impl Access {
    /// Whether a row with these values in the columns of its owner ([`owner_column`]) and of its folder
    /// ([`folder_column`]) is among the rows. `reach` is that of the caller.
    #[must_use]
    pub fn permits(self, row_owner: Option<&str>, folder: Option<&str>, reach: &Reach) -> bool {
        match self.0 {
            RowScope::All => true,
            RowScope::Own { owner, .. } => row_owner == Some(owner.to_string().as_str()),
            RowScope::Assigned { .. } | RowScope::OfAssignedTickets { .. } => {
                row_owner.is_some_and(|client| reach.contains(client))
            }
            RowScope::InFolders { rows: LimitedRows::Documents, limit } => {
                row_owner == Some(limit.client.to_string().as_str())
                    && folder.is_some_and(|folder| reach.contains(folder))
            }
            // These columns do not decide, so no change of such a row is announced.
            RowScope::OwnOfAssigned { .. }
            | RowScope::AddedToInbox { .. }
            | RowScope::InFolders { .. }
            | RowScope::Personal { .. } => false,
        }
    }
}

/// The column by whose value clients may read a row of a table; `None` if they may read all its rows, or none.
#[must_use]
pub fn owner_column(table: TableId) -> Option<&'static str> {
    let access = access(Caller::own_account(UserId(Uuid::nil())), table, Action::Select).ok()?;
    access.owner().map(|(column, _)| column)
}

/// The column by whose value, beside [`owner_column`], limited members may read a row of a table.
#[must_use]
pub fn folder_column(table: TableId) -> Option<&'static str> {
    (table == TableId::Documents).then_some("folder_id_supabase")
}
