//! The JSON body of an auth request.

use axum::{
    body::{Body, Bytes},
    extract::{FromRequest, Request},
    http::header::CONTENT_TYPE,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::api::auth::AuthError;
use crate::db::json::holds_nul;

/// Larger bodies are refused (contract §1). Bytes.
const LIMIT: usize = 1 << 20;

/// The parsed body of a request; refusals are [`AuthError`]s.
pub struct Json<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = AuthError;

    async fn from_request(request: Request, _: &S) -> Result<Self, AuthError> {
        let json = request
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .is_some_and(|kind| kind.to_ascii_lowercase().starts_with("application/json"));
        if !json {
            // A form or plain text could be sent by any page without the browser asking us first.
            return Err(AuthError::validation("Content-Type must be application/json"));
        }
        let bytes = read(request.into_body()).await?;
        let bytes = if bytes.is_empty() { Bytes::from_static(b"{}") } else { bytes };
        let bad_json = |error: serde_json::Error| {
            let message = format!("Could not parse request body as JSON: {error}");
            AuthError::bad_request("bad_json", message)
        };
        let value: Value = serde_json::from_slice(&bytes).map_err(bad_json)?;
        if holds_nul(&value) {
            return Err(AuthError::validation("Text must not contain a NUL character"));
        }
        T::deserialize(value).map(Self).map_err(bad_json)
    }
}

/// A field's text, if it says anything.
pub(crate) fn given(field: Option<String>) -> Option<String> {
    field.filter(|text| !text.trim().is_empty())
}

async fn read(body: Body) -> Result<Bytes, AuthError> {
    axum::body::to_bytes(body, LIMIT).await.map_err(|_| AuthError::too_large())
}
