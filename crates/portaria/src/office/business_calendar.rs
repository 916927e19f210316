//! Business days of the office: Monday to Friday, except national holidays of Brazil and the office's own. Without
//! opening hours a business day counts with all its hours; with opening hours only these count, on any weekday.
//!
//! The calendar of national holidays is our own: it has nine fixed dates and one that depends on Easter.

use std::collections::BTreeMap;

use jiff::{
    SignedDuration, Timestamp, ToSpan,
    civil::{Date, Time, Weekday},
    tz::TimeZone,
};
use serde::{Deserialize, Deserializer, de::Error as _};

use crate::office::day_off_rules::DayOffRule;

/// Month, day and name of the national holidays with a fixed date (Leis 662/1949, 6.802/1980 and 14.759/2023).
const NATIONAL_HOLIDAYS: [(i8, i8, &str); 9] = [
    (1, 1, "Confraternização Universal"),
    (4, 21, "Tiradentes"),
    (5, 1, "Dia do Trabalho"),
    (9, 7, "Independência do Brasil"),
    (10, 12, "Nossa Senhora Aparecida"),
    (11, 2, "Finados"),
    (11, 15, "Proclamação da República"),
    (11, 20, "Consciência Negra"),
    (12, 25, "Natal"),
];

/// A period of a weekday in which the office is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpeningPeriod {
    /// The weekday: 1 is Monday, 7 is Sunday (ISO 8601).
    pub weekday: i8,
    /// The time of opening, `HH:MM`.
    #[serde(deserialize_with = "time")]
    pub opens: Time,
    /// The time of closing, `HH:MM`, after the opening.
    #[serde(deserialize_with = "time")]
    pub closes: Time,
}

fn time<'de, D: Deserializer<'de>>(source: D) -> Result<Time, D::Error> {
    let text = String::deserialize(source)?;
    let has_form = text.len() == 5 && text.get(2..3) == Some(":");
    let time = has_form.then(|| text.parse().ok()).flatten();
    time.ok_or_else(|| D::Error::custom("a time is HH:MM"))
}

/// The days and hours at which the office works. The default has national holidays only.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BusinessCalendar {
    /// The office's own holidays with their names.
    holidays: BTreeMap<Date, String>,
    /// In the order of weekdays and times, without overlaps.
    opening_hours: Vec<OpeningPeriod>,
}

impl BusinessCalendar {
    /// Creates a calendar from the office's own holidays and its opening hours, in any order.
    #[must_use]
    pub fn new(holidays: BTreeMap<Date, String>, mut opening_hours: Vec<OpeningPeriod>) -> Self {
        opening_hours.sort_unstable();
        Self { holidays, opening_hours }
    }

    /// Returns the time at which `duration` of business time has passed since `start`. The days are those of `zone`.
    #[must_use]
    pub fn add_business_time(
        &self,
        start: Timestamp,
        duration: SignedDuration,
        zone: &TimeZone,
    ) -> Timestamp {
        let mut left = duration;
        let mut day = start.to_zoned(zone.clone()).date();
        loop {
            for (opens, closes) in self.open_periods(day, zone) {
                let at = opens.max(start);
                if at >= closes {
                    continue;
                }
                let rest = closes.duration_since(at);
                if left <= rest {
                    return at + left;
                }
                left -= rest;
            }
            day = day.tomorrow().expect("years are limited to 1900 to 2199");
        }
    }

    /// Returns the number of business days after `from` until `to`, which counts itself. It is negative if `to` is before
    /// `from`, so that the first business day after a due date is -1 day from it.
    #[must_use]
    pub fn business_days_until(&self, from: Date, to: Date) -> i64 {
        let count = |from: Date, to: Date| {
            let days = from.series(1.day()).skip(1).take_while(|day| *day <= to);
            i64::try_from(days.filter(|day| self.is_business_day(*day)).count()).unwrap_or(i64::MAX)
        };
        if to < from { -count(to, from) } else { count(from, to) }
    }

    /// Whether a day is a business day.
    #[must_use]
    pub fn is_business_day(&self, day: Date) -> bool {
        !matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday) && !self.is_holiday(day)
    }

    /// Returns the last day to pay what is due on `due`. Without a rule it is the safe one: the business day before.
    #[must_use]
    pub fn payment_date(&self, due: Date, rule: Option<DayOffRule>) -> Date {
        let step = if rule == Some(DayOffRule::Later) { 1.day() } else { -1.day() };
        let mut days = due.series(step);
        // A calendar has at most a hundred holidays of its own, so there is a business day.
        let is_open = |day: &Date| self.is_business_day(*day) && bank_holiday(*day).is_none();
        days.find(is_open).unwrap_or(due)
    }

    /// Returns the holidays without banking hours from `first` to `last` in order, with their names. Due dates on them
    /// move.
    #[must_use]
    pub fn bank_holidays_between(&self, first: Date, last: Date) -> Vec<(Date, &str)> {
        let days = first.series(1.day()).take_while(|day| *day <= last);
        let name = |day| self.holiday(day).or_else(|| bank_holiday(day));
        days.filter_map(|day| Some((day, name(day)?))).collect()
    }

    /// Returns the name of a holiday. Carnival and Corpus Christi are not national holidays but optional ones.
    fn holiday(&self, day: Date) -> Option<&str> {
        let of_office = self.holidays.get(&day).map(String::as_str);
        of_office
            .or_else(|| (day == easter(day.year()) - 2.days()).then_some("Sexta-feira Santa"))
            .or_else(|| {
                let is_today = |(month, number, _): &&(i8, i8, &'static str)| {
                    (*month, *number) == (day.month(), day.day())
                };
                NATIONAL_HOLIDAYS.iter().find(is_today).map(|(_, _, name)| *name)
            })
    }

    fn is_holiday(&self, day: Date) -> bool {
        self.holiday(day).is_some()
    }

    /// Returns the periods of a day that count, in order.
    fn open_periods(&self, day: Date, zone: &TimeZone) -> Vec<(Timestamp, Timestamp)> {
        let at = |day: Date, time: Time| {
            let moment = day.to_datetime(time).to_zoned(zone.clone());
            moment.expect("years are limited to 1900 to 2199").timestamp()
        };
        if self.opening_hours.is_empty() {
            let tomorrow = day.tomorrow().expect("years are limited to 1900 to 2199");
            let whole_day = (at(day, Time::midnight()), at(tomorrow, Time::midnight()));
            return if self.is_business_day(day) { vec![whole_day] } else { Vec::new() };
        }
        if self.is_holiday(day) {
            return Vec::new();
        }
        let weekday = day.weekday().to_monday_one_offset();
        let periods = self.opening_hours.iter().filter(|period| period.weekday == weekday);
        periods.map(|period| (at(day, period.opens), at(day, period.closes))).collect()
    }
}

