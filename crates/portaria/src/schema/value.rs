//! Conversion of column values: from filters and JSON payloads to SQL, and from database cells to JSON and text
//! (docs/protocol/rest.md, section 3).
//!
//! Cells are written to the output buffer directly, without building `serde_json` values first: see
//! `api/rest/response/json.rs` for the reason and the figures.

use jiff::{
    Timestamp,
    civil::{Date, DateTime, Time},
    tz::TimeZone,
};
use sea_query::Value as Sql;
use serde_json::Value as Json;
use unicode_normalization::UnicodeNormalization;
use uuid::Uuid;

use crate::{
    clock::format_timestamp,
    db::Cell,
    schema::{ColumnType, DayBoundary},
};

/// A value that a column of some type cannot hold, with PostgreSQL's code and message.
#[derive(Debug)]
pub(crate) struct InvalidValue {
    pub(crate) code: &'static str,
    pub(crate) message: String,
}

impl InvalidValue {
    fn new(code: &'static str, message: String) -> Self {
        Self { code, message }
    }
}

/// Converts the text of a filter to a value of the column's type.
///
/// # Errors
/// 22P02, 22003, 22007 or 22008, like PostgreSQL, for a text that is no value of the type.
pub(crate) fn from_text(
    kind: ColumnType,
    text: &str,
    zone: &TimeZone,
) -> Result<Sql, InvalidValue> {
    Ok(match kind {
        // One form for stored and compared text: "ã" is one character, not "a" with a tilde.
        ColumnType::Text(_) => text.nfc().collect::<String>().into(),
        ColumnType::Json => text.into(),
        ColumnType::Uuid => match Uuid::parse_str(text.trim()) {
            Ok(id) => id.to_string().into(),
            Err(_) => return Err(invalid("uuid", text)),
        },
        ColumnType::Timestamp(boundary) => {
            format_timestamp(parse_timestamp(text, boundary, zone)?).into()
        }
        ColumnType::Bool => match text.trim().to_lowercase().as_str() {
            "true" | "t" | "yes" | "on" | "1" => true.into(),
            "false" | "f" | "no" | "off" | "0" => false.into(),
            _ => return Err(invalid("boolean", text)),
        },
        ColumnType::Int => match text.trim().parse::<i64>() {
            Ok(number) => number.into(),
            Err(error)
                if matches!(
                    error.kind(),
                    std::num::IntErrorKind::PosOverflow | std::num::IntErrorKind::NegOverflow
                ) =>
            {
                return Err(InvalidValue::new(
                    "22003",
                    format!("value \"{text}\" is out of range for type bigint"),
                ));
            }
            Err(_) => return Err(invalid("bigint", text)),
        },
    })
}

/// Converts a value of a payload to a value of the column's type; null becomes `None`.
///
/// # Errors
/// 22001 for a text that is too long; otherwise like [`from_text`].
pub(crate) fn from_json(
    kind: ColumnType,
    value: &Json,
    zone: &TimeZone,
) -> Result<Option<Sql>, InvalidValue> {
    let value = match (kind, value) {
        (_, Json::Null) => return Ok(None),
        (ColumnType::Json, value) => value.to_string().into(),
        (_, Json::String(text)) => from_text(kind, text, zone)?,
        // Like PostgreSQL's casts: 5 becomes '5' in a text column, and "5" becomes 5 in a number column.
        (_, value) => from_text(kind, &value.to_string(), zone)?,
    };
    if let (ColumnType::Text(max), Sql::String(Some(text))) = (kind, &value)
        && text.chars().count() > max
    {
        return Err(InvalidValue::new(
            "22001",
            format!("value too long for type character varying({max})"),
        ));
    }
    Ok(Some(value))
}

