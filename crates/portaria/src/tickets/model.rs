//! A ticket as a row: its owner, subject and status.

use std::str::FromStr;

use sea_query::{Condition, Expr, ExprTrait, Order, Query, SelectStatement};

use crate::{
    db::{Error, Row, Tx},
    security::ids::{TicketId, UserId},
};

/// The status of a ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TicketStatus {
    /// The office has not begun to work on the ticket.
    Open,
    /// The office works on the ticket.
    InProgress,
    /// The ticket is done. It has no due date.
    Closed,
}

impl TicketStatus {
    /// Returns the text in the database and on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::InProgress => "in-progress",
            Self::Closed => "closed",
        }
    }
}

/// Returns the number by which the queue sorts tickets of a priority: the most urgent has the highest.
#[must_use]
pub fn priority_rank(priority: &str) -> i64 {
    match priority {
        "low" => 0,
        "high" => 2,
        "urgent" => 3,
        _ => 1,
    }
}

/// A text that is no status of a ticket.
#[derive(Debug, Clone, Copy)]
pub struct UnknownStatus;

impl FromStr for TicketStatus {
    type Err = UnknownStatus;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let all = [Self::Open, Self::InProgress, Self::Closed];
        all.into_iter().find(|status| status.as_str() == text).ok_or(UnknownStatus)
    }
}

/// A ticket.
#[derive(Debug, Clone)]
pub struct Ticket {
    /// The id.
    pub id: TicketId,
    /// The client; `None` after the deletion of the account.
    pub client: Option<UserId>,
    /// The subject in the client's words.
    pub subject: String,
    /// The present status.
    pub status: TicketStatus,
    /// The member of the staff who answers it.
    pub assignee: Option<UserId>,
}

impl Ticket {
    /// The columns that [`Self::from_row`] reads.
    const COLUMNS: [&'static str; 5] = ["id", "user_id", "subject", "status", "assignee_id"];

    fn from_row(row: Row<'_>) -> Result<Self, Error> {
        Ok(Self {
            id: row.parse(0)?,
            client: row.opt_parse(1)?,
            subject: row.text(2)?.to_owned(),
            status: row.parse(3)?,
            assignee: row.opt_parse(4)?,
        })
    }
}

/// Locks the selected tickets until the end of the transaction, and returns them.
pub(crate) fn lock(tx: &mut Tx<'_>, mut selection: SelectStatement) -> Result<Vec<Ticket>, Error> {
    selection.clear_selects().columns(Ticket::COLUMNS.map(|name| ("tickets", name)));
    // One lock order prevents deadlocks.
    selection.from("tickets").order_by(("tickets", "id"), Order::Asc).lock_exclusive();
    tx.rows(&selection)?.iter().map(Ticket::from_row).collect()
}

/// Builds the selection of tickets by their ids for [`lock`].
pub(crate) fn by_id(ids: &[TicketId]) -> SelectStatement {
    Query::select().and_where(Expr::col(("tickets", "id")).is_in(ids.iter().copied())).take()
}

/// Builds the selection of the tickets of messages for [`lock`].
pub(crate) fn by_messages(messages: Condition) -> SelectStatement {
    let threads =
        Query::select().column("ticket_id").from("ticket_messages").cond_where(messages).take();
    Query::select().and_where(Expr::col(("tickets", "id")).in_subquery(threads)).take()
}
