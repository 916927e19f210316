//! Garbage collection: deletes blobs of the deletion queue, abandoned uploads, files without a document or message, and
//! expired rows.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use sea_query::{Condition, Expr, ExprTrait, Order, Query};

use crate::{
    accounts::authenticate::{ABSOLUTE_TIMEOUT, IDLE_TIMEOUT},
    accounts::one_time_token,
    app::App,
    audit,
    backup::{self, restore},
    clock::format_timestamp,
    db::{self, Tx},
    notifications::outbox,
    privacy::erasure,
    security::caller::Caller,
    stored_files::{object, references, upload},
};

/// Time for which a blob of the deletion queue stays, for downloads in progress.
const UNLINK_DELAY: SignedDuration = SignedDuration::from_hours(1);
/// Time for which an uploaded file stays without a document or message that refers to it.
const UNATTACHED_TTL: SignedDuration = SignedDuration::from_hours(24);
/// Age at which login attempts, unused tokens and unfinished challenges are deleted: the longest validity that a
/// setting permits.
const EPHEMERAL_TTL: SignedDuration = SignedDuration::from_hours(24);
/// Maximum number of files or blobs in one transaction.
const BATCH: u64 = 200;
/// Number of files that one statement examines.
const PAGE: u64 = 10_000;

/// Runs once. Idempotent, also on several nodes at once.
///
/// # Errors
/// Database errors. A file that the store fails to delete is tried again in the next run.
pub async fn run(app: &Arc<App>) -> Result<(), db::Error> {
    let now = app.clock.now();
    app.limits.evict_idle();

    delete_unattached_files(app, now).await?;
    app.db
        .write(move |tx| {
            delete_expired_rows(tx, now)?;
            upload::expire(tx, now)?;
            outbox::purge_bodies(tx, now)?;
            erasure::purge_mail(tx, now)?;
            unqueue_referenced(tx, now)
        })
        .await?;
    delete_orphan_parts(app).await?;

    if restore::has_replaced_data(app).await? {
        return Ok(());
    }

    loop {
        let blobs = app.db.read(move |tx| due_blobs(tx, now)).await?;
        let mut removed = Vec::with_capacity(blobs.len());
        for blob in blobs {
            match app.files.remove(&blob).await {
                Ok(()) => removed.push(blob),
                Err(error) => tracing::warn!(%error, "blob could not be deleted, will retry"),
            }
        }
        if removed.is_empty() {
            return Ok(());
        }
        app.db
            .write(move |tx| {
                tx.execute(
                    Query::delete()
                        .from_table("blob_gc")
                        .and_where(Expr::col("blob").is_in(removed)),
                )
            })
            .await?;
    }
}

fn delete_expired_rows(tx: &mut Tx<'_>, now: jiff::Timestamp) -> Result<(), db::Error> {
    for (table, column) in [
        ("auth_codes", "created_at"),
        ("challenges", "created_at"),
        ("passkey_challenges", "created_at"),
        ("attempts", "at"),
        ("idempotency_keys", "created_at"),
    ] {
        let is_old = Expr::col(column).lt(format_timestamp(now - EPHEMERAL_TTL));
        tx.execute(Query::delete().from_table(table).and_where(is_old))?;
    }
    one_time_token::delete_expired(tx, now)?;
    backup::delete_expired_leases(tx, now)?;
    // Enrolled authenticator apps that never sent their first code.
    let mut unfinished = Query::delete().from_table("factors").take();
    unfinished.and_where(Expr::col("verified").eq(false));
    tx.execute(
        unfinished.and_where(Expr::col("created_at").lt(format_timestamp(now - EPHEMERAL_TTL))),
    )?;
    // Ended sessions, which must not appear in the user's list of sessions.
    let is_ended = Condition::any()
        .add(Expr::col("created_at").lt(format_timestamp(now - ABSOLUTE_TIMEOUT)))
        .add(Expr::col("refreshed_at").lt(format_timestamp(now - IDLE_TIMEOUT)));
    tx.execute(Query::delete().from_table("sessions").cond_where(is_ended))?;
    Ok(())
}

/// Deletes files without a document or message, with an audit event for each. Files in other buckets belong to the
/// programs that uploaded them. The files are searched outside of write transactions, because nearly all are in use.
async fn delete_unattached_files(app: &Arc<App>, now: Timestamp) -> Result<(), db::Error> {
    for place in references::REFERRING_TABLES {
        let mut last = Some(String::new());
        while let Some(after) = last {
            let page = app.db.read(move |tx| UnattachedFiles::read(tx, place, &after, now)).await?;
            if !page.ids.is_empty() {
                let ids = page.ids;
                app.write(move |tx, app| delete_unattached(tx, app, place, &ids, now)).await?;
            }
            last = page.last;
        }
    }
    Ok(())
}

