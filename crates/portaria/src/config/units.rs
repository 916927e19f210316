//! Deserializers for the values that operators write as text: sizes, durations, rates, days and lists.
//!
//! Error messages do not name the setting. `ConfigSources::read` adds the name.

use std::{fmt::Display, path::PathBuf};

use anyhow::anyhow;
use jiff::SignedDuration;
use serde::{Deserialize, Deserializer, de::Error};
use toml::Value;

use crate::security::rate_limit::Rate;

/// Deserializes text and parses it.
pub(crate) fn text<'de, D: Deserializer<'de>, T>(
    source: D,
    parse: impl FnOnce(&str) -> anyhow::Result<T>,
) -> Result<T, D::Error> {
    parse(&String::deserialize(source)?).map_err(D::Error::custom)
}

/// Like [`text`], but returns `None` for blank text.
pub(crate) fn optional<'de, D: Deserializer<'de>, T>(
    source: D,
    parse: impl FnOnce(&str) -> anyhow::Result<T>,
) -> Result<Option<T>, D::Error> {
    text(source, |text| if text.trim().is_empty() { Ok(None) } else { parse(text).map(Some) })
}

/// Deserializes the path of a file. Blank text means none.
pub(crate) fn path<'de, D: Deserializer<'de>>(source: D) -> Result<Option<PathBuf>, D::Error> {
    optional(source, |text| Ok(text.into()))
}

/// Deserializes an integer from `MIN` to `MAX`.
pub(crate) fn integer<'de, D, T, const MIN: i64, const MAX: i64>(source: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<i64>,
{
    let number = i64::deserialize(source)?;
    let valid = Some(number).filter(|number| (MIN..=MAX).contains(number));
    valid
        .and_then(|number| number.try_into().ok())
        .ok_or_else(|| D::Error::custom(format!("must be from {MIN} to {MAX}, not {number}")))
}

/// Deserializes a number of bytes, or a size such as `10 MiB`.
pub(crate) fn bytes<'de, D, T>(source: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<u64, Error: Display>,
{
    let bytes = parse_bytes(&Value::deserialize(source)?).map_err(D::Error::custom)?;
    T::try_from(bytes).map_err(D::Error::custom)
}

/// Like [`bytes()`], but blank text means no limit.
pub(crate) fn quota<'de, D: Deserializer<'de>>(source: D) -> Result<Option<u64>, D::Error> {
    let value = Value::deserialize(source)?;
    match value.as_str().map(str::trim) {
        Some("") => Ok(None),
        _ => parse_bytes(&value).map(Some).map_err(D::Error::custom),
    }
}

