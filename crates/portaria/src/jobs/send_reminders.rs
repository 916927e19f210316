//! Automatic reminders of documents that were not opened, at eight in the morning of business days.
//!
//! One node acquires the lease and extends it page by page. A document is reminded of once a day, so a run that another
//! node repeats sends nothing twice.

use std::sync::Arc;

use crate::{
    app::App,
    business_calendar::is_business_day,
    db,
    documents::{expiry::next_run, reminder_rules},
    lease::{LEASE_TTL, Lease},
};

/// Name of the lease whose value is the next due time.
const LEASE_NAME: &str = "reminders";

/// Runs if a run is due. Idempotent.
///
/// # Errors
/// Database errors. The remaining reminders are sent after the lease expires.
pub async fn run(app: &Arc<App>) -> Result<(), db::Error> {
    let at = app.clock.now();
    let first = next_run(at, &app.config.time_zone);
    let Some(mut lease) = Lease::acquire_if_due(app, LEASE_NAME, first).await? else {
        return Ok(());
    };
    let today = at.to_zoned(app.config.time_zone.clone()).date();
    let mut cursor = None;
    let mut count = 0_u64;
    while is_business_day(today) {
        let send = move |tx: &mut db::Tx<'_>, app: &Arc<App>| {
            reminder_rules::send_page(tx, app, today, cursor.as_ref())
        };
        let page = app.write(send).await?;
        count += page.sent;
        if page.next.is_none() {
            break;
        }
        cursor = page.next;
        // After an expired lease another node may be at work.
        if !lease.extend(app.clock.now() + LEASE_TTL).await? {
            return Ok(());
        }
    }
    lease.extend(next_run(app.clock.now(), &app.config.time_zone)).await?;
    tracing::info!(count, "reminders queued");
    Ok(())
}
