//! What inserts, updates and deletions share: reading the payload, and answering with the rows.

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use query::TableQuery;
use sea_query::{Alias, Expr, ExprTrait};
use serde_json::{Map, Value};

use crate::api::rest::{
    RestError,
    executor::{QueryResult, execute},
    planner::Planner,
    request::{
        Request, content_range,
        prefer::{End, Return},
    },
};
use crate::{
    db::{Rows, Tx, json::holds_nul},
    schema::{Column, Table},
};

/// Larger bodies are refused. Bytes.
const MAX_BODY: usize = 1 << 20;
/// More rows in one payload are refused (security R-21).
const MAX_ROWS: usize = 500;

/// The objects of a payload, and the columns that they set.
#[derive(Debug)]
pub(crate) struct Payload {
    pub(crate) rows: Vec<Map<String, Value>>,
    pub(crate) columns: Vec<&'static Column>,
}

/// Reads the body as JSON.
pub(crate) async fn body(headers: &HeaderMap, body: Body) -> Result<Value, RestError> {
    let kind = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or("application/json");
    if !kind.to_ascii_lowercase().starts_with("application/json") {
        return Err(RestError::bad_request(
            "PGRST102",
            format!("Content-Type not acceptable: {kind}"),
        ));
    }
    let bytes =
        axum::body::to_bytes(body, MAX_BODY).await.map_err(|_| RestError::body_too_large())?;
    let body = serde_json::from_slice(&bytes)
        .map_err(|_| RestError::bad_request("PGRST102", "Empty or invalid json"))?;
    if holds_nul(&body) { Err(RestError::nul_byte()) } else { Ok(body) }
}

impl Payload {
    /// Checks the payload's shape against the table, as the caller sees it.
    pub(crate) fn read(
        body: Value,
        wanted: Option<&[String]>,
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
        let names: Vec<&str> = if let Some(wanted) = wanted {
            wanted.iter().map(String::as_str).collect()
        } else {
            let first = rows.first();
            let same = |row: &Map<String, Value>| {
                first.is_none_or(|first| {
                    first.len() == row.len() && first.keys().all(|key| row.contains_key(key))
                })
            };
            if !rows.iter().all(same) {
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

/// The keys that a statement returned, in its order.
pub(crate) fn keys(rows: &Rows) -> Result<Vec<String>, RestError> {
    Ok(rows.iter().map(|row| row.text(0).map(str::to_owned)).collect::<Result<_, _>>()?)
}

/// The rows of these keys, in this order, if the caller wants to see them.
///
/// An embed or a hidden row is treated as in any read: the rows are read through the planner.
pub(crate) fn represent(
    tx: &mut Tx<'_>,
    planner: &mut Planner<'_>,
    request: &Request,
    keys: &[String],
) -> Result<Option<QueryResult>, RestError> {
    if request.prefer.returned != Some(Return::Representation) {
        return Ok(None);
    }
    let node = TableQuery { select: request.query.root.select.clone(), ..TableQuery::default() };
    let mut found = QueryResult::default();
    for key in keys {
        let this = Expr::col((Alias::new(request.table.name), Alias::new(request.table.key)))
            .eq(key.as_str());
        let plan = planner.read(request.table, &node, Some(this))?;
        found.append(execute(tx, &plan, false, request.form)?);
    }
    if keys.is_empty() {
        // What is asked for is checked even where there is nothing to show.
        planner.read(request.table, &node, None)?;
    }
    Ok(Some(found))
}

/// Which statuses and ranges a write answers with (contract §2.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    /// Some rows are new.
    Insert,
    /// An upsert that found all its rows there.
    Merge,
    Update,
    Delete,
}

/// Answers a write: with the rows if there are any to show, with nothing otherwise. Undoes it if the
/// caller wanted to see what would happen.
///
/// # Errors
/// PGRST124 when it touched more rows than the caller meant, PGRST116 when one object was asked for and
/// there are others; nothing is written then.
pub(crate) fn answer(
    tx: &mut Tx<'_>,
    request: &Request,
    verb: Verb,
    keys: &[String],
    found: Option<QueryResult>,
) -> Result<Response, RestError> {
    request.prefer.check_affected(keys.len())?;
    if request.prefer.tx == Some(End::Rollback) {
        tx.rollback();
    }
    let total = request.prefer.counts().then_some(keys.len() as u64);
    let (mut response, status) = match found {
        None => (
            StatusCode::OK.into_response(),
            match verb {
                Verb::Insert => StatusCode::CREATED,
                Verb::Merge => StatusCode::OK,
                Verb::Update | Verb::Delete => StatusCode::NO_CONTENT,
            },
        ),
        Some(found) => (
            request.body(found)?,
            if verb == Verb::Insert { StatusCode::CREATED } else { StatusCode::OK },
        ),
    };
    *response.status_mut() = status;
    let headers = response.headers_mut();
    let shown = if verb == Verb::Update { keys.len() } else { 0 };
    headers.insert("content-range", content_range(0, shown, total));
    if let ([key], Some(Return::HeadersOnly), Verb::Insert) = (keys, request.prefer.returned, verb)
    {
        let key = percent_encoding::utf8_percent_encode(key, percent_encoding::NON_ALPHANUMERIC);
        let place = format!("/{}?{}=eq.{key}", request.table.name, request.table.key);
        if let Ok(place) = HeaderValue::try_from(place) {
            headers.insert(header::LOCATION, place);
        }
    }
    Ok(request.finish(response, true))
}
