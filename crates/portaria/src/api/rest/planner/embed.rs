//! Embeds: a to-one relation becomes a join, a to-many relation one additional statement for all parents
//! (docs/decisions/0003-embeds-and-stable-order.md).

use portaria_query::{Embed, SelectItem, TableQuery};
use sea_query::{
    Alias, Asterisk, CaseStatement, Condition, Expr, ExprTrait, OverStatement, Query,
    SelectStatement, WindowStatement,
};

use crate::api::rest::{
    RestError,
    planner::{
        Planner, SelectBuilder,
        aggregate::Grouping,
        column,
        limits::{QueryCost, check_to_one_uses},
        order::{SortKey, add_order},
        plan::{OutputField, OutputShape, ToManyEmbed},
        relation::find_relation,
    },
};
use crate::{
    policy::Action,
    schema::{Relation, Table},
};

/// Maximum nesting of embeds. Each level adds a join or a statement.
const MAX_EMBED_DEPTH: usize = 3;
/// Alias of a grouped statement inside the statement that numbers its rows.
const GROUPS: &str = "groups";

impl Planner<'_> {
    /// Adds an embed to the statement, with the row policy of the related table.
    ///
    /// # Errors
    /// PGRST127 for embeds that nest too deep and for aggregates where none are offered, PGRST200 and PGRST201 for an
    /// unknown or ambiguous relation, 42501 if the caller has no access to the related table.
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
        let (relation, to_one) = find_relation(self.caller, table, embed)?;
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
        if !embed.spread && self.is_grouped(target, &embed.query.select)? {
            let feature = "Aggregates are not implemented for many-to-one embeds.";
            return Err(RestError::unsupported(feature));
        }
        let same = builder.embeds.to_one.iter().filter(|(.., table)| table.id == target.id);
        check_to_one_uses(same.count() + 1)?;
        let joined = self.new_alias();
        let access = self.require_access(target, Action::Select)?;
        // The fields of a spread embed are NULL without a row, so they need no cell of their own.
        let has_key = !embed.spread && !is_empty(&embed.query);
        let present = if has_key { Some(add_presence(builder, target, &joined)?) } else { None };
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
        match present {
            Some(present) => {
                let key = embed.key().to_owned();
                shape.push(OutputField::ToOne { key, present, shape: nested_shape });
            }
            None => shape.extend(nested_shape),
        }
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
        let target = relation.child.table();
        let query = &embed.query;
        let is_grouped = self.is_grouped(target, &query.select)?;
        if embed.spread && is_grouped {
            let feature = "Aggregates are not implemented for one-to-many or many-to-many spreads.";
            return Err(RestError::unsupported(feature));
        }
        if builder.grouping.is_some() && !is_empty(query) {
            return Err(RestError::unsupported("rows are not grouped by a one-to-many embed"));
        }
        let child = self.new_alias();
        let access = self.require_access(target, Action::Select)?;
        let mut child_builder = SelectBuilder::new(target, &child, is_grouped);
        child_builder.add_column(column(&child, relation.column))?;
        let before = self.budget.total();
        self.budget.charge(QueryCost { conditions: 1, embeds: 1 })?;
        let child_shape =
            self.select_items(&mut child_builder, target, &child, &query.select, depth + 1)?;
        let conditions = access
            .condition(&child)
            .add(self.not_expired(target, &child))
            .add(
                self.scope(target, &child, &child_builder.embeds.embeds)
                    .conditions(&query.filters)?,
            )
            .add(child_builder.embeds.inner_join_conditions());
        let belongs = column(&child, relation.column).eq(column(alias, relation.parent_column));
        let exists = exists(target, &child, conditions.clone().add(belongs));
        self.register_embed(&mut builder.embeds, embed, exists, before)?;
        child_builder.statement.cond_where(conditions);
        let order = self.order(&child_builder, target, &child, query)?;
        if is_empty(query) {
            return Ok(());
        }

        let parent = builder.add_column(column(alias, relation.parent_column))?;
        let many = builder.many.len();
        let field =
            |key: &str, place| OutputField::ToMany { key: key.to_owned(), parent, many, place };
        if embed.spread {
            let keys = child_shape.iter().map(OutputField::key).enumerate();
            shape.extend(keys.map(|(place, key)| field(key, place)));
        } else {
            shape.push(field(embed.key(), 0));
        }
        let is_paged = query.limit.is_some() || query.offset.is_some();
        let window = is_paged.then(|| (query.offset.unwrap_or(0), self.cap(query.limit)));
        let has_first = window.is_none_or(|(offset, limit)| offset == 0 && limit != Some(0));
        let grouping = child_builder.grouping.as_ref().filter(|_| has_first);
        let empty_group = grouping.and_then(Grouping::counts_of_no_rows).map(<[usize]>::to_vec);
        let partition = (child, relation.column);
        let (rows, key) = number_rows(&mut child_builder, partition, order, is_paged);
        builder.many.push(ToManyEmbed {
            rows,
            key,
            window,
            is_spread: embed.spread,
            empty_group,
            is_bounded: self.is_bounded(),
            shape: child_shape,
            nested: child_builder.many,
        });
        Ok(())
    }
}

/// Orders the rows of a to-many embed, or numbers them per parent in their order if `is_paged`. Returns the statement
/// with alias and column of the parent's key.
fn number_rows(
    builder: &mut SelectBuilder,
    partition: (String, &'static str),
    order: Vec<SortKey>,
    is_paged: bool,
) -> (SelectStatement, (String, &'static str)) {
    if !is_paged {
        add_order(&mut builder.statement, order);
        return (builder.finish(), partition);
    }
    let is_grouped = builder.grouping.is_some();
    let mut ranking = WindowStatement::new();
    let (alias, key) = if is_grouped { (GROUPS.to_owned(), "c0") } else { partition };
    ranking.add_partition_by(column(&alias, key));
    add_order(&mut ranking, order);
    let number = Expr::cust("row_number()");
    if !is_grouped {
        builder.statement.expr_window_as(number, ranking, Alias::new("place"));
        return (builder.finish(), (alias, key));
    }
    // A window cannot name the aliases of its own statement, so another statement numbers the groups.
    let mut rows = Query::select();
    rows.column(Asterisk).from_subquery(builder.finish(), Alias::new(GROUPS));
    rows.expr_window_as(number, ranking, Alias::new("place"));
    (rows, (alias, key))
}

/// Whether an embed selects nothing. It serves the filters of its parent and is absent from the answer.
fn is_empty(query: &TableQuery) -> bool {
    query
        .select
        .iter()
        .all(|item| matches!(item, SelectItem::Embed(embed) if is_empty(&embed.query)))
}

/// Adds the cell that is NULL if a to-one embed has no row.
fn add_presence(
    builder: &mut SelectBuilder,
    target: &Table,
    alias: &str,
) -> Result<usize, RestError> {
    let key = column(alias, target.key);
    if builder.grouping.is_none() {
        return builder.add_column(key);
    }
    // Groups are formed by the selected values. The key would separate rows of equal values.
    let present = CaseStatement::new().case(key.is_not_null(), Expr::cust("1"));
    builder.add_column(present.into())
}

/// Builds the subquery that tests whether a related row exists, for `!inner` and for `embed=is.null`.
fn exists(target: &Table, alias: &str, condition: Condition) -> SelectStatement {
    Query::select()
        .expr(Expr::cust("1"))
        .from_as(Alias::new(target.name), Alias::new(alias))
        .cond_where(condition)
        .take()
}
