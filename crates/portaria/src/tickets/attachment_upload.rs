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

/// An upload that is not accepted.
#[derive(Debug)]
pub enum AttachmentUploadError {
    /// The client may not upload the file. The ticket of another client and a missing ticket are the same.
    Denied,
    /// Too many files of the client wait for their message.
    TooManyWaiting,
    /// The name refers to no ticket, or to another sender. Contains the name.
    InvalidName(String),
    /// The database failed.
    Database(db::Error),
}

impl From<db::Error> for AttachmentUploadError {
    fn from(error: db::Error) -> Self {
        Self::Database(error)
    }
}

/// Checks whether a client may upload a file: beside an own ticket that accepts replies, never over another file.
///
/// # Errors
/// [`AttachmentUploadError::Denied`], equally for the ticket of another client and for none;
/// [`AttachmentUploadError::TooManyWaiting`].
pub(crate) fn check_client_upload(
    tx: &mut Tx<'_>,
    caller: Caller,
    bucket: &str,
    name: &str,
    replace: bool,
    now: Timestamp,
) -> Result<(), AttachmentUploadError> {
    let Some(client) = caller.user().map(|id| id.to_string()) else {
        return Err(AttachmentUploadError::Denied);
    };
    let ticket = sender_and_ticket(name).filter(|(sender, _)| *sender == client);
    let Some((_, ticket)) = ticket.filter(|_| bucket == ATTACHMENTS_BUCKET && !replace) else {
        return Err(AttachmentUploadError::Denied);
    };
    let accepting = policy::accepts_replies(caller, now);
    let accepting = accepting.map_err(|policy::Denied| AttachmentUploadError::Denied)?;
    let mut ticket_query = Query::select();
    ticket_query.column("id").from("tickets").and_where(Expr::col("id").eq(ticket));
    if tx.rows(ticket_query.cond_where(accepting))?.is_empty() {
        return Err(AttachmentUploadError::Denied);
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
    if waiting < MAX_WAITING_FILES { Ok(()) } else { Err(AttachmentUploadError::TooManyWaiting) }
}

/// Checks that an attachment's name refers to an existing ticket, and to its client or the office as the sender.
///
/// # Errors
/// [`AttachmentUploadError::InvalidName`].
pub(crate) fn check_attachment_name(
    tx: &mut Tx<'_>,
    name: &str,
) -> Result<(), AttachmentUploadError> {
    let invalid = || AttachmentUploadError::InvalidName(name.to_owned());
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
