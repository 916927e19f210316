//! The rules of the table `ticket_presence`: which members of staff have a ticket open.

use sea_query::{Expr, ExprTrait, Query};

use crate::table_write::{Row, TableHooks, WriteContext, WriteError};
use crate::{clock::format_timestamp, db::Tx, policy};

/// The hooks of `ticket_presence`.
pub(crate) struct PresenceHooks;

impl TableHooks for PresenceHooks {
    fn before_insert(
        &self,
        ctx: &WriteContext<'_>,
        _tx: &mut Tx<'_>,
        row: &mut Row,
    ) -> Result<(), WriteError> {
        set_present(ctx, row);
        Ok(())
    }

    /// Deletes expired presence, which is never read. Deleting it here needs no job.
    fn after_insert(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        _row: &Row,
    ) -> Result<(), WriteError> {
        let expired_before = format_timestamp(ctx.now - policy::PRESENCE_TTL);
        let mut expired = Query::delete();
        expired
            .from_table("ticket_presence")
            .and_where(Expr::col("last_seen_at").lte(expired_before));
        tx.execute(&expired)?;
        Ok(())
    }

    fn before_update(
        &self,
        ctx: &WriteContext<'_>,
        _tx: &mut Tx<'_>,
        changes: &mut Row,
    ) -> Result<(), WriteError> {
        set_present(ctx, changes);
        Ok(())
    }

    fn updatable_columns(&self) -> Option<&'static [&'static str]> {
        Some(&["last_seen_at"])
    }

    /// A repeated presence renews it.
    fn renewed_columns(&self) -> &'static [&'static str] {
        &["last_seen_at"]
    }
}

/// Sets user and time of a presence row to the caller and the present.
fn set_present(ctx: &WriteContext<'_>, row: &mut Row) {
    row.insert("user_id", ctx.caller.user().map(Into::into));
    row.insert("last_seen_at", Some(format_timestamp(ctx.now).into()));
}
