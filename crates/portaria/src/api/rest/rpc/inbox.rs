//! The functions `publish_inbox` and `cancel_publication`.

use axum::response::Response;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::rest::{
    RestError,
    rpc::{RpcCall, require_access, require_clients, require_rows},
};
use crate::{
    app::App,
    clock::format_timestamp,
    db::Tx,
    documents,
    inbox::{self, schedule},
    policy::Action,
    security::caller::Caller,
    table_write::WriteError,
};

/// Arguments of `publish_inbox`: the files, and the time of publication; without it, after the time to undo it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PublishInbox {
    files: Vec<String>,
    at: Option<String>,
}

/// Arguments of `cancel_publication`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CancelPublication {
    files: Vec<String>,
}

/// `publish_inbox`: schedules the publication of reviewed files, and answers with its time.
///
/// # Errors
/// 42501 for callers other than staff, and the errors of `schedule::publish`.
pub async fn publish(call: RpcCall) -> Result<Response, RestError> {
    call.write("publish_inbox", publish_in).await
}

fn publish_in(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    arguments: &PublishInbox,
) -> Result<Option<Value>, RestError> {
    let update = (inbox::TABLE.table(), Action::Update);
    require_rows(tx, app, caller, update, &arguments.files)?;
    require_access(tx, app, caller, documents::TABLE.table(), Action::Insert)?;
    // `inbox/publish.rs` checks it again, when the files are due.
    let clients = inbox::clients_of(tx, &arguments.files)?;
    require_clients(tx, caller, &clients)?;
    let at = arguments.at.as_deref().map(parse_time).transpose()?;
    let at = schedule::publish(tx, caller, &arguments.files, at, app.clock.now())?;
    wake_publisher(tx, app);
    Ok(Some(json!({"publish_at": format_timestamp(at)})))
}

/// `cancel_publication`: undoes the publication of files that are not published yet, and answers with their number.
///
/// # Errors
/// 42501 for callers other than staff, and the errors of `schedule::cancel`.
pub async fn cancel(call: RpcCall) -> Result<Response, RestError> {
    call.write("cancel_publication", cancel_in).await
}

fn cancel_in(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    arguments: &CancelPublication,
) -> Result<Option<Value>, RestError> {
    let update = (inbox::TABLE.table(), Action::Update);
    require_rows(tx, app, caller, update, &arguments.files)?;
    let canceled = schedule::cancel(tx, &arguments.files, app.clock.now())?;
    Ok(Some(json!({"cancelled": canceled})))
}

/// Parses a point in time.
///
/// # Errors
/// 22007.
fn parse_time(text: &str) -> Result<Timestamp, WriteError> {
    text.parse().map_err(|_| WriteError::invalid("22007", "A data e a hora não são válidas."))
}

/// Wakes the publisher after this transaction commits.
fn wake_publisher(tx: &mut Tx<'_>, app: &App) {
    let notify = std::sync::Arc::clone(&app.publication_notify);
    tx.after_commit(move || notify.notify_one());
}
