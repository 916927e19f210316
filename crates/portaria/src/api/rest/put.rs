//! `PUT /rest/v1/{table}?{key}=eq.{value}`: inserts or changes one row, by its primary key.

use std::sync::Arc;

use axum::{
    Extension,
    body::Body,
    extract::{Path, RawQuery, State},
    http::{HeaderMap, StatusCode},
    response::Response,
};
use portaria_query::{Filter, Operand, Operator};
use serde_json::Value;

use crate::api::table_hooks::hooks;
use crate::{
    accounts::authenticate::Credential,
    app::App,
    db::Tx,
    policy::Action,
    schema::value::{from_json, from_text},
};
use crate::{
    api::rest::{
        RestError,
        insert::{RowHandling, insert_access, insert_rows},
        request::{
            Request,
            body::read_rows,
            payload::{Payload, WriteKind, check_payload, write_response},
        },
    },
    table_write::WriteContext,
};

/// Answers 204, or with the row: 201 for a new one, 200 for one that existed.
///
/// # Errors
/// PGRST105 for other filters than the key, PGRST114 for a limit, PGRST115 for another key in the body; otherwise like
/// an upsert.
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
    let payload = check_payload(&app, &request, Action::Insert, payload).await?;
    app.write(move |tx, app| put(tx, app, &request, payload)).await
}

fn put(
    tx: &mut Tx<'_>,
    app: &App,
    request: &Request,
    payload: Value,
) -> Result<Response, RestError> {
    let (table, now) = (request.table, app.clock.now());
    let caller = request.credential.caller(tx, &app.config, now)?;
    request.require_format(caller)?;
    let access = insert_access(tx, app, table, caller, true)?;
    let wanted = filtered_key(request)?;
    let payload = Payload::parse(payload, None, table, caller.is_staff())?;
    require_key(app, request, &payload, wanted)?;

    let context = WriteContext { app, caller, table, hooks: hooks(table.id), access, now };
    let handling = RowHandling { conflict: Some(table.key), merges: true, missing_default: false };
    let (kind, keys, found) = insert_rows(tx, request, &context, &payload, &handling)?;
    let has_row = found.is_some();
    let kind = if has_row { kind } else { WriteKind::Update };
    let mut response = write_response(tx, request, kind, &keys, found)?;
    response.headers_mut().remove("content-range");
    if !has_row {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    Ok(response)
}

/// Returns the value of the only filter, `key=eq.value`.
///
/// # Errors
/// PGRST105, PGRST114.
fn filtered_key(request: &Request) -> Result<&str, RestError> {
    let root = &request.query.root;
    if root.limit.is_some() || root.offset.is_some() {
        let message = "limit/offset querystring parameters are not allowed for PUT";
        return Err(RestError::bad_request("PGRST114", message));
    }
    match root.filters.as_slice() {
        [
            Filter::Test {
                field,
                negated: false,
                operator: Operator::Eq(None),
                operand: Operand::Value(value),
            },
        ] if field.name == request.table.key && field.path.is_empty() => Ok(value),
        _ => Err(RestError::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "PGRST105",
            "Filters must include all and only primary key columns with 'eq' operators",
        )),
    }
}

/// Checks that the payload is one row with this key.
///
/// # Errors
/// PGRST115, and the errors of a value that the key cannot hold.
fn require_key(
    app: &App,
    request: &Request,
    payload: &Payload,
    wanted: &str,
) -> Result<(), RestError> {
    let (table, zone) = (request.table, &app.config.time_zone);
    let key = table.column(table.key, true);
    let kind = key.ok_or_else(|| RestError::unknown_column(table, table.key))?.column_type;
    let wanted = from_text(kind, wanted, zone)?;
    let sent = match payload.rows.as_slice() {
        [row] => row.get(table.key).map(|sent| from_json(kind, sent, zone)).transpose()?.flatten(),
        _ => None,
    };
    if sent == Some(wanted) {
        return Ok(());
    }
    let message = "Payload values do not match URL in primary key column(s)";
    Err(RestError::bad_request("PGRST115", message))
}
