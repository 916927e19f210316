//! Writes of single rows by callers: values and defaults, rules, duplicates, rate limits, statements, audit events.
//!
//! This module knows no table. A table with rules of its own implements [`TableHooks`] in the folder of its feature
//! (docs/adding-a-table.md), and `api/table_hooks.rs` finds the implementation.

pub(crate) mod build;
pub(crate) mod constraint_error;
pub(crate) mod duplicate;
pub(crate) mod error;
pub(crate) mod hooks;
pub(crate) mod parent;
pub(crate) mod statements;

use std::{collections::BTreeMap, str::FromStr};

use jiff::Timestamp;
use sea_query::Value as Sql;

pub(crate) use crate::table_write::{
    error::{Rejection, RejectionKind, WriteError},
    hooks::{DuplicateKey, NewRow, NoHooks, PayloadCheck, RateLimit, TableHooks},
    parent::Parent,
};
use crate::{
    app::App,
    db::{Error, Rows},
    policy::{Access, Action, access},
    schema::{Table, TableId},
    security::caller::Caller,
};

/// A row to be written: a value per column, `None` for NULL.
pub(crate) type Row = BTreeMap<&'static str, Option<Sql>>;

/// The inputs of the rules for writes.
#[derive(Clone, Copy)]
pub(crate) struct WriteContext<'a> {
    pub(crate) app: &'a App,
    pub(crate) caller: Caller,
    pub(crate) table: &'static Table,
    pub(crate) hooks: &'static dyn TableHooks,
    pub(crate) access: Access,
    pub(crate) now: Timestamp,
}

impl<'a> WriteContext<'a> {
    /// Returns the context of a write in the name of a caller.
    ///
    /// # Errors
    /// 42501 for a caller who may not write the table.
    pub(crate) fn new(
        app: &'a App,
        caller: Caller,
        table: TableId,
        hooks: &'static dyn TableHooks,
        action: Action,
    ) -> Result<Self, WriteError> {
        let (access, table) = (access(caller, table, action), table.table());
        let access = access.map_err(|_| WriteError::row_denied(caller, table))?;
        Ok(Self { app, caller, table, hooks, access, now: app.clock.now() })
    }
}

/// Requires a choice of 1 to `max` rows, which `rows` names in the plural.
///
/// # Errors
/// 22023.
pub(crate) fn check_choice(count: usize, max: usize, rows: &str) -> Result<(), WriteError> {
    if (1..=max).contains(&count) {
        return Ok(());
    }
    Err(WriteError::invalid("22023", format!("Escolha de 1 a {max} {rows}.")))
}

/// Returns the text in a column of a row; `None` for NULL and for a missing column.
pub(crate) fn text<'a>(row: &'a Row, column: &str) -> Option<&'a str> {
    match row.get(column) {
        Some(Some(Sql::String(Some(text)))) => Some(text),
        _ => None,
    }
}

/// Parses the text in a column of a row; `None` for NULL, for a missing column, and for a text of another form.
pub(crate) fn parse<T: FromStr>(row: &Row, column: &str) -> Option<T> {
    text(row, column)?.parse().ok()
}

/// Returns the keys in the first column of a result, in its order.
pub(crate) fn returned_keys(rows: &Rows) -> Result<Vec<String>, Error> {
    rows.iter().map(|row| row.text(0).map(str::to_owned)).collect()
}

/// Converts the keys of rows to ids.
pub(crate) fn parse_keys<Id: FromStr>(keys: &[impl AsRef<str>]) -> Result<Vec<Id>, Error> {
    let parse = |key: &_| {
        AsRef::<str>::as_ref(key).parse().map_err(|_| Error::Internal("a key is no id".into()))
    };
    keys.iter().map(parse).collect()
}
