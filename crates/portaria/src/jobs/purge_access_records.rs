//! Retention of access records: read receipts, and the oldest audit events. They are kept for at least the six months
//! that Brazilian law requires (Marco Civil da Internet, art. 15), and then deleted.

use std::sync::Arc;

use jiff::{Timestamp, ToSpan};
use sea_query::{Expr, ExprTrait, Order, Query};

use crate::{
    app::App,
    audit,
    clock::format_timestamp,
    db::{self, Tx},
};

/// Maximum number of receipts that one transaction deletes.
const BATCH: u64 = 2_000;

/// Deletes one batch of old access records and returns whether there were any.
///
/// # Errors
/// Database errors.
pub(crate) async fn delete_batch(app: &Arc<App>) -> Result<bool, db::Error> {
    let cutoff = cutoff(app);
    let key = app.keys.activity();
    let purge = move |tx: &mut Tx<'_>| {
        let receipts = delete_receipts(tx, cutoff)?;
        Ok::<_, db::Error>((receipts, audit::prune_before(tx, key, cutoff)?))
    };
    let (receipts, events) = app.db.write(purge).await?;
    if receipts + events > 0 {
        tracing::info!(receipts, events, "old access records deleted");
    }
    Ok(receipts + events > 0)
}

/// Returns the time before which access records are deleted.
fn cutoff(app: &App) -> Timestamp {
    let now = app.clock.now().to_zoned(app.config.time_zone.clone());
    let cutoff = now.checked_sub(app.config.access_records_months.months());
    cutoff.expect("the clock is far from the beginning of the calendar").timestamp()
}

/// Deletes old receipts. `documents.was_opened` preserves the fact that a document was opened.
fn delete_receipts(tx: &mut Tx<'_>, cutoff: Timestamp) -> Result<u64, db::Error> {
    let mut old = Query::select();
    old.columns(["id", "document_id"]).from("document_receipts");
    old.and_where(Expr::col("created_at").lt(format_timestamp(cutoff)));
    old.order_by("created_at", Order::Asc).limit(BATCH);
    let rows = tx.rows(&old)?;
    let (mut ids, mut documents) = (Vec::new(), Vec::new());
    for row in rows.iter() {
        ids.push(row.text(0)?.to_owned());
        documents.push(row.text(1)?.to_owned());
    }
    if ids.is_empty() {
        return Ok(0);
    }
    let mut opened = Query::update();
    opened.table("documents").value("was_opened", true);
    tx.execute(opened.and_where(Expr::col("id").is_in(documents)))?;
    let mut deletion = Query::delete();
    tx.execute(deletion.from_table("document_receipts").and_where(Expr::col("id").is_in(ids)))
}
