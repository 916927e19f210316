//! Extractor for the JSON body of a request to `/account/v1`.

use axum::{
    body,
    extract::{FromRequest, Request},
    http::header::CONTENT_TYPE,
};
use serde::de::DeserializeOwned;

use crate::api::{
    account::AccountError,
    json_body::{self, MAX_ANONYMOUS_BYTES},
};

/// The parsed body of a request. Rejections are [`AccountError`]s.
pub struct JsonBody<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = AccountError;

    async fn from_request(request: Request, _: &S) -> Result<Self, AccountError> {
        let content_type = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        // A web page of any origin could send a form or plain text without a CORS preflight.
        if !content_type
            .is_some_and(|kind| kind.to_ascii_lowercase().starts_with("application/json"))
        {
            return Err(AccountError::invalid("Content-Type must be application/json"));
        }
        let bytes = body::to_bytes(request.into_body(), MAX_ANONYMOUS_BYTES).await;
        let bytes = bytes.map_err(|_| AccountError::invalid("The body is too large"))?;
        let value = json_body::parse(&bytes);
        let value = value.map_err(|_| AccountError::invalid("The body is not valid JSON"))?;
        T::deserialize(value).map(Self).map_err(|error| AccountError::invalid(error.to_string()))
    }
}
