//! Uploads of attachments to `{sender}/{ticket}/{file}` (docs/decisions/0015-clients-upload-only-beside-their-tickets.md).

use jiff::Timestamp;
use sea_query::{Expr, ExprTrait, Query};

use crate::{
    db::Tx,
    policy,
    schema::{ATTACHMENTS_BUCKET, STAFF_PREFIX},
    security::caller::Caller,
    stored_files::client_upload::{self, ClientUploadError},
};

/// Checks whether a client may upload a file: beside an own ticket that accepts replies, never over another file.
///
/// # Errors
/// [`ClientUploadError::Denied`], equally for the ticket of another client and for none;
/// [`ClientUploadError::TooManyWaiting`].
pub(crate) fn check_client_upload(
    tx: &mut Tx<'_>,
    caller: Caller,
    bucket: &str,
    name: &str,
    replace: bool,
    now: Timestamp,
) -> Result<(), ClientUploadError> {
    let Some(client) = caller.client().map(|id| id.to_string()) else {
        return Err(ClientUploadError::Denied);
    };
    let ticket = sender_and_ticket(name).filter(|(sender, _)| *sender == client);
    let Some((_, ticket)) = ticket.filter(|_| bucket == ATTACHMENTS_BUCKET && !replace) else {
        return Err(ClientUploadError::Denied);
    };
    let accepting = policy::accepts_replies(caller, now);
    let accepting = accepting.map_err(|policy::Denied| ClientUploadError::Denied)?;
    let mut ticket_query = Query::select();
    ticket_query.column("id").from("tickets").and_where(Expr::col("id").eq(ticket));
    if tx.rows(ticket_query.cond_where(accepting))?.is_empty() {
        return Err(ClientUploadError::Denied);
    }
    client_upload::check_waiting_files(tx, ATTACHMENTS_BUCKET, &client)
}

/// Checks that an attachment's name refers to an existing ticket, and to its client or the office as the sender.
///
/// # Errors
/// [`ClientUploadError::InvalidName`].
pub(crate) fn check_attachment_name(tx: &mut Tx<'_>, name: &str) -> Result<(), ClientUploadError> {
    let invalid = || ClientUploadError::InvalidName(name.to_owned());
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
