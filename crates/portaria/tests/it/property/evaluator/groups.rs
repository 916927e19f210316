//! Evaluates aggregate functions and their groups.

use std::cmp::Ordering;

use portaria::schema::{ColumnType, Table};
use portaria_query::{AggregateFunction as Function, Nulls, SelectItem, TableQuery};

use crate::property::evaluator::{
    Evaluator, Related, condition::compare, embeds, is_empty, json, object,
};
use crate::property::fixture::{Row, Value};

/// One field of a group.
enum Part {
    /// A selected value, with the values by which groups differ and are sorted.
    Key { key: String, json: String, values: Vec<Value> },
    /// The value of one row that an aggregate sees.
    Input { key: String, function: Function, value: Value, kind: ColumnType },
}

/// A group: the values of the explicit order, the values of the keys, and the fields of each row.
struct Group {
    order: Vec<Value>,
    keys: Vec<Value>,
    rows: Vec<Vec<Part>>,
}

impl Evaluator<'_> {
    /// Whether a list, or a to-one spread in it, has aggregates.
    pub(super) fn is_grouped(&self, table: &Table, node: &TableQuery) -> Option<bool> {
        for item in &node.select {
            let is_grouped = match item {
                SelectItem::Count { .. } => true,
                SelectItem::Column(column) => column.aggregate.is_some(),
                SelectItem::Embed(embed) if embed.spread => {
                    let (up, relation) = self.relation(table, embed)?;
                    up && self.is_grouped(relation.parent.table(), &embed.query)?
                }
                SelectItem::Embed(_) | SelectItem::All => false,
            };
            if is_grouped {
                return Some(true);
            }
        }
        Some(false)
    }

    /// The objects of the groups, in order and paged.
    pub(super) fn groups(
        &self,
        table: &'static Table,
        node: &TableQuery,
        rows: &[&Row],
    ) -> Option<Vec<String>> {
        let empty = self.parts(table, node, None)?;
        let mut groups: Vec<Group> = Vec::new();
        if keys(&empty).is_empty() {
            groups.push(Group { order: Vec::new(), keys: Vec::new(), rows: Vec::new() });
        }
        for row in rows {
            let parts = self.parts(table, node, Some(row))?;
            let keys = keys(&parts);
            if let Some(group) = groups.iter_mut().find(|group| group.keys == keys) {
                group.rows.push(parts);
            } else {
                let order = self.order_values(table, node, row)?;
                groups.push(Group { order, keys, rows: vec![parts] });
            }
        }
        groups.sort_by(|one, other| {
            for (order, (one, other)) in node.order.iter().zip(one.order.iter().zip(&other.order)) {
                let first = order.nulls.map_or(order.descending, |nulls| nulls == Nulls::First);
                let found = sorted(one, other, first, order.descending);
                if found != Ordering::Equal {
                    return found;
                }
            }
            let mut pairs = one.keys.iter().zip(&other.keys);
            let differing = pairs.find_map(|(one, other)| {
                Some(sorted(one, other, false, false)).filter(|found| *found != Ordering::Equal)
            });
            differing.unwrap_or(Ordering::Equal)
        });
        let number = |number: Option<u64>, none| {
            number.map_or(none, |number| usize::try_from(number).unwrap())
        };
        let page = groups.iter().skip(number(node.offset, 0)).take(number(node.limit, usize::MAX));
        page.map(|group| {
            let template = group.rows.first().unwrap_or(&empty);
            let mut cells = Vec::new();
            for (place, part) in template.iter().enumerate() {
                cells.push(match part {
                    Part::Key { key, json, .. } => (key.clone(), json.clone()),
                    Part::Input { key, function, kind, .. } => {
                        let inputs = group.rows.iter().filter_map(|row| match &row[place] {
                            Part::Input { value, .. } if *value != Value::Null => Some(value),
                            _ => None,
                        });
                        let inputs: Vec<&Value> = inputs.collect();
                        (key.clone(), aggregate(*function, &inputs, *kind)?)
                    }
                });
            }
            Some(object(&cells))
        })
        .collect()
    }

    fn order_values(
        &self,
        table: &'static Table,
        node: &TableQuery,
        row: &Row,
    ) -> Option<Vec<Value>> {
        let mut values = Vec::new();
        for order in &node.order {
            values.push(match &order.relation {
                None => row[self.column(table, &order.field)?.name].clone(),
                Some(key) => {
                    let embed = embeds(node).find(|embed| embed.key() == key)?;
                    let related = self.related(table, row, embed)?;
                    let column = self.column(related.table, &order.field)?;
                    related.rows.first().map_or(Value::Null, |one| one[column.name].clone())
                }
            });
        }
        Some(values)
    }

    /// The fields of a row, or of an absent row.
    fn parts(
        &self,
        table: &'static Table,
        node: &TableQuery,
        row: Option<&Row>,
    ) -> Option<Vec<Part>> {
        let value = |name: &str| row.map_or(Value::Null, |row| row[name].clone());
        let mut parts = Vec::new();
        for item in &node.select {
            match item {
                SelectItem::All => {
                    for column in table.columns {
                        if self.client.is_none() || !column.staff_only {
                            if is_long(column.column_type) {
                                return None;
                            }
                            parts.push(key_part(
                                column.name,
                                value(column.name),
                                column.column_type,
                            ));
                        }
                    }
                }
                SelectItem::Count { alias, cast: None } => parts.push(Part::Input {
                    key: alias.clone().unwrap_or_else(|| "count".to_owned()),
                    function: Function::Count,
                    value: if row.is_some() { Value::Int(1) } else { Value::Null },
                    kind: ColumnType::Int,
                }),
                SelectItem::Column(wanted) if wanted.cast.is_none() => {
                    let column = self.column(table, &wanted.field)?;
                    let kind = column.column_type;
                    if is_long(kind) {
                        return None;
                    }
                    let Some(aggregate) = &wanted.aggregate else {
                        let key = wanted.alias.as_deref().unwrap_or(column.name);
                        parts.push(key_part(key, value(column.name), kind));
                        continue;
                    };
                    if aggregate.cast.is_some() {
                        return None;
                    }
                    let function = aggregate.function;
                    let name = format!("{function:?}").to_lowercase();
                    let key = wanted.alias.clone().unwrap_or(name);
                    parts.push(Part::Input { key, function, value: value(column.name), kind });
                }
                SelectItem::Embed(embed) if is_empty(embed) => {}
                SelectItem::Embed(embed) => {
                    let (up, relation) = self.relation(table, embed)?;
                    if !up {
                        return None;
                    }
                    let target = relation.parent.table();
                    let related = row.map(|row| self.related(table, row, embed));
                    let rows = match related {
                        Some(Some(Related { rows, .. })) => rows,
                        Some(None) => return None,
                        None => Vec::new(),
                    };
                    let one = rows.first().copied();
                    let inside = self.parts(target, &embed.query, one)?;
                    if embed.spread {
                        parts.extend(inside);
                        continue;
                    }
                    let present = if one.is_some() { Value::Int(1) } else { Value::Null };
                    let values = [vec![present], keys(&inside)].concat();
                    let json = match one {
                        None => "null".to_owned(),
                        one => object(&self.cells(target, &embed.query, one)?),
                    };
                    parts.push(Part::Key { key: embed.key().to_owned(), json, values });
                }
                SelectItem::Column(_) | SelectItem::Count { .. } => return None,
            }
        }
        Some(parts)
    }
}

