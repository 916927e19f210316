//! Aggregate functions: `count()`, `sum()`, `avg()`, `min()` and `max()`. The other selected values are the keys of the
//! groups, as in PostgREST.
//!
//! Sums and averages are decimal numbers. The database returns their digits as text, because no other form is equal on
//! both databases.

use portaria_query::{Aggregate, AggregateFunction as Function, Column, SelectItem};
use sea_query::{Alias, Expr, ExprTrait, Func, NullOrdering, Order};

use crate::api::rest::{
    RestError,
    planner::{
        Planner, SelectBuilder, cast::Cast, cell_alias, filter::FilterScope, order::SortKey,
        plan::OutputField, relation::find_relation, select_list::SelectedColumns,
    },
};
use crate::schema::{self, ColumnType, Table};

/// The type of sums and averages: their digits.
const DIGITS: ColumnType = ColumnType::Text(usize::MAX);

/// Maximum length of the texts of a column in a grouped list. `SQLite` keeps the values of all rows in memory to form
/// the groups, before the limits of the answer apply.
const MAX_GROUPED_TEXT: usize = 1_024;

/// Checks that a column may be in a grouped list.
///
/// # Errors
/// PGRST127 for a column of long texts.
pub(crate) fn check_grouped(column: &schema::Column) -> Result<(), RestError> {
    match column.column_type {
        ColumnType::Text(max) if max > MAX_GROUPED_TEXT => Err(RestError::unsupported(format!(
            "a grouped list has no column of long texts such as {}",
            column.name
        ))),
        _ => Ok(()),
    }
}

/// The groups of a statement.
#[derive(Debug, Default)]
pub(crate) struct Grouping {
    /// The keys: cell, and the column by which a request can sort it.
    keys: Vec<(usize, Expr)>,
    /// The cells of counts.
    counts: Vec<usize>,
}

impl Grouping {
    pub(crate) fn add(&mut self, cell: usize, source: Expr) {
        self.keys.push((cell, source));
    }

    /// Returns the keys by their aliases. PostgreSQL does not recognize a repeated expression with parameters.
    pub(crate) fn columns(&self) -> impl Iterator<Item = Expr> {
        self.keys.iter().map(|(cell, _)| Expr::col(cell_alias(*cell)))
    }

    /// Returns the cells of the counts if the parent of an embed is its only key. A parent without rows has a group
    /// then.
    pub(crate) fn counts_of_no_rows(&self) -> Option<&[usize]> {
        (self.keys.len() == 1).then_some(self.counts.as_slice())
    }

    /// Finds the key that a request sorts by.
    ///
    /// # Errors
    /// 42803 for a column that is no key.
    pub(crate) fn key(&self, source: &Expr, name: &str) -> Result<Expr, RestError> {
        let key = self.keys.iter().find(|(_, known)| known == source);
        key.map(|(cell, _)| Expr::col(cell_alias(*cell))).ok_or_else(|| {
            let message = format!(
                "column \"{name}\" must appear in the GROUP BY clause or be used in an aggregate function"
            );
            RestError::bad_request("42803", message)
        })
    }

    /// Returns the order of the keys, which makes any order total.
    pub(crate) fn order(&self) -> impl Iterator<Item = SortKey> {
        self.columns().map(|key| (key, Order::Asc, Some(NullOrdering::Last)))
    }
}

impl SelectBuilder {
    /// Adds an aggregate to the statement and returns its index.
    fn add_aggregate(&mut self, value: Expr, is_count: bool) -> Result<usize, RestError> {
        let cell = self.add_cell(value)?;
        if let Some(grouping) = self.grouping.as_mut().filter(|_| is_count) {
            grouping.counts.push(cell);
        }
        Ok(cell)
    }
}

