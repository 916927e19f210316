//! Whether the store of files answers. A job probes it; `/ready` and the metrics show the result.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// Number of consecutive failures from which the store counts as away. A single one may be a lost packet.
const FAILURES: u32 = 2;

/// The results of the latest probes of the store.
#[derive(Debug, Default)]
pub struct StorageHealth(Mutex<Probes>);

#[derive(Debug, Default)]
struct Probes {
    failures: u32,
    /// Duration of the last successful probe.
    took: Option<Duration>,
}

impl StorageHealth {
    /// Records a successful probe. Returns whether the store was away before.
    pub fn record_success(&self, took: Duration) -> bool {
        let mut probes = self.lock();
        let was_away = probes.failures >= FAILURES;
        *probes = Probes { failures: 0, took: Some(took) };
        was_away
    }

    /// Records a failed probe. Returns the number of consecutive failures.
    pub fn record_failure(&self) -> u32 {
        let mut probes = self.lock();
        probes.failures = probes.failures.saturating_add(1);
        probes.failures
    }

    /// Returns whether the store answers, as far as is known.
    #[must_use]
    pub fn is_up(&self) -> bool {
        self.lock().failures < FAILURES
    }

    /// Returns the duration of the last successful probe.
    #[must_use]
    pub fn last_duration(&self) -> Option<Duration> {
        self.lock().took
    }

    fn lock(&self) -> MutexGuard<'_, Probes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
