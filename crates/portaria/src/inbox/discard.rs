//! Removal of files from the inbox: by staff, with their client's account, and after the retention.

use jiff::Timestamp;
use sea_query::{Condition, Expr, ExprTrait, Order, Query};

use crate::{
    app::App,
    audit::{self, AuditEvent, EventName},
    clock::format_timestamp,
    db::{Error, Tx},
    inbox::{RETENTION, duplicates},
    schema::INBOX_BUCKET,
    security::{caller::Caller, ids::UserId},
    stored_files::object,
};

/// Maximum number of files in one transaction.
const BATCH: u64 = 200;

/// Removes the objects of files whose rows the caller of this function deletes, with an audit event for each file that
/// was not published.
pub(crate) fn release_files(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    keys: &[String],
) -> Result<(), Error> {
    let these = || Expr::col("id").is_in(keys.iter().map(String::as_str));
    let mut query = Query::select();
    query.columns(["id", "name", "client_id"]).from("inbox_files").and_where(these());
    query.and_where(Expr::col("file_url").is_not_null()).order_by("id", Order::Asc);
    let mut events = Vec::new();
    for row in tx.rows(&query)?.iter() {
        let (id, name) = (row.text(0)?.to_owned(), row.text(1)?.to_owned());
        let event = AuditEvent::new(EventName::InboxDiscarded).person(row.opt_parse(2)?);
        events.push(event.subject(Some(id), Some(name)));
    }
    audit::record(tx, app, caller, events);
    release_objects(tx, Condition::all().add(these()), app.clock.now())
}

fn release_objects(tx: &mut Tx<'_>, files: Condition, now: Timestamp) -> Result<(), Error> {
    duplicates::forget_repeated_files(tx, files.clone())?;
    let mut names = Query::select();
    names.column("file_url").from("inbox_files").cond_where(files);
    names.and_where(Expr::col("file_url").is_not_null());
    let condition = Condition::all()
        .add(Expr::col("bucket_id").eq(INBOX_BUCKET))
        .add(Expr::col("name").in_subquery(names));
    object::release(tx, &condition, now).map(drop)
}

/// Deletes the files that were read as a client's, when the client's account is deleted.
pub(crate) fn delete_of_client(
    tx: &mut Tx<'_>,
    client: UserId,
    now: Timestamp,
) -> Result<(), Error> {
    let is_theirs = Condition::all().add(Expr::col("client_id").eq(client));
    release_objects(tx, is_theirs.clone(), now)?;
    tx.execute(Query::delete().from_table("inbox_files").cond_where(is_theirs)).map(drop)
}

/// Deletes a batch of files past their retention, with an audit event for each that was not published. Returns whether
/// there were any.
///
/// # Errors
/// Database errors.
pub(crate) fn delete_expired(tx: &mut Tx<'_>, app: &App) -> Result<bool, Error> {
    let before = format_timestamp(app.clock.now() - RETENTION);
    let mut query = Query::select();
    query.column("id").from("inbox_files").and_where(Expr::col("created_at").lt(before));
    query.and_where(Expr::col("state").ne("scheduled"));
    query.order_by("created_at", Order::Asc).limit(BATCH).lock_exclusive();
    let rows = tx.rows(&query)?;
    let keys: Vec<String> =
        rows.iter().map(|row| row.text(0).map(str::to_owned)).collect::<Result<_, _>>()?;
    if keys.is_empty() {
        return Ok(false);
    }
    release_files(tx, app, Caller::Service, &keys)?;
    let these = Expr::col("id").is_in(keys.iter().map(String::as_str));
    tx.execute(Query::delete().from_table("inbox_files").and_where(these))?;
    Ok(true)
}
