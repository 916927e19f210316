//! The events of changed rows: who receives one, and its JSON.
//!
//! An event describes how the rows that the subscriber may read changed: a row that becomes readable is an INSERT, and
//! one that ceases to be readable is a DELETE. A row that the subscriber may read neither before nor after a change
//! causes no event.

use std::{collections::HashMap, sync::Arc};

use axum::extract::ws::Message;
use serde_json::{json, value::RawValue};

use crate::api::realtime::{filter::Test, frame::Format, hub::Channel};
use crate::{
    db::{
        Cell, Row,
        changes::{Change, RecordedTable},
    },
    policy::{
        Access, NamedRows, Ownership, Reach, document_column, file_column, folder_column,
        owner_column,
    },
    schema::{
        Column, ColumnType, Table, TableId,
        tables::{TABLES, find_table},
        value::{database_text, write_json, write_text},
    },
};

/// The table of the accounts, whose changes can end sessions. The view `clients` has some of its rows.
pub(crate) const ACCOUNTS: &str = "users";
/// The memberships, whose changes can limit people to folders. The columns of its changes: id, person.
pub(crate) const MEMBERSHIPS: &str = "memberships";
/// The folders of limited members. The columns of its changes: id, membership.
pub(crate) const MEMBER_FOLDERS: &str = "member_folders";

/// The kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Insert,
    Update,
    Delete,
}

/// One entry of `postgres_changes` of a joined channel.
#[derive(Debug)]
pub(crate) struct Binding {
    /// Its place in the list, from 1. Clients refuse 0.
    pub(crate) id: usize,
    /// The kind of events; `None` for all.
    pub(crate) kind: Option<Kind>,
    pub(crate) table: &'static Table,
    pub(crate) access: Access,
    /// The clients or folders that the subscriber reaches.
    pub(crate) reach: Reach,
    /// Whether staff columns exist for the subscriber.
    pub(crate) sees_hidden: bool,
    pub(crate) tests: Vec<Test>,
    /// The columns of the events.
    pub(crate) columns: Vec<&'static Column>,
    /// The column that identifies rows for the subscriber.
    pub(crate) key: &'static str,
}

impl Binding {
    fn permits(&self, row: Option<&Ownership>) -> bool {
        row.is_some_and(|row| self.access.permits(row, &self.reach))
    }
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Insert => "INSERT",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
        }
    }
}

/// Returns whether changes of a table can be subscribed to. Of the views only `clients` has changes: those of its accounts.
/// A notification belongs to a person and to a client, but an event is addressed by one column; the table is polled.
/// Choices of mails are personal, also among staff.
pub(crate) fn is_recorded(table: TableId) -> bool {
    !matches!(
        table,
        TableId::Staff
            | TableId::ClientMembers
            | TableId::Notifications
            | TableId::StaffMailChoices
            | TableId::SavedViews
    )
}

/// The tables of the change feed: those of the table API, and those whose changes can end sessions or change rights.
pub(crate) fn recorded_tables() -> Vec<RecordedTable> {
    let tables = TABLES.iter().filter(|table| is_recorded(table.id));
    let tables = tables.map(|table| {
        if table.id == TableId::Clients {
            return accounts(table);
        }
        let visible = table.columns.iter().filter(|column| !column.staff_only);
        let visible = visible.map(|column| column.name).collect();
        RecordedTable { name: table.name, columns: recorded(table), visible }
    });
    let others =
        [(MEMBERSHIPS, vec!["id", "user_id"]), (MEMBER_FOLDERS, vec!["id", "membership_id"])];
    let others = others.into_iter().map(|(name, columns)| RecordedTable {
        name,
        columns,
        visible: Vec::new(),
    });
    tables.chain(others).collect()
}

/// The accounts, of which the view `clients` is a part. A change is visible if the view shows it: others, such as those of
/// a password, are announced to no caller.
fn accounts(clients: &'static Table) -> RecordedTable {
    let mut visible: Vec<_> = clients.columns.iter().map(|column| column.name).collect();
    // By these columns the view selects its rows, and shows an invitation as open.
    visible.extend(["is_admin", "is_client", "email_confirmed_at"]);
    RecordedTable { name: ACCOUNTS, columns: recorded(clients), visible }
}

