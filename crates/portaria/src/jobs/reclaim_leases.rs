//! Reclaims the leases of a crashed process at the next start, so that its mails, uploads and files of the inbox do not
//! wait for expiry.

use sea_query::{Expr, ExprTrait};

use crate::{app::App, db::Tx, inbox::reading, notifications::outbox, stored_files::upload};

/// Releases all claimed mails, uploads and files of the inbox. Applies to SQLite only, where one process uses the database. With PostgreSQL
/// the claims may belong to other nodes and expire instead.
pub async fn run(app: &App) {
    if app.config.database.is_some() {
        return;
    }
    let now = app.clock.now();
    let release_all = move |tx: &mut Tx<'_>| {
        let mut mails = outbox::requeue(now);
        tx.execute(mails.and_where(Expr::col("state").eq("sending")))?;
        reading::release_all(tx)?;
        upload::release_all_locks(tx)
    };
    // The start continues after an error: on a full disk the portal can still be read.
    if let Err(error) = app.db.write(release_all).await {
        tracing::warn!(%error, "could not reclaim leases of the previous process");
    }
}
