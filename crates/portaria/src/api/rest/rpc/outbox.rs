//! The function `mail_status`: the state of mail delivery, for the dashboard.

use axum::response::Response;
use serde_json::Value;

use crate::api::rest::{
    RestError,
    rpc::{self, NoArgs, RpcCall},
};
use crate::{app::App, db::Tx, notifications::mail_status, security::caller::Caller};

/// `mail_status`: reports the state of mail delivery to staff. The numbers are those of the mails that the caller reads.
///
/// # Errors
/// PGRST202 for other callers.
pub async fn status(call: RpcCall) -> Result<Response, RestError> {
    call.read("mail_status", report).await
}

fn report(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    _: &NoArgs,
) -> Result<Option<Value>, RestError> {
    rpc::require_staff(caller, "mail_status")?;
    Ok(mail_status::load(tx, app, caller)?)
}
