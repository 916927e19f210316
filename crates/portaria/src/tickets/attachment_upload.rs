//! Files that come with tickets' messages lie at `{sender}/{ticket}/{file}`. A client puts theirs there before the
//! message, and nothing else anywhere.

use jiff::Timestamp;
use sea_query::{Condition, Expr, ExprTrait, Query};

use crate::api::storage::{StorageError, extract::ObjectPath};
use crate::{
    db::Tx,
    policy::{self, Caller},
    stored_files::object::{ATTACHMENTS_BUCKET, STAFF_PREFIX},
};

/// Files of one client that may wait for their message; the sweep removes those that wait in vain.
const WAITING: i64 = 20;

/// Whether a client may put a file there: beside a ticket of their own that takes replies, never over another file.
///
/// # Errors
/// `AccessDenied`, whether it is another's ticket or none; `SlowDown` when too many wait already.
pub(crate) fn admit(
    tx: &mut Tx<'_>,
    caller: Caller,
    place: &ObjectPath,
    replace: bool,
    now: Timestamp,
) -> Result<(), StorageError> {
    let Some(client) = caller.user().map(|id| id.to_string()) else {
        return Err(StorageError::row_denied());
    };
    let ticket = place_of(&place.name).filter(|(sender, _)| *sender == client);
    let Some((_, ticket)) = ticket.filter(|_| place.bucket == ATTACHMENTS_BUCKET && !replace)
    else {
        return Err(StorageError::row_denied());
    };
    let mut open = Query::select();
    open.column("id").from("tickets").and_where(Expr::col("id").eq(ticket));
    if tx.rows(open.cond_where(policy::accepts_replies(caller, now)?))?.is_empty() {
        return Err(StorageError::row_denied());
    }
    let attached = Query::select()
        .expr(Expr::cust("1"))
        .from("ticket_attachments")
        .and_where(Expr::col(("ticket_attachments", "file_url")).equals(("objects", "name")))
        .take();
    let name = || Expr::col(("objects", "name"));
    let mut waiting = Query::select();
    // Everything below a folder stands between `/` and the character behind it.
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
    if waiting < WAITING { Ok(()) } else { Err(StorageError::too_many_waiting()) }
}

/// Whether a file's name says whose it is: a ticket, and the office or the client that the ticket is of.
///
/// # Errors
/// `InvalidKey`.
pub(crate) fn check_ticket(tx: &mut Tx<'_>, name: &str) -> Result<(), StorageError> {
    let invalid = || StorageError::invalid_key(name);
    let (sender, ticket) = place_of(name).ok_or_else(invalid)?;
    let mut query = Query::select();
    query.column("id").from("tickets").and_where(Expr::col("id").eq(ticket));
    if sender != STAFF_PREFIX {
        query.and_where(Expr::col("user_id").eq(sender));
    }
    if tx.rows(&query)?.is_empty() { Err(invalid()) } else { Ok(()) }
}

/// The sender and the ticket in a file's name.
fn place_of(name: &str) -> Option<(&str, &str)> {
    let segments: Vec<&str> = name.split('/').collect();
    let [sender, ticket, _] = segments[..] else { return None };
    Some((sender, ticket))
}