fn parse_bytes(value: &Value) -> anyhow::Result<u64> {
    let invalid = || anyhow!("expected a size like \"10 MiB\", got {value}");
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

/// Deserializes a duration such as `10m`, up to `MAX_HOURS`. A number without a unit means seconds.
pub(crate) fn time<'de, D: Deserializer<'de>, const MAX_HOURS: i64>(
    source: D,
) -> Result<SignedDuration, D::Error> {
    text(source, |text| parse_time(text, SignedDuration::from_hours(MAX_HOURS)))
}

/// Deserializes the lifetime of an access token. A lifetime of zero would cause a refresh with every request.
pub(crate) fn access_token_life<'de, D: Deserializer<'de>>(
    source: D,
) -> Result<SignedDuration, D::Error> {
    const WEEK_HOURS: i64 = 7 * 24;
    time::<_, WEEK_HOURS>(source).map(|life| life.max(SignedDuration::from_secs(1)))
}

/// Deserializes the lifetime of mailed links. A shorter one ends before the mail is read.
pub(crate) fn mail_link_life<'de, D: Deserializer<'de>>(
    source: D,
) -> Result<SignedDuration, D::Error> {
    let life = time::<_, 24>(source)?;
    let is_long_enough = life >= SignedDuration::from_mins(1);
    if is_long_enough {
        Ok(life)
    } else {
        Err(<D::Error as Error>::custom("must be at least \"1m\""))
    }
}

/// Parses a duration up to `most`.
pub(crate) fn parse_time(text: &str, most: SignedDuration) -> anyhow::Result<SignedDuration> {
    read_time(text)
        .filter(|time| (SignedDuration::ZERO..=most).contains(time))
        .ok_or_else(|| anyhow!("expected a time like \"10m\", at most {most:#}, got {text:?}"))
}

fn read_time(text: &str) -> Option<SignedDuration> {
    let text = text.trim();
    match text.parse::<u32>() {
        Ok(seconds) => Some(SignedDuration::from_secs(seconds.into())),
        Err(_) => text.parse().ok(),
    }
}

/// Deserializes a rate such as `30/5m`. Blank text means no limit.
pub(crate) fn rate<'de, D: Deserializer<'de>>(source: D) -> Result<Option<Rate>, D::Error> {
    optional(source, |text| {
        let rate = text.split_once('/').and_then(|(count, per)| {
            let range = SignedDuration::from_secs(1)..=SignedDuration::from_hours(24);
            let per = read_time(per).filter(|per| range.contains(per))?;
            Some(Rate { count: count.trim().parse().ok()?, per })
        });
        rate.ok_or_else(|| {
            anyhow!("expected a rate like \"30/5m\", in at most a day, got {text:?}")
        })
    })
}

/// Deserializes one or several numbers of days such as `7,3,1`. Returns each once, in descending order.
pub(crate) fn days<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<i32>, D::Error> {
    let value = Value::deserialize(source)?;
    let invalid = || {
        D::Error::custom(format!("expected days from 1 to 365, like 7 or \"7,3,1\", got {value}"))
    };
    let one = |text: &str| {
        text.trim().parse().ok().filter(|days| (1..=365).contains(days)).ok_or_else(invalid)
    };
    let mut days: Vec<i32> = match &value {
        Value::Integer(number) => vec![one(&number.to_string())?],
        Value::String(text) => text.split(',').map(one).collect::<Result<_, _>>()?,
        _ => return Err(invalid()),
    };
    days.sort_unstable_by(|a, b| b.cmp(a));
    days.dedup();
    Ok(days)
}

/// Deserializes the retention period of access records. The minimum of six months is required by law (Marco Civil da
/// Internet, article 15).
pub(crate) fn months<'de, D: Deserializer<'de>>(source: D) -> Result<i64, D::Error> {
    let months = i64::deserialize(source)?;
    Some(months).filter(|months| (6..=1200).contains(months)).ok_or_else(|| {
        D::Error::custom(format!("must be from 6, as the law asks for, to 1200, not {months}"))
    })
}

/// Deserializes a list of texts and parses each. `kind` is the expected kind of value with its article.
pub(crate) fn list<'de, D: Deserializer<'de>, T>(
    source: D,
    kind: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, D::Error> {
    let parse = |text: &String| {
        parse(text.trim()).ok_or_else(|| D::Error::custom(format!("{text:?} is not {kind}")))
    };
    Vec::deserialize(source)?.iter().map(parse).collect()
}

#[cfg(test)]
mod tests {
    use toml::Value;

    use crate::config::units::{days, rate, time};

    #[test]
    fn durations_and_rates_are_parsed_within_bounds() {
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
            let found = time::<_, 24>(Value::from(text)).ok().map(|time| time.as_secs());
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
            let found = rate(Value::from(text)).ok();
            let found = found.map(|rate| rate.map(|rate| (rate.count.get(), rate.per.as_secs())));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn days_are_unique_and_in_descending_order() {
        for (value, expected) in [
            (Value::from(7), Some(vec![7])),
            ("7".into(), Some(vec![7])),
            ("1, 7,3,7".into(), Some(vec![7, 3, 1])),
            (0.into(), None),
            ("366".into(), None),
            ("".into(), None),
            ("7,,1".into(), None),
            (true.into(), None),
        ] {
            assert_eq!(days(value.clone()).ok(), expected, "{value}");
        }
    }
}
