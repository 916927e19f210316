//! Probes the store of files every 15 seconds.

use std::{
    io,
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::time::{sleep, timeout};

use crate::app::App;

/// Interval between two probes.
const INTERVAL: Duration = Duration::from_secs(15);
/// Timeout for the answer of the store.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Number of failed probes between two lines of the log.
const FAILURES_PER_LINE: u32 = 4;

/// Probes the store for the life of the process.
pub async fn run(app: Arc<App>) {
    loop {
        probe(&app).await;
        sleep(INTERVAL).await;
    }
}

/// Probes the store once, and logs an outage once a minute.
pub async fn probe(app: &App) {
    let started = Instant::now();
    let answer = timeout(TIMEOUT, app.files.probe()).await;
    match answer.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())) {
        Ok(()) => {
            if app.storage_health.record_success(started.elapsed()) {
                tracing::info!("storage available again");
            }
        }
        Err(error) => {
            let failures = app.storage_health.record_failure();
            if !app.storage_health.is_up() && failures % FAILURES_PER_LINE == 2 {
                tracing::warn!(%error, "storage unavailable");
            }
        }
    }
}
