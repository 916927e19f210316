//! From a parsed query to one SQL statement (and one more per to-many embed), with a policy for every table in it.
//!
//! A [`Plan`] can be built only here, and building it asks `policy` for the root and for each embed: that is how
//! no caller's query reaches the database without its row policy.

pub mod cast;
pub mod embed;
pub mod filter;
pub mod limits;
pub mod order;

use query::{Embed, Join, SelectItem, TableQuery};
use sea_query::{Alias, Condition, Expr, ExprTrait, JoinType, Order, Query, SelectStatement};

use crate::api::rest::{
    RestError,
    planner::{
        cast::Cast,
        filter::Scope,
        limits::{QueryBudget, QueryCost, check_cells},
        order::sort,
    },
};
use crate::{
    app::App,
    db::dialect::Dialect,
    policy::{Access, Action, Caller, access, not_expired},
    schema::{ColumnType, Table},
};

/// A statement that its caller may run, and how its cells become JSON.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) statement: SelectStatement,
    /// Counts the rows without limit and offset.
    pub(crate) count: SelectStatement,
    pub(crate) shape: OutputShape,
    pub(crate) many: Vec<ToManyEmbed>,
    pub(crate) offset: u64,
}

/// The keys of one JSON object, in order.
pub(crate) type OutputShape = Vec<OutputField>;

/// Where one key of the answer comes from.
#[derive(Debug)]
pub(crate) enum OutputField {
    /// A cell of the row, or a place inside its JSON.
    Cell {
        key: String,
        cell: usize,
        kind: ColumnType,
        field: Option<query::Field>,
        cast: Option<Cast>,
    },
    /// A joined row, `null` if the cell `present` is.
    One { key: Option<String>, present: usize, shape: OutputShape },
    /// The rows of [`Plan::many`] number `many` that hold this row's cell `parent`.
    Many { key: String, parent: usize, many: usize },
}

impl OutputField {
    /// The key in the answer; a spread embed has none.
    pub(crate) fn key(&self) -> &str {
        match self {
            Self::Cell { key, .. } | Self::Many { key, .. } => key,
            Self::One { key, .. } => key.as_deref().unwrap_or_default(),
        }
    }
}

/// A to-many embed: run once for all parents of the answer.
#[derive(Debug)]
pub(crate) struct ToManyEmbed {
    /// Without the condition on the parents' keys; its first cell is the key.
    pub(crate) rows: SelectStatement,
    pub(crate) key: (String, &'static str),
    pub(crate) window: Option<(u64, Option<u64>)>,
    pub(crate) counts: bool,
    pub(crate) shape: OutputShape,
    pub(crate) nested: Vec<ToManyEmbed>,
}

impl ToManyEmbed {
    /// The statement for the rows that belong to the given parents.
    pub(crate) fn statement(&self, parents: &[&str]) -> SelectStatement {
        let mut statement = self.rows.clone();
        let (alias, column) = &self.key;
        statement.and_where(
            Expr::col((Alias::new(alias), Alias::new(*column))).is_in(parents.iter().copied()),
        );
        let Some((offset, limit)) = self.window else { return statement };
        // A limit of an embed is per parent.
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
        outer.take()
    }
}

/// Plans reads of one caller.
pub(crate) struct Planner<'a> {
    app: &'a App,
    caller: Caller,
    dialect: Dialect,
    aliases: usize,
    pub(crate) size: QueryBudget,
}

