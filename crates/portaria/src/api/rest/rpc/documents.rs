//! The functions `withdraw_documents`, `republish_documents`, `restore_documents` and `restore_document_version`.

use axum::response::Response;
use serde::Deserialize;
use serde_json::Value;

use crate::api::rest::{
    RestError,
    rpc::{RpcCall, require_access, require_rows},
};
use crate::{
    app::App,
    db::Tx,
    documents::{
        self,
        trash::{self, restore},
        versions, withdraw,
    },
    policy::Action,
    security::caller::Caller,
};

/// Arguments of the functions about documents.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Documents {
    documents: Vec<String>,
}

/// `withdraw_documents`: hides published documents from their clients.
///
/// # Errors
/// 42501 for callers other than staff, and the errors of `withdraw::withdraw`.
pub async fn withdraw(call: RpcCall) -> Result<Response, RestError> {
    call.write("withdraw_documents", withdraw_in).await
}

fn withdraw_in(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    arguments: &Documents,
) -> Result<Option<Value>, RestError> {
    let update = (documents::TABLE.table(), Action::Update);
    require_rows(tx, app, caller, update, &arguments.documents)?;
    withdraw::withdraw(tx, app, caller, &arguments.documents)?;
    Ok(None)
}

/// `republish_documents`: shows withdrawn documents to their clients again.
///
/// # Errors
/// 42501 for callers other than staff, and the errors of `withdraw::republish`.
pub async fn republish(call: RpcCall) -> Result<Response, RestError> {
    call.write("republish_documents", republish_in).await
}

fn republish_in(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    arguments: &Documents,
) -> Result<Option<Value>, RestError> {
    let update = (documents::TABLE.table(), Action::Update);
    require_rows(tx, app, caller, update, &arguments.documents)?;
    withdraw::republish(tx, app, caller, &arguments.documents)?;
    Ok(None)
}

/// Arguments of `restore_documents`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DeletedDocuments {
    documents: Vec<String>,
    /// The folder for documents whose folder was deleted.
    #[serde(default)]
    folder: Option<String>,
}

/// `restore_documents`: takes documents out of the trash.
///
/// # Errors
/// 42501 for callers other than staff, and the errors of `restore::restore`.
pub async fn restore(call: RpcCall) -> Result<Response, RestError> {
    call.write("restore_documents", restore_in).await
}

fn restore_in(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    arguments: &DeletedDocuments,
) -> Result<Option<Value>, RestError> {
    require_access(tx, app, caller, documents::TABLE.table(), Action::Insert)?;
    let delete = (trash::TABLE.table(), Action::Delete);
    require_rows(tx, app, caller, delete, &arguments.documents)?;
    restore::restore(tx, app, caller, &arguments.documents, arguments.folder.as_deref())?;
    Ok(None)
}

/// Arguments of `restore_document_version`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Version {
    version: String,
}

/// `restore_document_version`: replaces the file of a document by an earlier one.
///
/// # Errors
/// 42501 for callers other than staff, and the errors of `versions::restore::restore`.
pub async fn restore_version(call: RpcCall) -> Result<Response, RestError> {
    call.write("restore_document_version", restore_version_in).await
}

fn restore_version_in(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    arguments: &Version,
) -> Result<Option<Value>, RestError> {
    require_access(tx, app, caller, documents::TABLE.table(), Action::Update)?;
    let delete = (versions::TABLE.table(), Action::Delete);
    require_rows(tx, app, caller, delete, std::slice::from_ref(&arguments.version))?;
    versions::restore::restore(tx, app, caller, &arguments.version)?;
    Ok(None)
}
