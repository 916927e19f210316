//! The interface between the table API and the features: the rules of a table beyond types and ownership.

use jiff::SignedDuration;
use sea_query::Condition;
use serde_json::{Map, Value};

use crate::{
    app::App,
    audit::RowNaming,
    db::Tx,
    table_write::{Row, WriteContext, WriteError},
};

/// A check of one object of the payload, as it was sent. It runs before the transaction, on a thread that may be busy
/// for a while, once the caller's permission is known.
pub(crate) type PayloadCheck = fn(&App, &Map<String, Value>) -> Result<(), WriteError>;

/// The rules of one table. Each method has a default for tables without such a rule. All run in the transaction of the
/// write, except [`PayloadCheck`]; an error rolls it back.
pub(crate) trait TableHooks: Sync {
    /// Returns the check of the payload of inserts and updates that takes too long for a transaction.
    fn payload_check(&self) -> Option<PayloadCheck> {
        None
    }

    /// Validates a new row and sets derived columns. The row has a value, or NULL, for every column.
    fn before_insert(
        &self,
        _ctx: &WriteContext<'_>,
        _tx: &mut Tx<'_>,
        _row: &mut Row,
    ) -> Result<(), WriteError> {
        Ok(())
    }

    /// Applies the consequences of one inserted row. Called before the next row of the request is inserted.
    fn after_insert(
        &self,
        _ctx: &WriteContext<'_>,
        _tx: &mut Tx<'_>,
        _row: &Row,
    ) -> Result<(), WriteError> {
        Ok(())
    }

    /// Applies the consequences of all inserted rows of a request.
    fn after_inserts(
        &self,
        _ctx: &WriteContext<'_>,
        _tx: &mut Tx<'_>,
        _created: &[NewRow<'_>],
    ) -> Result<(), WriteError> {
        Ok(())
    }

    /// Validates changes of existing rows and sets derived columns.
    fn before_update(
        &self,
        _ctx: &WriteContext<'_>,
        _tx: &mut Tx<'_>,
        _changes: &mut Row,
    ) -> Result<(), WriteError> {
        Ok(())
    }

    /// Changes the rows that meet a condition, with the consequences, and returns their keys. An implementation calls
    /// [`WriteContext::update_rows`] for the statement.
    fn around_update(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        which: &Condition,
        changes: &Row,
    ) -> Result<Vec<String>, WriteError> {
        ctx.update_rows(tx, which, changes, None)
    }

    /// Checks a deletion, or takes locks, before the rows that meet the condition are read.
    fn before_delete(
        &self,
        _ctx: &WriteContext<'_>,
        _tx: &mut Tx<'_>,
        _which: &Condition,
    ) -> Result<(), WriteError> {
        Ok(())
    }

    /// Deletes the rows with these keys, with the consequences. Called for at most 500 keys at once. An implementation
    /// calls [`WriteContext::delete_rows`] for the statement.
    fn around_delete(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        keys: &[String],
    ) -> Result<(), WriteError> {
        ctx.delete_rows(tx, keys)
    }

    /// Returns the columns by which a new row repeats an existing one. An insert then returns the existing row.
    fn duplicate_key(&self, _ctx: &WriteContext<'_>, _row: &Row) -> Option<DuplicateKey> {
        None
    }

    /// Returns the limit on the number of rows that a client may create.
    fn rate_limit(&self) -> Option<RateLimit> {
        None
    }

    /// Returns the minimum lengths of texts by column, without white space at both ends. Characters. The database
    /// checks the same with SQL's `trim`, which knows only the ASCII space.
    fn min_text_lengths(&self) -> &'static [(&'static str, usize)] {
        &[]
    }

    /// Returns the columns that updates and upserts may change; `None` for all.
    fn updatable_columns(&self) -> Option<&'static [&'static str]> {
        None
    }

    /// Returns the columns that an upsert sets although the payload does not contain them, or contains the same value.
    fn renewed_columns(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns whether these changes leave `updated_at` as it is.
    fn keeps_updated_at(&self, _changes: &Row) -> bool {
        false
    }

    /// Returns the names of rows and changes in the audit log. Without them, changes of the table are not audited.
    fn audit(&self) -> Option<RowNaming> {
        None
    }

    /// Returns the file name of the table in a person's archive; `None` for a table without personal data.
    fn export(&self) -> Option<&'static str> {
        None
    }
}

/// An inserted row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewRow<'a> {
    /// The primary key.
    pub(crate) key: &'a str,
    pub(crate) values: &'a Row,
}

/// The columns by which rows are equal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DuplicateKey {
    pub(crate) columns: &'static [&'static str],
    /// Time for which an equal row counts as a repetition; `None` for any time.
    pub(crate) within: Option<SignedDuration>,
}

/// A limit on the number of new rows of a client.
#[derive(Debug, Clone)]
pub(crate) struct RateLimit {
    /// Maximum number of new rows per minute.
    pub(crate) per_minute: u64,
    /// The condition of the rows that count.
    pub(crate) counted: Condition,
}

/// The hooks of a table without rules of its own.
pub(crate) struct NoHooks;

impl TableHooks for NoHooks {}
