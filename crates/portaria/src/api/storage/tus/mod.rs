//! `/upload/resumable`: resumable uploads with tus 1.0 (`docs/protocol/storage.md`, section 6).
//!
//! The upload's row states how many bytes are durable. The partial upload grows in the data folder or the S3 bucket
//! until it is published as a blob. The row outlives the upload until it expires, so that a client that lost the last
//! response can ask for the result (`docs/decisions/0011-resumable-uploads.md`).
//!
//! Written by hand, because no maintained Rust crate implements the server side of tus.

pub mod append;
pub mod complete;
pub mod create;
pub mod head;
pub mod metadata;
pub mod patch;
pub mod sender;
pub mod terminate;

use axum::{
    extract::Request,
    http::{HeaderMap, HeaderValue, StatusCode},
    middleware::Next,
    response::{IntoResponse, Response},
};

use crate::api::storage::{StorageError, header_text};
use crate::stored_files::upload::Upload;

/// Supported version of tus.
const VERSION: &str = "1.0.0";
/// Supported extensions of tus.
const EXTENSIONS: &str = "creation,creation-with-upload,expiration,termination";
/// Media type of a body with upload data.
const OFFSET_OCTET_STREAM: &str = "application/offset+octet-stream";

/// Middleware that requires `Tus-Resumable` in the request and adds it to the response. Another version is answered 412
/// with `Tus-Version`.
pub async fn tus_headers(request: Request, next: Next) -> Response {
    let is_supported = header_text(request.headers(), "tus-resumable") == Some(VERSION);
    let mut response = if is_supported {
        next.run(request).await
    } else {
        ([("tus-version", VERSION)], StorageError::wrong_version().with_real_status())
            .into_response()
    };
    response.headers_mut().insert("tus-resumable", HeaderValue::from_static(VERSION));
    response
}

/// The response to `OPTIONS`: version, extensions, and the maximum size of an upload in bytes.
#[must_use]
pub fn options(max_size: u64) -> Response {
    let headers = [
        ("tus-resumable", VERSION.to_owned()),
        ("tus-version", VERSION.to_owned()),
        ("tus-extension", EXTENSIONS.to_owned()),
        ("tus-max-size", max_size.to_string()),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}

/// Parses a header that contains a number of bytes.
///
/// # Errors
/// `InvalidRequest` if the header is missing or not a decimal number below 2⁶³.
fn byte_count_header(headers: &HeaderMap, name: &str) -> Result<u64, StorageError> {
    let digits = header_text(headers, name)
        .filter(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()));
    let number = digits.and_then(|text| text.parse().ok());
    number.filter(|number| i64::try_from(*number).is_ok()).ok_or_else(|| {
        StorageError::invalid_request(format!("The header {name} must be a number of bytes"))
    })
}

/// Whether the body is upload data, according to its media type.
fn has_upload_data(headers: &HeaderMap) -> bool {
    header_text(headers, "content-type") == Some(OFFSET_OCTET_STREAM)
}

/// The value of `Upload-Expires`.
fn upload_expires(upload: &Upload) -> String {
    let expires_at: jiff::Timestamp = upload.expires_at.parse().unwrap_or_default();
    crate::api::storage::file_response::http_date(expires_at)
}
