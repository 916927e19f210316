//! `GET` and `HEAD /{table}`: read rows.

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

/// Answers with the rows that the caller may see: 200, or 206 when a count was asked for and there are more.
///
/// # Errors
/// [`RestError`].
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(table): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    method: Method,
) -> Result<Response, RestError> {
    let mut request =
        Request::read(&table, query.as_deref(), &headers, credential, "accept-profile")?;
    if method == Method::GET {
        apply_range_header(&mut request.query, &headers)?;
    }
    let inner = Arc::clone(&app);
    let read = move |tx: &mut crate::db::Tx<'_>| {
        let caller = request.credential.caller(tx, &inner.config, inner.clock.now())??;
        let mut planner = Planner::new(&inner, caller, tx.dialect());
        let plan = planner.read(request.table, &request.query.root, None)?;
        let found = execute(tx, &plan, request.prefer.counts(), request.form)?;
        Ok((request, plan.offset, found))
    };
    let (request, offset, found) = app.db.read::<_, RestError, _>(read).await?;
    let (rows, total) = (found.len(), found.total);
    if let Some(total) = total.filter(|total| offset > *total) {
        return Err(RestError::offset_beyond(offset, total));
    }
    let mut response = request.body(found)?;
    if total.is_some_and(|total| (rows as u64) < total) {
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
    }
    let headers = response.headers_mut();
    headers.insert("content-range", content_range(offset, rows, total));
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    if let Ok(location) = HeaderValue::try_from(format!("/{table}{query}")) {
        headers.insert(header::CONTENT_LOCATION, location);
    }
    Ok(request.finish(response, false))
}
