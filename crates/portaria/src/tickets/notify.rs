//! A ticket that was opened for a client or by them, and what the office did about it.

use sea_query::{Expr, ExprTrait, Query};

use crate::notifications::notifier::{Notifier, Topic};
use crate::{
    app::App,
    db::{Error, Tx},
    mail::template::Values,
    notifications::catalog,
    policy::Caller,
};

/// Tells a ticket's client that it is registered. One that comes closed is history, and no news.
pub fn notify_created(tx: &mut Tx<'_>, app: &App, ticket: &str) -> Result<(), Error> {
    let Some(found) = load(tx, ticket)? else { return Ok(()) };
    if found.status == "closed" {
        return Ok(());
    }
    send(tx, app, "ticket_created_user", ticket, (&found, ""))
}

/// Tells a ticket's client of an answer or of another status, by the id of the row that says so. Of what they did
/// themselves they know.
pub fn notify_updated(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    ticket: &str,
    cause: &str,
) -> Result<(), Error> {
    let Some(found) = load(tx, ticket)? else { return Ok(()) };
    if caller.user().is_some_and(|caller| caller.to_string() == found.client) {
        return Ok(());
    }
    send(tx, app, "ticket_updated_user", ticket, (&found, cause))
}

struct TicketSummary {
    client: String,
    subject: String,
    status: String,
}

fn load(tx: &mut Tx<'_>, ticket: &str) -> Result<Option<TicketSummary>, Error> {
    let mut query = Query::select();
    query.columns(["user_id", "subject", "status"]).from("tickets");
    query.and_where(Expr::col("id").eq(ticket)).and_where(Expr::col("user_id").is_not_null());
    let rows = tx.rows(&query)?;
    let Some(row) = rows.first() else { return Ok(None) };
    let text = |column| row.text(column).map(str::to_owned);
    Ok(Some(TicketSummary { client: text(0)?, subject: text(1)?, status: text(2)? }))
}

fn send(
    tx: &mut Tx<'_>,
    app: &App,
    trigger: &str,
    ticket: &str,
    (found, version): (&TicketSummary, &str),
) -> Result<(), Error> {
    let Some(notice) = catalog::by_event(trigger) else { return Ok(()) };
    let mut desk = Notifier::new(app);
    if !desk.is_enabled(tx, notice)? {
        return Ok(());
    }
    let Some(reader) = desk.recipient(tx, &found.client)? else { return Ok(()) };
    let subject = (Topic::Ticket(ticket), version);
    desk.send(tx, notice, &reader, subject, values(ticket, &found.subject)).map(drop)
}

/// What a template can name of a ticket.
pub(crate) fn values(id: &str, subject: &str) -> Values<'static> {
    Values::from([("ticket.id", id.to_owned()), ("ticket.subject", subject.to_owned())])
}
