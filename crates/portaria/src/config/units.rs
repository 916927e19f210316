//! Parsers for sizes, durations, rates and days, as operators write them.

use jiff::SignedDuration;
use toml::Value;

use crate::{
    config::Rates,
    security::rate_limit::{Rate, VisitorRates},
};

impl Rates {
    /// Returns the rates that are counted in memory.
    #[must_use]
    pub fn visitor_rates(&self) -> VisitorRates {
        VisitorRates {
            sign_in: self.sign_in,
            verify: self.verify,
            account: self.account,
            refresh: self.refresh,
            export: self.export,
            outgoing: self.outgoing,
        }
    }
}

/// Parses a number of bytes, or a size such as `10 MiB`.
pub(crate) fn bytes(name: &str, value: &Value) -> Result<u64, String> {
    let invalid = || format!("{name}: expected a size like \"10 MiB\", got {value}");
    let (number, unit) = match value {
        Value::Integer(number) => (u64::try_from(*number).map_err(|_| invalid())?, 1),
        Value::String(text) => {
            let text = text.trim();
            let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
            let (number, unit) = text.split_at(digits);
            let unit = match unit.trim() {
                "" | "B" => 1,
                "KiB" | "K" => 1 << 10,
                "MiB" | "M" | "MB" => 1 << 20,
                "GiB" | "G" | "GB" => 1 << 30,
                _ => return Err(invalid()),
            };
            (number.parse().map_err(|_| invalid())?, unit)
        }
        _ => return Err(invalid()),
    };
    number.checked_mul(unit).filter(|size| *size > 0).ok_or_else(invalid)
}

/// Parses a duration such as `10m`, up to `most`. A number without a unit means seconds.
pub(crate) fn time(name: &str, text: &str, most: SignedDuration) -> Result<SignedDuration, String> {
    parse_time(text).filter(|time| (SignedDuration::ZERO..=most).contains(time)).ok_or_else(|| {
        format!("{name}: expected a time like \"10m\", at most {most:#}, got {text:?}")
    })
}

/// Parses a rate such as `30/5m`. An empty text means no limit.
pub(crate) fn rate(name: &str, text: &str) -> Result<Option<Rate>, String> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let rate = text.split_once('/').and_then(|(count, per)| {
        let range = SignedDuration::from_secs(1)..=SignedDuration::from_hours(24);
        let per = parse_time(per).filter(|per| range.contains(per))?;
        Some(Rate { count: count.trim().parse().ok()?, per })
    });
    rate.map(Some).ok_or_else(|| {
        format!("{name}: expected a rate like \"30/5m\", in at most a day, got {text:?}")
    })
}

/// Parses one or several numbers of days such as `7,3,1`. Returns each once, in descending order.
pub(crate) fn days(name: &str, value: &Value) -> Result<Vec<i32>, String> {
    let invalid =
        || format!("{name}: expected days from 1 to 365, like 7 or \"7,3,1\", got {value}");
    let one = |text: &str| {
        text.trim().parse().ok().filter(|days| (1..=365).contains(days)).ok_or_else(invalid)
    };
    let mut days: Vec<i32> = match value {
        Value::Integer(number) => vec![one(&number.to_string())?],
        Value::String(text) => text.split(',').map(one).collect::<Result<_, _>>()?,
        _ => return Err(invalid()),
    };
    days.sort_unstable_by(|a, b| b.cmp(a));
    days.dedup();
    Ok(days)
}

/// Parses the retention period of access records. The minimum of six months is required by law (Marco Civil da
/// Internet, article 15).
pub(crate) fn months(name: &str, months: i64) -> Result<i64, String> {
    let invalid = || format!("{name}: must be from 6, as the law asks for, to 1200, not {months}");
    Some(months).filter(|months| (6..=1200).contains(months)).ok_or_else(invalid)
}

fn parse_time(text: &str) -> Option<SignedDuration> {
    let text = text.trim();
    match text.parse::<u32>() {
        Ok(seconds) => Some(SignedDuration::from_secs(seconds.into())),
        Err(_) => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use crate::config::units::{days, rate, time};

    #[test]
    fn durations_and_rates_are_parsed_within_bounds() {
        let day = SignedDuration::from_hours(24);
        for (text, expected) in [
            ("90", Some(90)),
            ("90s", Some(90)),
            ("1h 30m", Some(5400)),
            ("0", Some(0)),
            ("24h", Some(86_400)),
            ("25h", None),
            ("-1s", None),
            ("", None),
            ("soon", None),
        ] {
            let found = time("x", text, day).ok().map(|time| time.as_secs());
            assert_eq!(found, expected, "{text}");
        }
        for (text, expected) in [
            ("30/5m", Some(Some((30, 300)))),
            ("1 / 1h", Some(Some((1, 3600)))),
            ("", Some(None)),
            ("0/5m", None),
            ("5", None),
            ("5/0s", None),
            ("5/25h", None),
            ("-5/1m", None),
        ] {
            let found = rate("x", text).ok();
            let found = found.map(|rate| rate.map(|rate| (rate.count.get(), rate.per.as_secs())));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn days_are_unique_and_in_descending_order() {
        for (value, expected) in [
            (7.into(), Some(vec![7])),
            ("7".into(), Some(vec![7])),
            ("1, 7,3,7".into(), Some(vec![7, 3, 1])),
            (0.into(), None),
            ("366".into(), None),
            ("".into(), None),
            ("7,,1".into(), None),
            (true.into(), None),
        ] {
            assert_eq!(days("x", &value).ok(), expected, "{value}");
        }
    }
}
