//! An independent evaluator of reads: computes the expected response in memory, row by row.
//!
//! It shares the query parser with the server and nothing else. It has no opinion on casts, JSON paths, times that
//! depend on the portal's time zone, and formats other than JSON.

mod condition;
mod groups;
mod json_test;
mod search;

use std::cmp::Ordering;

use percent_encoding::percent_decode_str;
use portaria::schema::tables::{RELATIONS, find_table};
use portaria::schema::{Column, ColumnType, Relation, Table};
use portaria_query::{Embed, Field, Filter, Join, Nulls, Operand, SelectItem, TableQuery};

use crate::property::evaluator::condition::{compare, quantified, test};
use crate::property::{
    fixture::{Member, Office, Row, Value},
    generate::Ask,
};

/// The expected response.
#[derive(Debug, PartialEq)]
pub(crate) struct Opinion {
    pub(crate) content_range: String,
    pub(crate) body: String,
}

/// A typing indicator expires after half a minute.
fn is_current(table: &Table, row: &Row) -> bool {
    let since = "2026-11-21T14:59:30.000000+00:00";
    let Some(Value::Text(at)) = row.get("last_seen_at") else { return true };
    table.name != "ticket_presence" || at.as_str() > since
}

/// Reads an office as a client or as an administrator.
pub(crate) struct Evaluator<'a> {
    office: &'a Office,
    client: Option<&'a Member>,
}

impl<'a> Evaluator<'a> {
    pub(crate) fn new(office: &'a Office, client: Option<&'a Member>) -> Self {
        Self { office, client }
    }

    /// The expected response of a valid request.
    pub(crate) fn opinion(&self, ask: &Ask) -> Option<Opinion> {
        let header = |wanted: &str| {
            ask.headers.iter().find(|(name, _)| *name == wanted).map(|(_, value)| value.as_str())
        };
        let is_json = header("accept").is_none_or(|form| form == "application/json");
        if ask.method != "GET" || !is_json || header("range").is_some() {
            return None;
        }
        let (path, query) = ask.path.split_once('?').unwrap_or((&ask.path, ""));
        let table = find_table(path.strip_prefix("/rest/v1/")?)?;
        let decode = |text| percent_decode_str(text).decode_utf8().unwrap();
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        let node = portaria_query::parse(pairs.map(|(name, value)| (decode(name), decode(value))))
            .ok()?
            .root;
        let rows = self.kept(table, &node, self.visible(table)?)?;
        let total = rows.len().to_string();
        let objects = self.objects(table, &node, rows)?;
        let total =
            if header("prefer").is_some_and(|wish| wish.contains("count=")) { &total } else { "*" };
        let first = node.offset.unwrap_or(0);
        let content_range = match objects.len() as u64 {
            0 => format!("*/{total}"),
            length => format!("{first}-{}/{total}", first + length - 1),
        };
        Some(Opinion { content_range, body: format!("[{}]", objects.join(",")) })
    }

