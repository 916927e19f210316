//! Translates filters of the query language to SQL conditions on one table.

use jiff::tz::TimeZone;
use portaria_query::{Field, Filter, Operand, Operator as Op, Quantifier};
use sea_query::{Alias, Condition, Expr, ExprTrait};

use crate::{
    api::rest::{
        RestError,
        planner::{
            EmbedExists,
            limits::{QueryBudget, QueryCost, SEARCH_CONDITIONS},
            pattern::{json_operand, like_pattern, regex},
            text_search::text_search,
        },
    },
    schema::value,
};
use crate::{
    db::dialect::Dialect,
    schema::{Column, ColumnType, Table},
};

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
                let values = match operand {
                    Operand::Value(_) => 1,
                    Operand::List(values) => values.len().max(1),
                };
                let conditions = if is_search(operator) { SEARCH_CONDITIONS } else { 1 };
                self.budget.charge(QueryCost { conditions: conditions * values, embeds: 0 })?;
                let test = match (operator, operand) {
                    (Op::TextSearch(syntax, config), Operand::Value(text)) => {
                        let words = self.search_column(field)?;
                        text_search(&words, self.dialect, *syntax, config.as_deref(), text)?
                    }
                    (Op::Contains | Op::Contained, Operand::Value(text)) => {
                        let is_contained = *operator == Op::Contained;
                        Condition::all().add(self.containment(field, text, is_contained)?)
                    }
                    _ => {
                        let (expr, kind, _) = self.field(field)?;
                        self.test(&expr, kind, operator, operand)?
                    }
                };
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

    /// Returns the companion column of a searched column.
    ///
    /// # Errors
    /// 42703 for an unknown column, 42883 for one that is not text, PGRST127 for one without words.
    fn search_column(&self, field: &Field) -> Result<Expr, RestError> {
        let column = self.column(&field.name)?;
        match (column.words, column.column_type) {
            (Some(words), _) if field.path.is_empty() => {
                Ok(Expr::col((Alias::new(self.alias), Alias::new(words))))
            }
            (_, ColumnType::Text(_) | ColumnType::Json) => {
                let refusal = format!("the text search of column {}", column.name);
                Err(RestError::unsupported(refusal))
            }
            _ => Err(RestError::bad_request(
                "42883",
                format!("operator does not exist: @@ on column {}", column.name),
            )),
        }
    }

    /// Translates `cs` and `cd`: whether JSON contains other JSON, or is contained in it.
    fn containment(
        &self,
        field: &Field,
        text: &str,
        is_contained: bool,
    ) -> Result<Expr, RestError> {
        let column = self.column(&field.name)?;
        if column.column_type != ColumnType::Json || field.as_text {
            let operator = if is_contained { "<@" } else { "@>" };
            return Err(RestError::bad_request(
                "42883",
                format!("operator does not exist: {operator} on a value that is not JSON"),
            ));
        }
        let operand = json_operand(text)?;
        Ok(self.dialect.json_contains(self.expr(column), &field.path, &operand, is_contained))
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
            | Op::Ilike(q)
            | Op::Match(q)
            | Op::Imatch(q) => *q,
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
            Op::Like(_) => self.dialect.like(expr, &like_pattern(kind, text)?),
            Op::Ilike(_) => self.dialect.ilike(expr, &like_pattern(kind, text)?),
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
            Op::Match(_) => self.dialect.matches(expr, &regex(kind, text, false)?),
            Op::Imatch(_) => self.dialect.matches(expr, &regex(kind, text, true)?),
            Op::Contains | Op::Contained | Op::Overlaps | Op::TextSearch(..) | Op::Other(_) => {
                return Err(RestError::unsupported("no column holds arrays or ranges"));
            }
        })
    }
}

/// Whether the time of a test grows with the length of the row's text or JSON.
fn is_search(operator: &Op) -> bool {
    matches!(
        operator,
        Op::Match(_) | Op::Imatch(_) | Op::Contains | Op::Contained | Op::TextSearch(..)
    )
}
