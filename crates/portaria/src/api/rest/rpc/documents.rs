//! The functions `withdraw_documents` and `republish_documents`.

use axum::response::Response;
use serde::Deserialize;
use serde_json::Value;

use crate::api::rest::{
    RestError,
    rpc::{RpcCall, require_access},
};
use crate::{
    app::App,
    db::Tx,
    documents::{self, withdraw},
    policy::Action,
    security::caller::Caller,
};

/// Arguments of `withdraw_documents` and `republish_documents`.
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
    require_access(tx, app, caller, documents::TABLE.table(), Action::Update)?;
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
    require_access(tx, app, caller, documents::TABLE.table(), Action::Update)?;
    withdraw::republish(tx, app, caller, &arguments.documents)?;
    Ok(None)
}