/// Whether the server refuses groups of a column.
fn is_long(kind: ColumnType) -> bool {
    matches!(kind, ColumnType::Text(max) if max > 1_024)
}

fn key_part(key: &str, value: Value, kind: ColumnType) -> Part {
    Part::Key { key: key.to_owned(), json: json(&value, kind), values: vec![value] }
}

fn keys(parts: &[Part]) -> Vec<Value> {
    let values = parts.iter().filter_map(|part| match part {
        Part::Key { values, .. } => Some(values.clone()),
        Part::Input { .. } => None,
    });
    values.flatten().collect()
}

fn sorted(one: &Value, other: &Value, nulls_first: bool, descends: bool) -> Ordering {
    let by_null = (*other == Value::Null).cmp(&(*one == Value::Null));
    let by_null = if nulls_first { by_null } else { by_null.reverse() };
    let by_value = compare(one, other);
    by_null.then(if descends { by_value.reverse() } else { by_value })
}

fn aggregate(function: Function, values: &[&Value], kind: ColumnType) -> Option<String> {
    let numbers = values.iter().map(|value| match value {
        Value::Int(number) => i128::from(*number),
        _ => 0,
    });
    let (sum, count) = (numbers.sum::<i128>(), i128::try_from(values.len()).ok()?);
    let best = |best: Ordering| {
        let mut values = values.iter().copied();
        let first = values.next();
        first.map(|first| {
            values.fold(first, |one, other| if compare(other, one) == best { other } else { one })
        })
    };
    Some(match function {
        Function::Count => count.to_string(),
        _ if count == 0 => "null".to_owned(),
        Function::Sum => sum.to_string(),
        Function::Avg => average(sum, count)?,
        Function::Min => json(best(Ordering::Less)?, kind),
        Function::Max => json(best(Ordering::Greater)?, kind),
    })
}

/// The average with the number of decimal places that PostgreSQL chooses. `None` is no opinion.
fn average(sum: i128, count: i128) -> Option<String> {
    let magnitude = sum.abs();
    // Groups of four digits: the number of those behind the first, and the first.
    let leading = |number: i128| {
        let text = number.to_string();
        let first = (text.len() - 1) % 4 + 1;
        (i32::try_from((text.len() - first) / 4).unwrap(), text[..first].parse::<i32>().unwrap())
    };
    let ((weight, first), (divisor_weight, divisor_first)) = (leading(magnitude), leading(count));
    let weight = weight - divisor_weight - i32::from(first <= divisor_first);
    let places = usize::try_from(16 - 4 * weight).unwrap_or(0);
    let scaled = magnitude.checked_mul(10_i128.checked_pow(u32::try_from(places).ok()?)?)?;
    let rounded = (scaled.checked_mul(2)? + count) / (2 * count);
    let digits = format!("{rounded:0>width$}", width = places + 1);
    let (integer, fraction) = digits.split_at(digits.len() - places);
    let sign = if sum < 0 { "-" } else { "" };
    let point = if places > 0 { "." } else { "" };
    Some(format!("{sign}{integer}{point}{fraction}"))
}