/// The table of the API that a change concerns; `None` if no caller can read what changed.
pub(crate) fn changed_table(change: &Change) -> Option<&'static Table> {
    if change.table == ACCOUNTS {
        change.is_visible.then(|| TableId::Clients.table())
    } else {
        find_table(&change.table)
    }
}

/// Returns whether recorded values are those of a row of the table. Some accounts are no clients.
fn is_row(table: &'static Table, values: &Vec<Option<String>>) -> bool {
    let holds = |column| matches!(recorded_value(table, column, Some(values)), Some("1" | "true"));
    table.id != TableId::Clients || holds("is_client") && !holds("is_admin")
}

/// The columns of a table that the change feed contains: its keys, and the columns that decide who may read a row.
pub(crate) fn recorded(table: &'static Table) -> Vec<&'static str> {
    let mut columns: Vec<_> = [table.key, table.public_key_column(false)].into();
    columns.extend(owner_column(table.id));
    columns.extend(folder_column(table.id));
    columns.extend(document_column(table.id));
    columns.extend(file_column(table.id));
    if table.id == TableId::ClientAssignments {
        // By which the feed finds the channels whose rights change.
        columns.push("staff_id");
    } else if table.id == TableId::Clients {
        // By which the view selects its rows.
        columns.extend(["is_admin", "is_client"]);
    }
    columns.dedup();
    columns
}

/// The value of a recorded column before or after a change.
pub(crate) fn recorded_value<'a>(
    table: &'static Table,
    column: &str,
    values: Option<&'a Vec<Option<String>>>,
) -> Option<&'a str> {
    let place = recorded(table).iter().position(|name| *name == column)?;
    values?.get(place)?.as_deref()
}

/// A change of one row, while it is sent to the channels.
pub(crate) struct Event<'a> {
    table: &'static Table,
    change: &'a Change,
    /// The present row, if it exists.
    row: Option<Row<'a>>,
    /// The time of the change, as JSON.
    at: &'a str,
    /// Ownership before and after the change, and of the present row; `None` without a row.
    before: Option<Ownership>,
    after: Option<Ownership>,
    present: Option<Ownership>,
    /// The data that were written, with their kind and columns.
    data: Vec<(Kind, Vec<&'static str>, String)>,
    frames: HashMap<(Format, String, Vec<usize>, usize), Message>,
}

