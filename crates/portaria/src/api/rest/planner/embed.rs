//! Related tables inside an answer: joined when there is one row, read beside it when there may be many.

use query::{Embed, SelectItem};
use sea_query::{
    Alias, Condition, Expr, ExprTrait, OverStatement, Query, SelectStatement, WindowStatement,
};

use crate::api::rest::{
    RestError,
    planner::{
        OutputField, OutputShape, Planner, SelectBuilder, ToManyEmbed, column, limits::QueryCost,
        order::sort,
    },
};
use crate::{
    policy::Action,
    schema::{ColumnType, Relation, Table, TableId, tables::RELATIONS},
};

/// Embeds nest at most so deep (security R-07).
const MAX_EMBEDS: usize = 3;

impl Planner<'_> {
    /// Adds an embed to the statement, with the related table's own policy.
    pub(crate) fn embed(
        &mut self,
        draft: &mut SelectBuilder,
        shape: &mut OutputShape,
        table: &'static Table,
        alias: &str,
        embed: &Embed,
        depth: usize,
    ) -> Result<(), RestError> {
        if depth >= MAX_EMBEDS {
            return Err(RestError::unsupported(format!("embeds nest at most {MAX_EMBEDS} deep")));
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
        draft: &mut SelectBuilder,
        shape: &mut OutputShape,
        alias: &str,
        embed: &Embed,
        relation: &Relation,
        depth: usize,
    ) -> Result<(), RestError> {
        let target = relation.parent.table();
        let joined = self.alias();
        let access = self.access(target, Action::Select)?;
        let present = draft.cell(column(&joined, target.key))?;
        // Its place among the joins is before those of its own embeds, its condition is known after them.
        let place = draft.joins.len();
        draft.joins.push((target, joined.clone(), Condition::all()));
        let outer = std::mem::take(&mut draft.level);
        let before = self.size.now();
        self.size.grow(QueryCost { conditions: 1, embeds: 1 })?;
        let inner = self.shape(draft, target, &joined, &embed.node.select, depth + 1)?;
        let level = std::mem::replace(&mut draft.level, outer);
        let on = Condition::all()
            .add(column(&joined, relation.parent_column).eq(column(alias, relation.column)))
            .add(access.condition(&joined))
            .add(self.not_expired(target, &joined))
            .add(self.scope(target, &joined, &level.embeds).all(&embed.node.filters)?)
            .add(level.inner_join_conditions());
        if let Some(join) = draft.joins.get_mut(place) {
            join.2 = on.clone();
        }
        self.embedded(&mut draft.level, embed, exists(target, &joined, on), before)?;
        draft.level.ones.push((embed.key().to_owned(), joined, target));
        let key = (!embed.spread).then(|| embed.key().to_owned());
        shape.push(OutputField::One { key, present, shape: inner });
        Ok(())
    }

    fn embed_many(
        &mut self,
        draft: &mut SelectBuilder,
        shape: &mut OutputShape,
        alias: &str,
        embed: &Embed,
        relation: &Relation,
        depth: usize,
    ) -> Result<(), RestError> {
        if embed.spread {
            return Err(RestError::bad_request(
                "PGRST119",
                format!("A spread operation on '{}' is not possible", embed.key()),
            ));
        }
        let target = relation.child.table();
        let child = self.alias();
        let access = self.access(target, Action::Select)?;
        let mut inner = SelectBuilder::new(target, &child);
        inner.cell(column(&child, relation.column))?;
        let before = self.size.now();
        self.size.grow(QueryCost { conditions: 1, embeds: 1 })?;
        let counts = match embed.node.select.as_slice() {
            [SelectItem::Count { alias }] => Some(alias.clone().unwrap_or_else(|| "count".into())),
            _ => None,
        };
        let inner_shape = match &counts {
            Some(key) => {
                inner.statement.expr_as(Expr::cust("count(*)"), Alias::new("c1"));
                inner.statement.add_group_by([column(&child, relation.column)]);
                vec![OutputField::Cell {
                    key: key.clone(),
                    cell: 1,
                    kind: ColumnType::Int,
                    field: None,
                    cast: None,
                }]
            }
            None => self.shape(&mut inner, target, &child, &embed.node.select, depth + 1)?,
        };
        let wanted = access
            .condition(&child)
            .add(self.not_expired(target, &child))
            .add(self.scope(target, &child, &inner.level.embeds).all(&embed.node.filters)?)
            .add(inner.level.inner_join_conditions());
        let belongs = column(&child, relation.column).eq(column(alias, relation.parent_column));
        let exists = exists(target, &child, wanted.clone().add(belongs));
        self.embedded(&mut draft.level, embed, exists, before)?;
        inner.statement.cond_where(wanted);
        let mut window = None;
        if counts.is_none() {
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
        }
        let parent = draft.cell(column(alias, relation.parent_column))?;
        shape.push(OutputField::Many {
            key: embed.key().to_owned(),
            parent,
            many: draft.many.len(),
        });
        draft.many.push(ToManyEmbed {
            counts: counts.is_some(),
            rows: inner.finish(),
            key: (child, relation.column),
            window,
            shape: inner_shape,
            nested: inner.many,
        });
        Ok(())
    }
}

/// Whether there is such a row: what `!inner` asks of the parent, and `embed=is.null` denies.
fn exists(target: &Table, alias: &str, condition: Condition) -> SelectStatement {
    Query::select()
        .expr(Expr::cust("1"))
        .from_as(Alias::new(target.name), Alias::new(alias))
        .cond_where(condition)
        .take()
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
