//! Audit events of changed rows. The feature that owns a table defines by a [`RowNaming`] how the log names its rows.

use sea_query::{Expr, ExprTrait, Order, Query, SelectStatement};
use serde_json::Value;

use crate::audit::{AuditEvent, EventName, record};
use crate::{
    app::App,
    db::{Error, MAX_KEYS_PER_STATEMENT, Tx},
    security::{caller::Caller, ids::UserId},
};

/// A kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants are self-explanatory")]
pub enum Change {
    Created,
    Updated,
    Deleted,
}

/// The events of a table's changes.
#[derive(Debug, Clone, Copy)]
pub enum RowEvents {
    /// The events for created, updated and deleted rows.
    ByChange([EventName; 3]),
    /// Returns the event for a change of a row of the given kind.
    ByKind(fn(Change, &str) -> EventName),
}

impl RowEvents {
    fn event(self, change: Change, kind: &str) -> EventName {
        match (self, change) {
            (Self::ByKind(event), change) => event(change, kind),
            (Self::ByChange([created, ..]), Change::Created) => created,
            (Self::ByChange([_, updated, _]), Change::Updated) => updated,
            (Self::ByChange([.., deleted]), Change::Deleted) => deleted,
        }
    }
}

/// The names of a table's rows and of their changes in the audit log.
#[derive(Debug)]
pub struct RowNaming {
    /// Table and column of the key.
    pub key: (&'static str, &'static str),
    /// The query for the id of a row's subject, its name, its person and its kind, without a condition.
    pub labels: SelectStatement,
    /// The events of its changes.
    pub events: RowEvents,
    /// The columns of the table for the name and the person of a row, if they are the label.
    pub columns: Option<(&'static str, Option<&'static str>)>,
    /// Whether all rows of a request are one event.
    pub is_one_event: bool,
    /// Whether the details of an update list the changed columns.
    pub lists_columns: bool,
}

impl RowNaming {
    /// Names the rows of a table by columns of its own; `events` are for created, updated and deleted rows. Without
    /// `person` the rows are about no person.
    #[must_use]
    pub fn of_columns(
        table: &'static str,
        name: &'static str,
        person: Option<&'static str>,
        events: [EventName; 3],
    ) -> Self {
        let mut labels = Query::select();
        labels.columns([(table, "id"), (table, name)]).from(table);
        match person {
            Some(person) => labels.column((table, person)),
            None => labels.expr(Expr::cust("NULL")),
        };
        labels.expr(Expr::cust("NULL"));
        let naming = Self::of_query((table, "id"), labels.take(), RowEvents::ByChange(events));
        Self { columns: Some((name, person)), ..naming }
    }

    /// Reads the person of changed and deleted rows from an expression instead of one column.
    #[must_use]
    pub fn with_person(
        mut self,
        name: (&'static str, &'static str),
        person: impl Into<Expr>,
    ) -> Self {
        self.labels.clear_selects().columns([self.key, name]).expr(person).expr(Expr::cust("NULL"));
        self
    }

    /// Names the rows of a table by a query.
    #[must_use]
    pub fn of_query(
        key: (&'static str, &'static str),
        labels: SelectStatement,
        events: RowEvents,
    ) -> Self {
        Self { key, labels, events, columns: None, is_one_event: false, lists_columns: true }
    }
}

/// A row's label in the audit log.
#[derive(Debug)]
pub struct RowLabel {
    id: String,
    name: Option<String>,
    person: Option<UserId>,
    /// The kind of row, for tables with several kinds.
    kind: Option<String>,
}

impl RowLabel {
    /// Creates the label of a row whose naming has columns.
    #[must_use]
    pub fn new(id: String, name: Option<String>, person: Option<UserId>) -> Self {
        Self { id, name, person, kind: None }
    }
}

/// Reads the labels of rows. Called before rows are deleted, or after they were created or updated.
pub fn describe_rows(
    tx: &mut Tx<'_>,
    naming: &RowNaming,
    keys: &[String],
) -> Result<Vec<RowLabel>, Error> {
    let mut labels = Vec::new();
    for keys in keys.chunks(MAX_KEYS_PER_STATEMENT) {
        let mut query = naming.labels.clone();
        query.and_where(Expr::col(naming.key).is_in(keys.iter().map(String::as_str)));
        for row in tx.rows(query.order_by(naming.key, Order::Asc))?.iter() {
            let text = |cell| row.opt_text(cell).map(|text| text.map(str::to_owned));
            let id = row.text(0)?.to_owned();
            labels.push(RowLabel { id, name: text(1)?, person: row.opt_parse(2)?, kind: text(3)? });
        }
    }
    Ok(labels)
}

/// Records an event for each changed row.
pub fn record_rows(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    naming: &RowNaming,
    change: Change,
    mut labels: Vec<RowLabel>,
    detail: &Value,
) {
    if naming.is_one_event {
        labels.truncate(1);
    }
    let to_event = |row: RowLabel| {
        AuditEvent::new(naming.events.event(change, row.kind.as_deref().unwrap_or_default()))
            .person(row.person)
            .subject(Some(row.id), row.name)
            .detail(detail.clone())
    };
    record(tx, app, caller, labels.into_iter().map(to_event));
}
