//! Uploads of attachments to `{sender}/{ticket}/{file}`, the only place to which a client may upload
//! (docs/decisions/0015-clients-upload-only-beside-their-tickets.md).

use jiff::Timestamp;
use sea_query::{Condition, Expr, ExprTrait, Query};

use crate::api::storage::{StorageError, extract::ObjectPath};
use crate::{
    db::Tx,
    policy,
    schema::{ATTACHMENTS_BUCKET, STAFF_PREFIX},
    security::caller::Caller,
};

/// Maximum number of a client's files that wait for their message. Garbage collection removes them after 24 hours.
const MAX_WAITING_FILES: i64 = 20;

/// Checks whether a client may upload a file: beside an own ticket that accepts replies, never over another file.
///
/// # Errors
/// `AccessDenied`, equally for the ticket of another client and for none; `SlowDown` if too many files wait.
pub(crate) fn check_client_upload(
    tx: &mut Tx<'_>,
    caller: Caller,
    path: &ObjectPath,
    replace: bool,
    now: Timestamp,
) -> Result<(), StorageError> {
    let Some(client) = caller.user().map(|id| id.to_string()) else {
        return Err(StorageError::row_level_security());
    };
    let ticket = sender_and_ticket(&path.name).filter(|(sender, _)| *sender == client);
    let Some((_, ticket)) = ticket.filter(|_| path.bucket == ATTACHMENTS_BUCKET && !replace) else {
        return Err(StorageError::row_level_security());
    };
    let mut ticket_query = Query::select();
    ticket_query.column("id").from("tickets").and_where(Expr::col("id").eq(ticket));
    if tx.rows(ticket_query.cond_where(policy::accepts_replies(caller, now)?))?.is_empty() {
        return Err(StorageError::row_level_security());
    }
    let attached = Query::select()
        .expr(Expr::cust("1"))
        .from("ticket_attachments")
        .and_where(Expr::col(("ticket_attachments", "file_url")).equals(("objects", "name")))
        .take();
    let name = || Expr::col(("objects", "name"));
    let mut waiting = Query::select();
    // A prefix as a range that an index can use: `0` is the character after `/`.
    waiting.expr(Expr::cust("count(*)")).from("objects").cond_where(
        Condition::all()
            .add(Expr::col(("objects", "bucket_id")).eq(ATTACHMENTS_BUCKET))
            .add(name().gt(format!("{client}/")))
            .add(name().lt(format!("{client}0")))
            .add(Expr::col(("objects", "owner_id")).eq(client.as_str()))
            .add(Expr::exists(attached).not()),
    );
    let rows = tx.rows(&waiting)?;
    let waiting = rows.first().map(|row| row.int(0)).transpose()?.unwrap_or(0);
    if waiting < MAX_WAITING_FILES {
        Ok(())
    } else {
        Err(StorageError::too_many_unattached_files())
    }
}

/// Checks that an attachment's name refers to an existing ticket, and to its client or the office as the sender.
///
/// # Errors
/// `InvalidKey`.
pub(crate) fn check_attachment_name(tx: &mut Tx<'_>, name: &str) -> Result<(), StorageError> {
    let invalid = || StorageError::invalid_key(name);
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
