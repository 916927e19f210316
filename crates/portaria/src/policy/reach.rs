//! The reach of the caller of a channel of the realtime API, read once for many events.

use std::{collections::HashSet, sync::Arc};

use crate::{
    db::{Error, Tx},
    policy::{assignments, folder_limits},
    security::caller::Caller,
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
