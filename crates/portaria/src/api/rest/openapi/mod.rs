//! `GET /rest/v1/`: a description of the tables and functions that the caller may use (docs/protocol/rest.md, section 1.1).
//!
//! The official tools read the OpenAPI 2.0 document of `swagger`, which is the default. `document` is the OpenAPI 3.1
//! document. Both are generated from the schema and the policies.

mod document;
mod functions;
mod schemas;
mod swagger;

use std::sync::Arc;

use axum::{
    Extension, Json,
    extract::State,
    http::{HeaderMap, header},
    response::{IntoResponse, Response},
};

use crate::api::{
    openapi,
    rest::{RestError, request::require_valid_token},
};
use crate::{accounts::authenticate::Credential, app::App, db::Tx};

/// Answers with the document that the header `Accept` names. Tables, columns and functions that do not exist for the
/// caller are absent from it.
///
/// # Errors
/// [`RestError`] for an invalid token.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    headers: HeaderMap,
) -> Result<Response, RestError> {
    let credential = require_valid_token(credential)?;
    let authenticate = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        Ok::<_, RestError>(credential.caller(tx, &app.config, app.clock.now())?)
    };
    let caller = app.read(authenticate).await?;
    let (media_type, document) = if accepts_version_3(&headers) {
        (openapi::MEDIA_TYPE, document::document(&app, caller))
    } else {
        ("application/openapi+json; charset=utf-8", swagger::document(&app, caller))
    };
    Ok(([(header::CONTENT_TYPE, media_type)], Json(document)).into_response())
}

/// Whether the first known media type of the `Accept` header is that of OpenAPI 3.
fn accepts_version_3(headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    let mut kinds = accept.unwrap_or_default().split(',').map(|media_type| {
        media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    });
    let version_3 = kinds.find_map(|kind| match kind.as_str() {
        "application/vnd.oai.openapi+json" => Some(true),
        "application/openapi+json" | "application/json" | "application/*" | "*/*" => Some(false),
        _ => None,
    });
    version_3.unwrap_or(false)
}
