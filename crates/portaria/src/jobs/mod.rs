//! Work that no request waits for. Every job may run twice without harm.

pub mod deliver_mail;
pub mod document_retention;
pub mod garbage_collect;
pub mod nightly;
pub mod notify_expiry;
pub mod orphan_blobs;
pub mod purge_access_records;
pub mod reclaim_leases;
pub mod scheduled_backup;

use std::{sync::Arc, time::Duration};

use tokio::time::sleep;

use crate::app::App;

/// How often the sweep looks for what is left over.
const SWEEP_EVERY: Duration = Duration::from_mins(10);
/// How often somebody looks whether notices, the nightly upkeep, or a backup are due.
const POLL_INTERVAL: Duration = Duration::from_mins(1);

/// A job that panicked begins again after this time, then twice and four times as long, and so on.
const PAUSE: Duration = Duration::from_secs(1);
/// But after no more than this.
const LONGEST_PAUSE: Duration = Duration::from_mins(5);

/// Runs the jobs for as long as the process lives.
pub async fn run(app: Arc<App>) {
    let (cleaned, notified, backed_up) = (Arc::clone(&app), Arc::clone(&app), app);
    tokio::join!(
        supervise("clean", PAUSE, move || cleanup_loop(Arc::clone(&cleaned))),
        supervise("notify", PAUSE, move || notify_loop(Arc::clone(&notified))),
        supervise("backup", PAUSE, move || backup_loop(Arc::clone(&backed_up))),
    );
}

/// Runs a job again whenever it panics; it is over when it ends by itself.
async fn supervise<F>(name: &str, mut pause: Duration, begin: impl Fn() -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    while tokio::spawn(begin()).await.is_err() {
        tracing::error!(job = name, "a job panicked and will begin again");
        sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

async fn cleanup_loop(app: Arc<App>) {
    for part in (0..orphan_blobs::PARTS).cycle() {
        if let Err(error) = garbage_collect::run(&app).await {
            tracing::warn!(%error, "the sweep failed and will run again");
        }
        if let Err(error) = orphan_blobs::run(&app, part).await {
            tracing::warn!(%error, "the look for blobs without a row failed and will run again");
        }
        sleep(SWEEP_EVERY).await;
    }
}

async fn notify_loop(app: Arc<App>) {
    loop {
        if let Err(error) = notify_expiry::run(&app).await {
            tracing::warn!(%error, "the notice of what expires failed and will be tried again");
        }
        if let Err(error) = nightly::run(&app).await {
            tracing::warn!(%error, "the nightly upkeep failed and will be tried again");
        }
        sleep(POLL_INTERVAL).await;
    }
}

async fn backup_loop(app: Arc<App>) {
    loop {
        if let Err(error) = scheduled_backup::run(&app).await {
            tracing::warn!(%error, "the look for a backup that is due failed and will be tried again");
        }
        sleep(POLL_INTERVAL).await;
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{
            Arc,
            atomic::{AtomicU32, Ordering},
        },
        time::Duration,
    };

    use crate::jobs::supervise;

    #[tokio::test]
    async fn a_job_that_panics_begins_again() {
        let begun = Arc::new(AtomicU32::new(0));
        let count = Arc::clone(&begun);
        supervise("test", Duration::from_millis(1), move || {
            let time = count.fetch_add(1, Ordering::SeqCst);
            async move { assert!(time == 3, "once more") }
        })
        .await;
        assert_eq!(begun.load(Ordering::SeqCst), 4);
    }
}
