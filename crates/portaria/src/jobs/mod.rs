//! Background jobs. Every job is idempotent and may run on several nodes at once.
//!
//! Eight loops run for the life of the process: cleanup ([`garbage_collect`], [`orphan_blobs`]), scheduled work
//! ([`prepare_layouts`], [`notify_expiry`], [`send_reminders`], [`staff_digest`], [`nightly`]), the inbox ([`read_inbox`], [`publish_inbox`]), what
//! arrives without a request ([`poll_mailbox`], [`watch_folder`]), backups
//! ([`scheduled_backup`]) and probes of the store ([`probe_storage`]). A lease in the database
//! selects the node that does scheduled work. The command `serve` starts [`deliver_mail`] and [`deliver_push`],
//! whose workers are `delivery_workers`, and runs [`reclaim_leases`] before all others.

pub mod deliver_mail;
pub mod deliver_push;
mod delivery_workers;
pub mod document_retention;
pub mod garbage_collect;
pub mod nightly;
pub mod notify_expiry;
pub mod orphan_blobs;
pub mod poll_mailbox;
pub mod prepare_layouts;
pub mod probe_storage;
pub mod publish_inbox;
pub mod purge_access_records;
pub mod read_inbox;
pub mod reclaim_leases;
pub mod scheduled_backup;
pub mod send_reminders;
pub mod staff_digest;
pub mod watch_folder;

use std::{sync::Arc, time::Duration};

use tokio::time::sleep;

use crate::app::App;

/// Interval between runs of garbage collection.
const GARBAGE_COLLECTION_INTERVAL: Duration = Duration::from_mins(10);
/// Interval between checks whether scheduled work is due.
const POLL_INTERVAL: Duration = Duration::from_mins(1);

/// Delay before a job that panicked restarts. Each further panic doubles it.
const RESTART_DELAY: Duration = Duration::from_secs(1);
/// Maximum delay before a job that panicked restarts.
const MAX_RESTART_DELAY: Duration = Duration::from_mins(5);

/// Runs all loops. Does not return.
pub async fn run(app: Arc<App>) {
    let (for_cleanup, for_notify) = (Arc::clone(&app), Arc::clone(&app));
    let (for_reading, for_publication) = (Arc::clone(&app), Arc::clone(&app));
    let (for_mailbox, for_folder) = (Arc::clone(&app), Arc::clone(&app));
    let (for_probe, for_backup) = (Arc::clone(&app), app);
    tokio::join!(
        supervise("clean", RESTART_DELAY, move || cleanup_loop(Arc::clone(&for_cleanup))),
        supervise("notify", RESTART_DELAY, move || notify_loop(Arc::clone(&for_notify))),
        supervise("read", RESTART_DELAY, move || read_inbox::run(Arc::clone(&for_reading))),
        supervise("publish", RESTART_DELAY, move || publish_inbox::run(Arc::clone(
            &for_publication
        ))),
        supervise("mailbox", RESTART_DELAY, move || poll_mailbox::run(Arc::clone(&for_mailbox))),
        supervise("folder", RESTART_DELAY, move || watch_folder::run(Arc::clone(&for_folder))),
        supervise("probe", RESTART_DELAY, move || probe_storage::run(Arc::clone(&for_probe))),
        supervise("backup", RESTART_DELAY, move || backup_loop(Arc::clone(&for_backup))),
    );
}

/// Restarts a job each time it panics, and returns when it ends by itself.
async fn supervise<F>(name: &str, mut delay: Duration, start: impl Fn() -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    while tokio::spawn(start()).await.is_err() {
        tracing::error!(job = name, "a job panicked and will begin again");
        sleep(delay).await;
        delay = (delay * 2).min(MAX_RESTART_DELAY);
    }
}

async fn cleanup_loop(app: Arc<App>) {
    for part in (0..orphan_blobs::PARTS).cycle() {
        if let Err(error) = garbage_collect::run(&app).await {
            tracing::warn!(%error, "garbage collection failed, will retry");
        }
        if let Err(error) = orphan_blobs::run(&app, part).await {
            tracing::warn!(%error, "orphan blob scan failed, will retry");
        }
        sleep(GARBAGE_COLLECTION_INTERVAL).await;
    }
}

async fn notify_loop(app: Arc<App>) {
    loop {
        if let Err(error) = prepare_layouts::run(&app).await {
            tracing::warn!(%error, "preparing templates failed, will retry");
        }
        if let Err(error) = notify_expiry::run(&app).await {
            tracing::warn!(%error, "expiry notifications failed, will retry");
        }
        if let Err(error) = send_reminders::run(&app).await {
            tracing::warn!(%error, "reminders failed, will retry");
        }
        if let Err(error) = staff_digest::run(&app).await {
            tracing::warn!(%error, "staff digests failed, will retry");
        }
        if let Err(error) = nightly::run(&app).await {
            tracing::warn!(%error, "nightly maintenance failed, will retry");
        }
        sleep(POLL_INTERVAL).await;
    }
}

async fn backup_loop(app: Arc<App>) {
    loop {
        if let Err(error) = scheduled_backup::run(&app).await {
            tracing::warn!(%error, "scheduled backup check failed, will retry");
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
    async fn supervise_restarts_a_job_that_panics() {
        let starts = Arc::new(AtomicU32::new(0));
        let count = Arc::clone(&starts);
        supervise("test", Duration::from_millis(1), move || {
            let run = count.fetch_add(1, Ordering::SeqCst);
            async move { assert!(run == 3, "panics until the fourth run") }
        })
        .await;
        assert_eq!(starts.load(Ordering::SeqCst), 4);
    }
}
