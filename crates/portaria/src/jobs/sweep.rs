//! Removes what nothing refers to any more: retired blobs, and files that never got their document.

use jiff::SignedDuration;
use sea_query::{Condition, Expr, ExprTrait, Query};

use crate::{
    app::App,
    clock::stamp,
    db::{self, Tx},
    objects,
};

/// A retired blob stays this long, for downloads under way and for a backup that has begun.
const GRACE: SignedDuration = SignedDuration::from_hours(1);
/// An upload whose document never came is kept this long (behaviour B11).
const UNATTACHED: SignedDuration = SignedDuration::from_hours(24);
/// Attempts to sign in, and tokens that nobody used, are forgotten after the longest time that a setting can ask for.
const FORGET: SignedDuration = SignedDuration::from_hours(24);
/// Blobs in one round.
const BATCH: u64 = 200;

/// One sweep. Running it twice, or on two nodes at once, does no harm.
///
/// # Errors
/// The database's; what the disk refuses is tried again next time.
pub async fn run(app: &App) -> Result<(), db::Error> {
    let now = app.clock.now();
    app.limits.sweep();
    app.db.write(move |tx| forget(tx, now)).await?;
    app.db.write(move |tx| retire_unattached(tx, now)).await?;
    loop {
        let due = stamp(now - GRACE);
        let blobs: Vec<String> = app
            .db
            .read(move |tx| {
                let mut query = Query::select();
                query
                    .column("blob")
                    .from("blob_gc")
                    .and_where(Expr::col("since").lte(due))
                    .limit(BATCH);
                tx.rows(&query)?.iter().map(|row| row.text(0).map(str::to_owned)).collect()
            })
            .await?;
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
    for (table, column) in
        [("one_time_tokens", "created_at"), ("auth_codes", "created_at"), ("attempts", "at")]
    {
        let old = Expr::col(column).lt(stamp(now - FORGET));
        tx.execute(Query::delete().from_table(table).and_where(old))?;
    }
    Ok(())
}

fn retire_unattached(tx: &mut Tx<'_>, now: jiff::Timestamp) -> Result<(), db::Error> {
    let shown = Query::select()
        .expr(Expr::cust("1"))
        .from("documents")
        .and_where(Expr::col(("documents", "file_url")).equals(("objects", "name")))
        .take();
    let unattached = Condition::all()
        .add(Expr::col(("objects", "created_at")).lt(stamp(now - UNATTACHED)))
        .add(Expr::exists(shown).not());
    objects::retire(tx, &unattached, now)
}
