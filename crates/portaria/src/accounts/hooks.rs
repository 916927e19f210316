//! The rules of the table `sessions`, in which a person ends sessions on other devices.

use sea_query::{Condition, Expr, ExprTrait};

use crate::{
    audit::{EventName, RowNaming},
    db::Tx,
    notifications::push,
    table_write::{TableHooks, WriteContext, WriteError},
};

/// The hooks of `sessions`.
pub(crate) struct SessionHooks;

impl TableHooks for SessionHooks {
    /// The push subscriptions that began in the sessions end with them.
    fn around_delete(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        keys: &[String],
    ) -> Result<(), WriteError> {
        let ids = Expr::col("id").is_in(keys.iter().map(String::as_str));
        push::subscriptions::forget_sessions(tx, &Condition::all().add(ids))?;
        ctx.delete_rows(tx, keys)
    }

    fn audit(&self) -> Option<RowNaming> {
        let events = [EventName::SessionEnded; 3];
        Some(RowNaming::of_columns("sessions", "user_agent", Some("user_id"), events))
    }

    fn export(&self) -> Option<&'static str> {
        Some("sessoes.json")
    }
}
