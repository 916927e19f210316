//! `GET` and `HEAD /rest/v1/{table}`: reads rows.

use std::sync::Arc;

use axum::{
    Extension,
    extract::{Path, RawQuery, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    response::Response,
};

use crate::api::rest::{
    RestError,
    executor::execute,
    planner::Planner,
    request::{Request, apply_range_header, content_range},
};
use crate::{accounts::authenticate::Credential, app::App};

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
    let read = move |tx: &mut crate::db::Tx<'_>, app: &Arc<App>| {
        let caller = request.credential.caller(tx, &app.config, app.clock.now())?;
        request.require_format(caller)?;
        let mut planner = Planner::new(app, caller, tx.dialect());
        let plan = planner.plan_read(request.table, &request.query.root, None)?;
        let result = execute(tx, &plan, request.prefer.wants_count(), request.format)?;
        Ok((request, plan.offset, result))
    };
    let (request, offset, result) = app.read::<_, RestError, _>(read).await?;
    let (rows, total) = (result.len(), result.total);
    if let Some(total) = total.filter(|total| offset > *total) {
        return Err(RestError::offset_beyond(offset, total));
    }
    let mut response = request.rows_response(result)?;
    if total.is_some_and(|total| (rows as u64) < total) {
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
    }
    let headers = response.headers_mut();
    headers.insert("content-range", content_range(offset, rows, total));
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    if let Ok(location) = HeaderValue::try_from(format!("/{table}{query}")) {
        headers.insert(header::CONTENT_LOCATION, location);
    }
    Ok(request.add_headers(response, false))
}
