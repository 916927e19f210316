//! Removes what nothing refers to any more: retired blobs, uploads that were given up, and files that never got
//! their document.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use sea_query::{Condition, Expr, ExprTrait, Order, Query};

use crate::{
    accounts::authenticate::{ABSOLUTE_TIMEOUT, IDLE_TIMEOUT},
    app::App,
    audit::{self, AuditEvent},
    backup::{self, restore},
    clock::format_timestamp,
    db::{self, Tx},
    notifications::outbox,
    policy::Caller,
    privacy::erasure,
    stored_files::{object, upload},
};

/// A retired blob stays this long, for downloads under way.
const GRACE: SignedDuration = SignedDuration::from_hours(1);
/// An upload whose document never came is kept this long (behaviour B11).
const UNATTACHED: SignedDuration = SignedDuration::from_hours(24);
/// Attempts to sign in, and what nobody used or finished, are forgotten after the longest time that a setting can ask for.
const FORGET: SignedDuration = SignedDuration::from_hours(24);
/// Blobs in one round.
const BATCH: u64 = 200;

/// One sweep. Running it twice, or on two nodes at once, does no harm.
///
/// # Errors
/// The database's; what the disk refuses is tried again next time.
pub async fn run(app: &Arc<App>) -> Result<(), db::Error> {
    let now = app.clock.now();
    app.limits.evict_idle();
    let inner = Arc::clone(app);
    app.db
        .write(move |tx| {
            forget(tx, now)?;
            discard_unattached(tx, &inner, now)?;
            upload::expire(tx, now)?;
            outbox::purge_bodies(tx, now)?;
            erasure::purge_mail(tx, now)?;
            spare_shared(tx, now)
        })
        .await?;
    unlink_parts(app).await?;
    if restore::has_replaced_data(app).await? {
        return Ok(());
    }
    loop {
        let blobs = app.db.read(move |tx| due(tx, now)).await?;
        let mut gone = Vec::with_capacity(blobs.len());
        for blob in blobs {
            match app.files.remove(&blob).await {
                Ok(()) => gone.push(blob),
                Err(error) => tracing::warn!(%error, "a blob could not be removed yet"),
            }
        }
        if gone.is_empty() {
            return Ok(());
        }
        app.db
            .write(move |tx| {
                tx.execute(
                    Query::delete().from_table("blob_gc").and_where(Expr::col("blob").is_in(gone)),
                )
            })
            .await?;
    }
}

fn forget(tx: &mut Tx<'_>, now: jiff::Timestamp) -> Result<(), db::Error> {
    for (table, column) in [
        ("one_time_tokens", "created_at"),
        ("auth_codes", "created_at"),
        ("challenges", "created_at"),
        ("attempts", "at"),
        ("idempotency_keys", "created_at"),
    ] {
        let old = Expr::col(column).lt(format_timestamp(now - FORGET));
        tx.execute(Query::delete().from_table(table).and_where(old))?;
    }
    backup::forget(tx, now)?;
    // Authenticator apps whose first code was never shown.
    let mut unfinished = Query::delete().from_table("factors").take();
    unfinished.and_where(Expr::col("verified").eq(false));
    tx.execute(unfinished.and_where(Expr::col("created_at").lt(format_timestamp(now - FORGET))))?;
    // People are shown where they are signed in.
    let over = Condition::any()
        .add(Expr::col("created_at").lt(format_timestamp(now - ABSOLUTE_TIMEOUT)))
        .add(Expr::col("refreshed_at").lt(format_timestamp(now - IDLE_TIMEOUT)));
    tx.execute(Query::delete().from_table("sessions").cond_where(over))?;
    Ok(())
}

/// Files without the document or the message that they came for; the office reads of each in the log. What lies in
/// other buckets belongs to whoever put it there.
fn discard_unattached(tx: &mut Tx<'_>, app: &App, now: Timestamp) -> Result<(), db::Error> {
    for (bucket, table) in [
        (object::DOCUMENTS_BUCKET, "documents"),
        (object::ATTACHMENTS_BUCKET, "ticket_attachments"),
    ] {
        let shown = Query::select()
            .expr(Expr::cust("1"))
            .from(table)
            .and_where(Expr::col((table, "file_url")).equals(("objects", "name")))
            .take();
        let unattached = Condition::all()
            .add(Expr::col(("objects", "bucket_id")).eq(bucket))
            // Not since it was made: a file that was moved waits for its document anew.
            .add(Expr::col(("objects", "updated_at")).lt(format_timestamp(now - UNATTACHED)))
            .add(Expr::exists(shown).not());
        let mut some = Query::select();
        some.column("id").from("objects").cond_where(unattached.clone());
        some.order_by("id", Order::Asc).limit(BATCH);
        let some = Condition::all().add(Expr::col("id").in_subquery(some));
        let locked = object::lock(tx, some)?;
        if locked.is_empty() {
            continue;
        }
        // Asked again: whoever held one until now may have given it its document.
        let these = Expr::col("id").is_in(locked.iter().map(|file| file.id.as_str()));
        let these = unattached.add(these);
        let discarded = object::lock(tx, these.clone())?;
        let lines = discarded.iter().map(|file| AuditEvent::for_file("file.discarded", file));
        audit::record(tx, app, Caller::Service, lines);
        object::release(tx, &these, now)?;
    }
    Ok(())
}

/// The retired blobs whose time has come and that no object holds.
fn due(tx: &mut Tx<'_>, now: Timestamp) -> Result<Vec<String>, db::Error> {
    let mut query = Query::select();
    query
        .column("blob")
        .from("blob_gc")
        .and_where(Expr::col("since").lte(format_timestamp(now - GRACE)));
    // A backup copies the blobs of the moment at which it began.
    query.and_where(held().not()).and_where(backup::no_backup_running(now)).limit(BATCH);
    tx.rows(&query)?.iter().map(|row| row.text(0).map(str::to_owned)).collect()
}

/// Strikes from the list what a copy still holds; when the copy goes, it is listed again.
fn spare_shared(tx: &mut Tx<'_>, now: Timestamp) -> Result<(), db::Error> {
    let mut statement = Query::delete();
    // The time is part of the condition, so that one listed again at this moment stays.
    statement
        .from_table("blob_gc")
        .and_where(Expr::col("since").lte(format_timestamp(now - GRACE)));
    tx.execute(statement.and_where(held())).map(drop)
}

fn held() -> Expr {
    let holder = Query::select()
        .expr(Expr::cust("1"))
        .from("objects")
        .and_where(Expr::col(("objects", "blob")).equals(("blob_gc", "blob")))
        .take();
    Expr::exists(holder)
}

/// The bytes of resumable uploads that are over. An upload's row is there before its first byte, so what was
/// on the disk before the rows were read, and has none, belongs to nothing.
async fn unlink_parts(app: &App) -> Result<(), db::Error> {
    let parts = match app.files.parts().await {
        Ok(parts) => parts,
        Err(error) => {
            tracing::warn!(%error, "the unfinished uploads cannot be listed");
            return Ok(());
        }
    };
    for some in parts.chunks(500) {
        let names = some.to_vec();
        let live = app.db.read(move |tx| upload::active(tx, &names)).await?;
        for part in some.iter().filter(|part| !live.contains(part)) {
            if let Err(error) = app.files.remove_part(part).await {
                tracing::warn!(%error, "an unfinished upload could not be removed yet");
            }
        }
    }
    Ok(())
}
