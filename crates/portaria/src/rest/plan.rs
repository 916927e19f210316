//! From a parsed query to one SQL statement (and one more per to-many embed), with a policy for every table in it.
//!
//! A [`Plan`] can be built only here, and building it asks `policy` for the root and for each embed: that is how
//! no caller's query reaches the database without its row policy.

use query::{Embed, Item, Join, Node, Nulls};
use sea_query::{
    Alias, Condition, Expr, ExprTrait, JoinType, NullOrdering, Order, OrderedStatement,
    OverStatement, Query, SelectStatement, WindowStatement,
};

use super::{RestError, filter::Scope};
use crate::{
    app::App,
    catalog::{Kind, RELATIONS, Relation, Table, TableId},
    db::dialect::Dialect,
    policy::{Access, Action, Caller, access},
};

/// Embeds nest at most so deep (security R-07).
const MAX_EMBEDS: usize = 3;

/// A statement that its caller may run, and how its cells become JSON.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) statement: SelectStatement,
    /// Counts the rows without limit and offset.
    pub(super) count: SelectStatement,
    pub(super) shape: Shape,
    pub(super) many: Vec<Many>,
    pub(super) offset: u64,
}

/// The keys of one JSON object, in order.
pub(super) type Shape = Vec<Slot>;

/// Where one key of the answer comes from.
#[derive(Debug)]
pub(super) enum Slot {
    /// A cell of the row, or a place inside its JSON.
    Cell { key: String, cell: usize, kind: Kind, field: Option<query::Field> },
    /// A joined row, `null` if the cell `present` is.
    One { key: Option<String>, present: usize, shape: Shape },
    /// The rows of [`Plan::many`] number `many` that hold this row's cell `parent`.
    Many { key: String, parent: usize, many: usize },
}

/// A to-many embed: run once for all parents of the answer.
#[derive(Debug)]
pub(super) struct Many {
    /// Without the condition on the parents' keys; its first cell is the key.
    statement: SelectStatement,
    key: (String, &'static str),
    window: Option<(u64, Option<u64>)>,
    pub(super) counts: bool,
    pub(super) shape: Shape,
    pub(super) many: Vec<Many>,
}

impl Many {
    /// The statement for the rows that belong to the given parents.
    pub(super) fn statement(&self, parents: &[&str]) -> SelectStatement {
        let mut statement = self.statement.clone();
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
pub(super) struct Planner<'a> {
    app: &'a App,
    caller: Caller,
    dialect: Dialect,
    aliases: usize,
}

/// A statement while it grows.
struct Draft {
    statement: SelectStatement,
    cells: usize,
    many: Vec<Many>,
    /// To-one embeds by key, for `order=relation(column)`.
    ones: Vec<(String, String, &'static Table)>,
    inner: Vec<(String, Condition)>,
}

impl Draft {
    fn cell(&mut self, expr: Expr) -> usize {
        // Without a name the window's outer statement could see two columns of one name.
        self.statement.expr_as(expr, Alias::new(format!("c{}", self.cells)));
        self.cells += 1;
        self.cells - 1
    }
}

impl<'a> Planner<'a> {
    pub(super) fn new(app: &'a App, caller: Caller, dialect: Dialect) -> Self {
        Self { app, caller, dialect, aliases: 0 }
    }

    /// Plans a read of a table. `also` narrows it further: a write reads back what it wrote.
    pub(super) fn read(
        &mut self,
        table: &'static Table,
        node: &Node,
        also: Option<Expr>,
    ) -> Result<Plan, RestError> {
        let access = self.access(table, Action::Select)?;
        let scope = self.scope(table, table.name);
        let mut draft = Draft {
            statement: Query::select().from(Alias::new(table.name)).take(),
            cells: 0,
            many: Vec::new(),
            ones: Vec::new(),
            inner: Vec::new(),
        };
        let mut wanted = access.condition(table.name).add(scope.all(&node.filters)?);
        if let Some(also) = also {
            wanted = wanted.add(also);
        }
        let shape = self.shape(&mut draft, table, table.name, &node.select, 0)?;
        for (_, condition) in std::mem::take(&mut draft.inner) {
            wanted = wanted.add(condition);
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
            statement: draft.statement,
            count,
            shape,
            many: draft.many,
            offset: node.offset.unwrap_or(0),
        })
    }

