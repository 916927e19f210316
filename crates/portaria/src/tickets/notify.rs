//! Notifications about tickets: a ticket was created, received a reply, or changed its status.

use sea_query::{Expr, ExprTrait, Query};

use crate::notifications::notifier::{NotificationSubject, Notifier};
use crate::{
    app::App,
    db::{Error, Tx},
    mail::template::Values,
    notifications::catalog,
    security::caller::Caller,
};

/// Notifies the client of a new ticket. A ticket that is created closed, such as an imported one, causes no
/// notification.
pub fn notify_created(tx: &mut Tx<'_>, app: &App, ticket: &str) -> Result<(), Error> {
    let Some(summary) = load(tx, ticket)? else { return Ok(()) };
    if summary.status == "closed" {
        return Ok(());
    }
    send(tx, app, "ticket_created_user", ticket, (&summary, ""))
}

/// Notifies the client of a reply or a changed status, unless the client caused it. `cause` is the id of the message or
/// of the history row; it keeps a repetition from notifying twice.
pub fn notify_updated(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    ticket: &str,
    cause: &str,
) -> Result<(), Error> {
    let Some(summary) = load(tx, ticket)? else { return Ok(()) };
    if caller.user().is_some_and(|caller| caller.to_string() == summary.client) {
        return Ok(());
    }
    send(tx, app, "ticket_updated_user", ticket, (&summary, cause))
}

/// The columns of a ticket that a notification needs.
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
    (summary, version): (&TicketSummary, &str),
) -> Result<(), Error> {
    let Some(notice) = catalog::by_event(trigger) else { return Ok(()) };
    let mut notifier = Notifier::new(app);
    if !notifier.is_enabled(tx, notice)? {
        return Ok(());
    }
    let Some(recipient) = notifier.recipient(tx, &summary.client)? else { return Ok(()) };
    let subject = (NotificationSubject::Ticket(ticket), version);
    notifier
        .send(tx, notice, &recipient, subject, template_variables(ticket, &summary.subject))
        .map(drop)
}

/// Returns the template variables of a ticket.
pub(crate) fn template_variables(id: &str, subject: &str) -> Values<'static> {
    Values::from([("ticket.id", id.to_owned()), ("ticket.subject", subject.to_owned())])
}
