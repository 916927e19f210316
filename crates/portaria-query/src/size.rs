//! The size of a query, which is limited because databases limit the columns and the depth of a statement.

use crate::{Filter, Operand, Operator, Query, SelectItem, TableQuery};

/// Counts the parts of a query. A list of `in` is one part; each value of a quantified list is a test of its own.
pub(crate) fn count_parts(query: &Query) -> usize {
    let names = [&query.columns, &query.on_conflict].into_iter().flatten().map(Vec::len);
    names.sum::<usize>() + node_parts(&query.root)
}

fn node_parts(node: &TableQuery) -> usize {
    let inside = node.select.iter().map(|item| match item {
        SelectItem::Embed(embed) => node_parts(&embed.query),
        SelectItem::All | SelectItem::Column(_) | SelectItem::Count { .. } => 0,
    });
    let tests = node.filters.iter().map(filter_parts);
    node.select.len() + node.order.len() + tests.chain(inside).sum::<usize>()
}

fn filter_parts(filter: &Filter) -> usize {
    match filter {
        Filter::Tree { filters, .. } => 1 + filters.iter().map(filter_parts).sum::<usize>(),
        Filter::Test { operator, operand: Operand::List(values), .. }
            if *operator != Operator::In =>
        {
            1 + values.len()
        }
        Filter::Test { .. } => 1,
    }
}
