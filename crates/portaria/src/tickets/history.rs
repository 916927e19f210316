//! The history of tickets: one row per change of the status, written with the change.

use crate::table_write::{TableHooks, WriteContext};
use crate::{
    clock::format_timestamp,
    db::{Error, Tx},
    office::OfficeProfile,
    policy::members,
    security::{ids::TicketId, keys},
    tickets::{
        model::{self, Ticket, TicketStatus},
        notify, sla,
    },
};

/// The hooks of `ticket_history`, which only the server writes.
pub(crate) struct HistoryHooks;

impl TableHooks for HistoryHooks {
    fn export(&self) -> Option<&'static str> {
        Some("historico.json")
    }
}

/// Records the status of new tickets and of tickets whose status differs from `before`, notifies their clients, and
/// updates the due dates of all of them.
pub(crate) fn write(
    ctx: &WriteContext<'_>,
    tx: &mut Tx<'_>,
    tickets: &[TicketId],
    before: &[Ticket],
) -> Result<(), Error> {
    if tickets.is_empty() {
        return Ok(());
    }
    let tickets = model::lock(tx, model::by_id(tickets))?;
    let ids: Vec<TicketId> = tickets.iter().map(|ticket| ticket.id).collect();
    // Not from the cache: the due date stays, and the hours may just have changed on another node.
    let office = OfficeProfile::read(tx, &ctx.app.config)?;
    let member = members::name_of(tx, ctx.caller)?;
    sla::update_due_dates(tx, &ids, &office.calendar, &ctx.app.config.time_zone)?;
    for ticket in tickets {
        let old = before.iter().find(|old| old.id == ticket.id);
        if old.is_some_and(|old| old.status == ticket.status) {
            continue;
        }
        let id = keys::new_id(ctx.now).to_string();
        if old.is_some() {
            let is_announced = ticket.status == TicketStatus::Closed
                && notify::follows_own_reply(tx, ctx.caller, ticket.id, ctx.now)?;
            if !is_announced {
                notify::notify_updated(tx, ctx.app, ctx.caller, &ticket, &id)?;
            }
        } else {
            notify::notify_created(tx, ctx.app, ctx.caller, &ticket)?;
        }
        tx.insert(
            "ticket_history",
            [
                ("id", id.into()),
                ("ticket_id", ticket.id.into()),
                ("client_id", ticket.client.into()),
                ("author_id", ctx.caller.user().into()),
                ("from_staff", ctx.caller.is_staff().into()),
                ("member_name", member.clone().into()),
                ("status", ticket.status.as_str().into()),
                ("created_at", format_timestamp(ctx.now).into()),
            ],
        )?;
    }
    Ok(())
}
