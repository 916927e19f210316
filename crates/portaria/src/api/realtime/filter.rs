//! The filters of a subscription, evaluated on rows in memory: `column=op.value`, several separated by commas.

use std::cmp::Ordering;

use jiff::tz::TimeZone;
use portaria_query::{Filter, Operand, Operator};
use sea_query::Value as Sql;
use unicode_normalization::UnicodeNormalization;

use crate::api::realtime::like::Like;
use crate::{
    db::Cell,
    schema::{Column, ColumnType, Table, value},
};

/// Maximum length of a filter, in bytes.
const MAX_LENGTH: usize = 4096;

/// A condition on one column.
#[derive(Debug)]
pub(crate) struct Test {
    column: &'static Column,
    negated: bool,
    predicate: Predicate,
}

#[derive(Debug)]
enum Predicate {
    Compare(fn(Ordering) -> bool, Sql),
    In(Vec<Sql>),
    Like(Like),
    IsNull,
    Is(bool),
    IsDistinct(Sql),
}

/// Parses a filter over the columns that exist for the caller. The error is a sentence for the client.
pub(crate) fn parse(
    text: &str,
    table: &'static Table,
    sees_hidden: bool,
    zone: &TimeZone,
) -> Result<Vec<Test>, String> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    if text.len() > MAX_LENGTH {
        return Err(format!("a filter has at most {MAX_LENGTH} bytes"));
    }
    let invalid = || format!("invalid filter: {text}");
    let tree = format!("({})", as_logic_tree(text).ok_or_else(invalid)?);
    let query = portaria_query::parse([("and", tree)]).map_err(|_| invalid())?;
    let [Filter::Tree { negated: false, any: false, filters }] = query.root.filters.as_slice()
    else {
        return Err(invalid());
    };
    filters.iter().map(|filter| test(filter, table, sees_hidden, zone)).collect()
}

/// Replaces the `=` after each column by the `.` of the grammar of logic trees. Commas in quotes and parentheses
/// separate no conditions.
fn as_logic_tree(text: &str) -> Option<String> {
    let mut tree = String::with_capacity(text.len());
    let (mut in_value, mut quoted, mut depth) = (false, false, 0);
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' if quoted => {
                tree.push(c);
                tree.push(characters.next()?);
                continue;
            }
            '"' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            ',' if !quoted && depth == 0 => in_value = false,
            '=' if !in_value => {
                in_value = true;
                tree.push('.');
                continue;
            }
            _ => {}
        }
        tree.push(c);
    }
    (in_value && !quoted && depth == 0).then_some(tree)
}

fn test(
    filter: &Filter,
    table: &'static Table,
    sees_hidden: bool,
    zone: &TimeZone,
) -> Result<Test, String> {
    let Filter::Test { field, negated, operator, operand } = filter else {
        return Err("a filter has no and() or or()".into());
    };
    let column = table.column(&field.name, sees_hidden).filter(|_| field.path.is_empty());
    let column = column.ok_or_else(|| format!("column {} does not exist", field.name))?;
    let kind = column.column_type;
    let sql = |text: &String| value::from_text(kind, text, zone).map_err(|error| error.message);
    let comparable = || match kind {
        ColumnType::Json => Err(format!("column {} cannot be compared", column.name)),
        _ => Ok(()),
    };
    let is_text = matches!(kind, ColumnType::Text(_));
    let predicate = match (operator, operand) {
        (Operator::In, Operand::List(values)) => {
            comparable()?;
            Predicate::In(values.iter().map(sql).collect::<Result<_, _>>()?)
        }
        (Operator::Like(None), Operand::Value(pattern)) if is_text => {
            Predicate::Like(Like::parse(&pattern.nfc().collect::<String>(), false)?)
        }
        (Operator::Ilike(None), Operand::Value(pattern)) if is_text => {
            Predicate::Like(Like::parse(&pattern.nfc().collect::<String>(), true)?)
        }
        (Operator::Is, Operand::Value(text)) => match (text.to_lowercase().as_str(), kind) {
            ("null" | "unknown", _) => Predicate::IsNull,
            ("true", ColumnType::Bool) => Predicate::Is(true),
            ("false", ColumnType::Bool) => Predicate::Is(false),
            _ => return Err(format!("invalid filter: is.{text}")),
        },
        (operator, Operand::Value(text)) => {
            comparable()?;
            let matches: fn(Ordering) -> bool = match operator {
                Operator::Eq(None) => Ordering::is_eq,
                Operator::Neq => Ordering::is_ne,
                Operator::Lt(None) => Ordering::is_lt,
                Operator::Lte(None) => Ordering::is_le,
                Operator::Gt(None) => Ordering::is_gt,
                Operator::Gte(None) => Ordering::is_ge,
                Operator::IsDistinct => {
                    let predicate = Predicate::IsDistinct(sql(text)?);
                    return Ok(Test { column, negated: *negated, predicate });
                }
                _ => return Err(format!("the operator on {} is not offered", column.name)),
            };
            Predicate::Compare(matches, sql(text)?)
        }
        _ => return Err(format!("the operator on {} is not offered", column.name)),
    };
    Ok(Test { column, negated: *negated, predicate })
}

