//! The clock. Only this module reads the system time, so that tests can set it.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use jiff::{SignedDuration, Timestamp};

/// Source of the current time. Clones share one time.
#[derive(Debug, Clone)]
pub struct Clock {
    started: Instant,
    stopped: Option<Arc<Mutex<Timestamp>>>,
}

impl Clock {
    /// The system clock.
    #[must_use]
    pub fn system() -> Self {
        Self { started: Instant::now(), stopped: None }
    }

    /// A clock that changes only by [`advance`](Self::advance).
    #[must_use]
    pub fn fixed(moment: Timestamp) -> Self {
        Self { stopped: Some(Arc::new(Mutex::new(moment))), ..Self::system() }
    }

    /// Monotonic time since an arbitrary moment in the past. A change of the system time does not affect it.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        match &self.stopped {
            None => self.started.elapsed(),
            Some(_) => self.now().duration_since(Timestamp::UNIX_EPOCH).unsigned_abs(),
        }
    }

    /// The current time.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        match &self.stopped {
            #[expect(clippy::disallowed_methods, reason = "the only reader of the system clock")]
            None => Timestamp::now(),
            Some(moment) => *moment.lock().expect("no thread panics while it holds the lock"),
        }
    }

    /// Advances a stopped clock. The system clock is not affected.
    pub fn advance(&self, by: SignedDuration) {
        if let Some(moment) = &self.stopped {
            *moment.lock().expect("no thread panics while it holds the lock") += by;
        }
    }
}

/// Formats a timestamp for the database: UTC, microseconds, fixed width, so that text sorts as time.
#[must_use]
pub fn format_timestamp(moment: Timestamp) -> String {
    moment.strftime("%Y-%m-%dT%H:%M:%S.%6f+00:00").to_string()
}

#[cfg(test)]
mod tests {
    use crate::clock::format_timestamp;

    #[test]
    fn format_timestamp_has_fixed_width() {
        assert_eq!(
            format_timestamp("2026-11-21T04:26:16.1Z".parse().unwrap()),
            "2026-11-21T04:26:16.100000+00:00"
        );
        assert_eq!(
            format_timestamp("2026-11-21T04:26:16Z".parse().unwrap()),
            "2026-11-21T04:26:16.000000+00:00"
        );
    }
}
