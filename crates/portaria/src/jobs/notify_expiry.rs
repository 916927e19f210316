//! The nightly notice: tells clients which of their documents are about to expire, or did (behaviour E1).
//!
//! Due at eight every morning in the portal's zone, and as soon as the portal is up again when it was down at that
//! time. One row says when the next run is due; whoever moves it on by a condition has the run, on whichever node. It
//! is moved on by a lease first: when the process dies, another goes on where nothing was told yet.

use std::sync::Arc;

use crate::{
    app::App,
    db::{self, Tx},
    documents::expiry::{self, next_run},
    lease::{LEASE_TTL, Lease},
};

/// The fact that says when the next run is due.
const FACT: &str = "expiry notices";

/// Runs if a run is due. Running it twice, or on two nodes at once, tells nobody twice: each notice has its key.
///
/// # Errors
/// The database's; what was not told yet is told when the lease is over.
pub async fn run(app: &Arc<App>) -> Result<(), db::Error> {
    let at = app.clock.now();
    // A new portal has missed nothing.
    let first = next_run(at, &app.config.time_zone);
    let Some(mut turn) = Lease::acquire_if_due(app, FACT, first).await? else { return Ok(()) };
    let mut place = None;
    let mut told = 0_u64;
    loop {
        let inner = Arc::clone(app);
        let page = app.db.read(move |tx| expiry::due(tx, &inner, at, place.as_ref())).await?;
        for document in page.due {
            let inner = Arc::clone(app);
            let tell = move |tx: &mut Tx<'_>| expiry::send(tx, &inner, at, &document);
            told += u64::from(app.db.write(tell).await?);
        }
        let next = match page.next {
            Some(_) => app.clock.now() + LEASE_TTL,
            None => next_run(app.clock.now(), &app.config.time_zone),
        };
        // Whoever took too long finds that somebody else has it.
        if !turn.extend(next).await? {
            return Ok(());
        }
        if page.next.is_none() {
            break;
        }
        place = page.next;
    }
    tracing::info!(told, "clients were told what expires");
    Ok(())
}
