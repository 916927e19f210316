//! SQL functions for operators that PostgreSQL has and `SQLite` lacks. NULL gives NULL.

use rusqlite::{
    Connection, Result,
    functions::{Aggregate, Context, FunctionFlags},
    types::{Null, ValueRef},
};

use crate::{
    changes::{self, triggers},
    decimal::Total,
    dialect, json, regex,
    sqlite::check_deadline,
};

pub(crate) fn register(connection: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function(dialect::ILIKE, 2, flags, |call| {
        check_deadline()?;
        let text = call.get_raw(0).as_str_or_null()?;
        let pattern = call.get_raw(1).as_str_or_null()?;
        Ok(text.zip(pattern).map(|(text, pattern)| dialect::matches_ilike(text, pattern)))
    })?;
    connection.create_scalar_function(dialect::REGEX, 2, flags, |call| {
        check_deadline()?;
        // Compiled once per statement.
        let regex = call.get_or_create_aux(1, |pattern| {
            regex::compile(pattern.as_str()?)
                .map_err(|error| rusqlite::Error::UserFunctionError(error.into()))
        })?;
        let text = call.get_raw(0).as_str_or_null()?;
        Ok(text.map(|text| regex.is_match(text)))
    })?;
    connection.create_scalar_function(dialect::JSON_TEXT, 2, flags, |call| {
        check_deadline()?;
        let json = call.get_raw(0).as_str_or_null()?;
        let path = call.get_raw(1).as_str_or_null()?;
        Ok(json.zip(path).and_then(|(json, path)| json::text_at(json, path)))
    })?;
    // Arguments: JSON, path, other JSON, and whether the other JSON is the container.
    connection.create_scalar_function(dialect::JSON_CONTAINS, 4, flags, |call| {
        check_deadline()?;
        let json = call.get_raw(0).as_str_or_null()?;
        let path = call.get_raw(1).as_str()?;
        let other = call.get_raw(2).as_str()?;
        let is_contained = call.get_raw(3).as_i64()? != 0;
        Ok(json.and_then(|json| json::contains_at(json, path, other, is_contained)))
    })?;
    // Arguments: JSON, path, other JSON.
    connection.create_scalar_function(dialect::JSON_EQUALS, 3, flags, |call| {
        check_deadline()?;
        let json = call.get_raw(0).as_str_or_null()?;
        let path = call.get_raw(1).as_str()?;
        let other = call.get_raw(2).as_str()?;
        Ok(json.and_then(|json| json::equals_at(json, path, other)))
    })?;
    connection.create_scalar_function(dialect::JSON_SORT_KEY, 2, flags, |call| {
        check_deadline()?;
        let json = call.get_raw(0).as_str_or_null()?;
        let path = call.get_raw(1).as_str()?;
        Ok(json.and_then(|json| json::sort_key_at(json, path)))
    })?;
    connection.create_scalar_function(
        triggers::FUNCTION,
        -1,
        FunctionFlags::SQLITE_UTF8,
        |call| {
            let values = (0..call.len()).map(|place| {
                Ok(match call.get_raw(place) {
                    ValueRef::Null => None,
                    ValueRef::Integer(number) => Some(number.to_string()),
                    value => Some(value.as_str()?.to_owned()),
                })
            });
            let values = values.collect::<Result<Vec<_>>>()?;
            if let Some(recorded) = triggers::parse(values.into_iter()) {
                changes::record(recorded.change);
            }
            Ok(Null)
        },
    )?;
    connection.create_aggregate_function(dialect::SUM, 1, flags, Totals(Total::sum))?;
    connection.create_aggregate_function(dialect::AVERAGE, 1, flags, Totals(Total::average))
}

/// An aggregate function over integers, which ignores NULL.
struct Totals(fn(&Total) -> Option<String>);

impl Aggregate<Total, Option<String>> for Totals {
    fn init(&self, _: &mut Context<'_>) -> Result<Total> {
        Ok(Total::default())
    }

    fn step(&self, call: &mut Context<'_>, total: &mut Total) -> Result<()> {
        if let Some(number) = call.get(0)? {
            total.add(number);
        }
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, total: Option<Total>) -> Result<Option<String>> {
        Ok(total.and_then(|total| (self.0)(&total)))
    }
}

#[cfg(test)]
mod tests {
    use std::{
        path::Path,
        time::{Duration, Instant},
    };

    use rusqlite::OpenFlags;

    use crate::sqlite::{DEADLINE, connect};
    use crate::{Error, dialect};

    #[test]
    fn functions_end_at_the_deadline() {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let connection = connect(Path::new(":memory:"), flags).unwrap();
        for (name, arguments) in [
            (dialect::ILIKE, "'a', 'a'"),
            (dialect::REGEX, "'a', 'a'"),
            (dialect::JSON_TEXT, "'{}', '[]'"),
            (dialect::JSON_CONTAINS, "'{}', '[]', '{}', 0"),
            (dialect::JSON_EQUALS, "'{}', '[]', '{}'"),
            (dialect::JSON_SORT_KEY, "'{}', '[]'"),
        ] {
            let call = || {
                // Too few instructions for the progress handler.
                let sql = format!("SELECT {name}({arguments}) IS NULL");
                connection.query_row(&sql, [], |_| Ok(())).map_err(Error::from)
            };
            assert!(call().is_ok(), "{name}");
            DEADLINE.set(Instant::now().checked_sub(Duration::from_secs(1)));
            let late = call();
            DEADLINE.set(None);
            assert!(matches!(late, Err(Error::TimedOut)), "{name}: {late:?}");
        }
    }
}