/// The files of a page that no row shows.
struct UnattachedFiles {
    ids: Vec<String>,
    /// The last name of the page; `None` for the last page.
    last: Option<String>,
}

impl UnattachedFiles {
    fn read(
        tx: &mut Tx<'_>,
        (bucket, table): (&'static str, &'static str),
        after: &str,
        now: Timestamp,
    ) -> Result<Self, db::Error> {
        let mut page = Query::select();
        page.columns(["id", "name"]).expr(references::is_shown_by(table)).from("objects");
        page.and_where(Expr::col("bucket_id").eq(bucket)).and_where(Expr::col("name").gt(after));
        page.and_where(is_old(now)).order_by("name", Order::Asc).limit(PAGE);
        let rows = tx.rows(&page)?;
        let mut found = Self { ids: Vec::new(), last: None };
        for (place, row) in rows.iter().enumerate() {
            if !row.bool(2)? {
                found.ids.push(row.text(0)?.to_owned());
            }
            if place as u64 + 1 == PAGE || found.ids.len() as u64 == BATCH {
                found.last = Some(row.text(1)?.to_owned());
                break;
            }
        }
        Ok(found)
    }
}

/// Condition that a file is old enough to be deleted without a row. Not by `created_at`: a file that was moved waits for
/// its document anew.
fn is_old(now: Timestamp) -> Expr {
    Expr::col(("objects", "updated_at")).lt(format_timestamp(now - UNATTACHED_TTL))
}

fn delete_unattached(
    tx: &mut Tx<'_>,
    app: &App,
    (bucket, table): (&'static str, &'static str),
    ids: &[String],
    now: Timestamp,
) -> Result<(), db::Error> {
    let selected = Condition::all()
        .add(Expr::col(("objects", "bucket_id")).eq(bucket))
        .add(Expr::col("id").is_in(ids.iter().map(String::as_str)));
    object::lock(tx, selected.clone())?;
    // Checked again under the locks: a file may have received its document meanwhile.
    let unattached = selected.add(is_old(now)).add(references::is_shown_by(table).not());
    let discarded = object::lock(tx, unattached.clone())?;
    let events = discarded.iter().map(|file| file.audit_event(audit::EventName::FileDiscarded));
    audit::record(tx, app, Caller::Service, events);
    object::release(tx, &unattached, now).map(drop)
}

/// Returns blobs of the deletion queue whose delay is over and that no object refers to.
fn due_blobs(tx: &mut Tx<'_>, now: Timestamp) -> Result<Vec<String>, db::Error> {
    let mut query = Query::select();
    query
        .column("blob")
        .from("blob_gc")
        .and_where(Expr::col("since").lte(format_timestamp(now - UNLINK_DELAY)));
    // A running backup copies the blobs that existed when it started.
    query.and_where(is_referenced().not()).and_where(backup::no_backup_running(now)).limit(BATCH);
    tx.rows(&query)?.iter().map(|row| row.text(0).map(str::to_owned)).collect()
}

/// Removes blobs from the deletion queue that a copy of the file still uses. The deletion of the last copy queues the
/// blob again.
fn unqueue_referenced(tx: &mut Tx<'_>, now: Timestamp) -> Result<(), db::Error> {
    let mut statement = Query::delete();
    // The time is part of the condition, so that a blob that is queued again at this moment stays.
    statement
        .from_table("blob_gc")
        .and_where(Expr::col("since").lte(format_timestamp(now - UNLINK_DELAY)));
    tx.execute(statement.and_where(is_referenced())).map(drop)
}

fn is_referenced() -> Expr {
    let reference = Query::select()
        .expr(Expr::cust("1"))
        .from("objects")
        .and_where(Expr::col(("objects", "blob")).equals(("blob_gc", "blob")))
        .take();
    Expr::exists(reference)
}

/// Deletes the bytes of ended resumable uploads. An upload's row exists before its first byte, so bytes that were
/// listed before the rows were read, and have no row, are orphans.
async fn delete_orphan_parts(app: &App) -> Result<(), db::Error> {
    let parts = match app.files.parts().await {
        Ok(parts) => parts,
        Err(error) => {
            tracing::warn!(%error, "upload parts could not be listed");
            return Ok(());
        }
    };
    for batch in parts.chunks(500) {
        let names = batch.to_vec();
        let live = app.db.read(move |tx| upload::active(tx, &names)).await?;
        for part in batch.iter().filter(|part| !live.contains(part)) {
            if let Err(error) = app.files.remove_part(part).await {
                tracing::warn!(%error, "upload part could not be deleted, will retry");
            }
        }
    }
    Ok(())
}
