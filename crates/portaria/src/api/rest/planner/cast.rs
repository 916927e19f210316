//! Casts in `select` (`column::type`), limited to those that cannot fail for a value of the column.
//!
//! A value is cast while the answer is written, because the two databases print values differently.

use crate::{
    api::rest::RestError,
    schema::value::{database_text, write_json, write_text},
};
use crate::{db::Cell, schema::ColumnType};

/// The cast of a selected column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cast {
    /// The column's own type.
    Same,
    /// The text that PostgreSQL prints for the value.
    Text,
    /// A boolean as a number, 0 or 1.
    Int,
    /// A number as a boolean: any number but 0 is true.
    Bool,
    /// The date of a timestamp, in UTC.
    Date,
    /// A timestamp without its offset, in UTC.
    Timestamp,
    /// The digits of a sum or an average, as a number.
    Digits,
    /// Digits rounded to an integer, a half away from zero.
    Rounded,
}

impl Cast {
    /// Parses the name of a type as a cast of `value`, which is of type `kind`.
    ///
    /// # Errors
    /// PGRST127 for a cast that could fail, 42704 for an unknown type.
    pub(crate) fn parse(name: &str, kind: ColumnType, value: &str) -> Result<Self, RestError> {
        let cast = match (name.to_ascii_lowercase().as_str(), kind) {
            ("text" | "varchar" | "character varying" | "bpchar", _) => Self::Text,
            ("uuid", ColumnType::Uuid)
            | ("json" | "jsonb", ColumnType::Json)
            | ("bool" | "boolean", ColumnType::Bool)
            | (
                "int" | "int4" | "int8" | "integer" | "bigint" | "numeric" | "float8",
                ColumnType::Int,
            )
            | ("timestamptz" | "timestamp with time zone", ColumnType::Timestamp(_)) => Self::Same,
            ("int" | "int4" | "integer", ColumnType::Bool) => Self::Int,
            ("bool" | "boolean", ColumnType::Int) => Self::Bool,
            ("date", ColumnType::Timestamp(_)) => Self::Date,
            ("timestamp" | "timestamp without time zone", ColumnType::Timestamp(_)) => {
                Self::Timestamp
            }
            (name, _) if is_type_name(name) => {
                return Err(RestError::unsupported(format!("the cast of {value} to {name}")));
            }
            (name, _) => {
                return Err(RestError::bad_request(
                    "42704",
                    format!("type \"{name}\" does not exist"),
                ));
            }
        };
        Ok(cast)
    }

    /// Parses the cast of a sum or an average, whose cell holds its digits. Without a name it is a number.
    ///
    /// # Errors
    /// Like [`Self::parse`].
    pub(crate) fn parse_of_digits(name: Option<&str>, value: &str) -> Result<Self, RestError> {
        match name.map(str::to_ascii_lowercase).as_deref() {
            None | Some("numeric" | "decimal") => Ok(Self::Digits),
            Some("int" | "int4" | "int8" | "integer" | "bigint") => Ok(Self::Rounded),
            Some(name) => Self::parse(name, ColumnType::Text(usize::MAX), value),
        }
    }

    /// Writes the cast value as JSON.
    pub(crate) fn write(self, kind: ColumnType, cell: Cell<'_>, out: &mut Vec<u8>) {
        let text = || database_text(kind, cell).unwrap_or_default();
        match (self, cell) {
            (_, Cell::Null) => out.extend_from_slice(b"null"),
            (Self::Same, cell) => write_json(kind, cell, out),
            (Self::Text, _) => write_text(&text(), out),
            (Self::Int, cell) => write_json(
                ColumnType::Int,
                Cell::Int(i64::from(cell == Cell::Bool(true) || cell == Cell::Int(1))),
                out,
            ),
            (Self::Bool, cell) => {
                write_json(ColumnType::Bool, Cell::Bool(cell != Cell::Int(0)), out);
            }
            (Self::Date, _) => write_text(text().get(..10).unwrap_or_default(), out),
            (Self::Digits, _) => out.extend_from_slice(text().as_bytes()),
            (Self::Rounded, _) => out.extend_from_slice(round(&text()).as_bytes()),
            (Self::Timestamp, _) => {
                write_text(text().replacen(' ', "T", 1).trim_end_matches("+00"), out);
            }
        }
    }
}

/// Rounds digits to an integer, a half away from zero.
fn round(digits: &str) -> String {
    let (integer, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let (sign, magnitude) = integer.strip_prefix('-').map_or(("", integer), |rest| ("-", rest));
    let is_up = fraction.starts_with(['5', '6', '7', '8', '9']);
    match magnitude.parse::<u128>() {
        Ok(0) if !is_up => "0".to_owned(),
        Ok(number) => format!("{sign}{}", number.saturating_add(is_up.into())),
        Err(_) => integer.to_owned(),
    }
}

/// Whether PostgreSQL has a type of this name, so that the error says "not implemented" instead of "does not exist".
fn is_type_name(name: &str) -> bool {
    [
        "uuid",
        "json",
        "jsonb",
        "bool",
        "boolean",
        "int",
        "int2",
        "int4",
        "int8",
        "smallint",
        "integer",
        "bigint",
        "numeric",
        "decimal",
        "float4",
        "float8",
        "real",
        "double precision",
        "date",
        "time",
        "timetz",
        "timestamp",
        "timestamptz",
        "timestamp with time zone",
        "timestamp without time zone",
        "interval",
        "bytea",
    ]
    .contains(&name)
}

#[cfg(test)]
mod tests {
    use crate::api::rest::planner::cast::round;

    #[test]
    fn digits_are_rounded_half_away_from_zero() {
        for (digits, expected) in [
            ("8800", "8800"),
            ("2.5000", "3"),
            ("2.4999", "2"),
            ("-2.5000", "-3"),
            ("-0.4000", "0"),
            ("-0.5", "-1"),
            (
                "170141183460469231731687303715884105727.5",
                "170141183460469231731687303715884105728",
            ),
        ] {
            assert_eq!(round(digits), expected, "{digits}");
        }
    }
}
