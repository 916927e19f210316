//! Construction of rows and changes from payloads: values, defaults, server-managed columns, and the rules of the table.

use sea_query::Value as Sql;
use serde_json::{Map, Value};

use crate::table_write::{Row, WriteContext, WriteError, text};
use crate::{
    clock::format_timestamp,
    db::Tx,
    display_name, policy,
    schema::{Column, ColumnDefault, value},
    security::{caller::Caller, keys},
};

impl WriteContext<'_> {
    /// Builds a new row from an object of the payload: the given columns, the defaults of the others, and the values
    /// that the rules determine. `missing_default` is set for `Prefer: missing=default`.
    ///
    /// # Errors
    /// [`WriteError`] for a value or a reference that the rules refuse.
    pub(crate) fn build_row(
        &self,
        tx: &mut Tx<'_>,
        payload: &Map<String, Value>,
        columns: &[&'static Column],
        missing_default: bool,
    ) -> Result<Row, WriteError> {
        let mut row = Row::new();
        for column in columns {
            let value = match payload.get(column.name) {
                None if missing_default => continue,
                None => None,
                Some(value) => self.value(column, value)?,
            };
            row.insert(column.name, value);
        }
        if !policy::may_choose_keys(self.access, self.table.id) && row.contains_key("id") {
            return Err(WriteError::invalid(
                "428C9",
                "cannot insert a non-DEFAULT value into column \"id\"",
            ));
        }
        for column in self.table.columns {
            if (column.server && !self.caller.is_staff()) || self.is_evidence(column) {
                row.remove(column.name);
            }
            row.entry(column.name).or_insert_with(|| self.default(column));
        }
        if let Some((column, owner)) = self.access.owner() {
            row.insert(column, Some(owner.into()));
        }
        sanitize_name(&mut row);
        self.hooks.before_insert(self, tx, &mut row)?;
        self.require_reach(tx, &row)?;
        self.require_values(&row)?;
        self.require_text(&row)?;
        Ok(row)
    }

    /// Builds the changes to existing rows from an object of the payload.
    ///
    /// # Errors
    /// [`WriteError`] for a change that the rules refuse.
    pub(crate) fn build_changes(
        &self,
        tx: &mut Tx<'_>,
        payload: &Map<String, Value>,
        columns: &[&'static Column],
    ) -> Result<Row, WriteError> {
        let mut row = Row::new();
        for column in columns {
            if let Some(value) = payload.get(column.name)
                && !self.is_evidence(column)
            {
                row.insert(column.name, self.value(column, value)?);
            }
        }
        self.validate_changes(tx, row)
    }

    /// Whether a column states who wrote a row, and when. Only administrators and programs, such as an import, may set
    /// another value.
    fn is_evidence(&self, column: &Column) -> bool {
        let is_time = column.server && column.name == "created_at";
        matches!(self.caller, Caller::Employee { .. }) && (is_time || column.name == "author_id")
    }

    /// Applies the rules to changes and adds derived columns, such as `updated_at`.
    ///
    /// # Errors
    /// [`WriteError`] for a change that the rules refuse.
    pub(crate) fn validate_changes(
        &self,
        tx: &mut Tx<'_>,
        mut row: Row,
    ) -> Result<Row, WriteError> {
        if row.is_empty() {
            return Ok(row);
        }
        sanitize_name(&mut row);
        self.require_text(&row)?;
        self.require_updatable_columns(&row)?;
        self.hooks.before_update(self, tx, &mut row)?;
        self.require_reach(tx, &row)?;
        if self.table.column("updated_at", true).is_some() && !self.hooks.keeps_updated_at(&row) {
            row.insert("updated_at", Some(format_timestamp(self.now).into()));
        }
        for (name, value) in &row {
            if value.is_none()
                && self.table.column(name, true).is_some_and(|column| !column.nullable)
            {
                return Err(WriteError::not_null(self.table, name));
            }
        }
        Ok(row)
    }

    /// Returns the default of a column.
    pub(crate) fn default(&self, column: &Column) -> Option<Sql> {
        match column.default {
            ColumnDefault::Null => None,
            ColumnDefault::Text(text) => Some(text.into()),
            ColumnDefault::Int(number) => Some(number.into()),
            ColumnDefault::False => Some(false.into()),
            ColumnDefault::NewId => Some(keys::new_id(self.now).to_string().into()),
            ColumnDefault::Now => Some(format_timestamp(self.now).into()),
            ColumnDefault::Caller => self.caller.user().map(Into::into),
        }
    }

    fn value(&self, column: &Column, value: &Value) -> Result<Option<Sql>, WriteError> {
        Ok(value::from_json(column.column_type, value, &self.app.config.time_zone)?)
    }

    /// Checks that the values name only clients, tickets and messages in the caller's reach.
    ///
    /// # Errors
    /// 23503, as for ones that do not exist.
    fn require_reach(&self, tx: &mut Tx<'_>, row: &Row) -> Result<(), WriteError> {
        if self.access.permits_values(tx, |column| row.get(column).cloned().flatten())? {
            return Ok(());
        }
        Err(WriteError::foreign_key(self.table.name))
    }

    /// Checks that every column that is not nullable has a value.
    fn require_values(&self, row: &Row) -> Result<(), WriteError> {
        for column in self.table.columns {
            if !column.nullable && row.get(column.name).is_none_or(Option::is_none) {
                return Err(WriteError::not_null(self.table, column.name));
            }
        }
        Ok(())
    }

    /// Checks the minimum lengths of texts.
    ///
    /// # Errors
    /// 23514.
    fn require_text(&self, row: &Row) -> Result<(), WriteError> {
        for (column, min_length) in self.hooks.min_text_lengths() {
            if text(row, column).is_some_and(|text| text.trim().chars().count() < *min_length) {
                let check = format!("{}_{column}_check", self.table.name);
                return Err(WriteError::check_violation(self.table, &check));
            }
        }
        Ok(())
    }

    /// Checks that the rules let all these columns change.
    ///
    /// # Errors
    /// 42501.
    fn require_updatable_columns(&self, changes: &Row) -> Result<(), WriteError> {
        match self.hooks.updatable_columns() {
            Some(columns) if !changes.keys().all(|name| columns.contains(name)) => {
                Err(WriteError::row_denied(self.caller, self.table))
            }
            _ => Ok(()),
        }
    }
}

/// Removes characters from `name` that could disguise it, such as ones that change the writing direction.
fn sanitize_name(row: &mut Row) {
    if let Some(Some(Sql::String(Some(text)))) = row.get_mut("name") {
        *text = display_name::sanitize_display_name(text);
    }
}
