//! `order=`: a total order that is equal on both databases and on every page.

use portaria_query::{Nulls, SelectItem, TableQuery};
use sea_query::{Expr, NullOrdering, Order, OrderedStatement};

use crate::api::rest::{
    RestError,
    planner::{Planner, SelectBuilder, column},
};
use crate::schema::Table;

/// A sort key: expression, direction, and the position of NULL if the column is nullable.
pub(crate) type SortKey = (Expr, Order, Option<NullOrdering>);

impl Planner<'_> {
    /// Builds the sort keys of a node. The table's key is the last one, or those of the groups.
    ///
    /// # Errors
    /// 42703 for an unknown column, PGRST108 and PGRST118 for a relation that is not a to-one embed, 42803 for a column
    /// by which the rows are not grouped.
    pub(crate) fn order(
        &self,
        builder: &SelectBuilder,
        table: &'static Table,
        alias: &str,
        node: &TableQuery,
    ) -> Result<Vec<SortKey>, RestError> {
        let mut keys = Vec::with_capacity(node.order.len() + 1);
        for order in &node.order {
            let relation = order.relation.as_deref();
            let embed = relation.map(|key| to_one(builder, node, key)).transpose()?;
            let scope = match embed {
                None => self.scope(table, alias, &[]),
                Some((_, alias, table)) => self.scope(table, alias, &[]),
            };
            let is_path = !order.field.path.is_empty();
            let json = scope.json_column(&order.field)?.filter(|_| is_path);
            let (exprs, nullable) = match (&builder.grouping, json) {
                (None, Some(column)) => (scope.json_sort_keys(column, &order.field), true),
                (grouping, _) => {
                    let (expr, _, nullable) = scope.field(&order.field)?;
                    let expr = match grouping {
                        Some(grouping) => grouping.key(&expr, &order.field.name)?,
                        None => expr,
                    };
                    (vec![expr], nullable || embed.is_some())
                }
            };
            // NULL follows PostgreSQL's rule, explicitly, because SQLite's default is the reverse. A column that is
            // never NULL needs no rule, and without one an index can provide the order.
            let nulls = match order.nulls {
                _ if !nullable => None,
                Some(Nulls::First) => Some(NullOrdering::First),
                None if order.descending => Some(NullOrdering::First),
                Some(Nulls::Last) | None => Some(NullOrdering::Last),
            };
            let direction = if order.descending { Order::Desc } else { Order::Asc };
            keys.extend(exprs.into_iter().map(|expr| (expr, direction.clone(), nulls)));
        }

        if let Some(grouping) = &builder.grouping {
            keys.extend(grouping.order());
            return Ok(keys);
        }
        // The key makes the order total. It is a column that the caller may read, because the order would otherwise
        // reveal the hidden one. Its direction is that of the preceding sort key, so that an index that ends with the
        // key provides the whole order, forwards or backwards.
        let key = table.public_key_column(self.sees_hidden());
        let is_key =
            |order: &portaria_query::Order| order.relation.is_none() && order.field.name == key;
        if !node.order.iter().any(is_key) {
            let direction = keys.last().map_or(Order::Asc, |(_, direction, _)| direction.clone());
            keys.push((column(alias, key), direction, None));
        }
        Ok(keys)
    }
}

/// Finds the to-one embed by which `order=relation(column)` sorts.
///
/// # Errors
/// PGRST108 for a relation that `select` does not embed, PGRST118 for one that is not a to-one embed.
fn to_one<'b>(
    builder: &'b SelectBuilder,
    node: &TableQuery,
    relation: &str,
) -> Result<&'b (String, String, &'static Table), RestError> {
    let is_embedded =
        |item: &SelectItem| matches!(item, SelectItem::Embed(embed) if embed.key() == relation);
    if !node.select.iter().any(is_embedded) {
        return Err(portaria_query::Error::NotEmbedded(relation.to_owned()).into());
    }
    builder.embeds.to_one.iter().find(|(key, ..)| key == relation).ok_or_else(|| {
        let message = format!("A related order on '{relation}' is not possible");
        RestError::bad_request("PGRST118", message)
    })
}

/// Adds sort keys to a statement or a window.
pub(crate) fn add_order(statement: &mut impl OrderedStatement, keys: Vec<SortKey>) {
    for (expr, direction, nulls) in keys {
        match nulls {
            Some(nulls) => statement.order_by_expr_with_nulls(expr, direction, nulls),
            None => statement.order_by_expr(expr, direction),
        };
    }
}
