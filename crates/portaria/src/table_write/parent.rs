//! References of new rows to rows of an owner.

use sea_query::{Expr, ExprTrait, Query, Value as Sql};

use crate::table_write::{Row, WriteContext, WriteError};
use crate::{
    db::Tx,
    policy::{self, Action},
    schema::tables::find_table,
};

/// A reference to a parent row, and the owner of that row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parent {
    /// The table of the parent row.
    pub(crate) table: &'static str,
    /// The column of the new row that holds the parent's id.
    pub(crate) reference: &'static str,
    /// The column of the parent row that holds its owner.
    pub(crate) owner: &'static str,
    /// Whether the parent row is locked until the end of the transaction.
    pub(crate) is_locked: bool,
}

impl WriteContext<'_> {
    /// Returns the owner of the parent row. A client may refer only to own rows, and receives the same error for rows
    /// of others as for rows that do not exist.
    ///
    /// # Errors
    /// 23502 without a reference, 42501 (clients) or 23503 (staff) without such a row.
    pub(crate) fn parent_owner(
        &self,
        tx: &mut Tx<'_>,
        row: &Row,
        parent: Parent,
    ) -> Result<Option<Sql>, WriteError> {
        let Some(id) = row.get(parent.reference).cloned().flatten() else {
            return Err(WriteError::not_null(self.table, parent.reference));
        };
        let mut query = Query::select();
        query.column(parent.owner).from(parent.table).and_where(Expr::col("id").eq(id));
        let owner = self.access.owner();
        if let Some((_, client)) = owner {
            query.and_where(Expr::col(parent.owner).eq(client));
            // The caller may reach fewer of the client's rows than all.
            if let Some(table) = find_table(parent.table) {
                let reached = policy::access(self.caller, table.id, Action::Select)
                    .map_err(|policy::Denied| WriteError::row_denied(self.caller, self.table))?;
                query.cond_where(reached.condition(parent.table));
            }
        }
        if parent.is_locked {
            query.lock_exclusive();
        }
        let rows = tx.rows(&query)?;
        match rows.first() {
            Some(found) => Ok(found.opt_text(0)?.map(Into::into)),
            None if owner.is_some() => Err(WriteError::row_denied(self.caller, self.table)),
            None => Err(WriteError::foreign_key(self.table.name)),
        }
    }

    /// Checks that a column of a row refers to a row of a table or view, if it refers to any.
    ///
    /// # Errors
    /// 23503.
    pub(crate) fn check_reference(
        &self,
        tx: &mut Tx<'_>,
        row: &Row,
        column: &str,
        table: &'static str,
    ) -> Result<(), WriteError> {
        let Some(id) = row.get(column).cloned().flatten() else { return Ok(()) };
        let mut query = Query::select();
        query.column("id").from(table).and_where(Expr::col("id").eq(id));
        if tx.rows(&query)?.is_empty() {
            return Err(WriteError::foreign_key(self.table.name));
        }
        Ok(())
    }
}
