//! Payload and answer of writes, shared by insert, update, delete and the functions.

use std::{slice, sync::Arc};

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use portaria_query::TableQuery;
use sea_query::{Alias, Expr, ExprTrait};
use serde_json::{Map, Value};
use tokio::task::spawn_blocking;

use crate::api::rest::{
    RestError,
    executor::{QueryResult, execute},
    planner::Planner,
    request::{
        Request, content_range,
        prefer::{Return, TransactionEnd},
    },
    response::content_negotiation::ResponseFormat,
};
use crate::{
    api::table_hooks::hooks,
    app::App,
    db::{Error, Tx},
    policy::Action,
    schema::{Column, Table},
    table_write::WriteError,
};

/// Maximum number of rows in one payload (docs/protocol/rest.md, section 1.4).
const MAX_ROWS: usize = 500;
/// Maximum number of rows of a write that are returned in an order. `SQLite` accepts 32,766 values in a statement.
const MAX_SORTED_ROWS: usize = 10_000;
/// The characters that are encoded in `Location`: all but the unreserved ones (RFC 3986, section 2.3).
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The objects of a payload, and the columns that they set.
#[derive(Debug)]
pub(crate) struct Payload {
    pub(crate) rows: Vec<Map<String, Value>>,
    pub(crate) columns: Vec<&'static Column>,
}

/// Runs the table's check of the payload, if it has one, before the transaction of the write.
///
/// # Errors
/// 42501 for a caller who may not perform the action, otherwise the errors of the check.
pub(crate) async fn check_payload(
    app: &Arc<App>,
    request: &Request,
    action: Action,
    payload: Value,
) -> Result<Value, RestError> {
    let table = request.table;
    let Some(check) = hooks(table.id).payload_check() else { return Ok(payload) };
    let credential = request.credential.clone();
    let may_write = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let caller = credential.caller(tx, &app.config, app.clock.now())?;
        Planner::new(app, caller, tx.dialect()).require_access(table, action).map(drop)
    };
    app.read::<_, RestError, _>(may_write).await?;

    let app = Arc::clone(app);
    let checked = spawn_blocking(move || {
        let rows = payload.as_array().map_or(slice::from_ref(&payload), Vec::as_slice);
        rows.iter().filter_map(Value::as_object).try_for_each(|row| check(&app, row))?;
        Ok::<_, WriteError>(payload)
    });
    Ok(checked.await.map_err(|error| Error::Internal(error.to_string()))??)
}

