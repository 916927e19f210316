//! Notifications about tickets: a ticket was created, received a reply, or changed its status.

use jiff::{SignedDuration, Timestamp};
use sea_query::{Expr, ExprTrait, Order, Query};

use crate::notifications::{
    center::{self, CenterEntry, CenterEvent},
    notifier::{Audience, NotificationSubject, Notifier},
};
use crate::{
    app::App,
    db::{Error, Tx},
    mail::template::Values,
    notifications::catalog,
    security::caller::Caller,
    security::ids::{TicketId, UserId},
    tickets::model::{Ticket, TicketStatus},
};

/// Maximum time between a reply and a closing that belong together.
const CLOSING_TIME: SignedDuration = SignedDuration::from_mins(1);

/// Notifies the client of a new ticket by mail, and the other side in the notification center. A ticket that is created
/// closed, such as an imported one, causes no notification.
pub fn notify_created(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    ticket: &Ticket,
) -> Result<(), Error> {
    if ticket.status == TicketStatus::Closed {
        return Ok(());
    }
    notify_other_side(tx, app, caller, CenterEvent::TicketNew, ticket)?;
    send(tx, app, "ticket_created_user", ticket, "")
}

/// Notifies the other side of a message, in the notification center. The author has read what was written before, in the
/// portal or in a mail.
pub fn notify_replied(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    ticket: &Ticket,
) -> Result<(), Error> {
    if let Some(author) = caller.user() {
        center::mark_read(tx, app, author, ticket.id)?;
    }
    notify_other_side(tx, app, caller, CenterEvent::TicketReply, ticket)
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

/// Whether the newest message of a ticket is a reply of the caller that is hardly older than a closing of the ticket:
/// "Responder e fechar" sends both, and the mail about the reply is sufficient.
pub(crate) fn follows_own_reply(
    tx: &mut Tx<'_>,
    caller: Caller,
    ticket: TicketId,
    now: Timestamp,
) -> Result<bool, Error> {
    let mut newest = Query::select();
    newest.columns(["author_id", "created_at"]).from("ticket_messages");
    newest.and_where(Expr::col("ticket_id").eq(ticket)).and_where(Expr::col("internal").eq(false));
    newest.order_by("created_at", Order::Desc).order_by("id", Order::Desc).limit(1);
    let rows = tx.rows(&newest)?;
    let Some(reply) = rows.first() else { return Ok(false) };
    let author: Option<UserId> = reply.opt_parse(0)?;
    let is_own = caller.is_staff() && author.is_some() && author == caller.user();
    Ok(is_own && now.duration_since(reply.parse::<Timestamp>(1)?) <= CLOSING_TIME)
}

fn notify_other_side(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    event: CenterEvent,
    ticket: &Ticket,
) -> Result<(), Error> {
    let Some(client) = ticket.client else { return Ok(()) };
    let is_new = event == CenterEvent::TicketNew;
    let entry =
        CenterEntry { client, subject: Some(NotificationSubject::Ticket(ticket.id)), is_new };
    if caller.is_staff() {
        center::notify_clients(tx, app, event, &[entry])
    } else {
        center::notify_staff(tx, app, caller, event, entry, ticket.assignee)
    }
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
    let audience = Audience { client, folder: None };
    notifier.send_to_client(tx, notice, audience, subject, version, &variables).map(drop)
}

/// Returns the template variables of a ticket.
pub(crate) fn template_variables(id: TicketId, subject: &str) -> Values<'static> {
    Values::from([("ticket.id", id.to_string()), ("ticket.subject", subject.to_owned())])
}