impl<'a> Event<'a> {
    /// `named` has the documents and files that the row named before and after the change.
    pub(crate) fn new(
        table: &'static Table,
        change: &'a Change,
        row: Option<Row<'a>>,
        at: &'a str,
        named: &NamedRows,
    ) -> Self {
        let recorded = |values: Option<&'a Vec<Option<String>>>| {
            let values = values.filter(|values| is_row(table, values))?;
            let value = |column| recorded_value(table, column, Some(values)).map(str::to_owned);
            Some(named.ownership(table.id, value))
        };
        let (before, after) = (recorded(change.old.as_ref()), recorded(change.new.as_ref()));
        let present = row.map(|row| {
            named.ownership(table.id, |name| {
                let column = table.column(name, true)?;
                database_text(column.column_type, cell(table, row, column))
            })
        });
        let (data, frames) = (Vec::new(), HashMap::new());
        Self { table, change, row, at, before, after, present, data, frames }
    }

    /// The frames of the change for a channel, as far as its caller may read the row.
    pub(crate) fn frames_for(&mut self, channel: &Channel) -> Vec<Message> {
        let bindings = channel.bindings.iter().filter(|binding| binding.table.id == self.table.id);
        let matching: Vec<(&Binding, Kind)> =
            bindings.filter_map(|binding| Some((binding, self.kind_for(binding)?))).collect();
        // Bindings that select other columns receive frames of their own.
        let mut sent: Vec<(usize, Vec<usize>)> = Vec::new();
        for (binding, kind) in matching {
            let data = self.data_for(binding, kind);
            match sent.iter_mut().find(|(other, _)| *other == data) {
                Some((_, ids)) => ids.push(binding.id),
                None => sent.push((data, vec![binding.id])),
            }
        }
        sent.into_iter().map(|(data, ids)| self.frame(channel, ids, data)).collect()
    }

    /// Returns the kind of the event for a binding; `None` if it receives none.
    fn kind_for(&self, binding: &Binding) -> Option<Kind> {
        let kind = match [&self.before, &self.after].map(|row| binding.permits(row.as_ref())) {
            [false, false] => return None,
            [true, false] => Kind::Delete,
            [false, true] => Kind::Insert,
            [true, true] => Kind::Update,
        };
        if binding.kind.is_some_and(|wanted| wanted != kind) {
            return None;
        }
        if kind == Kind::Update && !self.change.is_visible && !binding.sees_hidden {
            return None;
        }
        if kind == Kind::Delete {
            return Some(kind);
        }
        // A row that was meanwhile deleted, or given to another owner, has a later event.
        let row = self.row.filter(|_| binding.permits(self.present.as_ref()))?;
        let passes =
            binding.tests.iter().all(|test| test.holds(|column| cell(self.table, row, column)));
        passes.then_some(kind)
    }

    /// Writes the data of the event, unless they were written for another subscriber. Returns their index.
    fn data_for(&mut self, binding: &Binding, kind: Kind) -> usize {
        let names = || binding.columns.iter().map(|column| column.name);
        let known = self
            .data
            .iter()
            .position(|(other, columns, _)| *other == kind && columns.iter().copied().eq(names()));
        known.unwrap_or_else(|| {
            let data = self.write_data(binding, kind);
            self.data.push((kind, names().collect(), data));
            self.data.len() - 1
        })
    }

    fn write_data(&self, binding: &Binding, kind: Kind) -> String {
        let columns: Vec<_> = binding
            .columns
            .iter()
            .map(|column| json!({"name": column.name, "type": type_name(column.column_type)}))
            .collect();
        let mut data = format!(
            r#"{{"schema":"public","table":"{}","commit_timestamp":"{}","type":"{}","columns":{},"errors":null"#,
            self.table.name,
            self.at,
            kind.name(),
            json!(columns),
        )
        .into_bytes();
        if let Some(row) = self.row.filter(|_| kind != Kind::Delete) {
            data.extend_from_slice(br#","record":{"#);
            for (place, column) in binding.columns.iter().enumerate() {
                if place > 0 {
                    data.push(b',');
                }
                write_text(column.name, &mut data);
                data.push(b':');
                write_json(column.column_type, cell(self.table, row, column), &mut data);
            }
            data.push(b'}');
        }
        if kind != Kind::Insert {
            let key = recorded_value(self.table, binding.key, self.change.old.as_ref());
            let key =
                self.table.column(binding.key, true).zip(key).map(|(column, key)| {
                    match column.column_type {
                        ColumnType::Int => json!({ column.name: key.parse::<i64>().ok() }),
                        _ => json!({ column.name: key }),
                    }
                });
            data.extend_from_slice(format!(r#","old_record":{}"#, json!(key)).as_bytes());
        }
        data.push(b'}');
        String::from_utf8(data).expect("JSON is UTF-8")
    }

    /// Writes the frame, unless it was written for another subscriber of the same topic.
    fn frame(&mut self, channel: &Channel, ids: Vec<usize>, data: usize) -> Message {
        let (_, _, text) = &self.data[data];
        let key = (channel.format, channel.topic.clone(), ids, data);
        if let Some(frame) = self.frames.get(&key) {
            return frame.clone();
        }
        let payload = format!(r#"{{"ids":{},"data":{text}}}"#, json!(key.2));
        let payload = RawValue::from_string(payload).expect("the data are JSON");
        let frame =
            channel.format.write((None, None), &channel.topic, "postgres_changes", &payload);
        self.frames.insert(key, frame.clone());
        frame
    }
}

/// The value of a column of a row that was read with all columns of the table in their order.
fn cell<'a>(table: &Table, row: Row<'a>, column: &Column) -> Cell<'a> {
    let place = table.columns.iter().position(|other| other.name == column.name);
    place.map_or(Cell::Null, |place| row.cell(place))
}

/// The name of the type in PostgreSQL, by which clients convert values.
fn type_name(kind: ColumnType) -> &'static str {
    match kind {
        ColumnType::Uuid => "uuid",
        ColumnType::Text(_) => "text",
        ColumnType::Timestamp(_) => "timestamptz",
        ColumnType::Bool => "bool",
        ColumnType::Int => "int8",
        ColumnType::Json => "jsonb",
    }
}

/// The bindings of a channel, which a new token shares with the old one.
pub(crate) type Bindings = Arc<[Binding]>;
