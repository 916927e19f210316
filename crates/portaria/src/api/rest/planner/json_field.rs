//! Values inside JSON in `select`, and their casts (`column->>key::type`). Such a cast can fail, unlike that of a column:
//! the values are read first, and converted here, because the databases would report a failure differently.

use std::num::IntErrorKind;

use jiff::{civil::Date, tz::TimeZone};
use portaria_query::JsonPathStep;
use sea_query::Value as Sql;
use serde_json::{Number, Value};
use uuid::Uuid;

use crate::{
    api::rest::RestError,
    db::{Cell, json},
    schema::{ColumnType, value::from_text},
};

/// The type of a text.
const TEXT: ColumnType = ColumnType::Text(usize::MAX);

/// A path inside a JSON column.
#[derive(Debug)]
pub(crate) struct JsonField {
    pub(crate) path: Vec<JsonPathStep>,
    /// Whether the last arrow is `->>`.
    pub(crate) as_text: bool,
    pub(crate) cast: Option<JsonCast>,
}

/// The type of a cast of a value inside JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JsonCast {
    /// An integer of this number of bits.
    Int(u32),
    /// A decimal number.
    Numeric,
    /// A number of 64 bits.
    Double,
    Bool,
    Json,
    Uuid,
    Date,
}

impl JsonField {
    /// Reads the value at the path from a cell of the column. Returns it with its type, or `None` for NULL.
    ///
    /// The path is evaluated here and not in SQL, because the two databases print JSON with different spacing.
    ///
    /// # Errors
    /// 22P02, 22003 or 22007 for a value that the cast cannot convert.
    pub(crate) fn read(&self, cell: Cell<'_>) -> Result<Option<(ColumnType, String)>, RestError> {
        let Cell::Text(text) = cell else { return Ok(None) };
        let Ok(root) = serde_json::from_str::<Value>(text) else { return Ok(None) };
        let Some(value) = json::value_at(&root, &self.path) else { return Ok(None) };
        match (self.cast, self.as_text) {
            (None, false) => Ok(Some((ColumnType::Json, value.to_string()))),
            (None, true) => Ok(json::to_text(value).map(|text| (TEXT, text))),
            (Some(cast), false) => cast.of_json(value),
            (Some(cast), true) => json::to_text(value).map(|text| cast.of_text(&text)).transpose(),
        }
    }
}

impl JsonCast {
    /// Returns the cast to a type, or `None` for a type without one.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "smallint" | "int2" => Self::Int(16),
            "integer" | "int" | "int4" => Self::Int(32),
            "bigint" | "int8" => Self::Int(64),
            "numeric" | "decimal" => Self::Numeric,
            "double precision" | "float8" => Self::Double,
            "boolean" | "bool" => Self::Bool,
            "json" | "jsonb" => Self::Json,
            "uuid" => Self::Uuid,
            "date" => Self::Date,
            _ => return None,
        })
    }

    /// Converts JSON as jsonb does: numbers and booleans only.
    fn of_json(self, value: &Value) -> Result<Option<(ColumnType, String)>, RestError> {
        match (self, value) {
            (Self::Json, value) => Ok(Some((ColumnType::Json, value.to_string()))),
            (_, Value::Null) => Ok(None),
            (Self::Int(_), Value::Number(number)) if number.is_f64() => {
                let rounded = number.as_f64().unwrap_or_default().round();
                self.of_text(&format!("{rounded}")).map(Some)
            }
            (Self::Int(_) | Self::Numeric | Self::Double, Value::Number(number)) => {
                self.of_text(&number.to_string()).map(Some)
            }
            (Self::Bool, Value::Bool(value)) => self.of_text(&value.to_string()).map(Some),
            _ => Err(self.invalid()),
        }
    }

    fn of_text(self, text: &str) -> Result<(ColumnType, String), RestError> {
        let text = text.trim();
        let json = match self {
            Self::Int(bits) => integer(text, bits).ok_or_else(|| self.invalid())??.to_string(),
            Self::Numeric => decimal(text).ok_or_else(|| self.invalid())?,
            Self::Double => {
                let number = text.parse().ok().and_then(Number::from_f64);
                let number = number.ok_or_else(|| self.invalid())?.to_string();
                number.strip_suffix(".0").map_or(number.clone(), str::to_owned)
            }
            Self::Bool => match from_text(ColumnType::Bool, text, &TimeZone::UTC) {
                Ok(Sql::Bool(Some(value))) => value.to_string(),
                _ => return Err(self.invalid()),
            },
            Self::Json => {
                let value: Value = serde_json::from_str(text).map_err(|_| self.invalid())?;
                value.to_string()
            }
            Self::Uuid => {
                let id = Uuid::parse_str(text).map_err(|_| self.invalid())?;
                return Ok((TEXT, id.to_string()));
            }
            Self::Date => {
                let (date, time) = text.split_at_checked(10).ok_or_else(|| self.invalid())?;
                let date: Date = date.parse().map_err(|_| self.invalid())?;
                if !time.is_empty() && !time.starts_with(['T', ' ']) {
                    return Err(self.invalid());
                }
                return Ok((TEXT, date.to_string()));
            }
        };
        Ok((ColumnType::Json, json))
    }

    /// The error of a value of another form. It does not repeat the value, because messages contain nothing of a row.
    fn invalid(self) -> RestError {
        let name = match self {
            Self::Int(16) => "smallint",
            Self::Int(32) => "integer",
            Self::Int(_) => "bigint",
            Self::Numeric => "numeric",
            Self::Double => "double precision",
            Self::Bool => "boolean",
            Self::Json => "json",
            Self::Uuid => "uuid",
            Self::Date => "date",
        };
        let code = if self == Self::Date { "22007" } else { "22P02" };
        RestError::bad_request(code, format!("invalid input syntax for type {name}"))
    }
}

