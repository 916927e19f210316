//! The functions `remind_documents` and `remind_request_items`.

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
    documents::{self, contacts},
    notifications::reminders::Reminders,
    policy::Action,
    requests,
    schema::TableId,
    security::caller::Caller,
    table_write::WriteError,
};

/// Arguments of `remind_documents`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Documents {
    documents: Vec<String>,
}

/// `remind_documents`: mails reminders of documents that their clients did not open, and answers with their numbers.
///
/// # Errors
/// 42501 for callers other than staff, and the errors of `documents::remind::remind`.
pub async fn documents(call: RpcCall) -> Result<Response, RestError> {
    call.write("remind_documents", |tx, app, caller, Documents { documents: ids }| {
        let tables = (documents::TABLE, contacts::TABLE);
        remind(tx, app, caller, tables, ids, documents::remind::remind)
    })
    .await
}

/// Arguments of `remind_request_items`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Items {
    items: Vec<String>,
}

/// `remind_request_items`: mails reminders of items that their clients did not answer, and answers with their numbers.
///
/// # Errors
/// 42501 for callers other than staff, and the errors of `requests::remind::remind`.
pub async fn request_items(call: RpcCall) -> Result<Response, RestError> {
    call.write("remind_request_items", |tx, app, caller, Items { items }| {
        let tables = (requests::ITEMS, requests::ITEMS);
        remind(tx, app, caller, tables, items, requests::remind::remind)
    })
    .await
}

/// Reminds the clients of rows of the first table that the caller may change. Only staff insert rows of the second
/// table; a client may change an item, because clients answer items.
fn remind(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    (rows, of_staff): (TableId, TableId),
    ids: &[String],
    remind: fn(&mut Tx<'_>, &App, Caller, &[String]) -> Result<Reminders, WriteError>,
) -> Result<Option<Value>, RestError> {
    require_access(tx, app, caller, of_staff.table(), Action::Insert)?;
    require_rows(tx, app, caller, (rows.table(), Action::Update), ids)?;
    Ok(Some(json!(remind(tx, app, caller, ids)?)))
}
