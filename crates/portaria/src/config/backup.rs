//! When the portal is backed up, where to, and for how long.

use std::collections::BTreeSet;

use jiff::{
    SignedDuration, Timestamp,
    civil::{Date, Time},
    tz::TimeZone,
};
use serde::Deserialize;
use toml::Table;

pub use crate::config::backup_target::Target;

use crate::config::Secret;
use crate::config::units;

/// The settings of this file, by their names.
const NAMES: [&str; 6] = [
    "backup_to",
    "backup_at",
    "backup_every",
    "backup_keep",
    "backup_key",
    "backup_rehearsal_days",
];
/// Who backs up less often than this does it by night.
const SELDOM: SignedDuration = SignedDuration::from_hours(12);
/// Nor more often: this is how often somebody looks.
const OFTEN: SignedDuration = SignedDuration::from_mins(1);
/// A key that is shorter is guessed sooner than it is lost.
const MIN_KEY: usize = 12;

/// What is said in them.
#[derive(Debug, Clone)]
pub struct Backup {
    /// Where backups go; without it none is made by itself.
    pub to: Option<Target>,
    /// The time of the day, in the portal's zone.
    pub at: Time,
    /// How long after one the next is due, besides the nightly one.
    pub every: Option<SignedDuration>,
    /// Which snapshots stay.
    pub keep: RetentionPolicy,
    /// The key that they are encrypted with.
    pub key: Option<Secret>,
    /// How many days after a rehearsal the next one is due; `None` for never.
    pub rehearsal_days: Option<u16>,
}

/// For how many hours, days, weeks and months the newest snapshot of each stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct RetentionPolicy {
    pub hours: usize,
    pub days: usize,
    pub weeks: usize,
    pub months: usize,
}

/// Which day, week or month a date is in.
type Period = fn(Date) -> (i16, i16);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "the names are the settings'")]
struct Raw {
    backup_to: String,
    backup_at: String,
    backup_every: String,
    backup_keep: String,
    backup_key: String,
    backup_rehearsal_days: i64,
}

impl Backup {
    /// Takes these settings out of all others.
    pub(crate) fn take(all: &mut Table) -> Result<Self, String> {
        let raw: Raw = crate::config::part(all, &NAMES)?;
        let at = Time::strptime("%H:%M", raw.backup_at.trim()).map_err(|_| {
            format!("backup_at: expected a time like \"03:00\", got {:?}", raw.backup_at)
        })?;
        let key = Some(raw.backup_key).filter(|key| !key.is_empty());
        if key.as_ref().is_some_and(|key| key.chars().count() < MIN_KEY) {
            return Err(format!("backup_key: must be at least {MIN_KEY} characters long"));
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
            every: every(&raw.backup_every)?,
            keep: RetentionPolicy::read(&raw.backup_keep)?,
            key: key.map(Secret::from),
            rehearsal_days: Some(days).filter(|days| *days > 0),
        })
    }
}

fn every(text: &str) -> Result<Option<SignedDuration>, String> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let every = units::time("backup_every", text, SELDOM)?;
    if every < OFTEN { Err("backup_every: at least 1m".to_owned()) } else { Ok(Some(every)) }
}

impl RetentionPolicy {
    /// Reads `24h 7d 4w 6m`.
    fn read(text: &str) -> Result<Self, String> {
        let refused = || {
            format!(
                "backup_keep: expected hours, days, weeks and months like \"24h 7d 4w 6m\", got {text:?}"
            )
        };
        let mut keep = Self { hours: 0, days: 0, weeks: 0, months: 0 };
        for part in text.split_whitespace() {
            let (number, unit) = part.split_at_checked(part.len() - 1).ok_or_else(refused)?;
            let slot = match unit {
                "h" => &mut keep.hours,
                "d" => &mut keep.days,
                "w" => &mut keep.weeks,
                "m" => &mut keep.months,
                _ => return Err(refused()),
            };
            *slot = number.parse().ok().filter(|count| *count <= 1000).ok_or_else(refused)?;
        }
        if keep.hours + keep.days + keep.weeks + keep.months == 0 {
            return Err(refused());
        }
        Ok(keep)
    }

    /// Those of the moments, in order, that stay: the newest of each of the last hours before the newest, and of the last
    /// days, weeks and months that have any.
    #[must_use]
    pub fn of(self, moments: &[Timestamp], zone: &TimeZone) -> BTreeSet<Timestamp> {
        let mut kept: BTreeSet<Timestamp> = moments.last().copied().into_iter().collect();
        let hours = i64::try_from(self.hours).unwrap_or(i64::MAX).saturating_mul(3600);
        if let Some(newest) = moments.last() {
            let mut seen = BTreeSet::new();
            for moment in moments.iter().rev() {
                let ago = newest.as_second() - moment.as_second();
                // Counted back from the newest, so that a rare one does not stand for many hours.
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
                let here = period(moment.to_zoned(zone.clone()).date());
                if seen.len() < count && seen.insert(here) {
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
        let kept = RetentionPolicy::read(keep).unwrap().of(&moments, &zone);
        kept.into_iter().map(|moment| moment.to_zoned(zone.clone()).date().to_string()).collect()
    }

    #[test]
    fn days_weeks_and_months_thin_out() {
        // The last night is Thursday the 30th of July.
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
    fn of_one_day_the_newest_stays_and_the_newest_of_all_always() {
        let zone = TimeZone::UTC;
        let at = |text: &str| -> Timestamp { text.parse().unwrap() };
        let moments =
            ["2026-01-01T01:00:00Z", "2026-01-01T23:00:00Z", "2026-01-02T01:00:00Z"].map(at);
        let kept = RetentionPolicy { hours: 0, days: 2, weeks: 0, months: 0 }.of(&moments, &zone);
        assert_eq!(kept.into_iter().collect::<Vec<_>>(), moments[1..]);
    }

    #[test]
    fn what_is_made_every_few_minutes_thins_out_to_hours_and_days() {
        let zone = TimeZone::UTC;
        let first: Timestamp = "2026-01-01T03:00:00Z".parse().unwrap();
        let moments: Vec<Timestamp> =
            (0..=2 * 24 * 20).map(|number| first + SignedDuration::from_mins(3 * number)).collect();
        let kept = RetentionPolicy::read("24h 7d").unwrap().of(&moments, &zone);
        let kept: Vec<String> = kept.into_iter().map(|moment| moment.to_string()).collect();
        // The last of the first day, then one an hour up to the newest; among them the last of the second day.
        assert_eq!(kept.first().unwrap(), "2026-01-01T23:57:00Z");
        assert_eq!(kept[1], "2026-01-02T04:00:00Z");
        assert_eq!(kept.last().unwrap(), "2026-01-03T03:00:00Z");
        assert!(kept.contains(&"2026-01-02T23:57:00Z".to_owned()));
        assert_eq!(kept.len(), 1 + 24 + 1);
        // Of the nightly ones no more stay than without hours.
        let nights: Vec<Timestamp> =
            (0..30).map(|night| first + SignedDuration::from_hours(24 * night)).collect();
        assert_eq!(RetentionPolicy::read("24h 7d").unwrap().of(&nights, &zone).len(), 7);
    }

    #[test]
    fn what_says_nothing_is_refused() {
        for text in ["", "0d", "7", "d", "7x", "-1d", "7d,4w", "1001d"] {
            assert!(RetentionPolicy::read(text).is_err(), "{text}");
        }
    }
}
