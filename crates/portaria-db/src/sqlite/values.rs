//! Values of the statement builder as parameters, and columns as cells.

use rusqlite::{
    ToSql,
    types::{ToSqlOutput, ValueRef},
};
use sea_query::Value;

use crate::{Cell, Error};

/// Reads a column of a row.
pub(crate) fn cell(value: ValueRef<'_>) -> Result<Cell<'_>, Error> {
    Ok(match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(value) => Cell::Int(value),
        ValueRef::Real(value) => Cell::Real(value),
        ValueRef::Text(_) => {
            Cell::Text(value.as_str().map_err(|error| Error::Internal(error.to_string()))?)
        }
        ValueRef::Blob(_) => return Err(Error::Internal("a blob in a column of text".into())),
    })
}

/// A value of the statement builder as a parameter of this driver.
pub(crate) struct Bound<'a>(pub(crate) &'a Value);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Value::Bool(Some(value)) => ValueRef::Integer((*value).into()),
            Value::Int(Some(value)) => ValueRef::Integer((*value).into()),
            Value::BigInt(Some(value)) => ValueRef::Integer(*value),
            Value::BigUnsigned(Some(value)) => {
                ValueRef::Integer(i64::try_from(*value).unwrap_or(i64::MAX))
            }
            Value::Double(Some(value)) => ValueRef::Real(*value),
            Value::String(Some(value)) => ValueRef::Text(value.as_bytes()),
            Value::Bool(None)
            | Value::Int(None)
            | Value::BigInt(None)
            | Value::BigUnsigned(None)
            | Value::Double(None)
            | Value::String(None) => ValueRef::Null,
            other => {
                return Err(rusqlite::Error::ToSqlConversionFailure(
                    format!("no column holds {other:?}").into(),
                ));
            }
        }))
    }
}
