//! Reclaims the leases of a crashed process at the next start, so that its mails and uploads do not wait for expiry.

use sea_query::{Expr, ExprTrait};

use crate::{app::App, db::Tx, notifications::outbox, stored_files::upload};

/// Releases all claimed mails and uploads. Applies to SQLite only, where one process uses the database. With PostgreSQL
/// the claims may belong to other nodes and expire instead.
pub async fn run(app: &App) {
    if app.config.database.is_some() {
        return;
    }
    let now = app.clock.now();
    let release_all = move |tx: &mut Tx<'_>| {
        let mut mails = outbox::requeue(now);
        tx.execute(mails.and_where(Expr::col("state").eq("sending")))?;
        upload::release_all_locks(tx)
    };
    // The start continues after an error: on a full disk the portal can still be read.
    if let Err(error) = app.db.write(release_all).await {
        tracing::warn!(%error, "could not reclaim leases of the previous process");
    }
}
