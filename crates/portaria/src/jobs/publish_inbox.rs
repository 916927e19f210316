//! Publishes the files of the inbox whose time has come. Any node may publish any file; the lock on its row prevents
//! that two do.

use std::{sync::Arc, time::Duration};

use tokio::time::sleep;

use crate::{app::App, db, inbox::publish};

/// Interval between looks at the schedule without a wake-up: another node may have added to it.
const POLL_INTERVAL: Duration = Duration::from_secs(30);
/// Minimum interval between looks: a file that another node publishes at this moment is due here as well.
const MIN_INTERVAL: Duration = Duration::from_secs(1);

/// Publishes files until the process stops.
pub(crate) async fn run(app: Arc<App>) {
    loop {
        let wait = match publish_due(&app).await {
            Ok(wait) => wait,
            Err(error) => {
                tracing::warn!(%error, "publication from the inbox failed, will retry");
                POLL_INTERVAL
            }
        };
        tokio::select! {
            () = app.publication_notify.notified() => {}
            () = sleep(wait) => {}
        }
    }
}

/// Publishes all files that are due, and returns the time until the next look.
///
/// # Errors
/// Database errors.
pub async fn publish_due(app: &Arc<App>) -> Result<Duration, db::Error> {
    while publish::publish_next(app).await? {}
    let next = app.db.read(publish::next_due_at).await?;
    let wait = next.map(|next| next.duration_since(app.clock.now()));
    let wait = wait.map_or(POLL_INTERVAL, |wait| wait.try_into().unwrap_or(Duration::ZERO));
    Ok(wait.clamp(MIN_INTERVAL, POLL_INTERVAL))
}