/// Converts the texts in a value to the Unicode form NFC, in which filters compare.
pub(crate) fn normalize_texts(value: &mut Json) {
    match value {
        Json::String(text) => *text = text.nfc().collect(),
        Json::Array(values) => values.iter_mut().for_each(normalize_texts),
        Json::Object(values) => values.values_mut().for_each(normalize_texts),
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

/// Parses a timestamp in the forms that people and programs write (docs/protocol/rest.md, section 3.2).
///
/// A time without an offset is in the portal's zone. A date without a time is the given boundary of that day.
///
/// # Errors
/// 22007 for another form, 22008 for a date or time that does not exist and for years outside 1900 to 2199.
pub(crate) fn parse_timestamp(
    text: &str,
    boundary: DayBoundary,
    zone: &TimeZone,
) -> Result<Timestamp, InvalidValue> {
    let trimmed = text.trim();
    let out_of_range =
        || InvalidValue::new("22008", format!("date/time field value out of range: \"{text}\""));
    let starts_with_year =
        trimmed.get(..4).is_some_and(|year| year.bytes().all(|b| b.is_ascii_digit()))
            && trimmed.as_bytes().get(4) == Some(&b'-');
    if !starts_with_year {
        return Err(invalid("timestamp with time zone", text));
    }
    // The two databases round a leap second differently.
    if trimmed.contains(":60") {
        return Err(out_of_range());
    }
    let local = |civil: DateTime| zone.to_timestamp(civil).map_err(|_| out_of_range());
    let moment = if trimmed.len() == 10 {
        let date: Date = trimmed.parse().map_err(|_| out_of_range())?;
        local(match boundary {
            DayBoundary::Start => date.to_datetime(Time::midnight()),
            DayBoundary::End => date.at(23, 59, 59, 0),
        })?
    } else if let Ok(moment) = with_minutes(trimmed).parse::<Timestamp>() {
        moment
    } else {
        // The parser of `DateTime` ignores an offset, which would change the time.
        let offset = trimmed.get(10..).is_some_and(|time| time.contains(['+', '-', 'Z', 'z', '[']));
        match trimmed.parse::<DateTime>() {
            Ok(civil) if !offset => local(civil)?,
            _ => return Err(out_of_range()),
        }
    };
    let year = moment.to_zoned(TimeZone::UTC).year();
    if (1900..2200).contains(&year) { Ok(moment) } else { Err(out_of_range()) }
}

/// Expands `+00` to `+00:00`: PostgreSQL prints the short form, RFC 3339 requires the long one.
fn with_minutes(text: &str) -> String {
    match text.as_bytes() {
        [.., b'+' | b'-', a, b] if text.len() > 13 && a.is_ascii_digit() && b.is_ascii_digit() => {
            format!("{text}:00")
        }
        _ => text.to_owned(),
    }
}

fn invalid(kind: &str, text: &str) -> InvalidValue {
    let code = if kind.starts_with("timestamp") { "22007" } else { "22P02" };
    InvalidValue::new(code, format!("invalid input syntax for type {kind}: \"{text}\""))
}

/// Writes a cell as JSON.
pub(crate) fn write_json(kind: ColumnType, cell: Cell<'_>, out: &mut Vec<u8>) {
    match (kind, cell) {
        (_, Cell::Null) => out.extend_from_slice(b"null"),
        (ColumnType::Bool, Cell::Int(number)) => write_bool(number != 0, out),
        (_, Cell::Bool(value)) => write_bool(value, out),
        (ColumnType::Json, Cell::Text(text)) => out.extend_from_slice(text.as_bytes()),
        (ColumnType::Timestamp(_), Cell::Text(text)) => {
            let (moment, offset) = shortened(text);
            write_joined(moment, offset, out);
        }
        (_, Cell::Text(text)) => write_text(text, out),
        (_, Cell::Int(number)) => out.extend_from_slice(number.to_string().as_bytes()),
        (_, Cell::Real(number)) => out.extend_from_slice(number.to_string().as_bytes()),
    }
}

fn write_bool(value: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(if value { b"true" } else { b"false" });
}

/// Writes text as a JSON string.
pub(crate) fn write_text(text: &str, out: &mut Vec<u8>) {
    write_joined(text, "", out);
}

fn write_joined(head: &str, tail: &str, out: &mut Vec<u8>) {
    if is_plain(head) && is_plain(tail) {
        out.push(b'"');
        out.extend_from_slice(head.as_bytes());
        out.extend_from_slice(tail.as_bytes());
        out.push(b'"');
    } else {
        let text = format!("{head}{tail}");
        serde_json::to_writer(out, &text).expect("writing to a Vec cannot fail");
    }
}

/// Whether a text needs no escapes in JSON. The loop has no early exit, so that the compiler vectorizes it.
fn is_plain(text: &str) -> bool {
    let escaped = |byte: u8| matches!(byte, ..b' ' | b'"' | b'\\');
    !text.bytes().fold(false, |found, byte| found | escaped(byte))
}

/// Formats a value as PostgreSQL prints it, which differs from JSON; NULL becomes `None`.
pub(crate) fn database_text(kind: ColumnType, cell: Cell<'_>) -> Option<String> {
    Some(match (kind, cell) {
        (_, Cell::Null) => return None,
        (ColumnType::Bool, Cell::Int(number)) => (number != 0).to_string(),
        (_, Cell::Bool(value)) => value.to_string(),
        (ColumnType::Timestamp(_), Cell::Text(text)) => {
            let (moment, offset) = shortened(text);
            format!("{moment}{offset}").replacen('T', " ", 1).replace("+00:00", "+00")
        }
        (_, Cell::Text(text)) => text.to_owned(),
        (_, Cell::Int(number)) => number.to_string(),
        (_, Cell::Real(number)) => number.to_string(),
    })
}

/// Splits a stored timestamp into time and offset, as PostgreSQL prints them in JSON: without trailing zeros in the
/// fraction.
fn shortened(stored: &str) -> (&str, &str) {
    let (moment, offset) = stored.split_at(stored.find('+').unwrap_or(stored.len()));
    if !moment.contains('.') {
        return (stored, "");
    }
    let moment = moment.trim_end_matches('0');
    (moment.strip_suffix('.').unwrap_or(moment), offset)
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use crate::schema::value::{parse_timestamp, shortened, write_text};
    use crate::{clock::format_timestamp, schema::DayBoundary};

    fn read(text: &str, boundary: DayBoundary) -> Option<String> {
        let zone = TimeZone::get("America/Sao_Paulo").unwrap();
        parse_timestamp(text, boundary, &zone).ok().map(format_timestamp)
    }

    #[test]
    fn timestamp_accepts_forms_of_people_and_programs() {
        for (text, boundary, expected) in [
            ("2026-11-21T04:26:16.123456Z", DayBoundary::End, "2026-11-21T04:26:16.123456+00:00"),
            ("2026-11-21 04:26:16+00", DayBoundary::End, "2026-11-21T04:26:16.000000+00:00"),
            ("2026-11-21T04:26:16-03:00", DayBoundary::End, "2026-11-21T07:26:16.000000+00:00"),
            ("2026-11-21 09:30:00", DayBoundary::End, "2026-11-21T12:30:00.000000+00:00"),
            ("2026-11-21", DayBoundary::Start, "2026-11-21T03:00:00.000000+00:00"),
            ("2026-11-21", DayBoundary::End, "2026-11-22T02:59:59.000000+00:00"),
        ] {
            assert_eq!(read(text, boundary).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn invalid_timestamp_is_refused() {
        for text in [
            "2026-02-30",
            "0000-01-01",
            "-5000-01-01",
            "10000-01-01",
            "294277-01-01",
            "infinity",
            "now",
            "",
            "2026-01-01T24:00:00Z",
            "2026-01-01T23:59:60Z",
            "2026-01-01T00:00:00+99:00",
            "1899-12-31",
            "2026-01-01 1:2",
        ] {
            assert_eq!(read(text, DayBoundary::Start), None, "{text}");
        }
    }

    #[test]
    fn fraction_loses_trailing_zeros() {
        for (stored, expected) in [
            ("2026-11-21T04:26:16.120000+00:00", ("2026-11-21T04:26:16.12", "+00:00")),
            ("2026-11-21T04:26:16.000000+00:00", ("2026-11-21T04:26:16", "+00:00")),
            ("2026-11-21T04:26:10+00:00", ("2026-11-21T04:26:10+00:00", "")),
        ] {
            assert_eq!(shortened(stored), expected);
        }
    }

    #[test]
    fn text_is_escaped_like_serde_json() {
        for text in ["", "ação 你 🎉", "a\"b", "a\\b", "a\n\u{1f}", "\u{7f}\u{2028}"] {
            let mut out = Vec::new();
            write_text(text, &mut out);
            assert_eq!(out, serde_json::to_vec(text).unwrap(), "{text:?}");
        }
    }
}
