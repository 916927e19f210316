//! Deletion of a folder whose documents move to another one.

use sea_query::{Condition, Expr, ExprTrait, Order, Query};
use serde_json::json;

use crate::{
    app::App,
    audit::{self, Change},
    clock::format_timestamp,
    db::Tx,
    documents,
    folders::{TABLE, hooks, model::Folder},
    notifications::cancellation,
    security::caller::Caller,
    table_write::{RejectionKind, WriteError, constraint_error},
};

/// Moves a folder's documents to `target` and deletes the folder. Both are named by `id_supabase`. The files keep their
/// names. Without `target` the folder must be empty. The caller of this function checks the permission.
///
/// # Errors
/// PT404 for an unknown folder; 23503 for an unknown or archived target, or without a target if documents remain;
/// `folder_held` if the folder is on legal hold and the target is not.
pub(crate) fn delete(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    folder: &str,
    target: Option<&str>,
) -> Result<(), WriteError> {
    // Before the folder, as other writes do.
    let mut documents = Query::select();
    documents.column("id").from("documents").and_where(Expr::col("folder_id_supabase").eq(folder));
    tx.lock_rows(documents.order_by("id", Order::Asc).take())?;
    let mut select = Query::select();
    select.columns(Folder::COLUMNS).from("folders");
    select.and_where(Expr::col("id_supabase").is_in([folder].into_iter().chain(target)));
    // An insert into the folder waits for this lock, and is then refused.
    let rows = tx.rows(select.order_by("id_supabase", Order::Asc).lock_exclusive())?;
    let found = rows.iter().map(Folder::from_row).collect::<Result<Vec<_>, _>>()?;
    let Some(Folder { id, .. }) = found.iter().find(|found| found.id_supabase == folder) else {
        let message = "The folder does not exist";
        return Err(WriteError::new(RejectionKind::NotFound, "PT404", message));
    };

    let naming = hooks::naming();
    let labels = audit::describe_rows(tx, &naming, &[id.to_string()])?;
    let detail = json!({"moved_to": target});
    audit::record_rows(tx, app, caller, &naming, Change::Deleted, labels, &detail);

    if let Some(target) = target {
        let accepts = |found: &Folder| found.id_supabase == target && !found.is_archived;
        if target == folder || !found.iter().any(accepts) {
            return Err(WriteError::foreign_key(documents::TABLE.table().name));
        }
        let moved = Expr::col(("documents", "folder_id_supabase")).eq(folder);
        documents::folder_change::check(tx, &Condition::all().add(moved), target)?;
        let mut update = Query::update();
        update.table("documents").value("folder_id_supabase", target);
        update.value("updated_at", format_timestamp(app.clock.now()));
        tx.execute(update.and_where(Expr::col("folder_id_supabase").eq(folder)))?;
        let mut trash = Query::update();
        trash.table("deleted_documents").value("folder_id_supabase", target);
        tx.execute(trash.and_where(Expr::col("folder_id_supabase").eq(folder)))?;
    }

    let condition = Expr::col("id_supabase").eq(folder);
    match tx.execute(Query::delete().from_table("folders").and_where(condition.clone())) {
        Ok(_) => {}
        Err(error) => {
            return Err(constraint_error::explain_deletion(tx, TABLE.table(), &condition, error));
        }
    }
    // People who were limited to the folder do not reach the documents any more.
    let Some(target) = target else { return Ok(()) };
    let mut moved = Query::select();
    moved.column("id").from("documents").and_where(Expr::col("folder_id_supabase").eq(target));
    let about = Expr::col(("outbox", "document_id")).in_subquery(moved);
    let about = Condition::all().add(about);
    Ok(cancellation::cancel_obsolete(tx, app, &about, app.clock.now())?)
}