/// A statement while it grows.
pub(crate) struct SelectBuilder {
    pub(crate) statement: SelectStatement,
    cells: usize,
    pub(crate) many: Vec<ToManyEmbed>,
    /// Each table before those that hang on it.
    pub(crate) joins: Vec<(&'static Table, String, Condition)>,
    pub(crate) level: EmbedScope,
}

/// What the embeds of one node mean for the node itself.
#[derive(Default)]
pub(crate) struct EmbedScope {
    /// To-one embeds by key, for `order=relation(column)`.
    pub(crate) ones: Vec<(String, String, &'static Table)>,
    pub(crate) embeds: Vec<EmbedExists>,
    /// What `!inner` embeds ask.
    wanted: Vec<Expr>,
}

/// An embed, as the question whether it has a row.
#[derive(Debug)]
pub(crate) struct EmbedExists {
    pub(crate) key: String,
    pub(crate) exists: SelectStatement,
    pub(crate) weight: QueryCost,
}

impl EmbedScope {
    /// What the node's own rows must meet for its `!inner` embeds.
    pub(crate) fn inner_join_conditions(&self) -> Condition {
        self.wanted.iter().cloned().fold(Condition::all(), Condition::add)
    }
}

impl SelectBuilder {
    pub(crate) fn new(table: &Table, alias: &str) -> Self {
        // Under its own name a table needs no alias, and the statement reads as a person would write it.
        let statement = if alias == table.name {
            Query::select().from(Alias::new(table.name)).take()
        } else {
            Query::select().from_as(Alias::new(table.name), Alias::new(alias)).take()
        };
        Self {
            statement,
            cells: 0,
            many: Vec::new(),
            joins: Vec::new(),
            level: EmbedScope::default(),
        }
    }

    /// The statement with its joins.
    pub(crate) fn finish(&mut self) -> SelectStatement {
        for (table, alias, on) in self.joins.drain(..) {
            self.statement.join_as(
                JoinType::LeftJoin,
                Alias::new(table.name),
                Alias::new(alias),
                on,
            );
        }
        self.statement.take()
    }

    pub(crate) fn cell(&mut self, expr: Expr) -> Result<usize, RestError> {
        check_cells(self.cells + 1)?;
        // Without a name the window's outer statement could see two columns of one name.
        self.statement.expr_as(expr, Alias::new(format!("c{}", self.cells)));
        self.cells += 1;
        Ok(self.cells - 1)
    }
}

impl<'a> Planner<'a> {
    pub(crate) fn new(app: &'a App, caller: Caller, dialect: Dialect) -> Self {
        Self { app, caller, dialect, aliases: 0, size: QueryBudget::default() }
    }

    /// Plans a read of a table. `also` narrows it further: a write reads back what it wrote.
    pub(crate) fn read(
        &mut self,
        table: &'static Table,
        node: &TableQuery,
        also: Option<Expr>,
    ) -> Result<Plan, RestError> {
        let access = self.access(table, Action::Select)?;
        let mut draft = SelectBuilder::new(table, table.name);
        let shape = self.shape(&mut draft, table, table.name, &node.select, 0)?;
        let mut wanted = access
            .condition(table.name)
            .add(self.not_expired(table, table.name))
            .add(self.scope(table, table.name, &draft.level.embeds).all(&node.filters)?)
            .add(draft.level.inner_join_conditions());
        if let Some(also) = also {
            wanted = wanted.add(also);
        }
        let mut count =
            Query::select().expr(Expr::cust("count(*)")).from(Alias::new(table.name)).take();
        count.cond_where(wanted.clone());
        draft.statement.cond_where(wanted);
        let order = self.order(&draft, table, table.name, node)?;
        sort(&mut draft.statement, order);
        if let Some(limit) = node.limit {
            draft.statement.limit(limit);
        }
        if let Some(offset) = node.offset.filter(|offset| *offset > 0) {
            draft.statement.offset(offset);
            if node.limit.is_none() {
                // SQLite knows no OFFSET without a LIMIT.
                draft.statement.limit(i64::MAX.unsigned_abs());
            }
        }
        Ok(Plan {
            statement: draft.finish(),
            count,
            shape,
            many: draft.many,
            offset: node.offset.unwrap_or(0),
        })
    }

    /// The condition on the rows that a change or deletion may touch.
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
        let access = self.access(table, action)?;
        Ok(access.condition(table.name).add(self.scope(table, table.name, &[]).all(&node.filters)?))
    }

    /// Leave from `policy`, or the refusal.
    pub(crate) fn access(&self, table: &Table, action: Action) -> Result<Access, RestError> {
        access(self.caller, table.id, action).map_err(|_| RestError::denied(self.caller, table))
    }

