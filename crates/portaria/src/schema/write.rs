//! Construction of rows from payloads: defaults, server-managed columns, rules of single tables, duplicates, rate
//! limits and audit events.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use sea_query::{Condition, Expr, ExprTrait, LockType, Query, Value as Sql};
use serde_json::{Map, Value, json};

use crate::{
    api::rest::{
        RestError,
        rpc::email_templates,
        rules::{SERVER_COLUMNS, sanitize_name, set_search_key},
    },
    schema::value,
};
use crate::{
    app::App,
    audit::{self, Change},
    clock::format_timestamp,
    db::Tx,
    policy::Access,
    schema::{Column, ColumnDefault, Table, TableId},
    security::{caller::Caller, keys},
};

/// Time within which a client's equal ticket without an idempotency key counts as a repetition.
const SAME_TICKET: SignedDuration = SignedDuration::from_secs(10);

/// Maximum number of tickets and of replies that a client may create per minute. Each causes mail.
const PER_MINUTE: i64 = 20;

/// A row to be written: a value per column, `None` for NULL.
pub(crate) type Row = BTreeMap<&'static str, Option<Sql>>;

/// The inputs of the rules for writes.
#[derive(Clone, Copy)]
pub(crate) struct WriteContext<'a> {
    pub(crate) app: &'a App,
    pub(crate) caller: Caller,
    pub(crate) table: &'static Table,
    pub(crate) access: Access,
    pub(crate) now: Timestamp,
}

impl WriteContext<'_> {
    /// Builds a new row from an object of the payload: the given columns, the defaults of the others, and the values
    /// that the rules determine. `missing_default` is set for `Prefer: missing=default`.
    ///
    /// # Errors
    /// [`RestError`] for a value or a reference that the rules refuse.
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
        sanitize_name(&mut row);
        match self.table.id {
            TableId::Documents => {
                set_search_key(&mut row);
                for column in
                    self.table.columns.iter().filter(|column| SERVER_COLUMNS.contains(&column.name))
                {
                    row.insert(column.name, self.default(column));
                }
                self.derive_document_client(tx, &mut row, true)?;
            }
            TableId::Tickets => self.ticket(tx, &mut row)?,
            TableId::TicketMessages => self.ticket_message(tx, &mut row)?,
            TableId::TicketAttachments => self.ticket_attachment(tx, &mut row)?,
            TableId::DocumentReceipts => self.check_receipt_document(tx, &mut row)?,
            TableId::TicketPresence => self.ticket_presence(&mut row),
            _ => {}
        }
        self.complete(&row)?;
        self.require_text(&row)?;
        Ok(row)
    }

    /// Builds the changes to existing rows from an object of the payload.
    ///
    /// # Errors
    /// [`RestError`] for a change that the rules refuse.
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

    /// Applies the rules to changes and adds derived columns, such as `updated_at`.
    ///
    /// # Errors
    /// [`RestError`] for a change that the rules refuse.
    pub(crate) fn validate_changes(&self, tx: &mut Tx<'_>, mut row: Row) -> Result<Row, RestError> {
        if row.is_empty() {
            return Ok(row);
        }
        sanitize_name(&mut row);
        self.require_text(&row)?;
        match self.table.id {
            TableId::Documents => {
                set_search_key(&mut row);
                row.retain(|name, _| !SERVER_COLUMNS.contains(name));
                self.derive_document_client(tx, &mut row, false)?;
            }
            // A client can only close a ticket.
            TableId::Tickets if !self.caller.is_staff() => {
                let closed = Some(Sql::from("closed"));
                if row.len() != 1 || row.get("status") != Some(&closed) {
                    return Err(RestError::row_denied(self.caller, self.table));
                }
            }
            TableId::Tickets => self.ticket_change(tx, &row)?,
            // Addresses and object names contain `id_supabase`, so it is permanent.
            TableId::Folders if row.contains_key("id_supabase") => {
                return Err(RestError::row_denied(self.caller, self.table));
            }
            TableId::TicketPresence => {
                if row.keys().any(|name| *name != "touched_at") {
                    return Err(RestError::row_denied(self.caller, self.table));
                }
                self.ticket_presence(&mut row);
            }
            // An attachment stays with its message; only its name can change.
            TableId::TicketAttachments if row.keys().any(|name| *name != "name") => {
                return Err(RestError::row_denied(self.caller, self.table));
            }
            // Only the text of a message can change: a note never becomes visible to the client.
            TableId::TicketMessages if row.keys().any(|name| *name != "body") => {
                return Err(RestError::row_denied(self.caller, self.table));
            }
            _ => {}
        }
        // The assignee is invisible to the client, so assigning a ticket leaves `updated_at` unchanged.
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

    /// Finds the row that this one repeats: a row with the same idempotency key, a client's equal ticket of the last
    /// seconds, or the same file at the same message.
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
            // Serializes concurrent requests of one user. `NO KEY UPDATE` does not conflict with the locks that foreign
            // keys take on the user's row.
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

    /// Checks the rate limit of a client's tickets and replies.
    ///
    /// # Errors
    /// PT429.
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
        if recent < PER_MINUTE { Ok(()) } else { Err(RestError::rate_limited(self.table)) }
    }

    /// Records audit events for changed rows, with the names of the changed columns and a changed status.
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
        let labels = audit::describe_rows(tx, self.table.id, keys)?;
        audit::record_rows(
            tx,
            self.app,
            self.caller,
            (self.table.id, change),
            labels,
            &detail.into(),
        );
        Ok(())
    }

    fn value(&self, column: &Column, value: &Value) -> Result<Option<Sql>, RestError> {
        value::from_json(column.column_type, value, &self.app.config.time_zone)
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

    /// Checks that every column that is not nullable has a value.
    fn complete(&self, row: &Row) -> Result<(), RestError> {
        for column in self.table.columns {
            if !column.nullable && row.get(column.name).is_none_or(Option::is_none) {
                return Err(RestError::not_null(self.table, column.name));
            }
        }
        Ok(())
    }
}