    /// The condition on the rows that a change or deletion may touch.
    pub(super) fn touch(
        &self,
        table: &'static Table,
        action: Action,
        node: &Node,
    ) -> Result<Condition, RestError> {
        if node.filters.is_empty() {
            let verb = if action == Action::Delete { "DELETE" } else { "UPDATE" };
            return Err(RestError::bad("21000", format!("{verb} requires a WHERE clause")));
        }
        let access = self.access(table, action)?;
        Ok(access.condition(table.name).add(self.scope(table, table.name).all(&node.filters)?))
    }

    /// Leave from `policy`, or the refusal.
    pub(super) fn access(&self, table: &Table, action: Action) -> Result<Access, RestError> {
        access(self.caller, table.id, action).map_err(|_| RestError::denied(self.caller, table))
    }

    fn scope<'s>(&'s self, table: &'static Table, alias: &'s str) -> Scope<'s> {
        Scope {
            table,
            alias,
            sees_hidden: self.caller.sees_hidden(),
            dialect: self.dialect,
            zone: &self.app.config.time_zone,
        }
    }

    fn alias(&mut self) -> String {
        self.aliases += 1;
        format!("t{}", self.aliases)
    }

    fn shape(
        &mut self,
        draft: &mut Draft,
        table: &'static Table,
        alias: &str,
        items: &[Item],
        depth: usize,
    ) -> Result<Shape, RestError> {
        let mut shape = Shape::new();
        for item in items {
            match item {
                Item::All => {
                    let visible = table
                        .columns
                        .iter()
                        .filter(|column| self.caller.sees_hidden() || !column.hidden);
                    for column in visible {
                        let cell = draft.cell(self.scope(table, alias).expr(column));
                        shape.push(Slot::Cell {
                            key: column.name.into(),
                            cell,
                            kind: column.kind,
                            field: None,
                        });
                    }
                }
                Item::Column(wanted) => {
                    let scope = self.scope(table, alias);
                    let column = scope.column(&wanted.field.name)?;
                    if wanted.aggregate.is_some() {
                        return Err(RestError::bad(
                            "PGRST123",
                            "Use of aggregate functions is not allowed",
                        ));
                    }
                    if wanted.cast.is_some() {
                        return Err(RestError::not_offered("casts"));
                    }
                    let last = wanted.field.path.iter().rev().find_map(|step| match step {
                        query::Step::Key(key) => Some(key.clone()),
                        query::Step::Index(_) => None,
                    });
                    let key = wanted.alias.clone().or(last).unwrap_or_else(|| column.name.into());
                    if !wanted.field.path.is_empty() && column.kind != Kind::Json {
                        return Err(RestError::bad(
                            "42883",
                            format!("operator does not exist: -> on column {}", column.name),
                        ));
                    }
                    let field = (!wanted.field.path.is_empty()).then(|| wanted.field.clone());
                    let cell = draft.cell(scope.expr(column));
                    shape.push(Slot::Cell { key, cell, kind: column.kind, field });
                }
                Item::Count { .. } => {
                    return Err(RestError::bad(
                        "PGRST123",
                        "Use of aggregate functions is not allowed",
                    ));
                }
                Item::Embed(embed) => self.embed(draft, &mut shape, table, alias, embed, depth)?,
            }
        }
        Ok(shape)
    }

    fn embed(
        &mut self,
        draft: &mut Draft,
        shape: &mut Shape,
        table: &'static Table,
        alias: &str,
        embed: &Embed,
        depth: usize,
    ) -> Result<(), RestError> {
        if depth >= MAX_EMBEDS {
            return Err(RestError::not_offered(format!("embeds nest at most {MAX_EMBEDS} deep")));
        }
        let (relation, to_one) = relation(table, embed)?;
        if to_one {
            self.embed_one(draft, shape, alias, embed, relation, depth)
        } else {
            self.embed_many(draft, shape, alias, embed, relation, depth)
        }
    }

