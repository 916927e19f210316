//! Look-ups in the full-text indexes of stored words: FTS5 on `SQLite`, GIN on PostgreSQL. A table with indexed words has
//! them in columns of words between spaces; migrations create the indexes.

use std::fmt::Write;

use sea_query::{
    Alias, CommonTableExpression, Expr, ExprTrait, JoinType, Query, SelectStatement, WithClause,
};

use crate::dialect::Dialect;

/// A condition on the words of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WordQuery {
    /// The text contains this word.
    Word(String),
    /// The text contains a word that begins with this one.
    Prefix(String),
    /// All conditions hold.
    All(Vec<WordQuery>),
    /// One of the conditions holds.
    Any(Vec<WordQuery>),
}

/// The symbols of a full-text query.
struct Syntax {
    quote: char,
    prefix: &'static str,
    all: &'static str,
    any: &'static str,
}

const FTS5: Syntax = Syntax { quote: '"', prefix: "*", all: " AND ", any: " OR " };
const TSQUERY: Syntax = Syntax { quote: '\'', prefix: ":*", all: " & ", any: " | " };

impl WordQuery {
    fn write(&self, syntax: &Syntax, out: &mut String) {
        let (queries, separator) = match self {
            Self::Word(word) | Self::Prefix(word) => {
                let suffix = if matches!(self, Self::Prefix(_)) { syntax.prefix } else { "" };
                let _ = write!(out, "{0}{word}{0}{suffix}", syntax.quote);
                return;
            }
            Self::All(queries) => (queries, syntax.all),
            Self::Any(queries) => (queries, syntax.any),
        };
        out.push('(');
        for (number, query) in queries.iter().enumerate() {
            if number > 0 {
                out.push_str(separator);
            }
            query.write(syntax, out);
        }
        out.push(')');
    }

    /// Selects the keys of at most `limit` rows of `table` whose column `words` meets the query. Its words consist of
    /// letters and digits, and its lists are not empty. Its time depends on the number of rows that meet the query.
    #[must_use]
    pub fn select(
        &self,
        dialect: Dialect,
        table: &'static str,
        key: &'static str,
        words: &'static str,
        limit: u64,
    ) -> SelectStatement {
        let mut text = String::new();
        let mut select = Query::select();
        if dialect == Dialect::Sqlite {
            self.write(&FTS5, &mut text);
            let index = format!("{table}_search");
            let row = |table: &str| Expr::col((Alias::new(table), Alias::new("rowid")));
            // CROSS JOIN keeps the order of the tables (https://www.sqlite.org/optoverview.html).
            return select
                .column((table, key))
                .from(Alias::new(&index))
                .join(JoinType::CrossJoin, table, row(table).eq(row(&index)))
                .and_where(Expr::cust_with_values(
                    format!("{index} MATCH ?"),
                    [format!("{{{words}}} : {text}")],
                ))
                .limit(limit)
                .take();
        }
        self.write(&TSQUERY, &mut text);
        // The expression of the index, letter by letter.
        let vector = format!("array_to_tsvector(string_to_array(btrim({words}), ' '))");
        let mut found = Query::select();
        found.column(key).from(table);
        found.and_where(Expr::cust_with_values(format!("{vector} @@ ($1::text)::tsquery"), [text]));
        // Without the limit inside, because the planner would expect to find so few rows soon in a scan of the table.
        let mut hits = CommonTableExpression::new();
        hits.query(found).table_name("hits").materialized(true);
        let mut with = WithClause::new();
        with.cte(hits);
        select.column(key).from("hits").limit(limit).with_cte(with).take()
    }
}

#[cfg(test)]
mod tests {
    use crate::word_index::{FTS5, TSQUERY, WordQuery};

    #[test]
    fn query_is_written_in_both_syntaxes() {
        let word = |word: &str| WordQuery::Word(word.into());
        let query = WordQuery::All(vec![
            word("das"),
            WordQuery::Any(vec![word("2026"), WordQuery::Prefix("compet".into())]),
        ]);
        for (syntax, expected) in [
            (FTS5, "(\"das\" AND (\"2026\" OR \"compet\"*))"),
            (TSQUERY, "('das' & ('2026' | 'compet':*))"),
        ] {
            let mut text = String::new();
            query.write(&syntax, &mut text);
            assert_eq!(text, expected);
        }
    }
}
