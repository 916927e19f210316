//! Translates filters of the query language to SQL conditions on one table.

use jiff::tz::TimeZone;
use portaria_query::{Field, Filter, Operand, Operator as Op, Quantifier};
use sea_query::{Alias, Condition, Expr, ExprTrait};
use unicode_normalization::UnicodeNormalization;

use crate::{
    api::rest::{
        RestError,
        planner::{
            EmbedExists,
            limits::{QueryBudget, QueryCost},
        },
    },
    schema::value,
};
use crate::{
    db::dialect::Dialect,
    schema::{Column, ColumnType, Table},
};

/// Maximum length of a pattern, in characters, and maximum number of its wildcards. The time of a match grows steeply
/// with both, and one request could otherwise occupy a core.
const MAX_PATTERN: (usize, usize) = (256, 8);

/// The scope in which filters are resolved: a table under its alias in the statement, with the columns that exist for
/// the caller.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FilterScope<'a> {
    pub(crate) table: &'static Table,
    pub(crate) alias: &'a str,
    /// The embeds of the node, which a filter may name.
    pub(crate) embeds: &'a [EmbedExists],
    pub(crate) sees_hidden: bool,
    pub(crate) dialect: Dialect,
    pub(crate) zone: &'a TimeZone,
    pub(crate) budget: &'a QueryBudget,
}

