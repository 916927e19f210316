//! The text of a statement.

use std::fmt::{self, Display, Write};

use sea_query::{QueryBuilder, SqlWriter, Value, Values};

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

    pub(crate) fn into_parts(self) -> (String, Values) {
        (self.text, Values(self.values))
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

#[cfg(test)]
mod tests {
    use sea_query::{ExprTrait, PostgresQueryBuilder, Query};

    use super::*;

    #[test]
    fn limit_and_offset_are_text_and_other_values_are_parameters() {
        let mut query = Query::select();
        query.column("id").from("folders").and_where(sea_query::Expr::col("size").gt(7_u64));
        query.limit(20).offset(40);
        let mut sql = StatementText::default();
        query.build_collect_into(PostgresQueryBuilder, &mut sql);
        let (text, values) = sql.into_parts();
        assert_eq!(text, r#"SELECT "id" FROM "folders" WHERE "size" > $1 LIMIT 20 OFFSET 40"#);
        assert_eq!(values.0, [7_u64.into()]);
    }
}
