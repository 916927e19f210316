//! Waiting for a condition.

use std::time::Duration;

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