/// Parses an integer of this number of bits. `None` is another form.
fn integer(text: &str, bits: u32) -> Option<Result<i64, RestError>> {
    let out_of_range = || RestError::bad_request("22003", "integer out of range");
    match text.parse::<i64>() {
        Ok(number) if number >> (bits - 1) == 0 || number >> (bits - 1) == -1 => Some(Ok(number)),
        Ok(_) => Some(Err(out_of_range())),
        Err(error) => match error.kind() {
            IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => Some(Err(out_of_range())),
            _ => None,
        },
    }
}

/// Returns a decimal number in the notation of JSON, with the digits that it is written with.
fn decimal(text: &str) -> Option<String> {
    let (sign, magnitude) = match text.strip_prefix('-') {
        Some(magnitude) => ("-", magnitude),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = magnitude.trim_start_matches('0');
    let zero = if digits.starts_with(|c: char| c.is_ascii_digit()) { "" } else { "0" };
    // A text of zeros and a text without digits differ.
    let is_number = magnitude.starts_with(|c: char| c.is_ascii_digit());
    let number = format!("{sign}{zero}{digits}");
    (is_number && serde_json::from_str::<Number>(&number).is_ok()).then_some(number)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::api::rest::planner::json_field::JsonCast;

    #[test]
    fn text_is_cast_or_refused() {
        for (name, text, expected) in [
            ("int", " 007 ", Some("7")),
            ("int4", "-2147483648", Some("-2147483648")),
            ("int4", "2147483648", None),
            ("int2", "-32769", None),
            ("int8", "9223372036854775807", Some("9223372036854775807")),
            ("int8", "9223372036854775808", None),
            ("int", "1.5", None),
            ("int", "", None),
            ("numeric", "1.50", Some("1.50")),
            ("numeric", "+00.5", Some("0.5")),
            ("numeric", "-000", Some("-0")),
            ("numeric", "1e3", Some("1e3")),
            ("numeric", "e3", None),
            ("numeric", "NaN", None),
            ("numeric", "", None),
            ("float8", "1e3", Some("1000")),
            ("float8", "inf", None),
            ("bool", "YES", Some("true")),
            ("bool", "talvez", None),
            ("jsonb", "{\"a\": [1]}", Some("{\"a\":[1]}")),
            ("jsonb", "a", None),
            (
                "uuid",
                "00000000-0000-0000-0000-00000000000A",
                Some("00000000-0000-0000-0000-00000000000a"),
            ),
            ("uuid", "x", None),
            ("date", "2026-11-21", Some("2026-11-21")),
            ("date", "2026-11-21T10:00:00Z", Some("2026-11-21")),
            ("date", "2026-02-30", None),
            ("date", "2026-11-2é", None),
        ] {
            let cast = JsonCast::parse(name).unwrap();
            let found = cast.of_text(text).ok().map(|(_, text)| text);
            assert_eq!(found.as_deref(), expected, "{text:?}::{name}");
        }
        assert_eq!(JsonCast::parse("interval"), None);
    }

    #[test]
    fn json_is_cast_by_its_type() {
        let cast = |name: &str, value: &Value| {
            let converted = JsonCast::parse(name).unwrap().of_json(value);
            converted.map(|value| value.map(|(_, text)| text)).ok()
        };
        for (name, value, expected) in [
            ("int", json!(2.5), Some(Some("3"))),
            ("int", json!(null), Some(None)),
            ("int", json!("3"), None),
            ("int", json!(1e300), None),
            ("bool", json!(true), Some(Some("true"))),
            ("bool", json!(1), None),
            ("numeric", json!(2.5), Some(Some("2.5"))),
            ("json", json!(null), Some(Some("null"))),
        ] {
            let expected = expected.map(|text| text.map(str::to_owned));
            assert_eq!(cast(name, &value), expected, "{value}::{name}");
        }
    }
}
