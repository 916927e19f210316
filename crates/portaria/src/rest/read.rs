//! `GET` and `HEAD /{table}`: read rows.

use std::sync::Arc;

use axum::{
    Extension,
    extract::{Path, RawQuery, State},
    http::{HeaderMap, StatusCode},
    response::Response,
};

use super::{
    RestError,
    plan::Planner,
    request::{Request, content_range},
    run::run,
};
use crate::{app::App, session::Credential};

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
) -> Result<Response, RestError> {
    let request = Request::read(&table, query.as_deref(), &headers, credential, "accept-profile")?;
    let inner = Arc::clone(&app);
    let read = move |tx: &mut crate::db::Tx<'_>| {
        let caller = request.credential.caller(tx, inner.clock.now())??;
        let plan = Planner::new(&inner, caller, tx.dialect()).read(
            request.table,
            &request.query.root,
            None,
        )?;
        let found = run(tx, &plan, request.prefer.count)?;
        Ok((request, plan.offset, found))
    };
    let (request, offset, found) = app.db.read::<_, RestError, _>(read).await?;
    let (rows, total) = (found.len(), found.total);
    if let Some(total) = total.filter(|total| offset > *total) {
        return Err(RestError::new(
            StatusCode::RANGE_NOT_SATISFIABLE,
            "PGRST103",
            "Requested range not satisfiable",
        )
        .details(format!(
            "An offset of {offset} was requested, but there are only {total} rows."
        )));
    }
    let mut response = request.body(found)?;
    if total.is_some_and(|total| rows > 0 && (rows as u64) < total) {
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
    }
    response.headers_mut().insert("content-range", content_range(offset, rows, total));
    Ok(response)
}
