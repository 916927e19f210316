//! `column::type` in select: the casts that cannot fail.

use crate::{
    api::rest::RestError,
    schema::value::{database_text, write_json, write_text},
};
use crate::{
    db::Cell,
    schema::{Column, ColumnType},
};

/// What a column is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cast {
    /// As the column is.
    Same,
    /// As the database would print it.
    Text,
    /// A number, of a number or a boolean.
    Int,
    /// A boolean, of a number.
    Bool,
    /// The day of a moment, in UTC.
    Date,
    /// A moment without its offset, in UTC.
    Timestamp,
}

impl Cast {
    /// The cast of that name, for that column.
    pub(crate) fn read(name: &str, column: &Column, is_inside: bool) -> Result<Self, RestError> {
        let kind = if is_inside { ColumnType::Json } else { column.kind };
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
            (name, _) if is_known(name) => {
                return Err(RestError::unsupported(format!(
                    "the cast of {} to {name}",
                    column.name
                )));
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
                write_json(ColumnType::Bool, Cell::Bool(cell != Cell::Int(0)), out)
            }
            (Self::Date, _) => write_text(text().get(..10).unwrap_or_default(), out),
            (Self::Timestamp, _) => {
                write_text(text().replacen(' ', "T", 1).trim_end_matches("+00"), out);
            }
        }
    }
}

fn is_known(name: &str) -> bool {
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
