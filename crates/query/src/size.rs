//! How large a query is: a database takes only so many columns and so deep an expression, each its own number.

use crate::{Filter, Operand, Operator, Query, SelectItem, TableQuery};

/// The parts of a query. A list of values is one, unless each of its values is a test of its own.
pub(crate) fn parts(query: &Query) -> usize {
    let names = [&query.columns, &query.on_conflict].into_iter().flatten().map(Vec::len);
    names.sum::<usize>() + of_node(&query.root)
}

fn of_node(node: &TableQuery) -> usize {
    let inside = node.select.iter().map(|item| match item {
        SelectItem::Embed(embed) => of_node(&embed.node),
        SelectItem::All | SelectItem::Column(_) | SelectItem::Count { .. } => 0,
    });
    let tests = node.filters.iter().map(of_filter);
    node.select.len() + node.order.len() + tests.chain(inside).sum::<usize>()
}

fn of_filter(filter: &Filter) -> usize {
    match filter {
        Filter::Tree { filters, .. } => 1 + filters.iter().map(of_filter).sum::<usize>(),
        Filter::Test { operator, operand: Operand::List(values), .. }
            if *operator != Operator::In =>
        {
            1 + values.len()
        }
        Filter::Test { .. } => 1,
    }
}
