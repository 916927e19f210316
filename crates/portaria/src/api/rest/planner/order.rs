//! `order=`: the same order from both databases, and on every page.

use query::{Nulls, TableQuery};
use sea_query::{Expr, NullOrdering, Order, OrderedStatement};

use crate::api::rest::{
    RestError,
    planner::{Planner, SelectBuilder, column},
};
use crate::schema::Table;

/// What to sort by, in which direction, and where missing values go.
pub(crate) type SortKey = (Expr, Order, Option<NullOrdering>);

impl Planner<'_> {
    /// The sort keys of a node, the table's own key last.
    pub(crate) fn order(
        &self,
        draft: &SelectBuilder,
        table: &'static Table,
        alias: &str,
        node: &TableQuery,
    ) -> Result<Vec<SortKey>, RestError> {
        let mut keys = Vec::with_capacity(node.order.len() + 1);
        for order in &node.order {
            let (expr, nullable) = match &order.relation {
                None => {
                    let (expr, _, nullable) = self.scope(table, alias, &[]).field(&order.field)?;
                    (expr, nullable)
                }
                Some(relation) => {
                    let one =
                        draft.level.ones.iter().find(|(key, ..)| key == relation).ok_or_else(
                            || {
                                RestError::bad_request(
                                    "PGRST118",
                                    format!("A related order on '{relation}' is not possible"),
                                )
                            },
                        )?;
                    (self.scope(one.2, &one.1, &[]).field(&order.field)?.0, true)
                }
            };
            // PostgreSQL's rule, said aloud because SQLite's is the reverse. A column that is never NULL
            // needs none, and an index can then give the order.
            let nulls = match order.nulls {
                _ if !nullable => None,
                Some(Nulls::First) => Some(NullOrdering::First),
                None if order.descending => Some(NullOrdering::First),
                Some(Nulls::Last) | None => Some(NullOrdering::Last),
            };
            keys.push((expr, if order.descending { Order::Desc } else { Order::Asc }, nulls));
        }
        // The key last: equal rows come in the same order from both databases and on every page. One that
        // the caller may see, or the order would tell of the other. In the direction of what comes before it, so that
        // an index that ends with the key gives the whole order, forwards or backwards.
        let key = table.public_key_column(self.sees_hidden());
        let by_key = |order: &query::Order| order.relation.is_none() && order.field.name == key;
        if !node.order.iter().any(by_key) {
            let direction = keys.last().map_or(Order::Asc, |(_, direction, _)| direction.clone());
            keys.push((column(alias, key), direction, None));
        }
        Ok(keys)
    }
}

/// Adds the sort keys to a statement or a window.
pub(crate) fn sort(statement: &mut impl OrderedStatement, keys: Vec<SortKey>) {
    for (expr, direction, nulls) in keys {
        match nulls {
            Some(nulls) => statement.order_by_expr_with_nulls(expr, direction, nulls),
            None => statement.order_by_expr(expr, direction),
        };
    }
}
