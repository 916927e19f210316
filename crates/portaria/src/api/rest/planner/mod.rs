//! The query planner: translates a parsed query to one SQL statement, and one more per to-many embed.
//!
//! A `Plan` can be built only here, and planning adds the row policy of every table in the query, the root and each
//! embed. No statement that a caller's query produces reaches the database without it (docs/security-model.md, "Rows").

pub mod aggregate;
pub mod cast;
pub mod embed;
pub mod filter;
pub mod json_field;
pub mod json_filter;
pub mod limits;
pub mod order;
pub mod pattern;
pub mod plan;
pub mod relation;
pub mod select_list;
pub mod text_search;

use jiff::Timestamp;
use portaria_query::{Embed, Join, TableQuery};
use sea_query::{Alias, Condition, Expr, JoinType, Query, SelectStatement};

use crate::api::rest::{
    RestError,
    answer_budget::AnswerBudget,
    planner::{
        aggregate::Grouping,
        filter::FilterScope,
        limits::{MAX_ROWS, QueryBudget, QueryCost, check_column_count},
        order::add_order,
        plan::{Plan, ToManyEmbed},
    },
};
use crate::{
    app::App,
    db::dialect::Dialect,
    policy::{Access, Action, access, not_expired},
    schema::Table,
    security::{caller::Caller, ids::UserId},
};

/// Plans the statements of one request.
pub(crate) struct Planner<'a> {
    app: &'a App,
    caller: Caller,
    dialect: Dialect,
    /// The time of the request.
    now: Timestamp,
    aliases: usize,
    pub(crate) budget: QueryBudget,
}

/// A `SELECT` under construction.
pub(crate) struct SelectBuilder {
    pub(crate) statement: SelectStatement,
    /// The alias of the table.
    alias: String,
    cells: usize,
    /// The groups, if the select list has aggregate functions.
    pub(crate) grouping: Option<Grouping>,
    pub(crate) many: Vec<ToManyEmbed>,
    /// Joins, each before those that depend on it: table, alias, condition.
    pub(crate) joins: Vec<(&'static Table, String, Condition)>,
    pub(crate) embeds: EmbedScope,
}

/// The embeds of one node, as far as the node's own conditions and order refer to them.
#[derive(Default)]
pub(crate) struct EmbedScope {
    /// To-one embeds for `order=relation(column)`: key, alias, table.
    pub(crate) to_one: Vec<(String, String, &'static Table)>,
    pub(crate) embeds: Vec<EmbedExists>,
    /// Conditions of the `!inner` embeds.
    inner_joins: Vec<Expr>,
}

/// A test whether an embed has a row, with its cost.
#[derive(Debug)]
pub(crate) struct EmbedExists {
    pub(crate) key: String,
    pub(crate) exists: SelectStatement,
    pub(crate) cost: QueryCost,
}

impl EmbedScope {
    /// Returns the conditions that the node's `!inner` embeds put on its own rows.
    pub(crate) fn inner_join_conditions(&self) -> Condition {
        self.inner_joins.iter().cloned().fold(Condition::all(), Condition::add)
    }
}

impl SelectBuilder {
    pub(crate) fn new(table: &Table, alias: &str, is_grouped: bool) -> Self {
        // A table under its own name needs no alias, which keeps the statement readable.
        let statement = if alias == table.name {
            Query::select().from(Alias::new(table.name)).take()
        } else {
            Query::select().from_as(Alias::new(table.name), Alias::new(alias)).take()
        };
        Self {
            statement,
            alias: alias.to_owned(),
            cells: 0,
            grouping: is_grouped.then(Grouping::default),
            many: Vec::new(),
            joins: Vec::new(),
            embeds: EmbedScope::default(),
        }
    }

