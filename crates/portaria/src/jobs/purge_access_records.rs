//! Who opened what and who signed in when is kept for as long as the law asks for (Marco Civil, art. 15: six months), and
//! then dropped: receipts of documents, and the log's lines from its beginning on.

use std::sync::Arc;

use jiff::{Timestamp, ToSpan};
use sea_query::{Expr, ExprTrait, Order, Query};

use crate::{
    app::App,
    audit,
    clock::format_timestamp,
    db::{self, Tx},
};

/// Receipts that are dropped in one transaction.
const AT_ONCE: u64 = 2_000;

/// Drops some of what is too old; whether there was any.
///
/// # Errors
/// The database's.
pub(crate) async fn drop_some(app: &Arc<App>) -> Result<bool, db::Error> {
    let before = before(app);
    let seal = app.keys.activity();
    let drop_old = move |tx: &mut Tx<'_>| {
        let receipts = receipts(tx, before)?;
        Ok::<_, db::Error>((receipts, audit::prune_before(tx, seal, before)?))
    };
    let (receipts, lines) = app.db.write(drop_old).await?;
    if receipts + lines > 0 {
        tracing::info!(receipts, lines, "old access records were dropped");
    }
    Ok(receipts + lines > 0)
}

/// What is older has had its time.
fn before(app: &App) -> Timestamp {
    let now = app.clock.now().to_zoned(app.config.time_zone.clone());
    let before = now.checked_sub(app.config.access_records_months.months());
    before.expect("the clock is nowhere near the beginning of the calendar").timestamp()
}

/// That a document was opened at all stays known: nobody is to be asked why they never did.
fn receipts(tx: &mut Tx<'_>, before: Timestamp) -> Result<u64, db::Error> {
    let mut old = Query::select();
    old.columns(["id", "document_id"]).from("document_receipts");
    old.and_where(Expr::col("created_at").lt(format_timestamp(before)));
    old.order_by("created_at", Order::Asc).limit(AT_ONCE);
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
    let mut gone = Query::delete();
    tx.execute(gone.from_table("document_receipts").and_where(Expr::col("id").is_in(ids)))
}
