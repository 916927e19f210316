//! The settings of backups: times, retention, encryption and rehearsals.

use std::collections::BTreeSet;

use anyhow::{Context, anyhow};
use jiff::{
    SignedDuration, Timestamp,
    civil::{Date, Time},
    tz::TimeZone,
};
use secrecy::SecretString;
use serde::{Deserialize, Deserializer, de::Error};

use crate::config::units;

/// Maximum of `backup_every`, in hours. Longer intervals are covered by the nightly backup.
const MAX_INTERVAL_HOURS: i64 = 12;
/// Minimum of `backup_every`: the interval at which the backup job checks whether a backup is due.
const MIN_INTERVAL: SignedDuration = SignedDuration::from_mins(1);
/// Minimum number of characters in `backup_key`.
const MIN_KEY_CHARS: usize = 12;

/// Number of hours, days, weeks and months of which the newest snapshot is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the field names are sufficient")]
pub struct RetentionPolicy {
    pub hours: usize,
    pub days: usize,
    pub weeks: usize,
    pub months: usize,
}

/// Maps a date to its day, week or month.
type Period = fn(Date) -> (i16, i16);

/// Deserializes the time of the nightly backup.
pub(crate) fn time_of_day<'de, D: Deserializer<'de>>(source: D) -> Result<Time, D::Error> {
    units::text(source, |text| {
        Time::strptime("%H:%M", text.trim())
            .map_err(|_| anyhow!("expected a time like \"03:00\", got {text:?}"))
    })
}

/// Deserializes the interval between backups.
pub(crate) fn interval<'de, D: Deserializer<'de>>(
    source: D,
) -> Result<Option<SignedDuration>, D::Error> {
    units::optional(source, |text| {
        let interval = units::parse_time(text, SignedDuration::from_hours(MAX_INTERVAL_HOURS))?;
        Some(interval).filter(|time| *time >= MIN_INTERVAL).context("at least 1m")
    })
}

/// Deserializes the retention policy.
pub(crate) fn retention<'de, D: Deserializer<'de>>(source: D) -> Result<RetentionPolicy, D::Error> {
    units::text(source, RetentionPolicy::read)
}

/// Deserializes the passphrase. An empty text means no encryption; spaces are a passphrase.
pub(crate) fn passphrase<'de, D: Deserializer<'de>>(
    source: D,
) -> Result<Option<SecretString>, D::Error> {
    let key = String::deserialize(source)?;
    match key.chars().count() {
        0 => Ok(None),
        MIN_KEY_CHARS.. => Ok(Some(key.into())),
        _ => Err(D::Error::custom(format!("must be at least {MIN_KEY_CHARS} characters long"))),
    }
}

/// Deserializes the days between rehearsals. Zero means no rehearsals.
pub(crate) fn rehearsal_days<'de, D: Deserializer<'de>>(
    source: D,
) -> Result<Option<u16>, D::Error> {
    units::integer::<_, _, 0, 366>(source).map(|days| Some(days).filter(|days| *days > 0))
}

impl RetentionPolicy {
    /// Parses a policy such as `24h 7d 4w 6m`.
    fn read(text: &str) -> anyhow::Result<Self> {
        let invalid = || {
            anyhow!("expected hours, days, weeks and months like \"24h 7d 4w 6m\", got {text:?}")
        };
        let mut keep = Self { hours: 0, days: 0, weeks: 0, months: 0 };
        for part in text.split_whitespace() {
            let (number, unit) = part.split_at_checked(part.len() - 1).ok_or_else(invalid)?;
            let limit = match unit {
                "h" => &mut keep.hours,
                "d" => &mut keep.days,
                "w" => &mut keep.weeks,
                "m" => &mut keep.months,
                _ => return Err(invalid()),
            };
            *limit = number.parse().ok().filter(|count| *count <= 1000).ok_or_else(invalid)?;
        }
        if keep.hours + keep.days + keep.weeks + keep.months == 0 {
            return Err(invalid());
        }
        Ok(keep)
    }

