//! What time it is: asked here and nowhere else, so that tests can say.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use jiff::{SignedDuration, Timestamp};

/// A source of the present moment. Clones tell the same time.
#[derive(Debug, Clone)]
pub struct Clock {
    started: Instant,
    stopped: Option<Arc<Mutex<Timestamp>>>,
}

impl Clock {
    /// The machine's own clock.
    #[must_use]
    pub fn system() -> Self {
        Self { started: Instant::now(), stopped: None }
    }

    /// A clock that stands until it is told to [`advance`](Self::advance).
    #[must_use]
    pub fn stopped_at(moment: Timestamp) -> Self {
        Self { stopped: Some(Arc::new(Mutex::new(moment))), ..Self::system() }
    }

    /// How much time has passed since some moment in the past. Nobody can set this one back.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        match &self.stopped {
            None => self.started.elapsed(),
            Some(_) => self.now().duration_since(Timestamp::UNIX_EPOCH).unsigned_abs(),
        }
    }

    /// The present moment.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        match &self.stopped {
            #[expect(clippy::disallowed_methods, reason = "the one place that asks the machine")]
            None => Timestamp::now(),
            Some(moment) => *moment.lock().expect("no holder of the lock panics"),
        }
    }

    /// Moves a stopped clock on; the machine's clock goes its own way.
    pub fn advance(&self, by: SignedDuration) {
        if let Some(moment) = &self.stopped {
            *moment.lock().expect("no holder of the lock panics") += by;
        }
    }
}

/// How a moment is stored: UTC, microseconds, fixed width, so that text sorts as time.
#[must_use]
pub fn format_timestamp(moment: Timestamp) -> String {
    moment.strftime("%Y-%m-%dT%H:%M:%S.%6f+00:00").to_string()
}

#[cfg(test)]
mod tests {
    use crate::clock::format_timestamp;

    #[test]
    fn stamps_have_a_fixed_width() {
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
