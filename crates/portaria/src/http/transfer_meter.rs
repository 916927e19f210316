//! The minimum rate of a transfer, which ends connections of clients that send or read too slowly
//! (`docs/decisions/0053-slow-and-greedy-connections.md`).
//!
//! Written by hand: `TimeoutBody` of `tower-http` restarts its timer with every byte, and no library limits a writer.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::time::{Instant, Sleep, sleep};

use crate::config::Config;

/// Bounds of one transfer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TransferLimits {
    /// Number of bytes that must move within each window.
    bytes: u64,
    /// Maximum time of waiting for these bytes.
    window: Duration,
    /// Maximum time of waiting in total.
    total: Duration,
}

impl TransferLimits {
    /// Limits of a request body.
    pub(crate) fn of_body(config: &Config) -> Self {
        Self { total: config.max_body_time, ..Self::of_reader(config) }
    }

    /// Limits of a client that reads. A response has no total time, because its length is known.
    pub(crate) fn of_reader(config: &Config) -> Self {
        let window = config.transfer_window;
        let millis = u64::try_from(window.as_millis()).unwrap_or(u64::MAX);
        let bytes = (config.min_transfer_rate.saturating_mul(millis) / 1000).max(1);
        Self { bytes, window, total: Duration::MAX }
    }
}

/// Measures one transfer. Only the time counts in which the server waits for the client: a slow disk of the server ends
/// no transfer.
#[derive(Debug)]
pub(crate) struct TransferMeter {
    limits: TransferLimits,
    /// Bytes of the current window.
    moved: u64,
    /// Time of waiting in the current window.
    waited: Duration,
    /// Time of waiting in total.
    waited_total: Duration,
    /// The beginning of the current wait, and the timer of its end.
    wait: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl TransferMeter {
    pub(crate) fn new(limits: TransferLimits) -> Self {
        let zero = Duration::ZERO;
        Self { limits, moved: 0, waited: zero, waited_total: zero, wait: None }
    }

    /// Records that the client moved bytes.
    pub(crate) fn record(&mut self, bytes: usize) {
        if let Some((begun, _)) = self.wait.take() {
            self.waited += begun.elapsed();
            self.waited_total += begun.elapsed();
        }
        self.moved = self.moved.saturating_add(bytes as u64);
        if self.moved >= self.limits.bytes {
            (self.moved, self.waited) = (0, Duration::ZERO);
        }
    }

    /// Waits for the client. Ready when the client's time is over.
    pub(crate) fn poll_expired(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let left = self.limits.window.saturating_sub(self.waited);
        let left = left.min(self.limits.total.saturating_sub(self.waited_total));
        let (_, timer) = self.wait.get_or_insert_with(|| (Instant::now(), Box::pin(sleep(left))));
        timer.as_mut().poll(context)
    }
}
