//! Notifications about tickets: a ticket was created, received a reply, or changed its status.

use crate::notifications::notifier::{NotificationSubject, Notifier};
use crate::{
    app::App,
    db::{Error, Tx},
    mail::template::Values,
    notifications::catalog,
    security::caller::Caller,
    security::ids::TicketId,
    tickets::model::{Ticket, TicketStatus},
};

/// Notifies the client of a new ticket. A ticket that is created closed, such as an imported one, causes no
/// notification.
pub fn notify_created(tx: &mut Tx<'_>, app: &App, ticket: &Ticket) -> Result<(), Error> {
    if ticket.status == TicketStatus::Closed {
        return Ok(());
    }
    send(tx, app, "ticket_created_user", ticket, "")
}

/// Notifies the client of a reply or a changed status, unless the client caused it. `cause` is the id of the message or
/// of the history row; it keeps a repetition from notifying twice.
pub fn notify_updated(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    ticket: &Ticket,
    cause: &str,
) -> Result<(), Error> {
    if caller.client().is_some() && caller.client() == ticket.client {
        return Ok(());
    }
    send(tx, app, "ticket_updated_user", ticket, cause)
}

fn send(
    tx: &mut Tx<'_>,
    app: &App,
    trigger: &str,
    ticket: &Ticket,
    version: &str,
) -> Result<(), Error> {
    let (Some(client), Some(notice)) = (ticket.client, catalog::by_event(trigger)) else {
        return Ok(());
    };
    let mut notifier = Notifier::new(app);
    if !notifier.is_enabled(tx, notice)? {
        return Ok(());
    }
    let subject = NotificationSubject::Ticket(ticket.id);
    let variables = template_variables(ticket.id, &ticket.subject);
    notifier.send_to_client(tx, notice, client, subject, version, &variables).map(drop)
}

/// Returns the template variables of a ticket.
pub(crate) fn template_variables(id: TicketId, subject: &str) -> Values<'static> {
    Values::from([("ticket.id", id.to_string()), ("ticket.subject", subject.to_owned())])
}