    /// Leaves out the rows that are there but stand no longer.
    pub(crate) fn not_expired(&self, table: &Table, alias: &str) -> Condition {
        not_expired(table.id, alias, self.app.clock.now())
    }

    pub(crate) fn sees_hidden(&self) -> bool {
        self.caller.is_staff()
    }

    pub(crate) fn scope<'s>(
        &'s self,
        table: &'static Table,
        alias: &'s str,
        embeds: &'s [EmbedExists],
    ) -> Scope<'s> {
        Scope {
            table,
            alias,
            embeds,
            sees_hidden: self.sees_hidden(),
            dialect: self.dialect,
            zone: &self.app.config.time_zone,
            size: &self.size,
        }
    }

    /// Remembers an embed of a level, by the question whether it has a row. All that was said since `before` is
    /// said again where it is asked.
    pub(crate) fn embedded(
        &self,
        level: &mut EmbedScope,
        embed: &Embed,
        exists: SelectStatement,
        before: QueryCost,
    ) -> Result<(), RestError> {
        let weight = self.size.since(before);
        if embed.join == Join::Inner {
            self.size.grow(weight)?;
            // As a condition rather than an inner join, the same expression serves the count.
            level.wanted.push(Expr::exists(exists.clone()));
        }
        level.embeds.push(EmbedExists { key: embed.key().to_owned(), exists, weight });
        Ok(())
    }

    pub(crate) fn alias(&mut self) -> String {
        self.aliases += 1;
        format!("t{}", self.aliases)
    }

    pub(crate) fn shape(
        &mut self,
        draft: &mut SelectBuilder,
        table: &'static Table,
        alias: &str,
        items: &[SelectItem],
        depth: usize,
    ) -> Result<OutputShape, RestError> {
        let mut shape = OutputShape::new();
        for item in items {
            match item {
                SelectItem::All => {
                    let visible =
                        table.columns.iter().filter(|column| self.sees_hidden() || !column.hidden);
                    for column in visible {
                        let cell = draft.cell(self.scope(table, alias, &[]).expr(column))?;
                        shape.push(OutputField::Cell {
                            key: column.name.into(),
                            cell,
                            kind: column.kind,
                            field: None,
                            cast: None,
                        });
                    }
                }
                SelectItem::Column(wanted) => {
                    let scope = self.scope(table, alias, &[]);
                    let column = scope.column(&wanted.field.name)?;
                    if wanted.aggregate.is_some() {
                        return Err(RestError::bad_request(
                            "PGRST123",
                            "Use of aggregate functions is not allowed",
                        ));
                    }
                    let last = wanted.field.path.iter().rev().find_map(|step| match step {
                        query::JsonPathStep::Key(key) => Some(key.clone()),
                        query::JsonPathStep::Index(_) => None,
                    });
                    let key = wanted.alias.clone().or(last).unwrap_or_else(|| column.name.into());
                    if !wanted.field.path.is_empty() && column.kind != ColumnType::Json {
                        return Err(RestError::bad_request(
                            "42883",
                            format!("operator does not exist: -> on column {}", column.name),
                        ));
                    }
                    let field = (!wanted.field.path.is_empty()).then(|| wanted.field.clone());
                    let cast = wanted.cast.as_deref();
                    let cast =
                        cast.map(|cast| Cast::read(cast, column, field.is_some())).transpose()?;
                    let cell = draft.cell(scope.expr(column))?;
                    shape.push(OutputField::Cell { key, cell, kind: column.kind, field, cast });
                }
                SelectItem::Count { .. } => {
                    return Err(RestError::bad_request(
                        "PGRST123",
                        "Use of aggregate functions is not allowed",
                    ));
                }
                SelectItem::Embed(embed) => {
                    self.embed(draft, &mut shape, table, alias, embed, depth)?
                }
            }
        }
        Ok(shape)
    }
}

pub(crate) fn column(alias: &str, name: &'static str) -> Expr {
    Expr::col((Alias::new(alias), Alias::new(name)))
}
