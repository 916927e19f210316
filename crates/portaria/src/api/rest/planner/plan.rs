//! A plan: the statements of a request, and the mapping of their cells to the answer.

use sea_query::{Alias, Expr, ExprTrait, Order, Query, SelectStatement};

use crate::api::rest::{
    RestError,
    planner::{cast::Cast, limits::MAX_EMBEDDED_ROWS},
};
use crate::schema::ColumnType;

/// A statement that the caller may execute, and the mapping of its cells to the answer.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) statement: SelectStatement,
    /// The statement that counts the rows without limit and offset.
    pub(crate) count: SelectStatement,
    pub(crate) shape: OutputShape,
    /// The to-many embeds, to be executed after `statement`.
    pub(crate) to_many: Vec<ToManyEmbed>,
    pub(crate) offset: u64,
}

/// The fields of one JSON object, in order.
pub(crate) type OutputShape = Vec<OutputField>;

/// The source of one field of the answer.
#[derive(Debug)]
pub(crate) enum OutputField {
    /// A cell of the row, or a value inside its JSON if `field` has a path.
    Cell {
        key: String,
        cell: usize,
        kind: ColumnType,
        field: Option<portaria_query::Field>,
        cast: Option<Cast>,
    },
    /// A to-one embed: a joined row, or `null` if the cell `present` is NULL. A spread embed has no key.
    ToOne { key: Option<String>, present: usize, shape: OutputShape },
    /// A to-many embed: the rows of [`Plan::to_many`] at index `many` that refer to this row's cell `parent`.
    ToMany { key: String, parent: usize, many: usize },
}

impl OutputField {
    /// Returns the key in the answer; it is empty for a spread embed.
    pub(crate) fn key(&self) -> &str {
        match self {
            Self::Cell { key, .. } | Self::ToMany { key, .. } => key,
            Self::ToOne { key, .. } => key.as_deref().unwrap_or_default(),
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
    /// Whether the embed is a bare `count`.
    pub(crate) is_count: bool,
    /// Whether the limits of rows apply.
    pub(crate) is_bounded: bool,
    pub(crate) shape: OutputShape,
    pub(crate) nested: Vec<ToManyEmbed>,
}

impl Plan {
    /// Leaves only the number of rows, for a `HEAD` request.
    pub(crate) fn keep_row_count(&mut self) {
        self.statement.clear_selects().expr(Expr::cust("1"));
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
        if self.is_bounded && !self.is_count {
            statement.limit(MAX_EMBEDDED_ROWS as u64 + 1);
        }
        statement
    }
}
