//! Digests to staff at eight in the morning of business days: what clients did since the last one.
//!
//! One node acquires the lease. A person gets one digest a day, so a run that another node repeats sends nothing twice.

use std::sync::Arc;

use crate::{
    app::App,
    db,
    lease::{LEASE_TTL, STAFF_DIGESTS},
    notifications::staff_mail,
};

/// Runs if a run is due. Idempotent.
///
/// # Errors
/// Database errors. The remaining digests are sent after the lease expires.
pub async fn run(app: &Arc<App>) -> Result<(), db::Error> {
    let at = app.clock.now();
    let Some(mut lease) = STAFF_DIGESTS.acquire_if_due(app).await? else { return Ok(()) };
    let today = at.to_zoned(app.config.time_zone.clone()).date();
    let mut count = 0_u64;
    if app.office().await.calendar.is_business_day(today) {
        for person in app.read(|tx, _| staff_mail::people_with_digest(tx)).await? {
            let sent =
                app.write(move |tx, app| staff_mail::send_digest(tx, app, person, today)).await?;
            count += u64::from(sent);
            // After an expired lease another node may be at work.
            if !lease.extend(app.clock.now() + LEASE_TTL).await? {
                return Ok(());
            }
        }
    }
    STAFF_DIGESTS.finish(lease).await?;
    tracing::info!(count, "staff digests queued");
    Ok(())
}
