//! What a process that died was about, and the next one takes over at once. Several nodes wait for each other's leases to
//! lapse instead.

use sea_query::{Expr, ExprTrait};

use crate::{app::App, db::Tx, notifications::outbox, stored_files::upload};

/// Frees the mails and the uploads that were claimed, where nobody but us can have claimed them: whoever serves an embedded
/// database serves it alone.
pub async fn run(app: &App) {
    if app.config.database.is_some() {
        return;
    }
    let now = app.clock.now();
    let free = move |tx: &mut Tx<'_>| {
        let mut mails = outbox::requeue(now);
        tx.execute(mails.and_where(Expr::col("state").eq("sending")))?;
        upload::release_all_locks(tx)
    };
    // On a full disk there is reading all the same.
    if let Err(error) = app.db.write(free).await {
        tracing::warn!(%error, "what the last process was about waits until it counts as given up");
    }
}
