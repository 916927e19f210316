//! Waiting for a condition.

use std::{
    thread,
    time::{Duration, Instant},
};

use postgres::Client;
use tokio::time::{sleep, timeout};

/// Waits until a condition holds, and fails after `limit`.
pub(crate) async fn wait_until(limit: Duration, what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let wait = async {
        while !holds().await {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(limit, wait).await.unwrap_or_else(|_| panic!("timeout: {what}"));
}

/// Waits until another connection waits for the transaction of `client`, and fails after 30 seconds. It blocks.
///
/// It does not read `pg_stat_activity`, because a transaction sees that view as it was at its first query.
pub(crate) fn until_awaited(client: &mut Client) {
    let waits = "SELECT 1 FROM pg_locks waiting JOIN pg_locks held USING (transactionid)
        WHERE NOT waiting.granted AND held.granted AND held.pid = pg_backend_pid()";
    let start = Instant::now();
    while client.query(waits, &[]).unwrap().is_empty() {
        assert!(start.elapsed() < Duration::from_secs(30), "no request waits for the transaction");
        thread::sleep(Duration::from_millis(10));
    }
}
