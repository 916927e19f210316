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
use tokio::task::spawn_blocking;

use crate::api::rest::{
    RestError,
    answer_budget::AnswerBudget,
    executor::{Children, QueryResult, execute, execute_with_session},
    planner::{Planner, plan::Plan},
    request::{Request, apply_range_header, content_range},
    search_index::{is_search, matching_keys},
};
use crate::{
    accounts::authenticate::Credential,
    api::answer_memory::{self, CHUNK_BYTES},
    app::App,
    db::{Error, Tx, dialect::Dialect},
    security::{caller::Caller, memory_pool::MemoryPermit},
    telemetry::request_id::RequestContext,
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
    let first = match read_with_session(&app, &request, is_head).await {
        Ok(None) => read(None).await,
        Ok(Some(found)) => Ok(found),
        Err(error) => Err(error),
    };
    let (offset, result) = match first {
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

/// Reads the usual list by one statement with the session, where that saves a round trip. Returns the rows with the
/// number of rows before them; `None` if they are to be read in a transaction, as by [`read`].
async fn read_with_session(
    app: &Arc<App>,
    request: &Request,
    is_head: bool,
) -> Result<Option<(u64, QueryResult)>, RestError> {
    let (Some(pipeline), Some(prediction)) =
        (app.db.pipeline(), request.credential.predict(&app.last_callers))
    else {
        return Ok(None);
    };
    let has_more_statements =
        request.prefer.wants_count() || is_search(&request.query.root.filters);
    if has_more_statements || request.require_format(prediction.caller).is_err() {
        return Ok(None);
    }
    // An error may not concern the caller that the transaction finds.
    let Ok(plan) = plan(app, prediction.caller, Dialect::Postgres, request, is_head) else {
        return Ok(None);
    };
    if !plan.to_many.is_empty() {
        return Ok(None);
    }
    let empty = || QueryResult::new(request.format, budget(app, request));
    let now = app.clock.now();
    let part = RequestContext::current().trace_part("list");
    let executed = execute_with_session(pipeline, &prediction.statement(), &plan, empty).await;
    drop(part);
    match executed {
        Ok((session, _)) if !prediction.is_confirmed(&app.config, now, &session)? => Ok(None),
        Ok((_, rows)) => {
            let (rows, mut found) = rows?;
            let is_large = rows.memory() > CHUNK_BYTES;
            let write = move || {
                plan.check_casts(&rows)?;
                found.append(&plan.shape, &rows, &Children::new())?;
                Ok(Some((plan.offset, found)))
            };
            if !is_large {
                return write();
            }
            // Many rows would delay the other tasks of this thread.
            let written = spawn_blocking(write).await;
            written.map_err(|_| Error::Internal("a response writer panicked".into()))?
        }
        Err(error) if error.is_transient() => Err(error.into()),
        Err(error) => {
            // It may be an error of the list, which only a confirmed caller sees.
            let caller = app.read({
                let credential = request.credential.clone();
                move |tx, app| credential.caller(tx, &app.config, now).map_err(RestError::from)
            });
            if caller.await? == prediction.caller { Err(error.into()) } else { Ok(None) }
        }
    }
}

fn budget(app: &App, request: &Request) -> AnswerBudget {
    AnswerBudget::new(app, request.credential.person())
}

/// Plans the statements of a request.
fn plan(
    app: &App,
    caller: Caller,
    dialect: Dialect,
    request: &Request,
    is_head: bool,
) -> Result<Plan, RestError> {
    let mut planner = Planner::new(app, caller, dialect);
    let mut plan = planner.plan_read(request.table, &request.query.root, None)?;
    if is_head {
        plan.keep_row_count();
    }
    Ok(plan)
}

/// Reads the rows. Returns them with the number of rows before them.
fn read(
    tx: &mut Tx<'_>,
    app: &App,
    request: &Request,
    is_head: bool,
    reserved: Option<MemoryPermit>,
) -> Result<(u64, QueryResult), RestError> {
    let caller = request.credential.caller(tx, &app.config, app.clock.now())?;
    if app.db.pipeline().is_some() {
        request.credential.remember(&app.last_callers, caller);
    }
    request.require_format(caller)?;
    let mut plan = plan(app, caller, tx.dialect(), request, is_head)?;
    let filters = &request.query.root.filters;
    if let Some(keys) = matching_keys(tx, caller, request.table, filters)? {
        plan.restrict(request.table, &keys);
    }
    let mut result = QueryResult::new(request.format, budget(app, request).with(reserved));
    execute(tx, &plan, request.prefer.wants_count(), &mut result)?;
    Ok((plan.offset, result))
}
