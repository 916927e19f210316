//! The settings of backups: target, times, retention, encryption and rehearsals.

use std::collections::BTreeSet;

use jiff::{
    SignedDuration, Timestamp,
    civil::{Date, Time},
    tz::TimeZone,
};
use secrecy::SecretString;
use serde::Deserialize;
use toml::Table;

pub use crate::config::backup_target::BackupDestination;

use crate::config::units;

/// Names of the settings that this module reads.
const NAMES: [&str; 6] = [
    "backup_to",
    "backup_at",
    "backup_every",
    "backup_keep",
    "backup_key",
    "backup_rehearsal_days",
];
/// Maximum of `backup_every`. Longer intervals are covered by the nightly backup.
const MAX_INTERVAL: SignedDuration = SignedDuration::from_hours(12);
/// Minimum of `backup_every`: the interval at which the backup job checks whether a backup is due.
const MIN_INTERVAL: SignedDuration = SignedDuration::from_mins(1);
/// Minimum number of characters in `backup_key`.
const MIN_KEY_CHARS: usize = 12;

/// The parsed settings.
#[derive(Debug, Clone)]
pub struct Backup {
    /// The target of scheduled backups; `None` for no scheduled backups.
    pub to: Option<BackupDestination>,
    /// The time of the nightly backup, in the portal's time zone.
    pub at: Time,
    /// Interval after a backup at which the next one is due, in addition to the nightly backup.
    pub every: Option<SignedDuration>,
    /// The snapshots to keep.
    pub keep: RetentionPolicy,
    /// The passphrase of the encryption; `None` for unencrypted backups.
    pub key: Option<SecretString>,
    /// Days after a rehearsal at which the next one is due; `None` for no rehearsals.
    pub rehearsal_days: Option<u16>,
}

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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "the fields are named after the settings")]
struct Raw {
    backup_to: String,
    backup_at: String,
    backup_every: String,
    backup_keep: String,
    backup_key: String,
    backup_rehearsal_days: i64,
}

impl Backup {
    /// Removes these settings from the table of all settings and parses them.
    pub(crate) fn from_table(all: &mut Table) -> Result<Self, String> {
        let raw: Raw = crate::config::part(all, &NAMES)?;
        let at = Time::strptime("%H:%M", raw.backup_at.trim()).map_err(|_| {
            format!("backup_at: expected a time like \"03:00\", got {:?}", raw.backup_at)
        })?;
        let key = Some(raw.backup_key).filter(|key| !key.is_empty());
        if key.as_ref().is_some_and(|key| key.chars().count() < MIN_KEY_CHARS) {
            return Err(format!("backup_key: must be at least {MIN_KEY_CHARS} characters long"));
        }
        let days = u16::try_from(raw.backup_rehearsal_days).ok().filter(|days| *days <= 366);
        let days = days.ok_or_else(|| {
            format!(
                "backup_rehearsal_days: must be from 0 to 366, not {}",
                raw.backup_rehearsal_days
            )
        })?;
        Ok(Self {
            to: Some(raw.backup_to.trim())
                .filter(|to| !to.is_empty())
                .map(str::parse)
                .transpose()?,
            at,
            every: parse_interval(&raw.backup_every)?,
            keep: RetentionPolicy::read(&raw.backup_keep)?,
            key: key.map(SecretString::from),
            rehearsal_days: Some(days).filter(|days| *days > 0),
        })
    }
}

fn parse_interval(text: &str) -> Result<Option<SignedDuration>, String> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let interval = units::time("backup_every", text, MAX_INTERVAL)?;
    if interval < MIN_INTERVAL {
        Err("backup_every: at least 1m".to_owned())
    } else {
        Ok(Some(interval))
    }
}

impl RetentionPolicy {
    /// Parses a policy such as `24h 7d 4w 6m`.
    fn read(text: &str) -> Result<Self, String> {
        let invalid = || {
            format!(
                "backup_keep: expected hours, days, weeks and months like \"24h 7d 4w 6m\", got {text:?}"
            )
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
