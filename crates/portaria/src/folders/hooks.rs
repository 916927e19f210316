//! The rules of the table `folders`.

use crate::table_write::{Row, TableHooks, WriteContext, WriteError};
use crate::{
    audit::{EventName, RowNaming},
    db::Tx,
};

/// The hooks of `folders`.
pub(crate) struct FolderHooks;

impl TableHooks for FolderHooks {
    /// Addresses and object names contain `id_supabase`, so it is permanent.
    fn before_update(
        &self,
        ctx: &WriteContext<'_>,
        _tx: &mut Tx<'_>,
        changes: &mut Row,
    ) -> Result<(), WriteError> {
        if changes.contains_key("id_supabase") {
            return Err(WriteError::row_denied(ctx.caller, ctx.table));
        }
        Ok(())
    }

    fn min_text_lengths(&self) -> &'static [(&'static str, usize)] {
        &[("legal_hold_reason", 1)]
    }

    fn audit(&self) -> Option<RowNaming> {
        Some(naming())
    }
}

/// Returns the names of folders and their changes in the audit log.
pub(crate) fn naming() -> RowNaming {
    let events = [EventName::FolderCreated, EventName::FolderChanged, EventName::FolderDeleted];
    RowNaming::of_columns("folders", "name", None, events)
}
