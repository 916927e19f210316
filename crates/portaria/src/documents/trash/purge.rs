//! Removal of documents from the trash for good: by staff, after 30 days, and with their client's account.

use std::sync::Arc;

use jiff::Timestamp;
use sea_query::{Condition, Expr, ExprTrait, Order, Query};

use crate::{
    app::App,
    audit::{self, AuditEvent, EventName},
    clock::format_timestamp,
    db::{Error, Tx},
    documents::versions,
    schema::TRASH_BUCKET,
    security::{caller::Caller, ids::UserId},
    stored_files::object,
};

/// Maximum number of documents in one transaction.
const BATCH: u64 = 500;

/// Removes documents with their files and versions. The blobs follow by garbage collection.
pub(super) fn remove(tx: &mut Tx<'_>, keys: &[String], now: Timestamp) -> Result<(), Error> {
    versions::remove_of_documents(tx, keys, now)?;
    remove_rows(tx, keys, now)
}

/// Removes rows with these keys and their files in the trash.
pub(super) fn remove_rows(tx: &mut Tx<'_>, keys: &[String], now: Timestamp) -> Result<(), Error> {
    let these = Expr::col("id").is_in(keys.iter().map(String::as_str));
    remove_where(tx, &these, now).map(drop)
}

fn remove_where(tx: &mut Tx<'_>, which: &Expr, now: Timestamp) -> Result<u64, Error> {
    let mut names = Query::select();
    names.column("file_url").from("deleted_documents").and_where(which.clone());
    names.and_where(Expr::col("file_url").is_not_null());
    let files = Condition::all()
        .add(Expr::col("bucket_id").eq(TRASH_BUCKET))
        .add(Expr::col("name").in_subquery(names));
    object::release(tx, &files, now)?;
    tx.execute(Query::delete().from_table("deleted_documents").and_where(which.clone()))
}

/// Removes the documents of a client, when the client's account is deleted. Returns their number.
pub(crate) fn remove_of_client(
    tx: &mut Tx<'_>,
    client: UserId,
    now: Timestamp,
) -> Result<u64, Error> {
    remove_where(tx, &Expr::col("client_id").eq(client), now)
}

/// Removes a batch of the documents that were deleted 30 days ago, with an audit event for each. Returns whether there
/// were any.
///
/// # Errors
/// Database errors.
pub(crate) fn remove_due(tx: &mut Tx<'_>, app: &Arc<App>) -> Result<bool, Error> {
    let now = app.clock.now();
    let mut due = Query::select();
    due.columns(["id", "name", "client_id"]).from("deleted_documents");
    due.and_where(Expr::col("purge_at").lte(format_timestamp(now)));
    due.order_by("purge_at", Order::Asc).order_by("id", Order::Asc).limit(BATCH);
    let (mut ids, mut events) = (Vec::new(), Vec::new());
    for row in tx.rows(due.lock_exclusive())?.iter() {
        let (id, name) = (row.text(0)?.to_owned(), row.text(1)?.to_owned());
        let event = AuditEvent::new(EventName::DocumentPurged).person(row.opt_parse(2)?);
        events.push(event.subject(Some(id.clone()), Some(name)));
        ids.push(id);
    }
    if ids.is_empty() {
        return Ok(false);
    }
    tracing::info!(count = ids.len(), "documents removed from the trash");
    audit::record(tx, app, Caller::Service, events);
    remove(tx, &ids, now)?;
    Ok(true)
}
