//! Request extractors: bucket and object names in the path, a JSON object in the body, query parameters.

use axum::{
    body::to_bytes,
    extract::{FromRequest, FromRequestParts, Path, Request},
    http::{header, request::Parts},
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::api::{
    json_body::{self, JsonError},
    query_string::{decode, query_pairs},
    storage::{StorageError, buckets, header_text, object_key},
};

/// Maximum size of a JSON body: the names of 1,000 files. Bytes.
const MAX_BODY_BYTES: usize = 256 << 10;

/// Bucket and object name of a path that ends with `{bucket}/{*path}`. Both are valid names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectPath {
    pub(crate) bucket: String,
    pub(crate) name: String,
}

impl<S: Send + Sync> FromRequestParts<S> for ObjectPath {
    type Rejection = StorageError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, StorageError> {
        let path = Path::<(String, String)>::from_request_parts(parts, state).await;
        let Path((bucket, path)) = path.map_err(|_| StorageError::invalid_key(""))?;
        let name = object_key::parse(&path)?;
        Ok(Self { bucket: buckets::validate_name(bucket)?, name })
    }
}

/// Bucket of a path that ends with `{bucket}`.
#[derive(Debug)]
pub struct BucketPath(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for BucketPath {
    type Rejection = StorageError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, StorageError> {
        let path = Path::<String>::from_request_parts(parts, state).await;
        let Path(bucket) = path.map_err(|_| StorageError::no_bucket())?;
        Ok(Self(buckets::validate_name(bucket)?))
    }
}

/// A request body that is a JSON object without NUL characters.
#[derive(Debug)]
pub struct JsonBody(Map<String, Value>);

impl<S: Send + Sync> FromRequest<S> for JsonBody {
    type Rejection = StorageError;

    async fn from_request(request: Request, _: &S) -> Result<Self, StorageError> {
        let content_type =
            header_text(request.headers(), header::CONTENT_TYPE.as_str()).unwrap_or_default();
        let is_json = content_type
            .split(';')
            .next()
            .is_some_and(|essence| essence.trim().eq_ignore_ascii_case("application/json"));

        let too_large = || StorageError::invalid_request("The request body is too large");
        let body = to_bytes(request.into_body(), MAX_BODY_BYTES).await.map_err(|_| too_large())?;
        if !is_json && !body.is_empty() {
            return Err(StorageError::invalid_content_type());
        }
        let invalid = || StorageError::invalid_request("body must be object");
        match json_body::parse(&body) {
            Ok(Value::Object(object)) => Ok(Self(object)),
            Err(JsonError::TooManyValues) => Err(too_large()),
            Ok(_) | Err(JsonError::Invalid(_) | JsonError::Nul) => Err(invalid()),
        }
    }
}

impl JsonBody {
    /// Deserializes the body.
    ///
    /// # Errors
    /// `InvalidRequest` if a property of `required` is missing or null, or the body does not fit `T`.
    pub(crate) fn read<T: DeserializeOwned>(self, required: &[&str]) -> Result<T, StorageError> {
        for name in required {
            if self.0.get(*name).is_none_or(Value::is_null) {
                return Err(StorageError::invalid_request(format!(
                    "body must have required property '{name}'"
                )));
            }
        }
        serde_json::from_value(Value::Object(self.0)).map_err(|error| {
            let detail: String = error.to_string().chars().take(200).collect();
            StorageError::invalid_request(format!("body is not of the expected form: {detail}"))
        })
    }
}

/// Returns the first parameter `name` of a query string, percent-decoded. Values that are not UTF-8 or contain a NUL
/// count as missing.
pub(crate) fn query_param(query: Option<&str>, name: &str) -> Option<String> {
    let pair = query_pairs(query?).find(|pair| pair.name == name)?;
    let value = decode(pair.value.unwrap_or_default())?;
    Some(value).filter(|value| !value.contains('\0'))
}
