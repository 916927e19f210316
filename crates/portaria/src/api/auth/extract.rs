//! Extractors for the JSON body and the query of a request to `/auth/v1` (`docs/protocol/auth.md`, section 2.1).

use axum::{
    body::{Body, Bytes},
    extract::{FromRequest, Request},
    http::header::CONTENT_TYPE,
};
use serde::de::DeserializeOwned;

use crate::api::{
    auth::AuthError,
    json_body::{self, JsonError, MAX_ANONYMOUS_BYTES},
    query_string::{decode_lossy, query_pairs},
};

/// The parsed body of a request. Rejections are [`AuthError`]s.
pub struct Json<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = AuthError;

    async fn from_request(request: Request, _: &S) -> Result<Self, AuthError> {
        let is_json = request
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .is_some_and(|kind| kind.to_ascii_lowercase().starts_with("application/json"));
        if !is_json {
            // A web page of any origin could send a form or plain text without a CORS preflight.
            return Err(AuthError::validation("Content-Type must be application/json"));
        }
        let bytes = read_body(request.into_body()).await?;
        let bytes = if bytes.is_empty() { Bytes::from_static(b"{}") } else { bytes };
        let bad_json = |error: serde_json::Error| {
            let message = format!("Could not parse request body as JSON: {error}");
            AuthError::bad_request("bad_json", message)
        };
        let value = json_body::parse(&bytes).map_err(|error| match error {
            JsonError::Invalid(error) => bad_json(error),
            JsonError::TooManyValues => AuthError::too_large(),
            JsonError::Nul => AuthError::validation("Text must not contain a NUL character"),
        })?;
        T::deserialize(value).map(Self).map_err(bad_json)
    }
}

/// Returns the text of a field, unless it is missing or blank.
pub(crate) fn non_blank(field: Option<String>) -> Option<String> {
    field.filter(|text| !text.trim().is_empty())
}

/// Returns the value of a query parameter. An empty value counts as missing, because the client library sends empty
/// values; a repeated parameter counts as missing because it is ambiguous.
pub(crate) fn query_param(query: Option<&str>, name: &str) -> Option<String> {
    let mut values = query_pairs(query?).filter(|pair| decode_lossy(pair.name) == name);
    let value = decode_lossy(values.next()?.value.unwrap_or_default());
    let is_one = values.next().is_none();
    (is_one && !value.is_empty()).then_some(value)
}

async fn read_body(body: Body) -> Result<Bytes, AuthError> {
    axum::body::to_bytes(body, MAX_ANONYMOUS_BYTES).await.map_err(|_| AuthError::too_large())
}
