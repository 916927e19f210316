//! `GET` and `HEAD /rest/v1/{table}`: reads rows.

use std::{convert::Infallible, sync::Arc};

use axum::{
    Extension,
    body::{Body, Bytes},
    extract::{Path, RawQuery, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    response::Response,
};
use futures_util::stream;

use crate::api::rest::{
    RestError,
    executor::{QueryResult, execute, execute_after},
    planner::Planner,
    request::{Request, apply_range_header, content_range},
    search_index::{is_search, matching_keys},
};
use crate::{
    accounts::authenticate::Credential,
    api::answer_memory,
    app::App,
    db::{Rows, Tx},
    security::memory_pool::MemoryPermit,
};

/// Answers with the rows that the caller may read: 200, or 206 if a count was requested and more rows exist.
///
/// # Errors
/// [`RestError`], among them PGRST103 for an offset beyond the last row.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(table): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    method: Method,
) -> Result<Response, RestError> {
    let mut request =
        Request::parse(&table, query.as_deref(), &headers, credential, "accept-profile")?;
    if method == Method::GET {
        apply_range_header(&mut request.query, &headers)?;
    }
    let (request, is_head) = (Arc::new(request), method == Method::HEAD);
    let read = |reserved| {
        let request = Arc::clone(&request);
        app.read(move |tx, app| read(tx, app, &request, is_head, reserved))
    };
    let (offset, result) = match read(None).await {
        // Waits for the memory, and reads again.
        Err(error) if error.is_out_of_memory() => {
            let person = request.credential.person();
            let reserved = answer_memory::reserve(&app, person, app.config.answer_memory()).await;
            read(Some(reserved.ok_or_else(RestError::out_of_memory)?)).await?
        }
        read => read?,
    };
    let (rows, total) = (result.len(), result.total);
    if let Some(total) = total.filter(|total| offset > *total) {
        return Err(RestError::offset_beyond(offset, total));
    }
    let mut response = request.rows_response(result)?;
    if is_head {
        // The rows were not read, so their length is unknown.
        response.headers_mut().remove(header::CONTENT_LENGTH);
        *response.body_mut() = Body::from_stream(stream::empty::<Result<Bytes, Infallible>>());
    }
    if total.is_some_and(|total| (rows as u64) < total) {
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
    }
    let headers = response.headers_mut();
    headers.insert("content-range", content_range(offset, rows, total));
    let location = canonical_location(&table, query.as_deref().unwrap_or_default());
    if let Ok(location) = HeaderValue::try_from(location) {
        headers.insert(header::CONTENT_LOCATION, location);
    }
    Ok(request.add_headers(response, false))
}

/// Returns the address of the rows: equal queries have one address, whatever the order of their parameters is.
fn canonical_location(table: &str, query: &str) -> String {
    let mut pairs: Vec<&str> = query.split('&').filter(|pair| !pair.is_empty()).collect();
    pairs.sort_by_key(|pair| pair.split_once('=').map_or(*pair, |(name, _)| name));
    let separator = if pairs.is_empty() { "" } else { "?" };
    format!("/{table}{separator}{}", pairs.join("&"))
}

/// Reads the rows. Returns them with the number of rows before them.
fn read(
    tx: &mut Tx<'_>,
    app: &App,
    request: &Request,
    is_head: bool,
    reserved: Option<MemoryPermit>,
) -> Result<(u64, QueryResult), RestError> {
    let plan_for = |caller, dialect| {
        let mut planner = Planner::new(app, caller, dialect);
        let mut plan = planner.plan_read(request.table, &request.query.root, None)?;
        if is_head {
            plan.keep_row_count();
        }
        Ok::<_, RestError>((plan, planner.answer_budget(request.credential.person())))
    };
    let (now, wants_count) = (app.clock.now(), request.prefer.wants_count());
    let filters = &request.query.root.filters;
    // The usual list is read by the statement that resolves the session.
    if let Some(prediction) = request.credential.predict()
        && reserved.is_none()
        && !wants_count
        && !is_search(filters)
        && request.require_format(prediction.caller).is_ok()
        && let Ok((plan, budget)) = plan_for(prediction.caller, tx.dialect())
        && plan.to_many.is_empty()
    {
        let mut result = QueryResult::new(request.format, budget);
        let confirm =
            |tx: &mut Tx<'_>, rows: &Rows| Ok(prediction.confirm(tx, &app.config, now, rows)?);
        if execute_after(tx, &prediction.statement(), &plan, &mut result, confirm)? {
            return Ok((plan.offset, result));
        }
    }
    let caller = request.credential.caller(tx, &app.config, now)?;
    request.require_format(caller)?;
    let (mut plan, budget) = plan_for(caller, tx.dialect())?;
    let mut result = QueryResult::new(request.format, budget.with(reserved));
    if let Some(keys) = matching_keys(tx, caller, request.table, filters)? {
        plan.restrict(request.table, &keys);
    }
    execute(tx, &plan, wants_count, &mut result)?;
    Ok((plan.offset, result))
}
