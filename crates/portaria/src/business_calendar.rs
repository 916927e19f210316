//! Business days of Brazil: Monday to Friday, except national holidays. A business day counts with all its hours.
//!
//! The holiday calendar is our own: it has nine fixed dates and one that depends on Easter.

use jiff::{SignedDuration, Timestamp, ToSpan, civil::Date, civil::Weekday, tz::TimeZone};

/// Month and day of the national holidays with a fixed date (Leis 662/1949, 6.802/1980 and 14.759/2023).
const HOLIDAYS: [(i8, i8); 9] =
    [(1, 1), (4, 21), (5, 1), (9, 7), (10, 12), (11, 2), (11, 15), (11, 20), (12, 25)];

/// Returns the time at which `duration` of business days has passed since `start`. The days are those of `zone`.
#[must_use]
pub fn add_business_time(start: Timestamp, duration: SignedDuration, zone: &TimeZone) -> Timestamp {
    let (mut at, mut left) = (start, duration);
    loop {
        let day = at.to_zoned(zone.clone()).date();
        let midnight = day
            .tomorrow()
            .and_then(|next| next.to_zoned(zone.clone()))
            .expect("years are limited to 1900 to 2199")
            .timestamp();
        if is_business_day(day) {
            let rest = midnight.duration_since(at);
            if left <= rest {
                return at + left;
            }
            left -= rest;
        }
        at = midnight;
    }
}

/// Returns the number of business days after `from` until `to`, which counts itself. It is negative if `to` is before
/// `from`, so that the first business day after a due date is -1 day from it.
#[must_use]
pub fn business_days_until(from: Date, to: Date) -> i64 {
    let count = |from: Date, to: Date| {
        let days = from.series(1.day()).skip(1).take_while(|day| *day <= to);
        i64::try_from(days.filter(|day| is_business_day(*day)).count()).unwrap_or(i64::MAX)
    };
    if to < from { -count(to, from) } else { count(from, to) }
}

/// Whether a day is a business day. Carnival and Corpus Christi are not national holidays but optional ones.
#[must_use]
pub fn is_business_day(day: Date) -> bool {
    let good_friday = easter(day.year()) - 2.days();
    !matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday)
        && !HOLIDAYS.contains(&(day.month(), day.day()))
        && day != good_friday
}

/// Returns Easter Sunday by the Meeus/Jones/Butcher algorithm, which is valid for every Gregorian year.
fn easter(year: i16) -> Date {
    let year32 = i32::from(year);
    let (golden, century, of_century) = (year32 % 19, year32 / 100, year32 % 100);
    let correction = (century - (century + 8) / 25 + 1) / 3;
    let epact = (19 * golden + century - century / 4 - correction + 15) % 30;
    let weekday = (32 + 2 * (century % 4) + 2 * (of_century / 4) - epact - of_century % 4) % 7;
    let late = (golden + 11 * epact + 22 * weekday) / 451;
    let days = epact + weekday - 7 * late + 114;
    let small = |number: i32| i8::try_from(number).expect("a month or a day fits in i8");
    Date::new(year, small(days / 31), small(days % 31 + 1)).expect("Easter is in March or April")
}

#[cfg(test)]
mod tests {
    use crate::business_calendar::{business_days_until, easter};

    #[test]
    fn days_off_do_not_count() {
        // 20 November 2026 is a Friday and a holiday.
        for (from, to, days) in [
            ("2026-11-18", "2026-11-18", 0),
            ("2026-11-18", "2026-11-19", 1),
            ("2026-11-19", "2026-11-22", 0),
            ("2026-11-18", "2026-11-24", 3),
            ("2026-11-23", "2026-11-22", -1),
            ("2026-11-24", "2026-11-19", -2),
        ] {
            let [start, end] = [from, to].map(|day| day.parse().unwrap());
            assert_eq!(business_days_until(start, end), days, "{from} {to}");
        }
    }

    #[test]
    fn easter_matches_known_dates() {
        for day in
            ["2024-03-31", "2025-04-20", "2026-04-05", "2027-03-28", "2038-04-25", "2285-03-22"]
        {
            let day: jiff::civil::Date = day.parse().unwrap();
            assert_eq!(easter(day.year()), day);
        }
    }
}
