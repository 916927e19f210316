//! Notifications about due dates: informs clients of documents that expire soon or have expired.
//!
//! A run is due at eight every morning in the portal's time zone, or at the next start if the portal was down at that
//! time. One node acquires the lease and extends it page by page; if that node crashes, another continues after the
//! lease expires. Deduplication keys prevent second notifications.

use std::sync::Arc;

use crate::{
    app::App,
    db,
    documents::expiry,
    lease::{EXPIRY_NOTICES, LEASE_TTL},
};

/// Runs if a run is due. Idempotent, also on several nodes at once: each notification has a deduplication key.
///
/// # Errors
/// Database errors. The remaining notifications are sent after the lease expires.
pub async fn run(app: &Arc<App>) -> Result<(), db::Error> {
    let at = app.clock.now();
    // A new portal has missed no run, so its first one is the next morning.
    let Some(mut lease) = EXPIRY_NOTICES.acquire_if_due(app).await? else { return Ok(()) };

    let mut cursor = None;
    let mut count = 0_u64;
    loop {
        let page = app.read(move |tx, app| expiry::due_page(tx, app, at, cursor.as_ref())).await?;
        for document in page.due {
            let sent = app.write(move |tx, app| expiry::send(tx, app, at, document)).await?;
            count += u64::from(sent);
        }

        if page.next.is_none() {
            break;
        }
        // After an expired lease another node may be at work.
        if !lease.extend(app.clock.now() + LEASE_TTL).await? {
            return Ok(());
        }
        cursor = page.next;
    }
    EXPIRY_NOTICES.finish(lease).await?;
    tracing::info!(count, "expiry notifications queued");
    Ok(())
}
