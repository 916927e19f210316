//! The statements of a write, with constraint violations as rejections, and the audit events of changed rows.

use sea_query::{Alias, BinOper, Condition, Expr, ExprTrait, OnConflict, Query, Value as Sql};
use serde_json::{Map, Value, json};

use crate::table_write::{
    NewRow, Row, WriteContext, WriteError, constraint_error, parse, returned_keys, text,
};
use crate::{
    audit::{self, Change, RowLabel},
    db::{Error, MAX_KEYS_PER_STATEMENT, Tx},
    schema::{Column, search_words::search_words},
};

/// Columns whose changes the audit log does not list, because the server derives them.
const DERIVED_COLUMNS: [&str; 2] = ["updated_at", "search_name"];

impl WriteContext<'_> {
    /// Inserts a row and returns its key, or no key if `conflict` applies.
    pub(crate) fn insert_row(
        &self,
        tx: &mut Tx<'_>,
        row: &Row,
        conflict: Option<OnConflict>,
    ) -> Result<Vec<String>, WriteError> {
        let row = &self.with_search_words(row);
        let mut statement = Query::insert();
        statement.into_table(Alias::new(self.table.name));
        statement.columns(row.keys().copied().map(Alias::new));
        statement.values_panic(row.values().map(|value| value_or_null(value.as_ref())));
        if let Some(conflict) = conflict {
            statement.on_conflict(conflict);
        }
        statement.returning_col(Alias::new(self.table.key));
        match tx.rows(&statement) {
            Ok(rows) => {
                let keys = returned_keys(&rows)?;
                self.check_written_rows(tx, &keys)?;
                Ok(keys)
            }
            Err(error) => Err(constraint_error::explain_row(tx, self.table, row, error)),
        }
    }

    /// Checks that written rows are among those that the caller may write.
    ///
    /// # Errors
    /// 23503, as for a client that does not exist.
    fn check_written_rows(&self, tx: &mut Tx<'_>, keys: &[String]) -> Result<(), WriteError> {
        let Some(permitted) = self.access.written_rows(self.table.name) else { return Ok(()) };
        for keys in keys.chunks(MAX_KEYS_PER_STATEMENT) {
            let key = || Expr::col((Alias::new(self.table.name), Alias::new(self.table.key)));
            let mut query = Query::select();
            query.expr(key()).from(Alias::new(self.table.name));
            query.and_where(key().is_in(keys.iter().map(String::as_str)));
            if tx.rows(query.cond_where(permitted.clone()))?.iter().count() < keys.len() {
                return Err(WriteError::foreign_key(self.table.name));
            }
        }
        Ok(())
    }

    /// Inserts one row by the rules of the table, with its consequences and its audit event, and returns its key.
    pub(crate) fn create(
        &self,
        tx: &mut Tx<'_>,
        values: &Map<String, Value>,
    ) -> Result<String, WriteError> {
        let row = self.build_row(tx, values, &self.table.columns_in(values), true)?;
        self.insert_new(tx, &row)
    }

    /// Inserts a row that [`Self::build_row`] built, with its consequences and its audit event, and returns its key.
    pub(crate) fn insert_new(&self, tx: &mut Tx<'_>, row: &Row) -> Result<String, WriteError> {
        let keys = self.insert_row(tx, row, None)?;
        self.hooks.after_insert(self, tx, row)?;
        let created: Vec<_> = keys.iter().map(|key| NewRow { key, values: row }).collect();
        self.finish_inserts(tx, created)?;
        let key = keys.into_iter().next();
        Ok(key.ok_or_else(|| Error::Internal("an insert returned no key".into()))?)
    }

    /// Updates the rows that meet a condition and returns their keys in order. `computed` is a further column with its
    /// expression.
    pub(crate) fn update_rows(
        &self,
        tx: &mut Tx<'_>,
        which: &Condition,
        changes: &Row,
        computed: Option<(&'static str, Expr)>,
    ) -> Result<Vec<String>, WriteError> {
        let mut statement = Query::update();
        statement.table(Alias::new(self.table.name)).cond_where(which.clone());
        statement.returning_col(Alias::new(self.table.key));
        if let Some((column, value)) = computed {
            statement.value(column, value);
        }
        let changes = &self.with_search_words(changes);
        let values = changes.iter();
        statement
            .values(values.map(|(name, value)| (Alias::new(*name), value_or_null(value.as_ref()))));
        let mut keys = match tx.rows(&statement) {
            Ok(rows) => returned_keys(&rows)?,
            Err(error) => {
                return Err(constraint_error::explain_row(tx, self.table, changes, error));
            }
        };
        self.check_written_rows(tx, &keys)?;
        keys.sort_unstable();
        Ok(keys)
    }

    /// Adds the words of the searched texts to a row or to changes.
    fn with_search_words(&self, row: &Row) -> Row {
        let mut row = row.clone();
        for column in self.table.columns {
            if let (Some(words), true) = (column.words, row.contains_key(column.name)) {
                let stems = text(&row, column.name).map(|text| search_words(text).into());
                row.insert(words, stems);
            }
        }
        row
    }

    /// Deletes the rows with these keys.
    pub(crate) fn delete_rows(&self, tx: &mut Tx<'_>, keys: &[String]) -> Result<(), WriteError> {
        let these = Expr::col(Alias::new(self.table.key)).is_in(keys.iter().map(String::as_str));
        let mut statement = Query::delete();
        statement.from_table(Alias::new(self.table.name)).and_where(these.clone());
        match tx.execute(&statement) {
            Ok(_) => Ok(()),
            Err(error) => Err(constraint_error::explain_deletion(tx, self.table, &these, error)),
        }
    }

    /// Changes rows by the rules of the table, records the audit events, and returns the keys of the changed rows.
    pub(crate) fn change(
        &self,
        tx: &mut Tx<'_>,
        which: &Condition,
        changes: &Row,
    ) -> Result<Vec<String>, WriteError> {
        let keys = self.hooks.around_update(self, tx, which, changes)?;
        self.audit(tx, Change::Updated, &keys, changes)?;
        Ok(keys)
    }

    /// Changes an existing row to the sent values, by the rules of an update. Returns its key, or `None` without such
    /// a row.
    pub(crate) fn merge(
        &self,
        tx: &mut Tx<'_>,
        conflict: &'static str,
        row: &Row,
        columns: &[&'static Column],
    ) -> Result<Option<Vec<String>>, WriteError> {
        let Some(value) = row.get(conflict).cloned().flatten() else { return Ok(None) };
        let column = |name| Expr::col((Alias::new(self.table.name), Alias::new(name)));
        let matches_conflict = Condition::all().add(column(conflict).eq(value));
        let sent = columns.iter().filter(|sent| sent.name != conflict);
        let sent: Vec<_> = sent.filter_map(|sent| row.get_key_value(sent.name)).collect();
        let mut query = Query::select();
        query.expr(column(self.table.key)).from(Alias::new(self.table.name));
        for (name, value) in &sent {
            let value = value_or_null(value.as_ref());
            query.expr(column(name).binary(BinOper::Custom("IS NOT DISTINCT FROM"), value));
        }
        let rows = tx.rows(query.cond_where(matches_conflict.clone()).lock_exclusive())?;
        let Some(found) = rows.first() else { return Ok(None) };
        let mut changes = Row::new();
        for (place, (name, value)) in sent.into_iter().enumerate() {
            // A column that already holds the sent value is no change, and no rule applies to it.
            if !found.bool(place + 1)? {
                changes.insert(*name, value.clone());
            }
        }
        for column in self.hooks.renewed_columns() {
            changes.extend(row.get_key_value(column).map(|(name, value)| (*name, value.clone())));
        }
        let key = found.text(0)?.to_owned();
        let changes = self.validate_changes(tx, changes)?;
        if !changes.is_empty() {
            self.change(tx, &matches_conflict, &changes)?;
        }
        Ok(Some(vec![key]))
    }

    /// Applies the consequences of the inserted rows of a request, and records their audit events.
    pub(crate) fn finish_inserts(
        &self,
        tx: &mut Tx<'_>,
        mut created: Vec<NewRow<'_>>,
    ) -> Result<(), WriteError> {
        self.hooks.after_inserts(self, tx, &created)?;
        let Some(naming) = self.hooks.audit() else { return Ok(()) };
        created.sort_unstable_by_key(|new| new.key);
        let labels = if let Some((name, person)) = naming.columns {
            let label = |NewRow { key, values }: NewRow<'_>| {
                let person = person.and_then(|person| parse(values, person));
                RowLabel::new(key.to_owned(), text(values, name).map(str::to_owned), person)
            };
            created.into_iter().map(label).collect()
        } else {
            let keys: Vec<_> = created.iter().map(|new| new.key.to_owned()).collect();
            audit::describe_rows(tx, &naming, &keys)?
        };
        audit::record_rows(tx, self.app, self.caller, &naming, Change::Created, labels, &json!({}));
        Ok(())
    }

    /// Records audit events for changed or deleted rows, with the names of the changed columns and a changed status.
    pub(crate) fn audit(
        &self,
        tx: &mut Tx<'_>,
        change: Change,
        keys: &[String],
        changes: &Row,
    ) -> Result<(), WriteError> {
        let Some(naming) = self.hooks.audit() else { return Ok(()) };
        let mut detail = Map::new();
        if naming.lists_columns {
            let columns = changes.keys().filter(|name| !DERIVED_COLUMNS.contains(*name));
            let columns: Vec<&str> = columns.copied().collect();
            if !columns.is_empty() {
                detail.insert("columns".into(), json!(columns));
            }
            if let Some(status) = text(changes, "status") {
                detail.insert("status".into(), json!(status));
            }
        }
        let labels = audit::describe_rows(tx, &naming, keys)?;
        let detail = detail.into();
        audit::record_rows(tx, self.app, self.caller, &naming, change, labels, &detail);
        Ok(())
    }
}

fn value_or_null(value: Option<&Sql>) -> Expr {
    value.cloned().map_or_else(|| Expr::cust("NULL"), Expr::val)
}