    /// Returns the snapshots to keep, given the times of all snapshots in ascending order: the newest of each of the
    /// last hours before the newest snapshot, and the newest of each of the last days, weeks and months that have a
    /// snapshot.
    #[must_use]
    pub fn select(self, moments: &[Timestamp], zone: &TimeZone) -> BTreeSet<Timestamp> {
        let mut kept: BTreeSet<Timestamp> = moments.last().copied().into_iter().collect();
        let hours = i64::try_from(self.hours).unwrap_or(i64::MAX).saturating_mul(3600);
        if let Some(newest) = moments.last() {
            let mut seen = BTreeSet::new();
            for moment in moments.iter().rev() {
                let ago = newest.as_second() - moment.as_second();
                // Hours are counted back from the newest snapshot, so an hour without a snapshot keeps none.
                if ago < hours && seen.insert(ago / 3600) {
                    kept.insert(*moment);
                }
            }
        }
        let periods: [(usize, Period); 3] = [
            (self.days, |date| (date.year(), date.day_of_year())),
            (self.weeks, |date| {
                let week = date.iso_week_date();
                (week.year(), week.week().into())
            }),
            (self.months, |date| (date.year(), date.month().into())),
        ];
        for (count, period) in periods {
            let mut seen = BTreeSet::new();
            for moment in moments.iter().rev() {
                let current = period(moment.to_zoned(zone.clone()).date());
                if seen.len() < count && seen.insert(current) {
                    kept.insert(*moment);
                }
            }
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp, ToSpan, civil::date, tz::TimeZone};

    use crate::config::backup::RetentionPolicy;

    fn kept(keep: &str, nights: i64) -> Vec<String> {
        let zone = TimeZone::get("America/Sao_Paulo").unwrap();
        let first = date(2026, 1, 1).at(3, 0, 0, 0).to_zoned(zone.clone()).unwrap();
        let moments: Vec<Timestamp> =
            (0..nights).map(|night| (&first + night.days()).timestamp()).collect();
        let kept = RetentionPolicy::read(keep).unwrap().select(&moments, &zone);
        kept.into_iter().map(|moment| moment.to_zoned(zone.clone()).date().to_string()).collect()
    }

    #[test]
    fn retention_keeps_newest_of_each_day_week_and_month() {
        // The last night is Thursday, July 30.
        assert_eq!(
            kept("3d 2w 4m", 211),
            [
                "2026-04-30",
                "2026-05-31",
                "2026-06-30",
                "2026-07-26",
                "2026-07-28",
                "2026-07-29",
                "2026-07-30"
            ]
        );
        assert_eq!(kept("7d 4w 6m", 3), ["2026-01-01", "2026-01-02", "2026-01-03"]);
        assert_eq!(kept("1m", 40), ["2026-02-09"]);
    }

    #[test]
    fn retention_keeps_newest_of_a_day_and_newest_of_all() {
        let zone = TimeZone::UTC;
        let at = |text: &str| -> Timestamp { text.parse().unwrap() };
        let moments =
            ["2026-01-01T01:00:00Z", "2026-01-01T23:00:00Z", "2026-01-02T01:00:00Z"].map(at);
        let kept =
            RetentionPolicy { hours: 0, days: 2, weeks: 0, months: 0 }.select(&moments, &zone);
        assert_eq!(kept.into_iter().collect::<Vec<_>>(), moments[1..]);
    }

    #[test]
    fn retention_thins_frequent_snapshots_to_hours_and_days() {
        let zone = TimeZone::UTC;
        let first: Timestamp = "2026-01-01T03:00:00Z".parse().unwrap();
        let moments: Vec<Timestamp> =
            (0..=2 * 24 * 20).map(|number| first + SignedDuration::from_mins(3 * number)).collect();
        let kept = RetentionPolicy::read("24h 7d").unwrap().select(&moments, &zone);
        let kept: Vec<String> = kept.into_iter().map(|moment| moment.to_string()).collect();
        // The last snapshot of the first day, then one per hour up to the newest. The last of the second day is among
        // them.
        assert_eq!(kept.first().unwrap(), "2026-01-01T23:57:00Z");
        assert_eq!(kept[1], "2026-01-02T04:00:00Z");
        assert_eq!(kept.last().unwrap(), "2026-01-03T03:00:00Z");
        assert!(kept.contains(&"2026-01-02T23:57:00Z".to_owned()));
        assert_eq!(kept.len(), 1 + 24 + 1);
        // Hours keep no additional nightly snapshots.
        let nights: Vec<Timestamp> =
            (0..30).map(|night| first + SignedDuration::from_hours(24 * night)).collect();
        assert_eq!(RetentionPolicy::read("24h 7d").unwrap().select(&nights, &zone).len(), 7);
    }

    #[test]
    fn retention_policy_rejects_invalid_text() {
        for text in ["", "0d", "7", "d", "7x", "-1d", "7d,4w", "1001d"] {
            assert!(RetentionPolicy::read(text).is_err(), "{text}");
        }
    }
}
