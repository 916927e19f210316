//! Uploads of attachments to `{sender}/{ticket}/{file}`, the only place to which a client may upload
//! (docs/decisions/0015-clients-upload-only-beside-their-tickets.md).

use jiff::Timestamp;
use sea_query::{Condition, Expr, ExprTrait, Query};

use crate::{
    db::{self, Tx},
    policy,
    schema::{ATTACHMENTS_BUCKET, STAFF_PREFIX},
    security::caller::Caller,
};

/// Maximum number of a client's files that wait for their message. Garbage collection removes them after 24 hours.
const MAX_WAITING_FILES: i64 = 20;

/// An attachment must not be uploaded, or the check failed.
#[derive(Debug)]
pub(crate) enum AttachmentError {
    /// The caller may not upload a file of this name.
    Denied,
    /// Too many of the client's files wait for their message.
    TooManyWaitingFiles,
    /// The name refers to no ticket.
    InvalidName(String),
    /// The database failed.
    Database(db::Error),
}

impl From<db::Error> for AttachmentError {
    fn from(error: db::Error) -> Self {
        Self::Database(error)
    }
}

impl From<policy::Denied> for AttachmentError {
    fn from(_: policy::Denied) -> Self {
        Self::Denied
    }
}

/// Checks whether a client may upload a file: beside an own ticket that accepts replies, never over another file.
///
/// # Errors
/// [`AttachmentError::Denied`], equally for the ticket of another client and for none;
/// [`AttachmentError::TooManyWaitingFiles`].
pub(crate) fn check_client_upload(
    tx: &mut Tx<'_>,
    caller: Caller,
    (bucket, name): (&str, &str),
    replace: bool,
    now: Timestamp,
) -> Result<(), AttachmentError> {
    let Some(client) = caller.user().map(|id| id.to_string()) else {
        return Err(AttachmentError::Denied);
    };
    let ticket = sender_and_ticket(name).filter(|(sender, _)| *sender == client);
    let Some((_, ticket)) = ticket.filter(|_| bucket == ATTACHMENTS_BUCKET && !replace) else {
        return Err(AttachmentError::Denied);
    };
    let mut ticket_query = Query::select();
    ticket_query.column("id").from("tickets").and_where(Expr::col("id").eq(ticket));
    if tx.rows(ticket_query.cond_where(policy::accepts_replies(caller, now)?))?.is_empty() {
        return Err(AttachmentError::Denied);
    }
    let attached = Query::select()
        .expr(Expr::cust("1"))
        .from("ticket_attachments")
        .and_where(Expr::col(("ticket_attachments", "file_url")).equals(("objects", "name")))
        .take();
    let object_name = || Expr::col(("objects", "name"));
    let mut waiting = Query::select();
    // A prefix as a range that an index can use: `0` is the character after `/`.
    waiting.expr(Expr::cust("count(*)")).from("objects").cond_where(
        Condition::all()
            .add(Expr::col(("objects", "bucket_id")).eq(ATTACHMENTS_BUCKET))
            .add(object_name().gt(format!("{client}/")))
            .add(object_name().lt(format!("{client}0")))
            .add(Expr::col(("objects", "owner_id")).eq(client.as_str()))
            .add(Expr::exists(attached).not()),
    );
    let rows = tx.rows(&waiting)?;
    let waiting = rows.first().map(|row| row.int(0)).transpose()?.unwrap_or(0);
    if waiting < MAX_WAITING_FILES { Ok(()) } else { Err(AttachmentError::TooManyWaitingFiles) }
}

/// Checks that an attachment's name refers to an existing ticket, and to its client or the office as the sender.
///
/// # Errors
/// [`AttachmentError::InvalidName`].
pub(crate) fn check_attachment_name(tx: &mut Tx<'_>, name: &str) -> Result<(), AttachmentError> {
    let invalid = || AttachmentError::InvalidName(name.to_owned());
    let (sender, ticket) = sender_and_ticket(name).ok_or_else(invalid)?;
    let mut query = Query::select();
    query.column("id").from("tickets").and_where(Expr::col("id").eq(ticket));
    if sender != STAFF_PREFIX {
        query.and_where(Expr::col("user_id").eq(sender));
    }
    if tx.rows(&query)?.is_empty() { Err(invalid()) } else { Ok(()) }
}

/// Splits the name of an attachment into sender and ticket.
fn sender_and_ticket(name: &str) -> Option<(&str, &str)> {
    let segments: Vec<&str> = name.split('/').collect();
    let [sender, ticket, _] = segments[..] else { return None };
    Some((sender, ticket))
}
