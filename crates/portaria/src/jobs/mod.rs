//! Work that no request waits for. Every job may run twice without harm.

mod access_records;
pub mod backup;
pub mod deliver_mail;
pub mod nightly;
pub mod notify_expiry;
mod retention;
pub mod strays;
pub mod sweep;

use std::{sync::Arc, time::Duration};

use crate::app::App;

/// How often the sweep looks for what is left over.
const SWEEP_EVERY: Duration = Duration::from_mins(10);
/// How often somebody looks whether notices, the nightly upkeep, or a backup are due.
const LOOK_EVERY: Duration = Duration::from_mins(1);

/// Runs the jobs for as long as the process lives.
pub async fn run(app: Arc<App>) {
    tokio::join!(clean(&app), notify(&app), back_up(&app));
}

async fn clean(app: &App) {
    for part in (0..strays::PARTS).cycle() {
        if let Err(error) = sweep::run(app).await {
            tracing::warn!(%error, "the sweep failed and will run again");
        }
        if let Err(error) = strays::run(app, part).await {
            tracing::warn!(%error, "the look for blobs without a row failed and will run again");
        }
        tokio::time::sleep(SWEEP_EVERY).await;
    }
}

async fn notify(app: &Arc<App>) {
    loop {
        if let Err(error) = notify_expiry::run(app).await {
            tracing::warn!(%error, "the notice of what expires failed and will be tried again");
        }
        if let Err(error) = nightly::run(app).await {
            tracing::warn!(%error, "the nightly upkeep failed and will be tried again");
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

async fn back_up(app: &Arc<App>) {
    loop {
        if let Err(error) = backup::run(app).await {
            tracing::warn!(%error, "the look for a backup that is due failed and will be tried again");
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}
