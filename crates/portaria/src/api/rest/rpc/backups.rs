//! The function `backup_status`: the state of backups, for the dashboard.

use axum::response::Response;
use serde_json::Value;

use crate::api::rest::{
    RestError,
    rpc::{self, NoArgs, RpcCall},
};
use crate::{app::App, backup, db::Tx, security::caller::Caller};

/// `backup_status`: reports the state of backups to staff.
///
/// # Errors
/// PGRST202 for other callers.
pub async fn status(call: RpcCall) -> Result<Response, RestError> {
    call.read("backup_status", report).await
}

fn report(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    _: &NoArgs,
) -> Result<Option<Value>, RestError> {
    rpc::require_staff(caller, "backup_status")?;
    Ok(Some(backup::status::report(tx, app)?))
}