impl Test {
    /// Returns whether the test reads the whole text of a cell.
    pub(crate) fn is_pattern(&self) -> bool {
        matches!(self.predicate, Predicate::Like(_))
    }

    /// Returns whether the test holds for a row. As in SQL, a comparison with NULL does not hold, nor does its
    /// negation.
    pub(crate) fn holds<'a>(&self, cell: impl Fn(&Column) -> Cell<'a>) -> bool {
        let cell = cell(self.column);
        let known = match &self.predicate {
            Predicate::IsNull => Some(cell == Cell::Null),
            Predicate::Is(expected) => Some(as_bool(cell) == Some(*expected)),
            Predicate::IsDistinct(value) => Some(compare(cell, value).is_none_or(Ordering::is_ne)),
            Predicate::Compare(matches, value) => compare(cell, value).map(matches),
            Predicate::In(values) => (cell != Cell::Null).then(|| {
                values.iter().any(|value| compare(cell, value).is_some_and(Ordering::is_eq))
            }),
            Predicate::Like(pattern) => text(cell).map(|text| pattern.matches(text)),
        };
        known.is_some_and(|holds| holds != self.negated)
    }
}

fn text(cell: Cell<'_>) -> Option<&str> {
    if let Cell::Text(text) = cell { Some(text) } else { None }
}

fn as_bool(cell: Cell<'_>) -> Option<bool> {
    match cell {
        Cell::Bool(value) => Some(value),
        Cell::Int(number) => Some(number != 0),
        _ => None,
    }
}

/// Compares a cell with a value of its column's type. `None` for NULL.
fn compare(cell: Cell<'_>, value: &Sql) -> Option<Ordering> {
    match (cell, value) {
        (Cell::Text(text), Sql::String(Some(value))) => Some(text.cmp(value.as_str())),
        (Cell::Int(number), Sql::BigInt(Some(value))) => Some(number.cmp(value)),
        (cell, Sql::Bool(Some(value))) => as_bool(cell).map(|cell| cell.cmp(value)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use crate::api::realtime::filter::parse;
    use crate::{db::Cell, schema::TableId};

    fn holds(filter: &str, subject: Cell<'_>) -> bool {
        let tests = parse(filter, TableId::Tickets.table(), true, &TimeZone::UTC).unwrap();
        tests.iter().all(|test| {
            test.holds(|column| match column.name {
                "subject" => subject,
                "status" => Cell::Text("open"),
                _ => Cell::Null,
            })
        })
    }

    #[test]
    fn filter_follows_the_three_valued_logic_of_sql() {
        for (filter, expected) in [
            ("", true),
            ("subject=eq.Guia", true),
            ("subject=eq.guia", false),
            ("subject=neq.Guia", false),
            ("subject=not.eq.Guia", false),
            ("subject=gt.F,subject=lt.H", true),
            ("subject=in.(\"a,b\",Guia)", true),
            ("subject=not.in.(a,b),status=eq.open", true),
            ("subject=like.G%a", true),
            ("subject=like.g%a", false),
            ("subject=ilike.g_I%", true),
            ("subject=is.null", false),
            ("closed_at=is.null", true),
            ("closed_at=not.is.null", false),
            ("closed_at=eq.2026-01-01", false),
            ("closed_at=not.eq.2026-01-01", false),
            ("closed_at=isdistinct.2026-01-01", true),
        ] {
            assert_eq!(holds(filter, Cell::Text("Guia")), expected, "{filter}");
        }
        assert!(holds("subject=eq.\"a \\\"b\\\", (c)\"", Cell::Text("a \"b\", (c)")));
    }

    #[test]
    fn invalid_filter_is_refused() {
        for filter in [
            "subject",
            "subject=eq",
            "=eq.a",
            "nothing=eq.a",
            "user_id=eq.a",
            "subject=match.a",
            "subject=fts.a",
            &format!("subject=like.%{}", "a".repeat(65)),
            "subject=eq.\"a",
            "subject=in.(a",
            "or=(subject.eq.a)",
            "subject->>a=eq.b",
            "subject=eq.a,",
            "created_at=eq.never",
        ] {
            let table = TableId::Tickets.table();
            assert!(parse(filter, table, false, &TimeZone::UTC).is_err(), "{filter}");
        }
    }
}
