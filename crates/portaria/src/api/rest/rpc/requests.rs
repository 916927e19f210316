//! The function `file_received_files`.

use std::collections::BTreeMap;

use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::rest::{
    RestError,
    rpc::{RpcCall, require_access, require_rows},
};
use crate::{
    app::App,
    db::Tx,
    documents,
    policy::Action,
    requests::{self, filing},
    security::caller::Caller,
};

/// Arguments of `file_received_files`: the folder, and the name of the document for the id of each file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileReceivedFiles {
    folder: String,
    names: BTreeMap<String, String>,
}

/// `file_received_files`: makes files that clients sent documents in a folder, and answers with their ids.
///
/// # Errors
/// 42501 for callers other than staff, and the errors of `filing::file_documents`.
pub async fn file(call: RpcCall) -> Result<Response, RestError> {
    call.write("file_received_files", file_in).await
}

fn file_in(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    arguments: &FileReceivedFiles,
) -> Result<Option<Value>, RestError> {
    let files: Vec<String> = arguments.names.keys().cloned().collect();
    let update = (requests::FILES.table(), Action::Update);
    require_rows(tx, app, caller, update, &files)?;
    require_access(tx, app, caller, documents::TABLE.table(), Action::Insert)?;
    let created = filing::file_documents(tx, app, caller, &arguments.folder, &arguments.names)?;
    Ok(Some(json!({"documents": created})))
}
