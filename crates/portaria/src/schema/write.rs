//! What the server decides about a new or changed row, whatever the payload says.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use sea_query::{Condition, Expr, ExprTrait, LockType, Query, Value as Sql};
use serde_json::{Map, Value, json};

use crate::{
    api::rest::{
        RestError,
        rpc::email_templates,
        rules::{SERVER_COLUMNS, clean_name, set_search_key},
    },
    schema::value,
};
use crate::{
    app::App,
    audit::{self, Change},
    clock::format_timestamp,
    db::Tx,
    policy::{Access, Caller},
    schema::{Column, ColumnDefault, Table, TableId},
    security::keys,
};

/// The same ticket sent again within this time is the same ticket (security R-27).
const SAME_TICKET: SignedDuration = SignedDuration::from_secs(10);

/// More tickets or replies than these in a minute no client has to tell (security T23).
const PER_MINUTE: i64 = 20;

/// A row on its way to the database: a value per column, `None` for NULL.
pub(crate) type Row = BTreeMap<&'static str, Option<Sql>>;

/// Everything that the rules look at.
#[derive(Clone, Copy)]
pub(crate) struct WriteContext<'a> {
    pub(crate) app: &'a App,
    pub(crate) caller: Caller,
    pub(crate) table: &'static Table,
    pub(crate) access: Access,
    pub(crate) now: Timestamp,
}

