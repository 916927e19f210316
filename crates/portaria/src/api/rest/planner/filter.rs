//! Translates filters of the query language to SQL conditions on one table.

use std::borrow::Cow;

use jiff::{Timestamp, tz::TimeZone};
use portaria_query::{Field, Filter, Operand, Operator as Op, Quantifier};
use sea_query::{Alias, Condition, Expr, ExprTrait};

use crate::{
    api::rest::{
        RestError,
        planner::{
            EmbedExists,
            limits::{JSON_CONDITIONS, QueryBudget, QueryCost, SEARCH_CONDITIONS},
            pattern::{json_operand, like_pattern, regex},
            text_search::text_search,
        },
    },
    schema::value,
};
use crate::{
    clock::format_timestamp,
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
    pub(crate) now: Timestamp,
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

    /// Resolves a field: a column, or a text inside a JSON column.
    /// Returns its expression, its type, and whether it is nullable.
    ///
    /// # Errors
    /// 42703 for an unknown column, 42883 for a path into a column that is not JSON, PGRST127 for a path with `->`.
    pub(crate) fn field(&self, field: &Field) -> Result<(Expr, ColumnType, bool), RestError> {
        let column = self.column(&field.name)?;
        if field.path.is_empty() {
            return Ok((self.expr(column), column.column_type, column.nullable));
        }
        if column.column_type != ColumnType::Json {
            return Err(RestError::no_path_into(column));
        }
        if !field.as_text {
            return Err(RestError::unsupported("JSON has no groups and aggregates: use ->>"));
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
                // SQLite finds a partial index by IS NOT NULL, and not by the negation of IS NULL.
                let not_null = Operand::Value("not_null".to_owned());
                let (negated, operand) = match (operator, operand) {
                    (Op::Is, Operand::Value(text))
                        if *negated && text.eq_ignore_ascii_case("null") =>
                    {
                        (false, &not_null)
                    }
                    _ => (*negated, operand),
                };
                let values = match operand {
                    Operand::Value(_) => 1,
                    Operand::List(values) => values.len().max(1),
                };
                let is_search = is_search(operator);
                let json = if is_search { None } else { self.json_column(field)? };
                let conditions = match json {
                    _ if is_search => SEARCH_CONDITIONS,
                    Some(_) => JSON_CONDITIONS,
                    None => 1,
                };
                self.budget.charge(QueryCost { conditions: conditions * values, embeds: 0 })?;
                let test = match (operator, operand) {
                    (Op::TextSearch(syntax, config), Operand::Value(text)) => {
                        let words = self.search_column(field)?;
                        let config = config.as_deref();
                        text_search(&words, self.dialect, *syntax, config, text, self.budget)?
                    }
                    (Op::Contains | Op::Contained, Operand::Value(text)) => {
                        let is_contained = *operator == Op::Contained;
                        Condition::all().add(self.containment(field, text, is_contained)?)
                    }
                    _ => {
                        if let Some(test) = self.state_test(field, operator, operand)? {
                            test
                        } else if let Some(column) = json {
                            self.json_test(column, field, operator, operand)?
                        } else {
                            let (expr, kind, _) = self.field(field)?;
                            self.test(&expr, kind, operator, operand)?
                        }
                    }
                };
                Ok(if negated { test.not() } else { test })
            }
        }
    }

    /// Translates the comparison of a column with some of its [`Column::states`]; `None` for any other test.
    fn state_test(
        &self,
        field: &Field,
        operator: &Op,
        operand: &Operand,
    ) -> Result<Option<Condition>, RestError> {
        let column = self.column(&field.name)?;
        let state = |text: &String| {
            let known = column.states.iter().find(|state| *state == text);
            known.filter(|_| field.path.is_empty()).map(|state| Expr::cust(format!("'{state}'")))
        };
        let expr = self.expr(column);
        let test = match (operator, operand) {
            (Op::Eq(None), Operand::Value(text)) => state(text).map(|state| expr.eq(state)),
            (Op::Neq, Operand::Value(text)) => state(text).map(|state| expr.ne(state)),
            (Op::In, Operand::List(texts)) if !texts.is_empty() => {
                let states: Option<Vec<Expr>> = texts.iter().map(state).collect();
                states.map(|states| expr.is_in(states))
            }
            _ => None,
        };
        Ok(test.map(|test| Condition::all().add(test)))
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
            _ => Err(RestError::undefined_function(format!(
                "operator does not exist: @@ on column {}",
                column.name
            ))),
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
            return Err(RestError::undefined_function(format!(
                "operator does not exist: {operator} on a value that is not JSON"
            )));
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
        if let (Operand::List(values), Op::In) = (operand, operator)
            && !values.is_empty()
        {
            let values: Vec<Expr> =
                values.iter().map(|text| self.value(kind, text)).collect::<Result<_, _>>()?;
            return Ok(Condition::all().add(expr.clone().is_in(values)));
        }
        quantified(operator, operand, |text| self.comparison(expr, kind, operator, text))
    }

    /// Converts the text of a filter to a value. For a time it may be a word, such as `now`.
    fn value(&self, kind: ColumnType, text: &str) -> Result<Expr, RestError> {
        let text = match kind {
            ColumnType::Timestamp(_) => moment(text, self.now, self.zone),
            _ => Cow::Borrowed(text),
        };
        Ok(value::from_text(kind, &text, self.zone)?.into())
    }

    /// Translates a test of one value.
    ///
    /// # Errors
    /// The errors of a value of the type, 42883 for an operator that the type does not have, 42804 and PGRST100 for
    /// `is`, PGRST127 above a limit.
    pub(crate) fn comparison(
        &self,
        expr: &Expr,
        kind: ColumnType,
        operator: &Op,
        text: &str,
    ) -> Result<Expr, RestError> {
        let expr = expr.clone();
        let value = || self.value(kind, text);
        Ok(match operator {
            Op::Eq(_) => expr.eq(value()?),
            Op::Neq => expr.ne(value()?),
            Op::Gt(_) => expr.gt(value()?),
            Op::Gte(_) => expr.gte(value()?),
            Op::Lt(_) => expr.lt(value()?),
            Op::Lte(_) => expr.lte(value()?),
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
            Op::IsDistinct => expr.clone().ne(value()?).or(expr.is_null()),
            Op::In => expr.is_in([value()?]),
            Op::Match(_) => self.dialect.matches(expr, &regex(kind, text, false)?),
            Op::Imatch(_) => self.dialect.matches(expr, &regex(kind, text, true)?),
            Op::Contains | Op::Contained | Op::Overlaps | Op::TextSearch(..) | Op::Other(_) => {
                return Err(RestError::unsupported("no column holds arrays or ranges"));
            }
        })
    }
}