/// Returns the name of a day on which banks are closed and many offices work (Resolução CMN 4.880/2020).
fn bank_holiday(day: Date) -> Option<&'static str> {
    let easter = easter(day.year());
    let is_carnival = day == easter - 48.days() || day == easter - 47.days();
    let corpus_christi = (day == easter + 60.days()).then_some("Corpus Christi");
    if is_carnival { Some("Carnaval") } else { corpus_christi }
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
    use jiff::{SignedDuration, civil::DateTime, tz::TimeZone};
    use serde_json::json;

    use crate::office::business_calendar::{BusinessCalendar, easter};

    #[test]
    fn own_holidays_and_opening_hours_limit_business_time() {
        let weekdays = (1..=5).flat_map(|weekday| {
            [("13:30", "18:00"), ("08:00", "12:00")].map(
                |(opens, closes)| json!({"weekday": weekday, "opens": opens, "closes": closes}),
            )
        });
        let hours = weekdays.map(|period| serde_json::from_value(period).unwrap()).collect();
        let calendar = BusinessCalendar::new(
            [("2026-11-26".parse().unwrap(), "Recesso".to_owned())].into(),
            hours,
        );
        let zone = TimeZone::get("America/Sao_Paulo").unwrap();
        for (start, hours, expected) in [
            ("2026-11-24T09:00", 2, "2026-11-24 11:00"),
            ("2026-11-24T09:00", 3, "2026-11-24 12:00"),
            ("2026-11-24T11:00", 2, "2026-11-24 14:30"),
            ("2026-11-24T12:30", 1, "2026-11-24 14:30"),
            ("2026-11-25T17:00", 2, "2026-11-27 09:00"),
            ("2026-11-27T20:00", 24, "2026-12-02 16:30"),
        ] {
            let start: DateTime = start.parse().unwrap();
            let start = start.to_zoned(zone.clone()).unwrap().timestamp();
            let end = calendar.add_business_time(start, SignedDuration::from_hours(hours), &zone);
            let end = end.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M").to_string();
            assert_eq!(end, expected, "{start} {hours}");
        }
        let [from, to] = ["2026-11-25", "2026-11-27"].map(|day| day.parse().unwrap());
        assert_eq!(calendar.business_days_until(from, to), 1);
    }

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
            assert_eq!(
                BusinessCalendar::default().business_days_until(start, end),
                days,
                "{from} {to}"
            );
        }
    }

    #[test]
    fn due_date_on_a_day_off_moves_by_its_rule() {
        use crate::office::day_off_rules::DayOffRule::{Earlier, Later};
        let city_day = ("2026-11-23".parse().unwrap(), "Aniversário da cidade".to_owned());
        let calendar = BusinessCalendar::new([city_day].into(), Vec::new());
        for (due, rule, expected) in [
            ("2026-11-19", Some(Later), "2026-11-19"),
            // A Friday and a holiday before a local one.
            ("2026-11-20", Some(Later), "2026-11-24"),
            ("2026-11-22", Some(Earlier), "2026-11-19"),
            ("2026-11-22", None, "2026-11-19"),
            // Carnival and Corpus Christi have no banking hours.
            ("2026-02-15", Some(Later), "2026-02-18"),
            ("2026-02-17", Some(Earlier), "2026-02-13"),
            ("2026-06-04", Some(Later), "2026-06-05"),
        ] {
            let moved = calendar.payment_date(due.parse().unwrap(), rule);
            assert_eq!(moved.to_string(), expected, "{due} {rule:?}");
        }
        let [first, last] = ["2026-11-15", "2026-11-23"].map(|day| day.parse().unwrap());
        let names = calendar.bank_holidays_between(first, last).into_iter().map(|(_, name)| name);
        let expected = ["Proclamação da República", "Consciência Negra", "Aniversário da cidade"];
        assert_eq!(names.collect::<Vec<_>>(), expected);
        let [first, last] = ["2026-02-01", "2026-02-28"].map(|day| day.parse().unwrap());
        assert_eq!(calendar.bank_holidays_between(first, last).len(), 2);
        let carnival = "2026-02-16".parse().unwrap();
        assert!(calendar.is_business_day(carnival), "the office may work");
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