    /// The rows of a table that the caller may see.
    fn visible(&self, table: &Table) -> Option<Vec<&'a Row>> {
        let is = |row: &Row, column: &str, id: &str| row[column] == Value::from(id);
        // The evaluator does not cover the audit log and the outbox, which the portal writes itself, the union of accounts
        // and memberships, and the settings of the office, whose row holds defaults of the database.
        if ["activity", "outbox", "client_members", "office_settings"].contains(&table.name) {
            return None;
        }
        let is_people = ["clients", "staff"].contains(&table.name);
        let rows = self.office.table(if is_people { "users" } else { table.name });
        let is_staff = table.name == "staff";
        let users = rows.filter(|row| {
            row.get("is_admin").is_none_or(|it| *it == Value::Bool(is_staff))
                && is_current(table, row)
        });
        if table.name == "notifications" {
            let own = |row: &&Row| match self.client {
                Some(Member { id, .. }) => is(row, "person_id", id) && is(row, "client_id", id),
                None => is(row, "person_id", &self.office.admin.id),
            };
            return Some(users.filter(own).collect());
        }
        if ["staff_mail_choices", "saved_views"].contains(&table.name) && self.client.is_none() {
            return Some(users.filter(|row| is(row, "person_id", &self.office.admin.id)).collect());
        }
        let Some(Member { id, .. }) = self.client else { return Some(users.collect()) };
        let owner = match table.name {
            "folders" => return Some(users.collect()),
            "clients" => "id",
            "documents" | "document_receipts" | "document_payments" | "document_approvals"
            | "document_contacts" | "ticket_messages" | "ticket_attachments" | "ticket_history"
            | "muted_topics" | "request_items" | "received_files" => "client_id",
            "tickets" | "sessions" => "user_id",
            _ => return None,
        };
        Some(users.filter(|row| is(row, owner, id)).collect())
    }

    /// The rows that match the filters and the inner embeds.
    fn kept(
        &self,
        table: &'static Table,
        node: &TableQuery,
        rows: Vec<&'a Row>,
    ) -> Option<Vec<&'a Row>> {
        let mut kept = Vec::new();
        for row in rows {
            let mut holds = true;
            for filter in &node.filters {
                holds &= self.filter(table, node, row, filter)? == Some(true);
            }
            for embed in embeds(node).filter(|embed| embed.join == Join::Inner) {
                holds &= !self.related(table, row, embed)?.rows.is_empty();
            }
            if holds {
                kept.push(row);
            }
        }
        Some(kept)
    }

    /// The embedded rows of a row.
    fn related(&self, table: &Table, row: &Row, embed: &Embed) -> Option<Related<'a>> {
        let (up, relation) = self.relation(table, embed)?;
        let (here, there, target) = if up {
            (relation.column, relation.parent_column, relation.parent.table())
        } else {
            (relation.parent_column, relation.column, relation.child.table())
        };
        let mut rows = self.visible(target)?;
        rows.retain(|other| row[here] != Value::Null && other[there] == row[here]);
        Some(Related { table: target, rows: self.kept(target, &embed.query, rows)?, is_one: up })
    }

    /// The relation of an embed, and whether it leads to one row.
    fn relation(&self, table: &Table, embed: &Embed) -> Option<(bool, &'static Relation)> {
        let ways = RELATIONS.iter().flat_map(|relation| {
            let up = (relation.child == table.id).then_some((true, relation));
            up.into_iter().chain((relation.parent == table.id).then_some((false, relation)))
        });
        ways.into_iter().find(|(up, relation)| {
            let child = (relation.child.table(), relation.column);
            let parent = (relation.parent.table(), relation.parent_column);
            let (own, other) = if *up { (child, parent) } else { (parent, child) };
            let is = |(table, column): (&Table, &str), name: &str| {
                column == name && table.column(column, self.client.is_none()).is_some()
            };
            let is_key = |name: &str| {
                relation.name == name
                    && child.0.column(relation.column, self.client.is_none()).is_some()
            };
            let name = embed.relation.as_str();
            match embed.hint.as_deref() {
                None => other.0.name == name || is_key(name) || is(own, name),
                Some(hint) => {
                    other.0.name == name && (is_key(hint) || is(own, hint) || is(other, hint))
                }
            }
        })
    }

    /// Evaluates a filter; `Some(None)` is SQL's NULL.
    #[expect(clippy::option_option, reason = "no opinion and NULL are distinct")]
    fn filter(
        &self,
        table: &'static Table,
        node: &TableQuery,
        row: &Row,
        filter: &Filter,
    ) -> Option<Option<bool>> {
        let (holds, negated) = match filter {
            Filter::Tree { negated, any, filters } => {
                let mut parts = Vec::new();
                for filter in filters {
                    parts.push(self.filter(table, node, row, filter)?);
                }
                (quantified(*any, &parts), *negated)
            }
            Filter::Test { field, negated, operator, operand } => {
                let embed = embeds(node).find(|embed| embed.key() == field.name);
                let is_json = |column: &&Column| {
                    column.column_type == ColumnType::Json
                        && !field.as_text
                        && json_test::is_comparison(operator)
                };
                let json_column = table.column(&field.name, self.client.is_none()).filter(is_json);
                let holds = match (embed, json_column, self.column(table, field)) {
                    (_, Some(column), _) => {
                        json_test::test(&row[column.name], &field.path, operator, operand)?
                    }
                    (Some(embed), None, None) => {
                        let is_missing = self.related(table, row, embed)?.rows.is_empty();
                        let Operand::Value(word) = operand else { return None };
                        Some(is_missing == word.eq_ignore_ascii_case("null"))
                    }
                    (_, None, column) => {
                        let column = column?;
                        test(&row[column.name], column.column_type, operator, operand)?
                    }
                };
                (holds, *negated)
            }
        };
        Some(holds.map(|holds| holds != negated))
    }

    fn column(&self, table: &'static Table, field: &Field) -> Option<&'static Column> {
        table.column(&field.name, self.client.is_none()).filter(|_| field.path.is_empty())
    }

    /// The requested page of the ordered rows.
    fn page(
        &self,
        table: &'static Table,
        node: &TableQuery,
        rows: Vec<&'a Row>,
    ) -> Option<Vec<&'a Row>> {
        let mut keyed = Vec::new();
        for row in rows {
            let mut keys = Vec::new();
            for order in &node.order {
                let value = match &order.relation {
                    None => row[self.column(table, &order.field)?.name].clone(),
                    Some(key) => {
                        let embed = embeds(node).find(|embed| embed.key() == key)?;
                        let related = self.related(table, row, embed)?;
                        let column = self.column(related.table, &order.field)?;
                        related.rows.first().map_or(Value::Null, |one| one[column.name].clone())
                    }
                };
                keys.push(value);
            }
            keys.push(row[table.public_key_column(self.client.is_none())].clone());
            keyed.push((keys, row));
        }
        keyed.sort_by(|(one, _), (other, _)| {
            for (order, (one, other)) in node.order.iter().zip(one.iter().zip(other)) {
                let first = order.nulls.map_or(order.descending, |nulls| nulls == Nulls::First);
                let by_null = (*other == Value::Null).cmp(&(*one == Value::Null));
                let by_null = if first { by_null } else { by_null.reverse() };
                let by_value = compare(one, other);
                let by_value = if order.descending { by_value.reverse() } else { by_value };
                let both = by_null.then(by_value);
                if both != Ordering::Equal {
                    return both;
                }
            }
            let by_key = compare(one.last().unwrap(), other.last().unwrap());
            let descends = node.order.last().is_some_and(|order| order.descending);
            if descends { by_key.reverse() } else { by_key }
        });
        let number = |number: Option<u64>, none| {
            number.map_or(none, |number| usize::try_from(number).unwrap())
        };
        let rows = keyed.into_iter().map(|(_, row)| row);
        Some(rows.skip(number(node.offset, 0)).take(number(node.limit, usize::MAX)).collect())
    }

    /// The objects of the answer for all matching rows, in order and paged.
    fn objects(
        &self,
        table: &'static Table,
        node: &TableQuery,
        rows: Vec<&'a Row>,
    ) -> Option<Vec<String>> {
        if self.is_grouped(table, node)? {
            return self.groups(table, node, &rows);
        }
        let mut objects = Vec::new();
        for row in self.page(table, node, rows)? {
            objects.push(object(&self.cells(table, node, Some(row))?));
        }
        Some(objects)
    }

    /// The keys and values of a row, or of an absent row.
    fn cells(
        &self,
        table: &'static Table,
        node: &TableQuery,
        row: Option<&Row>,
    ) -> Option<Vec<(String, String)>> {
        let cell = |key: &str, column: &Column| {
            let value = row.map_or(&Value::Null, |row| &row[column.name]);
            (key.to_owned(), json(value, column.column_type))
        };
        let mut cells = Vec::new();
        for item in &node.select {
            match item {
                SelectItem::All => {
                    let columns = table.columns.iter();
                    let shown =
                        columns.filter(|column| self.client.is_none() || !column.staff_only);
                    cells.extend(shown.map(|column| cell(column.name, column)));
                }
                SelectItem::Column(wanted)
                    if wanted.cast.is_none() && wanted.aggregate.is_none() =>
                {
                    let column = self.column(table, &wanted.field)?;
                    cells.push(cell(wanted.alias.as_deref().unwrap_or(column.name), column));
                }
                SelectItem::Column(_) | SelectItem::Count { .. } => return None,
                SelectItem::Embed(embed) if is_empty(embed) => {}
                SelectItem::Embed(embed) => {
                    let Related { table, rows, is_one } = self.related(table, row?, embed)?;
                    let one = rows.first().copied();
                    let value = match (embed.spread, is_one) {
                        (true, true) => {
                            cells.extend(self.cells(table, &embed.query, one)?);
                            continue;
                        }
                        (true, false) => {
                            cells.extend(self.arrays(table, &embed.query, rows)?);
                            continue;
                        }
                        (false, true) => match one {
                            None => "null".to_owned(),
                            one => object(&self.cells(table, &embed.query, one)?),
                        },
                        (false, false) => {
                            let objects = self.objects(table, &embed.query, rows)?;
                            format!("[{}]", objects.join(","))
                        }
                    };
                    cells.push((embed.key().to_owned(), value));
                }
            }
        }
        Some(cells)
    }

    /// The keys of a to-many spread, each with the values of all rows.
    fn arrays(
        &self,
        table: &'static Table,
        node: &TableQuery,
        rows: Vec<&'a Row>,
    ) -> Option<Vec<(String, String)>> {
        let keys = self.cells(table, node, None)?;
        let mut rows_of_cells = Vec::new();
        for row in self.page(table, node, rows)? {
            rows_of_cells.push(self.cells(table, node, Some(row))?);
        }
        let arrays = keys.into_iter().enumerate().map(|(place, (key, _))| {
            let values: Vec<&str> =
                rows_of_cells.iter().map(|cells| cells[place].1.as_str()).collect();
            (key, format!("[{}]", values.join(",")))
        });
        Some(arrays.collect())
    }
}