impl FilterScope<'_> {
    /// Finds a column by its name.
    ///
    /// # Errors
    /// 42703 for a column that does not exist for the caller.
    pub(crate) fn column(&self, name: &str) -> Result<&'static Column, RestError> {
        self.table
            .column(name, self.sees_hidden)
            .ok_or_else(|| RestError::unknown_column(self.table, name))
    }

    /// Returns the column as an expression of the statement.
    pub(crate) fn expr(&self, column: &Column) -> Expr {
        Expr::col((Alias::new(self.alias), Alias::new(column.name)))
    }

    /// Resolves a field to compare or sort by: a column, or a text inside a JSON column.
    /// Returns its expression, its type, and whether it is nullable.
    ///
    /// # Errors
    /// 42703 for an unknown column, 42883 for a path into a column that is not JSON, PGRST127 for a comparison of JSON.
    pub(crate) fn field(&self, field: &Field) -> Result<(Expr, ColumnType, bool), RestError> {
        let column = self.column(&field.name)?;
        if field.path.is_empty() {
            return Ok((self.expr(column), column.column_type, column.nullable));
        }
        if column.column_type != ColumnType::Json {
            return Err(RestError::bad_request(
                "42883",
                format!("operator does not exist: -> on column {}", column.name),
            ));
        }
        if !field.as_text {
            return Err(RestError::unsupported("JSON is compared as text: use ->>"));
        }
        Ok((
            self.dialect.json_text(self.expr(column), &field.path),
            ColumnType::Text(usize::MAX),
            true,
        ))
    }

    /// Translates filters, all of which must hold.
    pub(crate) fn conditions(&self, filters: &[Filter]) -> Result<Condition, RestError> {
        filters
            .iter()
            .try_fold(Condition::all(), |all, filter| Ok(all.add(self.condition(filter)?)))
    }

    fn condition(&self, filter: &Filter) -> Result<Condition, RestError> {
        match filter {
            Filter::Tree { negated, any, filters } => {
                let mut tree = if *any { Condition::any() } else { Condition::all() };
                for filter in filters {
                    tree = tree.add(self.condition(filter)?);
                }
                Ok(if *negated { tree.not() } else { tree })
            }
            Filter::Test { field, negated, operator, operand } => {
                if let Some(embed) = self.find_embed(field) {
                    let Op::Is = operator else {
                        return Err(RestError::bad_embed_operator(&field.name));
                    };
                    let missing = match operand {
                        Operand::Value(text) if text.eq_ignore_ascii_case("null") => !negated,
                        Operand::Value(text) if text.eq_ignore_ascii_case("not_null") => *negated,
                        _ => return Err(RestError::bad_embed_operator(&field.name)),
                    };
                    self.budget.charge(embed.cost)?;
                    let exists = Condition::all().add(Expr::exists(embed.exists.clone()));
                    return Ok(if missing { exists.not() } else { exists });
                }
                let conditions = match operand {
                    Operand::Value(_) => 1,
                    Operand::List(values) => values.len().max(1),
                };
                self.budget.charge(QueryCost { conditions, embeds: 0 })?;
                let (expr, kind, _) = self.field(field)?;
                let test = self.test(&expr, kind, operator, operand)?;
                Ok(if *negated { test.not() } else { test })
            }
        }
    }

    /// Finds the embed that a filter names instead of a column (`relation=is.null`). A column of the same name wins.
    fn find_embed(&self, field: &Field) -> Option<&EmbedExists> {
        let is_column = self.table.column(&field.name, self.sees_hidden).is_some();
        let embed = self.embeds.iter().find(|embed| embed.key == field.name);
        embed.filter(|_| !is_column && field.path.is_empty())
    }

    fn test(
        &self,
        expr: &Expr,
        kind: ColumnType,
        operator: &Op,
        operand: &Operand,
    ) -> Result<Condition, RestError> {
        let quantifier = match operator {
            Op::Eq(q)
            | Op::Gt(q)
            | Op::Gte(q)
            | Op::Lt(q)
            | Op::Lte(q)
            | Op::Like(q)
            | Op::Ilike(q) => *q,
            _ => None,
        };
        match (operand, quantifier) {
            (Operand::List(values), Some(quantifier)) => {
                let start = match quantifier {
                    Quantifier::Any => Condition::any().add(Expr::cust("1 = 0")),
                    Quantifier::All => Condition::all(),
                };
                values.iter().try_fold(start, |all, value| {
                    Ok(all.add(self.comparison(expr, kind, operator, value)?))
                })
            }
            (Operand::List(values), None) => {
                if values.is_empty() {
                    return Ok(Condition::all().add(Expr::cust("1 = 0")));
                }
                let values: Vec<Expr> = values
                    .iter()
                    .map(|text| value::from_text(kind, text, self.zone).map(Expr::from))
                    .collect::<Result<_, _>>()?;
                Ok(Condition::all().add(expr.clone().is_in(values)))
            }
            (Operand::Value(text), _) => {
                Ok(Condition::all().add(self.comparison(expr, kind, operator, text)?))
            }
        }
    }

    fn comparison(
        &self,
        expr: &Expr,
        kind: ColumnType,
        operator: &Op,
        text: &str,
    ) -> Result<Expr, RestError> {
        let expr = expr.clone();
        let value = || value::from_text(kind, text, self.zone).map(Expr::from);
        let require_comparable = || {
            if kind == ColumnType::Json {
                Err(RestError::bad_request("42883", "operator does not exist for type json"))
            } else {
                Ok(())
            }
        };
        Ok(match operator {
            Op::Eq(_) => require_comparable().and_then(|()| Ok(expr.eq(value()?)))?,
            Op::Neq => require_comparable().and_then(|()| Ok(expr.ne(value()?)))?,
            Op::Gt(_) => require_comparable().and_then(|()| Ok(expr.gt(value()?)))?,
            Op::Gte(_) => require_comparable().and_then(|()| Ok(expr.gte(value()?)))?,
            Op::Lt(_) => require_comparable().and_then(|()| Ok(expr.lt(value()?)))?,
            Op::Lte(_) => require_comparable().and_then(|()| Ok(expr.lte(value()?)))?,
            Op::Like(_) => self.dialect.like(expr, &pattern(kind, text)?),
            Op::Ilike(_) => self.dialect.ilike(expr, &pattern(kind, text)?),
            Op::Is => match text.to_lowercase().as_str() {
                "null" => expr.is_null(),
                "not_null" => expr.is_not_null(),
                "true" if kind == ColumnType::Bool => expr.eq(true),
                "false" if kind == ColumnType::Bool => expr.eq(false),
                "unknown" if kind == ColumnType::Bool => expr.is_null(),
                "true" | "false" | "unknown" => {
                    return Err(RestError::bad_request(
                        "42804",
                        "argument of IS must be type boolean",
                    ));
                }
                _ => {
                    return Err(RestError::bad_request(
                        "PGRST100",
                        format!("\"failed to parse filter (is.{text})\" (line 1, column 4)"),
                    )
                    .details("unexpected value expecting null, not_null, true, false or unknown"));
                }
            },
            Op::IsDistinct => {
                require_comparable()?;
                expr.clone().ne(value()?).or(expr.is_null())
            }
            Op::In => expr.is_in([value()?]),
            Op::Match(_) | Op::Imatch(_) => {
                return Err(RestError::unsupported("regular expressions are switched off"));
            }
            Op::Contains | Op::Contained | Op::Overlaps | Op::Other(_) => {
                return Err(RestError::unsupported(
                    "no column holds arrays, ranges or text search vectors",
                ));
            }
        })
    }
}

/// Builds a LIKE pattern: `*` is an alias of `%` in the query language.
///
/// # Errors
/// 42883 for a column that is not text, PGRST127 for a pattern above the limits, 22025 for a trailing backslash.
fn pattern(kind: ColumnType, text: &str) -> Result<String, RestError> {
    if !matches!(kind, ColumnType::Text(_)) {
        return Err(RestError::bad_request(
            "42883",
            "operator does not exist: LIKE on a column that holds no text",
        ));
    }
    // The form of stored text (`schema/value.rs`).
    let pattern: String = text.nfc().map(|c| if c == '*' { '%' } else { c }).collect();
    let (length, wildcards) = MAX_PATTERN;
    if pattern.chars().count() > length || pattern.matches('%').count() > wildcards {
        return Err(RestError::unsupported(format!(
            "a pattern has at most {length} characters and {wildcards} wildcards"
        )));
    }
    // PostgreSQL reports this error only if a text matches up to the backslash; here it does not depend on the rows.
    if pattern.chars().rev().take_while(|c| *c == '\\').count() % 2 == 1 {
        return Err(RestError::bad_request(
            "22025",
            "LIKE pattern must not end with escape character",
        ));
    }
    Ok(pattern)
}
