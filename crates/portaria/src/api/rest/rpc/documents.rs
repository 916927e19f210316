//! The function `remind_documents`.

use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::rest::{
    RestError,
    rpc::{RpcCall, require_access},
};
use crate::{
    app::App,
    db::Tx,
    documents::{self, contacts, remind},
    policy::Action,
    security::caller::Caller,
};

/// Arguments of `remind_documents`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RemindDocuments {
    documents: Vec<String>,
}

/// `remind_documents`: mails reminders of documents that their clients did not open, and answers with their numbers.
///
/// # Errors
/// 42501 for callers other than staff, and the errors of `remind::remind`.
pub async fn remind(call: RpcCall) -> Result<Response, RestError> {
    call.write("remind_documents", remind_in).await
}

fn remind_in(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    arguments: &RemindDocuments,
) -> Result<Option<Value>, RestError> {
    require_access(tx, app, caller, documents::TABLE.table(), Action::Update)?;
    require_access(tx, app, caller, contacts::TABLE.table(), Action::Insert)?;
    let done = remind::remind(tx, app, caller, &arguments.documents)?;
    Ok(Some(json!({
        "reminded": done.reminded,
        "repeated": done.repeated,
        "unreachable": done.unreachable,
        "settled": done.settled,
    })))
}
