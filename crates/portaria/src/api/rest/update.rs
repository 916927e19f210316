//! `PATCH /rest/v1/{table}`: changes the rows that match the filters.

use std::sync::Arc;

use axum::{
    Extension,
    body::Body,
    extract::{Path, RawQuery, State},
    http::HeaderMap,
    response::Response,
};
use serde_json::Value;

use crate::api::table_hooks::hooks;
use crate::{accounts::authenticate::Credential, app::App, db::Tx, policy::Action};
use crate::{
    api::rest::{
        RestError,
        planner::Planner,
        request::{
            Request,
            body::read_rows,
            payload::{Payload, WriteKind, check_payload, load_representation, write_response},
        },
    },
    table_write::WriteContext,
};

/// Answers 204, or 200 with the changed rows.
///
/// # Errors
/// [`RestError`]; nothing is changed then. Rows that the caller may not read do not match and are no error.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(table): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    payload: Body,
) -> Result<Response, RestError> {
    let request =
        Request::parse(&table, query.as_deref(), &headers, credential, "content-profile")?;
    let payload = read_rows(&app, &request.credential, &headers, payload).await?;
    let payload = check_payload(&app, &request, Action::Update, payload).await?;
    app.write(move |tx, app| update(tx, app, &request, payload)).await
}

fn update(
    tx: &mut Tx<'_>,
    app: &App,
    request: &Request,
    payload: Value,
) -> Result<Response, RestError> {
    let table = request.table;
    let now = app.clock.now();
    let caller = request.credential.caller(tx, &app.config, now)?;
    request.require_format(caller)?;
    let mut planner = Planner::new(app, caller, tx.dialect());
    let access = planner.require_access(table, Action::Update)?;
    if table.read_only {
        return Err(RestError::denied(caller, table));
    }
    let which = planner.plan_mutation(table, Action::Update, &request.query.root)?;
    let payload =
        Payload::parse(payload, request.query.columns.as_deref(), table, caller.is_staff())?;
    let [object] = payload.rows.as_slice() else {
        return Err(RestError::bad_request("PGRST102", "A change is one object"));
    };
    let context = WriteContext { app, caller, table, hooks: hooks(table.id), access, now };
    let changes = context.build_changes(tx, object, &payload.columns)?;
    if changes.is_empty() {
        let found = load_representation(tx, &mut planner, request, &[])?;
        return write_response(tx, request, WriteKind::Update, &[], found);
    }
    let touched = context.change(tx, &which, &changes)?;
    let found = load_representation(tx, &mut planner, request, &touched)?;
    write_response(tx, request, WriteKind::Update, &touched, found)
}
