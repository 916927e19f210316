//! The workers of an outbox: tasks that claim its rows and deliver them, one row at a time each.

use std::{sync::Arc, time::Duration};

use futures_util::future::join_all;
use jiff::Timestamp;
use tokio::{
    sync::{Notify, watch},
    time::sleep,
};

use crate::{
    app::App,
    db::{self, Tx},
};

/// Maximum number of rows of one outbox that one node delivers at the same time.
const WORKERS: usize = 4;
/// Interval between checks without a wake-up: another node may have crashed while it held a claim.
const POLL_INTERVAL: Duration = Duration::from_secs(30);
/// Minimum sleep, so that a rounded or past time does not cause a busy loop.
const MIN_DELAY: Duration = Duration::from_millis(20);
/// Delay after a database error or a panic.
const FAULT_DELAY: Duration = Duration::from_secs(5);

/// Delivery of the rows of an outbox.
pub(crate) trait Outbox: Send + Sync + 'static {
    /// The name in the log.
    const NAME: &'static str;

    fn app(&self) -> &App;

    /// Wakes one worker.
    fn wake(&self) -> &Notify;

    /// Delivers rows one after the other until none is due, and returns the time at which the next one will be.
    fn deliver_due(
        &self,
        stop: &watch::Receiver<bool>,
    ) -> impl Future<Output = Result<Option<Timestamp>, db::Error>> + Send;

    /// Releases what a worker without work does not need.
    fn release(&self) -> impl Future<Output = ()> + Send;
}

/// Runs the workers until `stop` becomes true. Rows that are being delivered at that time are completed first.
pub(crate) async fn run<O: Outbox>(outbox: &Arc<O>, stop: &watch::Receiver<bool>) {
    // Each worker claims for itself: while one waits for an answer, the others react to wake-ups.
    join_all((0..WORKERS).map(|_| work(outbox, stop.clone()))).await;
}

async fn work<O: Outbox>(outbox: &Arc<O>, mut stop: watch::Receiver<bool>) {
    while !*stop.borrow() {
        let (delivery, stopping) = (Arc::clone(outbox), stop.clone());
        // The task confines a panic to this run.
        let run = tokio::spawn(async move { delivery.deliver_due(&stopping).await });
        let wait = match run.await {
            Ok(Ok(next)) => delay_until(next, outbox.app().clock.now()),
            Ok(Err(error)) => {
                tracing::warn!(outbox = O::NAME, %error, "outbox query failed, will retry");
                FAULT_DELAY
            }
            Err(error) => {
                tracing::error!(outbox = O::NAME, %error, "delivery panicked and will begin again");
                FAULT_DELAY
            }
        };
        tokio::select! {
            () = outbox.wake().notified() => {}
            () = sleep(wait) => outbox.release().await,
            _ = stop.changed() => {}
        }
    }
}

/// Returns the time to sleep until `next`, limited by the poll interval.
fn delay_until(next: Option<Timestamp>, now: Timestamp) -> Duration {
    let wait = next.map(|next| next.duration_since(now));
    let wait = wait.map(|wait| Duration::try_from(wait).unwrap_or_default());
    wait.unwrap_or(POLL_INTERVAL).clamp(MIN_DELAY, POLL_INTERVAL)
}

/// Repeats a write until it succeeds or fails permanently. Only this process knows that the row was delivered: if it ends
/// before that, the row is delivered twice.
pub(crate) async fn record_delivery(
    app: &App,
    write: impl Fn(&mut Tx<'_>) -> Result<(), db::Error> + Clone + Send + 'static,
) -> Result<(), db::Error> {
    loop {
        match app.db.write(write.clone()).await {
            Err(error) if error.is_transient() => {
                tracing::warn!(%error, "a delivery could not be recorded, will retry");
                sleep(Duration::from_secs(1)).await;
            }
            other => return other,
        }
    }
}
