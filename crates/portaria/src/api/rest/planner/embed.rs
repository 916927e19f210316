//! Embeds: a to-one relation becomes a join, a to-many relation one additional statement for all parents
//! (docs/decisions/0003-embeds-and-stable-order.md).

use portaria_query::{Embed, SelectItem};
use sea_query::{
    Alias, Condition, Expr, ExprTrait, OverStatement, Query, SelectStatement, WindowStatement,
};

use crate::api::rest::{
    RestError,
    planner::{
        Planner, SelectBuilder, column,
        limits::{QueryCost, check_to_one_uses},
        order::add_order,
        plan::{OutputField, OutputShape, ToManyEmbed},
    },
};
use crate::{
    policy::Action,
    schema::{ColumnType, Relation, Table, TableId, tables::RELATIONS},
};

/// Maximum nesting of embeds. Each level adds a join or a statement.
const MAX_EMBED_DEPTH: usize = 3;

impl Planner<'_> {
    /// Adds an embed to the statement, with the row policy of the related table.
    ///
    /// # Errors
    /// PGRST127 for embeds that nest too deep, PGRST200 and PGRST201 for an unknown or ambiguous relation, PGRST119
    /// for a spread of a to-many relation, 42501 if the caller has no access to the related table.
    pub(crate) fn embed(
        &mut self,
        builder: &mut SelectBuilder,
        shape: &mut OutputShape,
        table: &'static Table,
        alias: &str,
        embed: &Embed,
        depth: usize,
    ) -> Result<(), RestError> {
        if depth >= MAX_EMBED_DEPTH {
            return Err(RestError::unsupported(format!(
                "embeds nest at most {MAX_EMBED_DEPTH} deep"
            )));
        }
        let (relation, to_one) = relation(table, embed)?;
        if to_one {
            self.embed_one(builder, shape, alias, embed, relation, depth)
        } else {
            self.embed_many(builder, shape, alias, embed, relation, depth)
        }
    }

    fn embed_one(
        &mut self,
        builder: &mut SelectBuilder,
        shape: &mut OutputShape,
        alias: &str,
        embed: &Embed,
        relation: &Relation,
        depth: usize,
    ) -> Result<(), RestError> {
        let target = relation.parent.table();
        let same = builder.embeds.to_one.iter().filter(|(.., table)| table.id == target.id);
        check_to_one_uses(same.count() + 1)?;
        let joined = self.new_alias();
        let access = self.require_access(target, Action::Select)?;
        let present = builder.add_column(column(&joined, target.key))?;
        // The join precedes those of the nested embeds, but its condition is complete only after them.
        let join_index = builder.joins.len();
        builder.joins.push((target, joined.clone(), Condition::all()));
        let outer = std::mem::take(&mut builder.embeds);
        let before = self.budget.total();
        self.budget.charge(QueryCost { conditions: 1, embeds: 1 })?;
        let nested_shape =
            self.select_items(builder, target, &joined, &embed.query.select, depth + 1)?;
        let level = std::mem::replace(&mut builder.embeds, outer);
        let on = Condition::all()
            .add(column(&joined, relation.parent_column).eq(column(alias, relation.column)))
            .add(access.condition(&joined))
            .add(self.not_expired(target, &joined))
            .add(self.scope(target, &joined, &level.embeds).conditions(&embed.query.filters)?)
            .add(level.inner_join_conditions());
        if let Some(join) = builder.joins.get_mut(join_index) {
            join.2 = on.clone();
        }
        self.register_embed(&mut builder.embeds, embed, exists(target, &joined, on), before)?;
        builder.embeds.to_one.push((embed.key().to_owned(), joined, target));
        let key = (!embed.spread).then(|| embed.key().to_owned());
        shape.push(OutputField::ToOne { key, present, shape: nested_shape });
        Ok(())
    }

    fn embed_many(
        &mut self,
        builder: &mut SelectBuilder,
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
        let child = self.new_alias();
        let access = self.require_access(target, Action::Select)?;
        let mut child_builder = SelectBuilder::new(target, &child);
        child_builder.add_column(column(&child, relation.column))?;
        let before = self.budget.total();
        self.budget.charge(QueryCost { conditions: 1, embeds: 1 })?;
        let counts = match embed.query.select.as_slice() {
            [SelectItem::Count { alias }] => Some(alias.clone().unwrap_or_else(|| "count".into())),
            _ => None,
        };
        let child_shape = match &counts {
            Some(key) => {
                child_builder.statement.expr_as(Expr::cust("count(*)"), Alias::new("c1"));
                child_builder.statement.add_group_by([column(&child, relation.column)]);
                vec![OutputField::Cell {
                    key: key.clone(),
                    cell: 1,
                    kind: ColumnType::Int,
                    field: None,
                    cast: None,
                }]
            }
            None => self.select_items(
                &mut child_builder,
                target,
                &child,
                &embed.query.select,
                depth + 1,
            )?,
        };
        let conditions = access
            .condition(&child)
            .add(self.not_expired(target, &child))
            .add(
                self.scope(target, &child, &child_builder.embeds.embeds)
                    .conditions(&embed.query.filters)?,
            )
            .add(child_builder.embeds.inner_join_conditions());
        let belongs = column(&child, relation.column).eq(column(alias, relation.parent_column));
        let exists = exists(target, &child, conditions.clone().add(belongs));
        self.register_embed(&mut builder.embeds, embed, exists, before)?;
        child_builder.statement.cond_where(conditions);

        // An embedded count has neither order nor limit.
        let mut window = None;
        if counts.is_none() {
            let order = self.order(&child_builder, target, &child, &embed.query)?;
            if embed.query.limit.is_some() || embed.query.offset.is_some() {
                window = Some((embed.query.offset.unwrap_or(0), self.cap(embed.query.limit)));
                let mut ranking = WindowStatement::new();
                ranking.add_partition_by(column(&child, relation.column));
                add_order(&mut ranking, order);
                child_builder.statement.expr_window_as(
                    Expr::cust("row_number()"),
                    ranking,
                    Alias::new("place"),
                );
            } else {
                add_order(&mut child_builder.statement, order);
            }
        }

        let parent = builder.add_column(column(alias, relation.parent_column))?;
        shape.push(OutputField::ToMany {
            key: embed.key().to_owned(),
            parent,
            many: builder.many.len(),
        });
        builder.many.push(ToManyEmbed {
            is_count: counts.is_some(),
            is_bounded: self.is_bounded(),
            rows: child_builder.finish(),
            key: (child, relation.column),
            window,
            shape: child_shape,
            nested: child_builder.many,
        });
        Ok(())
    }
}

/// Builds the subquery that tests whether a related row exists, for `!inner` and for `embed=is.null`.
fn exists(target: &Table, alias: &str, condition: Condition) -> SelectStatement {
    Query::select()
        .expr(Expr::cust("1"))
        .from_as(Alias::new(target.name), Alias::new(alias))
        .cond_where(condition)
        .take()
}

/// Finds the relation between a table and an embed, and whether it is a to-one relation.
///
/// # Errors
/// PGRST200 without a relation, PGRST201 with several.
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
