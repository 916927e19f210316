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

/// Runs once. Idempotent, also on several nodes at once.
///
/// # Errors
/// Database errors. A file that the store fails to delete is tried again in the next run.
pub async fn run(app: &Arc<App>) -> Result<(), db::Error> {
    let now = app.clock.now();
    app.limits.evict_idle();

    app.write(move |tx, app| {
        delete_expired_rows(tx, now)?;
        delete_unattached_files(tx, app, now)?;
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
/// programs that uploaded them.
fn delete_unattached_files(tx: &mut Tx<'_>, app: &App, now: Timestamp) -> Result<(), db::Error> {
    for (bucket, table) in references::REFERRING_TABLES {
        let unattached = Condition::all()
            .add(Expr::col(("objects", "bucket_id")).eq(bucket))
            // Not `created_at`: a file that was moved waits for its document anew.
            .add(Expr::col(("objects", "updated_at")).lt(format_timestamp(now - UNATTACHED_TTL)))
            .add(references::is_shown_by(table).not());

        let mut batch = Query::select();
        batch.column("id").from("objects").cond_where(unattached.clone());
        batch.order_by("id", Order::Asc).limit(BATCH);
        let batch = Condition::all().add(Expr::col("id").in_subquery(batch));
        let locked = object::lock(tx, batch)?;
        if locked.is_empty() {
            continue;
        }

        // Checked again: while this transaction waited for the locks, a file may have received its document.
        let selected = Expr::col("id").is_in(locked.iter().map(|file| file.id));
        let selected = unattached.add(selected);
        let discarded = object::lock(tx, selected.clone())?;
        let events = discarded.iter().map(|file| file.audit_event(audit::EventName::FileDiscarded));
        audit::record(tx, app, Caller::Service, events);
        object::release(tx, &selected, now)?;
    }
    Ok(())
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
