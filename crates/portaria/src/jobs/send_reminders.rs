//! Mails at eight in the morning: the items of requests that repeat every month, and on business days automatic
//! reminders of documents that were not opened and of items that were not answered.
//!
//! One node acquires the lease and extends it page by page. A document and an item are reminded of once a day, so a run that another
//! node repeats sends nothing twice.

use std::sync::Arc;

use jiff::civil::Date;

use crate::{
    app::App,
    db::{self, Tx},
    documents::reminder_rules::{self, SentPage},
    lease::{LEASE_TTL, Lease, REMINDERS},
    requests::{reminders, repeat},
};

/// Runs if a run is due. Idempotent.
///
/// # Errors
/// Database errors. The remaining reminders are sent after the lease expires.
pub async fn run(app: &Arc<App>) -> Result<(), db::Error> {
    let at = app.clock.now();
    let Some(mut lease) = REMINDERS.acquire_if_due(app).await? else { return Ok(()) };
    let today = at.to_zoned(app.config.time_zone.clone()).date();
    while app.write(|tx, app| repeat::continue_batch(tx, app)).await? {
        // After an expired lease another node may be at work.
        if !lease.extend(app.clock.now() + LEASE_TTL).await? {
            return Ok(());
        }
    }
    let mut count = 0;
    if app.office().await.calendar.is_business_day(today) {
        let documents = send_pages(app, &mut lease, today, reminder_rules::send_page).await?;
        let items = send_pages(app, &mut lease, today, reminders::send_page).await?;
        let (Some(documents), Some(items)) = (documents, items) else { return Ok(()) };
        count = documents + items;
    }
    REMINDERS.finish(lease).await?;
    tracing::info!(count, "reminders queued");
    Ok(())
}

/// Sends a page of reminders on a day, after the cursor of the page before.
type SendPage<Cursor> =
    fn(&mut Tx<'_>, &App, Date, Option<&Cursor>) -> Result<SentPage<Cursor>, db::Error>;

/// Sends reminders page by page. Returns their number, or `None` after the lease was lost.
async fn send_pages<Cursor: Send + 'static>(
    app: &Arc<App>,
    lease: &mut Lease,
    today: Date,
    send_page: SendPage<Cursor>,
) -> Result<Option<u64>, db::Error> {
    let (mut count, mut cursor) = (0, None);
    loop {
        let page = app.write(move |tx, app| send_page(tx, app, today, cursor.as_ref())).await?;
        count += page.sent;
        if page.next.is_none() {
            return Ok(Some(count));
        }
        cursor = page.next;
        // After an expired lease another node may be at work.
        if !lease.extend(app.clock.now() + LEASE_TTL).await? {
            return Ok(None);
        }
    }
}
