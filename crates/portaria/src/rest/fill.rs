//! What the server decides about a new or changed row, whatever the payload says.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use sea_query::{Condition, Expr, ExprTrait, Query, Value as Sql};
use serde_json::{Map, Value};

use super::{RestError, value};
use crate::{
    app::App,
    catalog::{Column, Default, Table, TableId},
    clock::stamp,
    db::Tx,
    keys, objects,
    policy::{Access, Caller},
};

/// The same ticket sent again within this time is the same ticket (security R-27).
const SAME_TICKET: SignedDuration = SignedDuration::from_secs(10);

/// A row on its way to the database: a value per column, `None` for NULL.
pub(super) type Row = BTreeMap<&'static str, Option<Sql>>;

/// Everything that the rules look at.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) app: &'a App,
    pub(super) caller: Caller,
    pub(super) table: &'static Table,
    pub(super) access: Access,
    pub(super) now: Timestamp,
}

impl Context<'_> {
    /// A payload's object as a row: the columns that it sets, then the defaults of those it does not.
    pub(super) fn new_row(
        &self,
        tx: &mut Tx<'_>,
        payload: &Map<String, Value>,
        columns: &[&'static Column],
        missing_default: bool,
    ) -> Result<Row, RestError> {
        let mut row = Row::new();
        for column in columns {
            let value = match payload.get(column.name) {
                None if missing_default => continue,
                None => None,
                Some(value) => self.value(column, value)?,
            };
            row.insert(column.name, value);
        }
        for column in self.table.columns {
            row.entry(column.name).or_insert_with(|| self.default(column));
        }
        if let Some((column, owner)) = self.access.owner() {
            row.insert(column, Some(owner.to_string().into()));
        }
        match self.table.id {
            TableId::Documents => self.document(tx, &mut row, true)?,
            TableId::Tickets => self.new_ticket(&mut row, columns)?,
            _ => {}
        }
        self.complete(&row)?;
        Ok(row)
    }

    /// A payload's object as the changes to rows that exist.
    pub(super) fn changes(
        &self,
        tx: &mut Tx<'_>,
        payload: &Map<String, Value>,
        columns: &[&'static Column],
    ) -> Result<Row, RestError> {
        let mut row = Row::new();
        for column in columns {
            if let Some(value) = payload.get(column.name) {
                row.insert(column.name, self.value(column, value)?);
            }
        }
        if row.is_empty() {
            return Ok(row);
        }
        match self.table.id {
            TableId::Documents => self.document(tx, &mut row, false)?,
            // A client closes a ticket, and changes nothing else about it (behaviour C2).
            TableId::Tickets if !self.caller.sees_hidden() => {
                let closed = Some(Sql::from("closed"));
                if row.len() != 1 || row.get("status") != Some(&closed) {
                    return Err(RestError::row_denied(self.caller, self.table));
                }
            }
            _ => {}
        }
        if self.table.column("updated_at", true).is_some() {
            row.insert("updated_at", Some(stamp(self.now).into()));
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

    /// The id of a ticket like this one that the same person sent a moment ago.
    pub(super) fn sent_already(
        &self,
        tx: &mut Tx<'_>,
        row: &Row,
    ) -> Result<Option<String>, RestError> {
        if self.table.id != TableId::Tickets || self.caller.sees_hidden() {
            return Ok(None);
        }
        let same = ["user_id", "subject", "message"].into_iter().filter_map(|name| {
            row.get(name).cloned().flatten().map(|value| Expr::col(name).eq(value))
        });
        let mut query = Query::select();
        query.column("id").from("tickets").cond_where(same.fold(Condition::all(), Condition::add));
        query.and_where(Expr::col("created_at").gt(stamp(self.now - SAME_TICKET))).limit(1);
        let rows = tx.rows(&query)?;
        Ok(rows.first().map(|row| row.text(0).map(str::to_owned)).transpose()?)
    }

    fn value(&self, column: &Column, value: &Value) -> Result<Option<Sql>, RestError> {
        value::from_json(column.kind, value, &self.app.config.time_zone)
    }

    fn default(&self, column: &Column) -> Option<Sql> {
        match column.default {
            Default::Null => None,
            Default::Text(text) => Some(text.into()),
            Default::Int(number) => Some(number.into()),
            Default::False => Some(false.into()),
            Default::NewId => Some(keys::new_id(self.now).to_string().into()),
            Default::Now => Some(stamp(self.now).into()),
            Default::Caller => self.caller.user().map(|id| id.to_string().into()),
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

    /// A client says what a ticket is about; when and in what state is for the server (behaviour B4, B5).
    fn new_ticket(&self, row: &mut Row, columns: &[&'static Column]) -> Result<(), RestError> {
        if self.caller.sees_hidden() {
            return Ok(());
        }
        if columns.iter().any(|column| column.name == "id") {
            return Err(RestError::bad(
                "428C9",
                "cannot insert a non-DEFAULT value into column \"id\"",
            ));
        }
        row.insert("status", Some("open".into()));
        row.insert("created_at", Some(stamp(self.now).into()));
        row.insert("updated_at", Some(stamp(self.now).into()));
        Ok(())
    }

    /// Whose a document is stands in the path of its file, `public/{client}/{folder}/{name}` (behaviour B2).
    fn document(&self, tx: &mut Tx<'_>, row: &mut Row, is_new: bool) -> Result<(), RestError> {
        if let Some(Some(Sql::String(Some(text)))) = row.get_mut("name") {
            // Overrides of the writing direction make a name look like another.
            text.retain(|c| {
                !c.is_control() && !matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
            });
        }
        let Some(path) = row.get("file_url").cloned().flatten() else { return Ok(()) };
        let Sql::String(Some(path)) = path else { return Ok(()) };
        let missing = || RestError::foreign_key(self.table.name);
        let mut segments = path.split('/');
        let (Some("public"), Some(client), Some(folder), Some(_), None) =
            (segments.next(), segments.next(), segments.next(), segments.next(), segments.next())
        else {
            return Err(missing());
        };
        let folder_matches =
            row.get("folder_id_supabase").cloned().flatten() == Some(folder.into());
        let object =
            objects::find(tx, objects::BUCKET, &path, Condition::all())?.ok_or_else(missing)?;
        let is_client = Query::select()
            .column("id")
            .from("clients")
            .and_where(Expr::col("id").eq(client))
            .take();
        // A document may move to another folder later; its file stays where it is.
        if (is_new && !folder_matches) || tx.rows(&is_client)?.is_empty() {
            return Err(missing());
        }
        let given = row.get("client_id").cloned().flatten();
        if given.is_some_and(|given| given != client.into()) {
            return Err(missing());
        }
        row.insert("client_id", Some(client.into()));
        row.insert("size", Some(i64::try_from(object.size).unwrap_or(i64::MAX).into()));
        Ok(())
    }
}
