//! Checks before documents move to another folder.

use sea_query::{Condition, Expr, ExprTrait, Query};

use crate::{db::Tx, documents::legal_hold, table_write::WriteError};

/// Checks that the documents of `which` may move to the folder `target`. Documents that are in it already stay.
///
/// # Errors
/// 23503 if the folder is archived; `folder_held` if a document is on hold by its folder, and `target` has no hold: the
/// documents would lose their protection (docs/decisions/0043-legal-holds-win.md).
pub(crate) fn check(tx: &mut Tx<'_>, which: &Condition, target: &str) -> Result<(), WriteError> {
    let mut folder = Query::select();
    folder.columns(["archived_at", "legal_hold_reason"]).from("folders");
    folder.and_where(Expr::col("id_supabase").eq(target));
    let rows = tx.rows(&folder)?;
    // The foreign key refuses an unknown folder.
    let Some(row) = rows.first() else { return Ok(()) };
    let (is_archived, is_held) = (row.opt_text(0)?.is_some(), row.opt_text(1)?.is_some());
    let mut moved = Query::select();
    moved.column(("documents", "id")).from("documents").cond_where(which.clone());
    moved.and_where(Expr::col(("documents", "folder_id_supabase")).ne(target)).limit(1);
    if is_archived && !tx.rows(&moved)?.is_empty() {
        return Err(WriteError::foreign_key("documents"));
    }
    moved.and_where(Expr::col(("documents", "legal_hold_reason")).is_null());
    if !is_held && !tx.rows(moved.cond_where(legal_hold::is_on_hold()))?.is_empty() {
        let message = "A pasta está sob guarda legal: os documentos dela só mudam para outra pasta sob guarda legal.";
        return Err(WriteError::conflict("folder_held", message));
    }
    Ok(())
}