impl WriteContext<'_> {
    /// A payload's object as a row: the columns that it sets, then the defaults of those it does not.
    pub(crate) fn build_row(
        &self,
        tx: &mut Tx<'_>,
        payload: &Map<String, Value>,
        columns: &[&'static Column],
        missing_default: bool,
    ) -> Result<Row, RestError> {
        let mut row = Row::new();
        if self.table.id == TableId::EmailTemplates {
            email_templates::validate(payload)?;
        }
        for column in columns {
            let value = match payload.get(column.name) {
                None if missing_default => continue,
                None => None,
                Some(value) => self.value(column, value)?,
            };
            row.insert(column.name, value);
        }
        if self.access.owner().is_some() && row.contains_key("id") {
            return Err(RestError::bad_request(
                "428C9",
                "cannot insert a non-DEFAULT value into column \"id\"",
            ));
        }
        for column in self.table.columns {
            if column.server && !self.caller.is_staff() {
                row.remove(column.name);
            }
            row.entry(column.name).or_insert_with(|| self.default(column));
        }
        if let Some((column, owner)) = self.access.owner() {
            row.insert(column, Some(owner.to_string().into()));
        }
        clean_name(&mut row);
        match self.table.id {
            TableId::Documents => {
                set_search_key(&mut row);
                for column in
                    self.table.columns.iter().filter(|column| SERVER_COLUMNS.contains(&column.name))
                {
                    row.insert(column.name, self.default(column));
                }
                self.document(tx, &mut row, true)?;
            }
            TableId::Tickets => self.ticket(tx, &mut row)?,
            TableId::TicketMessages => self.ticket_message(tx, &mut row)?,
            TableId::TicketAttachments => self.ticket_attachment(tx, &mut row)?,
            TableId::DocumentReceipts => self.document_receipt(tx, &mut row)?,
            TableId::TicketPresence => self.ticket_presence(&mut row),
            _ => {}
        }
        self.complete(&row)?;
        self.require_text(&row)?;
        Ok(row)
    }

    /// A payload's object as the changes to rows that exist.
    pub(crate) fn build_changes(
        &self,
        tx: &mut Tx<'_>,
        payload: &Map<String, Value>,
        columns: &[&'static Column],
    ) -> Result<Row, RestError> {
        let mut row = Row::new();
        if self.table.id == TableId::EmailTemplates {
            email_templates::validate(payload)?;
        }
        for column in columns {
            if let Some(value) = payload.get(column.name) {
                row.insert(column.name, self.value(column, value)?);
            }
        }
        self.validate_changes(tx, row)
    }

    /// The changes as the rules leave them, with those that follow.
    pub(crate) fn validate_changes(&self, tx: &mut Tx<'_>, mut row: Row) -> Result<Row, RestError> {
        if row.is_empty() {
            return Ok(row);
        }
        clean_name(&mut row);
        self.require_text(&row)?;
        match self.table.id {
            TableId::Documents => {
                set_search_key(&mut row);
                row.retain(|name, _| !SERVER_COLUMNS.contains(name));
                self.document(tx, &mut row, false)?;
            }
            // A client closes a ticket, and changes nothing else about it (behaviour C2).
            TableId::Tickets if !self.caller.is_staff() => {
                let closed = Some(Sql::from("closed"));
                if row.len() != 1 || row.get("status") != Some(&closed) {
                    return Err(RestError::row_denied(self.caller, self.table));
                }
            }
            TableId::Tickets => self.ticket_change(tx, &row)?,
            // Under its name in addresses and paths a folder is known for good.
            TableId::Folders if row.contains_key("id_supabase") => {
                return Err(RestError::row_denied(self.caller, self.table));
            }
            TableId::TicketPresence => {
                if row.keys().any(|name| *name != "touched_at") {
                    return Err(RestError::row_denied(self.caller, self.table));
                }
                self.ticket_presence(&mut row);
            }
            // A file stays with its message; it may be called otherwise.
            TableId::TicketAttachments if row.keys().any(|name| *name != "name") => {
                return Err(RestError::row_denied(self.caller, self.table));
            }
            // Whom a message is for was settled when it was written: a note never was for the client.
            TableId::TicketMessages if row.keys().any(|name| *name != "body") => {
                return Err(RestError::row_denied(self.caller, self.table));
            }
            _ => {}
        }
        // Who of the staff sees to a ticket is no change of the ticket's that its client could notice.
        let is_assigned =
            self.table.id == TableId::Tickets && row.keys().eq(["assignee_id"].iter());
        if self.table.column("updated_at", true).is_some() && !is_assigned {
            row.insert("updated_at", Some(format_timestamp(self.now).into()));
        }
        for (name, value) in &row {
            if value.is_none()
                && self.table.column(name, true).is_some_and(|column| !column.nullable)
            {
                return Err(RestError::not_null(self.table, name));
            }
        }
        Ok(row)
    }

    /// The id of the row that this one repeats: sent under the same key, or by a client who sends no key a moment
    /// ago; or the file that is with the message already.
    pub(crate) fn find_duplicate(
        &self,
        tx: &mut Tx<'_>,
        row: &Row,
    ) -> Result<Option<String>, RestError> {
        let has = |name: &str| row.get(name).is_some_and(Option::is_some);
        let (columns, since): (&[&'static str], _) = match self.table.id {
            TableId::Tickets if has("idempotency_key") => (&["user_id", "idempotency_key"], None),
            TableId::Tickets if !self.caller.is_staff() => {
                (&["user_id", "subject", "message"], Some(self.now - SAME_TICKET))
            }
            TableId::TicketMessages if has("idempotency_key") => {
                (&["author_id", "idempotency_key"], None)
            }
            TableId::TicketAttachments => (&["message_id", "file_url"], None),
            _ => return Ok(None),
        };
        if !columns.iter().all(|name| has(name)) {
            return Ok(None);
        }
        if let Some(person) = self.caller.user() {
            // Two clicks at once wait here for each other; not for the rows that refer to the person, of which each
            // of them may have written one.
            let mut lock = Query::select();
            lock.column("id").from("users").and_where(Expr::col("id").eq(person.to_string()));
            tx.rows(lock.lock(LockType::NoKeyUpdate))?;
        }
        let same = columns.iter().filter_map(|name| {
            row.get(name).cloned().flatten().map(|value| Expr::col(*name).eq(value))
        });
        let mut query = Query::select();
        query.column("id").from(self.table.name);
        query.cond_where(same.fold(Condition::all(), Condition::add)).limit(1);
        if let Some(since) = since {
            query.and_where(Expr::col("created_at").gt(format_timestamp(since)));
        }
        let rows = tx.rows(&query)?;
        Ok(rows.first().map(|row| row.text(0).map(str::to_owned)).transpose()?)
    }

    /// Refuses a client's flood of tickets and replies, each of which mails people.
    pub(crate) fn check_rate(&self, tx: &mut Tx<'_>) -> Result<(), RestError> {
        let floods = matches!(self.table.id, TableId::Tickets | TableId::TicketMessages);
        let (true, Some((column, client))) = (floods, self.access.owner()) else { return Ok(()) };
        let mut query = Query::select();
        query.expr(Expr::cust("count(*)")).from(self.table.name);
        query.and_where(Expr::col(column).eq(client.to_string()));
        query.and_where(
            Expr::col("created_at").gt(format_timestamp(self.now - SignedDuration::from_mins(1))),
        );
        if self.table.id == TableId::TicketMessages {
            query.and_where(Expr::col("from_staff").eq(false));
        }
        let rows = tx.rows(&query)?;
        let recent = rows.first().map(|row| row.int(0)).transpose()?.unwrap_or(0);
        if recent < PER_MINUTE { Ok(()) } else { Err(RestError::too_many(self.table)) }
    }

    /// Writes down what became of rows: of changes which columns, and what status where that is one of them.
    pub(crate) fn audit(
        &self,
        tx: &mut Tx<'_>,
        change: Change,
        keys: &[String],
        changes: &Row,
    ) -> Result<(), RestError> {
        let mut detail = Map::new();
        let columns = changes.keys().filter(|name| !["updated_at", "name_key"].contains(*name));
        let columns: Vec<&str> = columns.copied().collect();
        if !columns.is_empty() {
            detail.insert("columns".into(), json!(columns));
        }
        if let Some(Some(Sql::String(Some(status)))) = changes.get("status") {
            detail.insert("status".into(), json!(status));
        }
        let named = audit::describe_rows(tx, self.table.id, keys)?;
        audit::record_rows(
            tx,
            self.app,
            self.caller,
            (self.table.id, change),
            named,
            &detail.into(),
        );
        Ok(())
    }

    fn value(&self, column: &Column, value: &Value) -> Result<Option<Sql>, RestError> {
        value::from_json(column.kind, value, &self.app.config.time_zone)
    }

    fn default(&self, column: &Column) -> Option<Sql> {
        match column.default {
            ColumnDefault::Null => None,
            ColumnDefault::Text(text) => Some(text.into()),
            ColumnDefault::Int(number) => Some(number.into()),
            ColumnDefault::False => Some(false.into()),
            ColumnDefault::NewId => Some(keys::new_id(self.now).to_string().into()),
            ColumnDefault::Now => Some(format_timestamp(self.now).into()),
            ColumnDefault::Caller => self.caller.user().map(|id| id.to_string().into()),
        }
    }

    fn complete(&self, row: &Row) -> Result<(), RestError> {
        for column in self.table.columns {
            if !column.nullable && row.get(column.name).is_none_or(Option::is_none) {
                return Err(RestError::not_null(self.table, column.name));
            }
        }
        Ok(())
    }
}