impl Payload {
    /// Checks the shape of the payload against the table: an object or an array of objects, at most 500 of them, with
    /// the columns of `columns=` or with equal keys. `sees_hidden` includes the columns for staff.
    ///
    /// # Errors
    /// PGRST102 for another shape, PGRST204 for an unknown column.
    pub(crate) fn parse(
        body: Value,
        columns_param: Option<&[String]>,
        table: &'static Table,
        sees_hidden: bool,
    ) -> Result<Self, RestError> {
        let invalid = || RestError::bad_request("PGRST102", "Empty or invalid json");
        let rows: Vec<Map<String, Value>> = match body {
            Value::Object(row) => vec![row],
            Value::Array(rows) => rows
                .into_iter()
                .map(|row| if let Value::Object(row) = row { Ok(row) } else { Err(invalid()) })
                .collect::<Result<_, _>>()?,
            _ => return Err(invalid()),
        };
        if rows.len() > MAX_ROWS {
            return Err(RestError::bad_request(
                "PGRST102",
                format!("A request holds at most {MAX_ROWS} rows"),
            ));
        }
        let names: Vec<&str> = if let Some(names) = columns_param {
            names.iter().map(String::as_str).collect()
        } else {
            let first = rows.first();
            let has_same_keys = |row: &Map<String, Value>| {
                first.is_none_or(|first| {
                    first.len() == row.len() && first.keys().all(|key| row.contains_key(key))
                })
            };
            if !rows.iter().all(has_same_keys) {
                return Err(RestError::bad_request("PGRST102", "All object keys must match"));
            }
            first.into_iter().flat_map(|row| row.keys().map(String::as_str)).collect()
        };
        let columns = names
            .into_iter()
            .map(|name| {
                table
                    .column(name, sees_hidden)
                    .ok_or_else(|| RestError::unknown_payload_column(table, name))
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { rows, columns })
    }
}

/// Reads the rows of these keys if the request prefers `return=representation`: in the order of the request, otherwise in
/// the order of the keys.
///
/// The rows are read through the planner, so that embeds and row policies apply as in every read.
///
/// # Errors
/// Those of a read, and PGRST127 for the order of too many rows.
pub(crate) fn load_representation(
    tx: &mut Tx<'_>,
    planner: &mut Planner<'_>,
    request: &Request,
    keys: &[String],
) -> Result<Option<QueryResult>, RestError> {
    if request.prefer.returned != Some(Return::Representation) {
        return Ok(None);
    }
    let root = &request.query.root;
    let (select, order) = (root.select.clone(), root.order.clone());
    let node = TableQuery { select, order, ..TableQuery::default() };
    if planner.is_grouped(request.table, &node.select)? {
        // The rows are read one by one.
        return Err(RestError::unsupported("aggregates of the rows of a write"));
    }
    let budget = planner.answer_budget(request.credential.person());
    let mut result = QueryResult::new(request.format, budget);
    // Rows with an order are read by one statement.
    let at_once = if node.order.is_empty() { 1 } else { keys.len().max(1) };
    if at_once > MAX_SORTED_ROWS {
        let limit = format!("a write sorts at most {MAX_SORTED_ROWS} rows");
        return Err(RestError::unsupported(limit));
    }
    for keys in keys.chunks(at_once) {
        let key = Expr::col((Alias::new(request.table.name), Alias::new(request.table.key)));
        let key_condition = match keys {
            [key_of_row] => key.eq(key_of_row.as_str()),
            keys => key.is_in(keys.iter().map(String::as_str)),
        };
        let plan = planner.plan_read(request.table, &node, Some(key_condition))?;
        execute(tx, &plan, false, &mut result)?;
    }
    if keys.is_empty() {
        // `select` and `order` are validated even if there are no rows.
        planner.plan_read(request.table, &node, None)?;
    }
    Ok(Some(result))
}

/// The kind of a write, which determines status and `Content-Range` (docs/protocol/rest.md, section 4.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteKind {
    /// An insert that created at least one row.
    Insert,
    /// An upsert that found all its rows.
    Merge,
    Update,
    Delete,
}

/// Builds the answer to a write, with the rows if `result` holds any representation, otherwise without a body.
/// Rolls the transaction back for `Prefer: tx=rollback`.
///
/// # Errors
/// PGRST124 for more rows than `max-affected`, PGRST116 if a single object was requested and there are no or several
/// rows. Nothing is written then.
pub(crate) fn write_response(
    tx: &mut Tx<'_>,
    request: &Request,
    verb: WriteKind,
    keys: &[String],
    result: Option<QueryResult>,
) -> Result<Response, RestError> {
    request.prefer.check_affected(keys.len())?;
    // Also without the rows in the answer: the caller asked for a change of exactly one row.
    if matches!(request.format, ResponseFormat::Object { .. }) && keys.len() != 1 {
        return Err(RestError::not_single(keys.len()));
    }
    if request.prefer.tx == Some(TransactionEnd::Rollback) {
        tx.rollback();
    }
    let total = request.prefer.wants_count().then_some(keys.len() as u64);
    let (mut response, status) = match result {
        None => (
            StatusCode::OK.into_response(),
            match verb {
                WriteKind::Insert => StatusCode::CREATED,
                WriteKind::Merge => StatusCode::OK,
                WriteKind::Update | WriteKind::Delete => StatusCode::NO_CONTENT,
            },
        ),
        Some(result) => (
            request.rows_response(result)?,
            if verb == WriteKind::Insert { StatusCode::CREATED } else { StatusCode::OK },
        ),
    };
    *response.status_mut() = status;
    let headers = response.headers_mut();
    let listed = if verb == WriteKind::Update { keys.len() } else { 0 };
    headers.insert("content-range", content_range(0, listed, total));
    if let ([key], Some(Return::HeadersOnly), WriteKind::Insert) =
        (keys, request.prefer.returned, verb)
    {
        let key = utf8_percent_encode(key, RESERVED);
        let location = format!("/{}?{}=eq.{key}", request.table.name, request.table.key);
        if let Ok(location) = HeaderValue::try_from(location) {
            headers.insert(header::LOCATION, location);
        }
    }
    Ok(request.add_headers(response, true))
}
