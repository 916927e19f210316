//! The functions `delete_folder` and `order_folders`.

use axum::response::Response;
use serde::Deserialize;
use serde_json::Value;

use crate::api::rest::{
    RestError,
    rpc::{RpcCall, require_access},
};
use crate::{app::App, db::Tx, documents, folders, policy::Action, security::caller::Caller};

/// Arguments of `delete_folder`: the folder, and the folder that receives its documents. Without `target` the folder
/// must be empty.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DeleteFolder {
    folder: String,
    target: Option<String>,
}

/// Arguments of `order_folders`: the folders in their new order, by `id_supabase`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReorderFolders {
    folders: Vec<String>,
}

/// `delete_folder`: moves a folder's documents to another folder and deletes it.
///
/// # Errors
/// PT404 for an unknown folder, 23503 for an unknown or archived target, or without a target if documents remain.
pub async fn delete(call: RpcCall) -> Result<Response, RestError> {
    call.write("delete_folder", delete_in).await
}

fn delete_in(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    deletion: &DeleteFolder,
) -> Result<Option<Value>, RestError> {
    require_access(tx, app, caller, folders::TABLE.table(), Action::Delete)?;
    require_access(tx, app, caller, documents::TABLE.table(), Action::Update)?;
    folders::delete(tx, app, caller, &deletion.folder, deletion.target.as_deref())?;
    Ok(None)
}

/// `order_folders`: sets the position of every named folder.
///
/// # Errors
/// PGRST102 for too many folders.
pub async fn reorder(call: RpcCall) -> Result<Response, RestError> {
    call.write("order_folders", reorder_in).await
}

fn reorder_in(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    ordering: &ReorderFolders,
) -> Result<Option<Value>, RestError> {
    require_access(tx, app, caller, folders::TABLE.table(), Action::Update)?;
    folders::reorder(tx, app, caller, &ordering.folders)?;
    Ok(None)
}
