//! The text of a statement.

use std::fmt::{self, Display, Write};

use sea_query::{QueryBuilder, SqlWriter, Value, Values};

use crate::dialect::IN_ROWS;

/// Collects the text of a statement and its values. LIMIT and OFFSET are part of the text: plans are made without the
/// values of the parameters (see [`super::Session`]), and the planner takes an unknown limit for a tenth of all rows.
#[derive(Default)]
pub(crate) struct StatementText {
    text: String,
    values: Vec<Value>,
}

impl StatementText {
    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Returns the text, with the rows of [`in_rows`](crate::dialect::in_rows) as arrays, and the values.
    pub(crate) fn into_parts(self) -> (String, Values) {
        let mut text = self.text;
        while let Some(at) = text.find(IN_ROWS) {
            let end = end_of_parentheses(&text, at + IN_ROWS.len());
            text.insert(end, ')');
            text.replace_range(at..at + IN_ROWS.len(), "= ANY (ARRAY");
        }
        (text, Values(self.values))
    }
}

impl Write for StatementText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.text.write_str(text)
    }
}

impl Display for StatementText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl SqlWriter for StatementText {
    fn push_param<T: QueryBuilder>(&mut self, value: Value, _: &T) {
        let is_window = ["LIMIT ", "OFFSET "].iter().any(|word| self.text.ends_with(word));
        let written = match value {
            Value::BigUnsigned(Some(rows)) if is_window => write!(self.text, "{rows}"),
            value => {
                self.values.push(value);
                write!(self.text, "${}", self.values.len())
            }
        };
        written.expect("a string accepts all texts");
    }

    fn as_writer(&mut self) -> &mut dyn Write {
        self
    }
}

/// Returns the place behind the parentheses that open at or after `from`. The text has no parentheses in literals: all
/// values are parameters.
fn end_of_parentheses(text: &str, from: usize) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate().skip(from) {
        match byte {
            b'(' => depth += 1,
            b')' if depth <= 1 => return at + 1,
            b')' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use sea_query::{Expr, ExprTrait, PostgresQueryBuilder, Query};

    use super::*;
    use crate::dialect::in_rows;

    #[test]
    fn rows_of_a_condition_become_an_array() {
        let mut rows = Query::select();
        rows.column("id").from("a").and_where(Expr::col("b").eq(1).or(Expr::col("b").is_null()));
        let mut query = Query::select();
        query.column("c").from("d").and_where(in_rows(Expr::col("c"), rows.take()));
        query.and_where(Expr::col("e").eq(2));
        let mut sql = StatementText::default();
        query.build_collect_into(PostgresQueryBuilder, &mut sql);
        let (text, values) = sql.into_parts();
        let array = r#""c" = ANY (ARRAY (SELECT "id" FROM "a" WHERE "b" = $1 OR "b" IS NULL))"#;
        assert!(text.contains(array), "{text}");
        assert!(text.ends_with(r#" AND "e" = $2"#), "{text}");
        assert_eq!(values.0, [1.into(), 2.into()]);
    }

    #[test]
    fn limit_and_offset_are_text_and_other_values_are_parameters() {
        let mut query = Query::select();
        query.column("id").from("folders").and_where(Expr::col("size").gt(7_u64));
        query.limit(20).offset(40);
        let mut sql = StatementText::default();
        query.build_collect_into(PostgresQueryBuilder, &mut sql);
        let (text, values) = sql.into_parts();
        assert_eq!(text, r#"SELECT "id" FROM "folders" WHERE "size" > $1 LIMIT 20 OFFSET 40"#);
        assert_eq!(values.0, [7_u64.into()]);
    }
}