    /// Adds the joins and the groups, and returns the statement.
    pub(crate) fn finish(&mut self) -> SelectStatement {
        for (table, alias, on) in self.joins.drain(..) {
            self.statement.join_as(
                JoinType::LeftJoin,
                Alias::new(table.name),
                Alias::new(alias),
                on,
            );
        }
        if let Some(grouping) = &self.grouping {
            self.statement.add_group_by(grouping.columns());
        }
        if self.cells == 0 {
            // A list of empty embeds selects nothing.
            self.statement.expr(Expr::cust("1"));
        }
        self.statement.take()
    }

    /// Adds a column of the table to the statement and returns its index. In a grouped statement it is a key of the
    /// groups.
    ///
    /// # Errors
    /// PGRST127 for too many columns.
    pub(crate) fn add_column(&mut self, expr: Expr) -> Result<usize, RestError> {
        self.add_key(expr.clone(), expr)
    }

    /// Like [`Self::add_column`], for a value that is derived from a column, by which the groups can be sorted.
    ///
    /// # Errors
    /// PGRST127 for too many columns.
    pub(crate) fn add_key(&mut self, value: Expr, source: Expr) -> Result<usize, RestError> {
        let cell = self.add_cell(value)?;
        if let Some(grouping) = &mut self.grouping {
            grouping.add(cell, source);
        }
        Ok(cell)
    }

    /// Adds an expression to the statement and returns its index.
    ///
    /// # Errors
    /// PGRST127 for too many columns.
    pub(crate) fn add_cell(&mut self, expr: Expr) -> Result<usize, RestError> {
        check_column_count(self.cells + 1)?;
        // Unique aliases, because the statement around a window must not see two columns of one name.
        self.statement.expr_as(expr, cell_alias(self.cells));
        self.cells += 1;
        Ok(self.cells - 1)
    }
}

/// Returns the alias of a cell in its statement.
pub(crate) fn cell_alias(cell: usize) -> Alias {
    Alias::new(format!("c{cell}"))
}

impl<'a> Planner<'a> {
    pub(crate) fn new(app: &'a App, caller: Caller, dialect: Dialect) -> Self {
        let now = app.clock.now();
        Self { app, caller, dialect, now, aliases: 0, budget: QueryBudget::default() }
    }

    /// Plans a read of a table. `key_condition` restricts it to one row, for a write that returns its rows.
    ///
    /// # Errors
    /// [`RestError`] for a table, column or relation that does not exist for the caller, and above a limit.
    pub(crate) fn plan_read(
        &mut self,
        table: &'static Table,
        node: &TableQuery,
        key_condition: Option<Expr>,
    ) -> Result<Plan, RestError> {
        // Each plan has names and limits of its own: the rows of a write are read with one prepared statement.
        (self.aliases, self.budget) = (0, QueryBudget::default());
        let access = self.require_access(table, Action::Select)?;
        let is_grouped = self.is_grouped(table, &node.select)?;
        let mut builder = SelectBuilder::new(table, table.name, is_grouped);
        let shape = self.select_items(&mut builder, table, table.name, &node.select, 0)?;
        let mut conditions = access
            .condition(table.name)
            .add(self.not_expired(table, table.name))
            .add(self.scope(table, table.name, &builder.embeds.embeds).conditions(&node.filters)?)
            .add(builder.embeds.inner_join_conditions());
        let is_write = key_condition.is_some();
        if let Some(key_condition) = key_condition {
            conditions = conditions.add(key_condition);
        }

        let mut count =
            Query::select().expr(Expr::cust("count(*)")).from(Alias::new(table.name)).take();
        count.cond_where(conditions.clone());
        builder.statement.cond_where(conditions);
        let order = self.order(&builder, table, table.name, node)?;
        add_order(&mut builder.statement, order);
        // A write returns all its rows.
        let limit = if is_write { node.limit } else { self.cap(node.limit) };
        if let Some(limit) = limit {
            builder.statement.limit(limit);
        }
        if let Some(offset) = node.offset.filter(|offset| *offset > 0) {
            builder.statement.offset(offset);
            if limit.is_none() {
                // SQLite has no OFFSET without LIMIT.
                builder.statement.limit(i64::MAX.unsigned_abs());
            }
        }
        Ok(Plan {
            statement: builder.finish(),
            // A list of empty embeds selects a constant.
            columns: builder.cells.max(1),
            count,
            shape,
            is_grouped,
            to_many: builder.many,
            offset: node.offset.unwrap_or(0),
            limit,
            is_row_count: false,
        })
    }

