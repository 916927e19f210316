//! The functions `delete_folder` and `order_folders`.
//!
//! Both change several rows of which a part would be wrong, so each is one transaction instead of several requests to
//! the table (docs/decisions/0035-functions-for-multi-row-changes.md).

use std::sync::Arc;

use axum::http::StatusCode;
use sea_query::{Expr, ExprTrait, Order, Query};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::rest::{RestError, constraint_error, planner::Planner};
use crate::{
    accounts::authenticate::Credential,
    app::App,
    audit::{self, AuditEvent, Change},
    clock::format_timestamp,
    db::Tx,
    policy::Action,
    schema::TableId,
};

/// Maximum number of folders in one order.
const MAX_FOLDERS: usize = 500;

/// Arguments of `delete_folder`: the folder, and the folder that receives its documents. Without `target` the folder
/// must be empty.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeleteFolder {
    folder: String,
    target: Option<String>,
}

/// Arguments of `order_folders`: the folders in their new order, by `id_supabase`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReorderFolders {
    folders: Vec<String>,
}

/// Moves a folder's documents to `target` and deletes the folder. The files keep their names.
///
/// # Errors
/// PT404 for an unknown folder, 23503 for an unknown or archived target, or without a target if documents remain.
pub(crate) fn delete(
    tx: &mut Tx<'_>,
    app: &Arc<App>,
    credential: &Credential,
    deletion: &DeleteFolder,
) -> Result<Option<Value>, RestError> {
    let now = app.clock.now();
    let caller = credential.caller(tx, &app.config, now)?;
    let planner = Planner::new(app, caller, tx.dialect());
    let (folders, documents) = (TableId::Folders.table(), TableId::Documents.table());
    planner.require_access(folders, Action::Delete)?;
    planner.require_access(documents, Action::Update)?;
    let DeleteFolder { folder, target } = deletion;
    let mut select = Query::select();
    select.columns(["id_supabase", "archived_at", "id"]).from("folders");
    select.and_where(Expr::col("id_supabase").is_in([folder].into_iter().chain(target)));
    // An insert into the folder waits for this lock, and is then refused.
    let rows = tx.rows(select.order_by("id_supabase", Order::Asc).lock_exclusive())?;
    let mut found = Vec::new();
    for row in rows.iter() {
        found.push((row.text(0)?.to_owned(), row.opt_text(1)?.is_some(), row.text(2)?.to_owned()));
    }
    let Some((.., id)) = found.iter().find(|(name, ..)| name == folder) else {
        return Err(RestError::new(StatusCode::NOT_FOUND, "PT404", "The folder does not exist"));
    };
    let labels = audit::describe_rows(tx, TableId::Folders, std::slice::from_ref(id))?;
    let change = (TableId::Folders, Change::Deleted);
    audit::record_rows(tx, app, caller, change, labels, &json!({"moved_to": target}));
    let condition = Expr::col("id_supabase").eq(folder.as_str());
    if let Some(target) = target {
        // An archived folder accepts no documents.
        let accepts = |(name, archived, _): &(String, bool, String)| name == target && !archived;
        if target == folder || !found.iter().any(accepts) {
            return Err(RestError::foreign_key(documents.name));
        }
        let mut update = Query::update();
        update.table("documents").value("folder_id_supabase", target.as_str());
        update.value("updated_at", format_timestamp(now));
        tx.execute(update.and_where(Expr::col("folder_id_supabase").eq(folder.as_str())))?;
    }
    match tx.execute(Query::delete().from_table("folders").and_where(condition.clone())) {
        Ok(_) => Ok(None),
        Err(error) => Err(constraint_error::explain_deletion(tx, folders, &condition, error)),
    }
}

/// Sets the position of every named folder. Names of deleted folders are ignored.
///
/// # Errors
/// PGRST102 for more than [`MAX_FOLDERS`] folders.
pub(crate) fn reorder(
    tx: &mut Tx<'_>,
    app: &Arc<App>,
    credential: &Credential,
    ordering: &ReorderFolders,
) -> Result<Option<Value>, RestError> {
    let caller = credential.caller(tx, &app.config, app.clock.now())?;
    let planner = Planner::new(app, caller, tx.dialect());
    planner.require_access(TableId::Folders.table(), Action::Update)?;
    let ReorderFolders { folders } = ordering;
    if folders.len() > MAX_FOLDERS {
        return Err(RestError::bad_request(
            "PGRST102",
            format!("An order holds at most {MAX_FOLDERS} folders"),
        ));
    }
    let mut lock = Query::select();
    lock.column("id").from("folders").order_by("id", Order::Asc);
    // Serializes concurrent calls.
    tx.rows(lock.lock_exclusive())?;
    for (position, folder) in (1_i64..).zip(folders) {
        let mut update = Query::update();
        update.table("folders").value("position", position);
        tx.execute(update.and_where(Expr::col("id_supabase").eq(folder.as_str())))?;
    }
    audit::record(tx, app, caller, [AuditEvent::new("folder.ordered")]);
    Ok(None)
}