    fn embed_one(
        &mut self,
        draft: &mut Draft,
        shape: &mut Shape,
        alias: &str,
        embed: &Embed,
        relation: &Relation,
        depth: usize,
    ) -> Result<(), RestError> {
        let target = relation.parent.table();
        let joined = self.alias();
        let access = self.access(target, Action::Select)?;
        let on = Condition::all()
            .add(column(&joined, relation.parent_column).eq(column(alias, relation.column)))
            .add(access.condition(&joined))
            .add(self.scope(target, &joined).all(&embed.node.filters)?);
        draft.statement.join_as(
            JoinType::LeftJoin,
            Alias::new(target.name),
            Alias::new(&joined),
            on.clone(),
        );
        if embed.join == Join::Inner {
            // As a condition rather than an inner join, the same expression serves the count.
            let exists = Query::select()
                .expr(Expr::cust("1"))
                .from_as(Alias::new(target.name), Alias::new(&joined))
                .cond_where(on)
                .take();
            draft.inner.push((joined.clone(), Condition::all().add(Expr::exists(exists))));
        }
        let present = draft.cell(column(&joined, target.key));
        draft.ones.push((embed.key().to_owned(), joined.clone(), target));
        let inner = self.shape(draft, target, &joined, &embed.node.select, depth + 1)?;
        let key = (!embed.spread).then(|| embed.key().to_owned());
        shape.push(Slot::One { key, present, shape: inner });
        Ok(())
    }

    fn embed_many(
        &mut self,
        draft: &mut Draft,
        shape: &mut Shape,
        alias: &str,
        embed: &Embed,
        relation: &Relation,
        depth: usize,
    ) -> Result<(), RestError> {
        if embed.spread {
            return Err(RestError::bad(
                "PGRST119",
                format!("A spread operation on '{}' is not possible", embed.key()),
            ));
        }
        let target = relation.child.table();
        let child = self.alias();
        let access = self.access(target, Action::Select)?;
        let wanted =
            access.condition(&child).add(self.scope(target, &child).all(&embed.node.filters)?);
        let mut inner = Draft {
            statement: Query::select().from_as(Alias::new(target.name), Alias::new(&child)).take(),
            cells: 0,
            many: Vec::new(),
            ones: Vec::new(),
            inner: Vec::new(),
        };
        inner.cell(column(&child, relation.column));
        inner.statement.cond_where(wanted.clone());
        if embed.join == Join::Inner {
            let exists = Query::select()
                .expr(Expr::cust("1"))
                .from_as(Alias::new(target.name), Alias::new(&child))
                .cond_where(wanted)
                .and_where(
                    column(&child, relation.column).eq(column(alias, relation.parent_column)),
                )
                .take();
            draft.inner.push((child.clone(), Condition::all().add(Expr::exists(exists))));
        }
        let counts = matches!(embed.node.select.as_slice(), [Item::Count { .. }]);
        let mut window = None;
        let inner_shape = if let [Item::Count { alias }] = embed.node.select.as_slice() {
            inner.statement.expr_as(Expr::cust("count(*)"), Alias::new("c1"));
            inner.statement.add_group_by([column(&child, relation.column)]);
            let key = alias.clone().unwrap_or_else(|| "count".into());
            vec![Slot::Cell { key, cell: 1, kind: Kind::Int, field: None }]
        } else {
            let inner_shape =
                self.shape(&mut inner, target, &child, &embed.node.select, depth + 1)?;
            for (_, condition) in std::mem::take(&mut inner.inner) {
                inner.statement.cond_where(condition);
            }
            let order = self.order(&inner, target, &child, &embed.node)?;
            if embed.node.limit.is_some() || embed.node.offset.is_some() {
                window = Some((embed.node.offset.unwrap_or(0), embed.node.limit));
                let mut places = WindowStatement::new();
                places.add_partition_by(column(&child, relation.column));
                sort(&mut places, order);
                inner.statement.expr_window_as(
                    Expr::cust("row_number()"),
                    places,
                    Alias::new("place"),
                );
            } else {
                sort(&mut inner.statement, order);
            }
            inner_shape
        };
        let parent = draft.cell(column(alias, relation.parent_column));
        shape.push(Slot::Many { key: embed.key().to_owned(), parent, many: draft.many.len() });
        draft.many.push(Many {
            statement: inner.statement,
            key: (child, relation.column),
            window,
            counts,
            shape: inner_shape,
            many: inner.many,
        });
        Ok(())
    }

