//! The rules of the table `saved_views`: names that a member of the staff gave to the filters and the order of a list.

use sea_query::{Expr, ExprTrait, Query};

use crate::{
    db::Tx,
    table_write::{Row, TableHooks, WriteContext, WriteError, text},
};

/// Maximum number of views of a person for one list.
const MAX_VIEWS: i64 = 20;

/// The hooks of `saved_views`.
pub(crate) struct SavedViewHooks;

impl TableHooks for SavedViewHooks {
    /// # Errors
    /// `too_many_saved_views`.
    fn before_insert(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        row: &mut Row,
    ) -> Result<(), WriteError> {
        let (Some(person), Some(list)) = (text(row, "person_id"), text(row, "list")) else {
            return Ok(());
        };
        ctx.lock_caller(tx)?;
        let mut query = Query::select();
        query.expr(Expr::cust("count(*)")).from("saved_views");
        query.and_where(Expr::col("person_id").eq(person)).and_where(Expr::col("list").eq(list));
        let rows = tx.rows(&query)?;
        if rows.first().map_or(Ok(0), |row| row.int(0))? < MAX_VIEWS {
            return Ok(());
        }
        let message =
            format!("Esta lista já tem {MAX_VIEWS} visões. Exclua uma para salvar outra.");
        Err(WriteError::conflict("too_many_saved_views", message))
    }

    fn min_text_lengths(&self) -> &'static [(&'static str, usize)] {
        &[("list", 1), ("name", 1)]
    }

    fn updatable_columns(&self) -> Option<&'static [&'static str]> {
        Some(&["name", "search"])
    }
}