    /// Returns the budget of an answer to `person`.
    pub(crate) fn answer_budget(&self, person: Option<UserId>) -> AnswerBudget {
        AnswerBudget::new(self.app, person)
    }

    /// Whether the limits of rows apply to the caller.
    pub(crate) fn is_bounded(&self) -> bool {
        self.caller != Caller::Service
    }

    /// Reduces a limit to [`MAX_ROWS`], except for the service key.
    pub(crate) fn cap(&self, limit: Option<u64>) -> Option<u64> {
        let max = MAX_ROWS as u64;
        if self.is_bounded() { Some(limit.map_or(max, |limit| limit.min(max))) } else { limit }
    }

    /// Returns the condition on the rows that an update or deletion may affect.
    ///
    /// # Errors
    /// 21000 without a filter, PGRST127 for too many searches; otherwise like [`Self::plan_read`].
    pub(crate) fn plan_mutation(
        &self,
        table: &'static Table,
        action: Action,
        node: &TableQuery,
    ) -> Result<Condition, RestError> {
        if node.filters.is_empty() {
            let verb = if action == Action::Delete { "DELETE" } else { "UPDATE" };
            return Err(RestError::bad_request("21000", format!("{verb} requires a WHERE clause")));
        }
        let access = self.require_access(table, action)?;
        let before = self.budget.total();
        let filters = self.scope(table, table.name, &[]).conditions(&node.filters)?;
        self.budget.check_change(before, self.sees_hidden())?;
        Ok(access.condition(table.name).add(filters))
    }

    /// Returns the access that `policy` grants.
    ///
    /// # Errors
    /// 42501, or PGRST205 for a table that does not exist for the caller.
    pub(crate) fn require_access(
        &self,
        table: &Table,
        action: Action,
    ) -> Result<Access, RestError> {
        access(self.caller, table.id, action).map_err(|_| RestError::denied(self.caller, table))
    }

    /// Returns the condition that excludes expired rows, such as old presence.
    pub(crate) fn not_expired(&self, table: &Table, alias: &str) -> Condition {
        not_expired(table.id, alias, self.now)
    }

    pub(crate) fn sees_hidden(&self) -> bool {
        self.caller.is_staff()
    }

    pub(crate) fn scope<'s>(
        &'s self,
        table: &'static Table,
        alias: &'s str,
        embeds: &'s [EmbedExists],
    ) -> FilterScope<'s> {
        FilterScope {
            table,
            alias,
            embeds,
            sees_hidden: self.sees_hidden(),
            dialect: self.dialect,
            zone: &self.app.config.time_zone,
            now: self.app.clock.now(),
            budget: &self.budget,
        }
    }

    /// Registers an embed with the test whether it has a row. Every use of the test repeats the conditions that were
    /// generated since `before`, so their cost is charged again with each use.
    pub(crate) fn register_embed(
        &self,
        level: &mut EmbedScope,
        embed: &Embed,
        exists: SelectStatement,
        before: QueryCost,
    ) -> Result<(), RestError> {
        let weight = self.budget.since(before);
        if embed.join == Join::Inner {
            self.budget.charge(weight)?;
            // A condition instead of an inner join, because the count uses the same expression.
            level.inner_joins.push(Expr::exists(exists.clone()));
        }
        level.embeds.push(EmbedExists { key: embed.key().to_owned(), exists, cost: weight });
        Ok(())
    }

    /// Returns an alias that is unique within the request.
    pub(crate) fn new_alias(&mut self) -> String {
        self.aliases += 1;
        format!("t{}", self.aliases)
    }
}

/// Returns the column `alias.name` as an expression.
pub(crate) fn column(alias: &str, name: &'static str) -> Expr {
    Expr::col((Alias::new(alias), Alias::new(name)))
}