impl Planner<'_> {
    /// Whether a list, or a to-one spread in it, has aggregate functions.
    ///
    /// # Errors
    /// PGRST200 and PGRST201 for an unknown or ambiguous relation.
    pub(crate) fn is_grouped(
        &self,
        table: &'static Table,
        items: &[SelectItem],
    ) -> Result<bool, RestError> {
        for item in items {
            let is_grouped = match item {
                SelectItem::Count { .. } => true,
                SelectItem::Column(column) => column.aggregate.is_some(),
                SelectItem::Embed(embed) if embed.spread => {
                    let (relation, to_one) = find_relation(self.caller, table, embed)?;
                    to_one && self.is_grouped(relation.parent.table(), &embed.query.select)?
                }
                SelectItem::Embed(_) | SelectItem::All => false,
            };
            if is_grouped {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl FilterScope<'_> {
    /// Adds a column as a key of the groups.
    ///
    /// # Errors
    /// PGRST127 for a value that the database cannot compare, for a column of long texts, or for a cast that makes
    /// different values equal.
    pub(crate) fn group_key(
        &self,
        builder: &mut SelectBuilder,
        columns: &mut SelectedColumns,
        selected: &Column,
        key: String,
        cast: Option<Cast>,
    ) -> Result<OutputField, RestError> {
        let column = self.column(&selected.field.name)?;
        check_grouped(column)?;
        let (source, mut kind, _) = self.field(&selected.field)?;
        let (mut value, mut cast) = (source.clone(), cast);
        match cast {
            Some(Cast::Date) => {
                let date = Func::cust("substr").arg(source.clone()).arg(1).arg(10);
                (value, kind, cast) = (date.into(), DIGITS, None);
            }
            Some(Cast::Bool) => {
                return Err(RestError::unsupported("rows are not grouped by a cast to boolean"));
            }
            _ => {}
        }
        let add = |value| builder.add_key(value, source);
        let cell = columns.add(column.name, value, add)?;
        Ok(OutputField::Cell { key, cell, kind, field: None, cast })
    }

    /// Adds an aggregate of a column.
    ///
    /// # Errors
    /// 42883 for a type without such an aggregate, PGRST127 for a column of long texts and for a cast that could fail.
    pub(crate) fn aggregate(
        &self,
        builder: &mut SelectBuilder,
        columns: &mut SelectedColumns,
        selected: &Column,
        aggregate: &Aggregate,
    ) -> Result<OutputField, RestError> {
        let column = self.column(&selected.field.name)?;
        check_grouped(column)?;
        let (value, kind, _) = self.field(&selected.field)?;
        let (value, kind) = match selected.cast.as_deref() {
            None => (value, kind),
            Some(name) => match Cast::parse(name, kind, column.name)? {
                Cast::Same => (value, kind),
                Cast::Text if matches!(kind, ColumnType::Text(_)) => (value, kind),
                Cast::Int => (value.cast_as("integer"), ColumnType::Int),
                _ => {
                    let feature = format!("an aggregate of {} as {name}", column.name);
                    return Err(RestError::unsupported(feature));
                }
            },
        };
        let function = aggregate.function;
        let name = format!("{function:?}").to_lowercase();
        let is_number = kind == ColumnType::Int;
        let is_sorted = !matches!(kind, ColumnType::Bool | ColumnType::Json);
        let (value, kind) = match function {
            Function::Count => (value.count(), ColumnType::Int),
            Function::Sum if is_number => (self.dialect.sum(value), DIGITS),
            Function::Avg if is_number => (self.dialect.average(value), DIGITS),
            Function::Min if is_sorted => (value.min(), kind),
            Function::Max if is_sorted => (value.max(), kind),
            Function::Sum | Function::Avg | Function::Min | Function::Max => {
                let message = format!("function {name} does not exist for column {}", column.name);
                return Err(RestError::undefined_function(message));
            }
        };
        let cast = match (aggregate.cast.as_deref(), function) {
            (cast, Function::Sum | Function::Avg) => Some(Cast::parse_of_digits(cast, &name)?),
            (cast, _) => cast.map(|cast| Cast::parse(cast, kind, &name)).transpose()?,
        };
        let is_count = function == Function::Count;
        let cell =
            columns.add(column.name, value, |value| builder.add_aggregate(value, is_count))?;
        let key = selected.alias.clone().unwrap_or(name);
        Ok(OutputField::Cell { key, cell, kind, field: None, cast })
    }

    /// Adds a count of rows. In a spread embed it counts the rows that the embed found.
    ///
    /// # Errors
    /// PGRST127 for a cast that could fail.
    pub(crate) fn count(
        &self,
        builder: &mut SelectBuilder,
        columns: &mut SelectedColumns,
        key: Option<&str>,
        cast: Option<&str>,
    ) -> Result<OutputField, RestError> {
        let value = if self.alias == builder.alias {
            Expr::cust("count(*)")
        } else {
            Expr::col((Alias::new(self.alias), Alias::new(self.table.key))).count()
        };
        let cell = columns.add("count", value, |value| builder.add_aggregate(value, true))?;
        let (key, kind) = (key.unwrap_or("count").to_owned(), ColumnType::Int);
        let cast = cast.map(|cast| Cast::parse(cast, kind, "count")).transpose()?;
        Ok(OutputField::Cell { key, cell, kind, field: None, cast })
    }
}