    fn order(
        &self,
        draft: &Draft,
        table: &'static Table,
        alias: &str,
        node: &Node,
    ) -> Result<Vec<SortKey>, RestError> {
        let mut keys = Vec::with_capacity(node.order.len() + 1);
        for order in &node.order {
            let (expr, nullable) = match &order.relation {
                None => {
                    let (expr, _, nullable) = self.scope(table, alias).field(&order.field)?;
                    (expr, nullable)
                }
                Some(relation) => {
                    let one =
                        draft.ones.iter().find(|(key, ..)| key == relation).ok_or_else(|| {
                            RestError::bad(
                                "PGRST118",
                                format!("A related order on '{relation}' is not possible"),
                            )
                        })?;
                    (self.scope(one.2, &one.1).field(&order.field)?.0, true)
                }
            };
            // PostgreSQL's rule, said aloud because SQLite's is the reverse. A column that is never NULL
            // needs none, and an index can then give the order.
            let nulls = match order.nulls {
                _ if !nullable => None,
                Some(Nulls::First) => Some(NullOrdering::First),
                Some(Nulls::Last) => Some(NullOrdering::Last),
                None if order.descending => Some(NullOrdering::First),
                None => Some(NullOrdering::Last),
            };
            keys.push((expr, if order.descending { Order::Desc } else { Order::Asc }, nulls));
        }
        // The key last: equal rows come in the same order from both databases and on every page.
        let by_key =
            |order: &query::Order| order.relation.is_none() && order.field.name == table.key;
        if !node.order.iter().any(by_key) {
            keys.push((column(alias, table.key), Order::Asc, None));
        }
        Ok(keys)
    }
}

type SortKey = (Expr, Order, Option<NullOrdering>);

fn sort(statement: &mut impl OrderedStatement, keys: Vec<SortKey>) {
    for (expr, direction, nulls) in keys {
        match nulls {
            Some(nulls) => statement.order_by_expr_with_nulls(expr, direction, nulls),
            None => statement.order_by_expr(expr, direction),
        };
    }
}

fn column(alias: &str, name: &'static str) -> Expr {
    Expr::col((Alias::new(alias), Alias::new(name)))
}

/// The one relation between a table and an embed, and whether it leads to one row.
fn relation(table: &'static Table, embed: &Embed) -> Result<(&'static Relation, bool), RestError> {
    let named = |id: TableId| id.table().name == embed.relation;
    let hinted = |relation: &Relation| {
        embed.hint.as_deref().is_none_or(|hint| {
            [relation.name, relation.column, relation.parent_column].contains(&hint)
        })
    };
    let mut found = RELATIONS.iter().filter(|relation| hinted(relation)).filter_map(|relation| {
        if relation.child == table.id && named(relation.parent) {
            Some((relation, true))
        } else if relation.parent == table.id && named(relation.child) {
            Some((relation, false))
        } else {
            None
        }
    });
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one),
        (Some(_), Some(_)) => Err(RestError::new(
            axum::http::StatusCode::MULTIPLE_CHOICES,
            "PGRST201",
            format!(
                "Could not embed because more than one relationship was found for '{}' and '{}'",
                table.name, embed.relation
            ),
        )),
        (None, _) => Err(RestError::unknown_relation(table, &embed.relation)),
    }
}