/// Combines the tests of an operand: one, or those of a list by the quantifier. `in` is any of a list.
pub(crate) fn quantified(
    operator: &Op,
    operand: &Operand,
    test: impl Fn(&str) -> Result<Expr, RestError>,
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
    match operand {
        Operand::Value(value) => Ok(Condition::all().add(test(value)?)),
        Operand::List(values) => {
            let start = match quantifier {
                Some(Quantifier::All) => Condition::all(),
                Some(Quantifier::Any) | None => Condition::any().add(Expr::cust("1 = 0")),
            };
            values.iter().try_fold(start, |tests, value| Ok(tests.add(test(value)?)))
        }
    }
}

/// Replaces a word of PostgreSQL by its time or date. A date is the day in the portal's zone.
fn moment<'t>(text: &'t str, now: Timestamp, zone: &TimeZone) -> Cow<'t, str> {
    let today = now.to_zoned(zone.clone()).date();
    let day = match text.trim().to_ascii_lowercase().as_str() {
        "now" | "now()" => return format_timestamp(now).into(),
        "today" => Ok(today),
        "yesterday" => today.yesterday(),
        "tomorrow" => today.tomorrow(),
        _ => return text.into(),
    };
    day.map_or(text.into(), |day| day.to_string().into())
}

/// Whether the time of a test grows with the length of the row's text or JSON.
fn is_search(operator: &Op) -> bool {
    matches!(
        operator,
        Op::Match(_) | Op::Imatch(_) | Op::Contains | Op::Contained | Op::TextSearch(..)
    )
}
