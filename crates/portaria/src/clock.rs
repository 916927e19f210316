//! The clock. Only this module reads the system time, so that tests can set it.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use jiff::{
    SignedDuration, Timestamp, ToSpan,
    civil::{Date, Time},
    tz::TimeZone,
};

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

/// Returns the next time after `now` that is `at` in a time zone.
#[must_use]
pub fn next_daily(now: Timestamp, at: Time, zone: &TimeZone) -> Timestamp {
    let today = now.to_zoned(zone.clone()).date();
    let on = |day: Date| {
        let moment = day.to_datetime(at).to_zoned(zone.clone());
        moment.expect("the present is far from the end of the calendar").timestamp()
    };
    if now < on(today) { on(today) } else { on(today + 1.day()) }
}

/// Formats a timestamp for the database: UTC, microseconds, fixed width, so that text sorts as time.
#[must_use]
pub fn format_timestamp(moment: Timestamp) -> String {
    moment.strftime("%Y-%m-%dT%H:%M:%S.%6f+00:00").to_string()
}

#[cfg(test)]
mod tests {
    use jiff::{civil::time, tz::TimeZone};

    use crate::clock::{format_timestamp, next_daily};

    #[test]
    fn next_daily_is_at_the_time_in_the_zone() {
        let zone = TimeZone::get("America/Sao_Paulo").unwrap();
        for (now, expected) in [
            ("2026-11-21T10:59:59Z", "2026-11-21T11:00:00Z"),
            ("2026-11-21T11:00:00Z", "2026-11-22T11:00:00Z"),
            // Still the day before in São Paulo.
            ("2026-11-22T02:00:00Z", "2026-11-22T11:00:00Z"),
            ("2026-11-22T03:00:00Z", "2026-11-22T11:00:00Z"),
        ] {
            let next = next_daily(now.parse().unwrap(), time(8, 0, 0, 0), &zone);
            assert_eq!(next, expected.parse().unwrap(), "{now}");
        }
    }

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