/// The rows of an embed for one parent row.
struct Related<'a> {
    table: &'static Table,
    rows: Vec<&'a Row>,
    is_one: bool,
}

fn object(cells: &[(String, String)]) -> String {
    let cells: Vec<String> = cells
        .iter()
        .map(|(key, value)| format!("{}:{value}", serde_json::to_string(key).unwrap()))
        .collect();
    format!("{{{}}}", cells.join(","))
}

/// Whether the embed is absent from the answer.
fn is_empty(embed: &Embed) -> bool {
    let mut items = embed.query.select.iter();
    items.all(|item| matches!(item, SelectItem::Embed(embed) if is_empty(embed)))
}

fn embeds(node: &TableQuery) -> impl Iterator<Item = &Embed> {
    node.select.iter().filter_map(|item| match item {
        SelectItem::Embed(embed) => Some(embed),
        _ => None,
    })
}

fn json(value: &Value, kind: ColumnType) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Int(number) => number.to_string(),
        Value::Bool(value) => value.to_string(),
        Value::Text(text) if kind == ColumnType::Json => text.clone(),
        Value::Text(text) if matches!(kind, ColumnType::Timestamp(_)) => {
            let (moment, offset) = text.split_once('+').unwrap();
            format!("\"{}+{offset}\"", moment.trim_end_matches('0').trim_end_matches('.'))
        }
        Value::Text(text) => serde_json::to_string(text).unwrap(),
    }
}
