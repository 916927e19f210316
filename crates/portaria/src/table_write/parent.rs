//! References of new rows to rows of an owner.

use sea_query::{Expr, ExprTrait, Query, Value as Sql};

use crate::table_write::{Row, WriteContext, WriteError};
use crate::{
    db::Tx,
    policy::{self, Denied},
    schema::TableId,
};

/// A reference to a parent row, and the owner of that row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parent {
    /// The table of the parent row.
    pub(crate) table: TableId,
    /// The column of the new row that holds the parent's id.
    pub(crate) reference: &'static str,
    /// The column of the parent row that holds its owner.
    pub(crate) owner: &'static str,
    /// Whether the parent row is locked until the end of the transaction.
    pub(crate) is_locked: bool,
}

impl WriteContext<'_> {
    /// Returns the owner of the parent row. Callers may refer only to rows in their reach, and receive the same error
    /// for others as for rows that do not exist.
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
        let referable = policy::referable_rows(self.caller, parent.table)
            .map_err(|Denied| WriteError::row_denied(self.caller, self.table))?;
        let mut query = Query::select();
        query.column(parent.owner).from(parent.table.table().name);
        query.and_where(Expr::col("id").eq(id)).cond_where(referable);
        if parent.is_locked {
            query.lock_exclusive();
        }
        let rows = tx.rows(&query)?;
        match rows.first() {
            Some(found) => Ok(found.opt_text(0)?.map(Into::into)),
            None if self.access.owner().is_some() => {
                Err(WriteError::row_denied(self.caller, self.table))
            }
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
