//! A plan: the statements of a request, and the mapping of their cells to the answer.

use sea_query::{Alias, Expr, ExprTrait, Order, Query, SelectStatement};

use crate::api::rest::{
    RestError,
    planner::{cast::Cast, json_field::JsonField, limits::MAX_EMBEDDED_ROWS},
};
use crate::{
    db::Rows,
    schema::{ColumnType, Table},
};

/// A statement that the caller may execute, and the mapping of its cells to the answer.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) statement: SelectStatement,
    /// The number of columns of the statement.
    pub(crate) columns: usize,
    /// The statement that counts the rows without limit and offset.
    pub(crate) count: SelectStatement,
    pub(crate) shape: OutputShape,
    /// Whether the rows are groups.
    pub(crate) is_grouped: bool,
    /// The to-many embeds, to be executed after `statement`.
    pub(crate) to_many: Vec<ToManyEmbed>,
    pub(crate) offset: u64,
    pub(crate) limit: Option<u64>,
    /// Whether only the number of rows is of interest, and follows from the count.
    pub(crate) is_row_count: bool,
}

/// The fields of one JSON object, in order.
pub(crate) type OutputShape = Vec<OutputField>;

/// The source of one field of the answer.
#[derive(Debug)]
pub(crate) enum OutputField {
    /// A cell of the row, or a value inside its JSON if there is a `field`.
    Cell {
        key: String,
        cell: usize,
        kind: ColumnType,
        field: Option<JsonField>,
        cast: Option<Cast>,
    },
    /// A to-one embed: a joined row, or `null` if the cell `present` is NULL. The fields of a spread embed are fields
    /// of its parent.
    ToOne { key: String, present: usize, shape: OutputShape },
    /// A to-many embed: the rows of [`Plan::to_many`] at index `many` that refer to this row's cell `parent`. If the
    /// embed is spread, the values of its field at index `place`; otherwise `place` is 0.
    ToMany { key: String, parent: usize, many: usize, place: usize },
}

impl OutputField {
    /// Checks that the casts of values inside JSON can convert the values of all rows.
    ///
    /// # Errors
    /// 22P02, 22003 or 22007.
    pub(crate) fn check_casts(&self, rows: &Rows) -> Result<(), RestError> {
        match self {
            Self::Cell { cell, field: Some(field), .. } if field.cast.is_some() => {
                rows.iter().try_for_each(|row| field.read(row.cell(*cell)).map(drop))
            }
            Self::ToOne { shape, .. } => shape.iter().try_for_each(|field| field.check_casts(rows)),
            Self::Cell { .. } | Self::ToMany { .. } => Ok(()),
        }
    }

    /// Returns the key in the answer.
    pub(crate) fn key(&self) -> &str {
        match self {
            Self::Cell { key, .. } | Self::ToOne { key, .. } | Self::ToMany { key, .. } => key,
        }
    }
}

/// A to-many embed: one statement for all parents of the answer.
#[derive(Debug)]
pub(crate) struct ToManyEmbed {
    /// The statement without the condition on the parents' keys. Its first cell is the parent's key.
    pub(crate) rows: SelectStatement,
    /// Alias and column of the parent's key.
    pub(crate) key: (String, &'static str),
    /// Offset and limit per parent.
    pub(crate) window: Option<(u64, Option<u64>)>,
    /// Whether the answer has an array of values per field instead of an array of objects.
    pub(crate) is_spread: bool,
    /// The cells of the counts, if a parent without rows has one group, in which every count is 0.
    pub(crate) empty_group: Option<Vec<usize>>,
    /// Whether the limits of rows apply.
    pub(crate) is_bounded: bool,
    pub(crate) shape: OutputShape,
    pub(crate) nested: Vec<ToManyEmbed>,
}

impl Plan {
    /// Restricts the rows, and their count, to those with these keys.
    pub(crate) fn restrict(&mut self, table: &Table, keys: &[String]) {
        let key = Expr::col((Alias::new(table.name), Alias::new(table.key)));
        let is_one = key.is_in(keys.iter().map(String::as_str));
        self.statement.and_where(is_one.clone());
        self.count.and_where(is_one);
    }

    /// Checks that the casts of values inside JSON can convert the values of all rows.
    ///
    /// # Errors
    /// Like [`OutputField::check_casts`].
    pub(crate) fn check_casts(&self, rows: &Rows) -> Result<(), RestError> {
        self.shape.iter().try_for_each(|field| field.check_casts(rows))
    }

    /// Leaves only the number of rows, for a `HEAD` request.
    pub(crate) fn keep_row_count(&mut self) {
        // The groups refer to the selected keys.
        if !self.is_grouped {
            self.statement.clear_selects().expr(Expr::cust("1"));
            self.columns = 1;
            self.is_row_count = true;
        }
        self.shape.clear();
        self.to_many.clear();
    }
}

impl ToManyEmbed {
    /// Checks the number of the embed's rows in an answer.
    ///
    /// # Errors
    /// `answer_too_large`.
    pub(crate) fn check_rows(&self, rows: usize) -> Result<(), RestError> {
        if self.is_bounded && rows > MAX_EMBEDDED_ROWS {
            let limit = format!("An embed has at most {MAX_EMBEDDED_ROWS} rows in an answer.");
            return Err(RestError::answer_too_large(limit));
        }
        Ok(())
    }

    /// Builds the statement for the rows that belong to the given parents.
    pub(crate) fn statement(&self, parents: &[&str]) -> SelectStatement {
        let mut statement = self.rows.clone();
        let (alias, column) = &self.key;
        statement.and_where(
            Expr::col((Alias::new(alias), Alias::new(*column))).is_in(parents.iter().copied()),
        );
        let Some((offset, limit)) = self.window else { return self.bound(statement) };

        // The limit of an embed applies per parent, by the row number within the parent's partition.
        let mut outer = Query::select();
        outer.column(sea_query::Asterisk).from_subquery(statement, "page");
        outer.and_where(Expr::col("place").gt(i64::try_from(offset).unwrap_or(i64::MAX)));
        if let Some(limit) = limit {
            outer.and_where(
                Expr::col("place")
                    .lte(i64::try_from(offset.saturating_add(limit)).unwrap_or(i64::MAX)),
            );
        }
        outer.order_by("place", Order::Asc);
        self.bound(outer.take())
    }

    /// Ends the statement one row above the limit, by which [`Self::check_rows`] notices the excess.
    fn bound(&self, mut statement: SelectStatement) -> SelectStatement {
        if self.is_bounded {
            statement.limit(MAX_EMBEDDED_ROWS as u64 + 1);
        }
        statement
    }
}
