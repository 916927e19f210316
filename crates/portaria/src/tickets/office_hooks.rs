//! The rules of the table `office_settings`: validation, and the response due dates of tickets after a change of the
//! office's hours.

use std::sync::Arc;

use sea_query::{Condition, Expr, ExprTrait, Query};
use serde_json::{Map, Value};

use crate::table_write::{PayloadCheck, Row, TableHooks, WriteContext, WriteError};
use crate::{
    app::App,
    audit::{EventName, RowEvents, RowNaming},
    db::Tx,
    office::{OfficeProfile, validation},
    security::ids::TicketId,
    tickets::{model, sla},
};

/// The hooks of `office_settings`.
pub(crate) struct OfficeHooks;

impl TableHooks for OfficeHooks {
    fn payload_check(&self) -> Option<PayloadCheck> {
        Some(check)
    }

    /// Applies the change to this node at once, and new hours to the tickets that wait for a reply.
    fn around_update(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        which: &Condition,
        changes: &Row,
    ) -> Result<Vec<String>, WriteError> {
        let keys = ctx.update_rows(tx, which, changes, None)?;
        if ["opening_hours", "holidays"].iter().any(|column| changes.contains_key(column)) {
            let mut waiting = Query::select();
            waiting.and_where(Expr::col(("tickets", "due_at")).is_not_null());
            // Locked: an answer at the same time ends the due date.
            let tickets = model::lock(tx, waiting)?;
            let tickets: Vec<TicketId> = tickets.iter().map(|ticket| ticket.id).collect();
            let office = OfficeProfile::read(tx, &ctx.app.config)?;
            sla::update_due_dates(tx, &tickets, &office.calendar, &ctx.app.config.time_zone)?;
        }
        let cache = Arc::clone(&ctx.app.office_cache);
        tx.after_commit(move || cache.expire());
        Ok(keys)
    }

    /// A change is named after the office.
    fn audit(&self) -> Option<RowNaming> {
        let (table, key) = ("office_settings", "id");
        let mut labels = Query::select();
        labels.columns([(table, key), (table, "name")]).from(table);
        labels.exprs([Expr::cust("NULL"), Expr::cust("NULL")]);
        let events = RowEvents::ByKind(|_, _| EventName::OfficeChanged);
        Some(RowNaming::of_query((table, key), labels, events))
    }
}

/// # Errors
/// `office_settings` with a sentence for the person.
fn check(_app: &App, changes: &Map<String, Value>) -> Result<(), WriteError> {
    validation::check(changes)
        .map_err(|error| WriteError::unprocessable("office_settings", error.0))
}
