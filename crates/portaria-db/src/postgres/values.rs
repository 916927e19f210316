//! Values of the statement builder as parameters, and columns of the server's rows as cells.

use std::error::Error as StdError;

use bytes::BytesMut;
use sea_query::{Value, Values};
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use crate::{Cell, Error};

/// Reads a column of a row. The types are those of the project's tables.
pub(crate) fn cell<'a>(
    row: &'a tokio_postgres::Row,
    column: usize,
    kind: &Type,
) -> Result<Cell<'a>, Error> {
    Ok(match *kind {
        Type::BOOL => row.try_get::<_, Option<bool>>(column)?.map_or(Cell::Null, Cell::Bool),
        Type::INT2 => row
            .try_get::<_, Option<i16>>(column)?
            .map_or(Cell::Null, |value| Cell::Int(value.into())),
        Type::INT4 => row
            .try_get::<_, Option<i32>>(column)?
            .map_or(Cell::Null, |value| Cell::Int(value.into())),
        Type::INT8 => row.try_get::<_, Option<i64>>(column)?.map_or(Cell::Null, Cell::Int),
        Type::FLOAT8 => row.try_get::<_, Option<f64>>(column)?.map_or(Cell::Null, Cell::Real),
        _ => row.try_get::<_, Option<&str>>(column)?.map_or(Cell::Null, Cell::Text),
    })
}

/// A value of the statement builder as a parameter of this driver.
#[derive(Debug)]
pub(crate) struct Bound<'a>(&'a Value);

pub(crate) fn bound(values: &Values) -> Vec<Bound<'_>> {
    values.iter().map(Bound).collect()
}

pub(crate) fn parameters<'a>(bound: &'a [Bound<'a>]) -> Vec<&'a (dyn ToSql + Sync)> {
    bound.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

impl ToSql for Bound<'_> {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        match self.0 {
            Value::Bool(Some(value)) => value.to_sql(kind, out),
            Value::Int(Some(value)) => integer(i64::from(*value), kind, out),
            Value::BigInt(Some(value)) => integer(*value, kind, out),
            Value::BigUnsigned(Some(value)) => {
                integer(i64::try_from(*value).unwrap_or(i64::MAX), kind, out)
            }
            Value::Double(Some(value)) => value.to_sql(kind, out),
            Value::String(Some(value)) => value.to_sql(kind, out),
            Value::Bool(None)
            | Value::Int(None)
            | Value::BigInt(None)
            | Value::BigUnsigned(None)
            | Value::Double(None)
            | Value::String(None) => Ok(IsNull::Yes),
            other => Err(format!("no column holds {other:?}").into()),
        }
    }

    // The server infers the type of each parameter. A mismatch is a defect that its error names.
    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// Encodes an integer in the width that the server expects.
fn integer(
    value: i64,
    kind: &Type,
    out: &mut BytesMut,
) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
    match *kind {
        Type::INT2 => i16::try_from(value)?.to_sql(kind, out),
        Type::INT4 => i32::try_from(value)?.to_sql(kind, out),
        // The comparison of two numbers without a column, such as the one for an empty list.
        Type::TEXT => value.to_string().to_sql(kind, out),
        _ => value.to_sql(kind, out),
    }
}
