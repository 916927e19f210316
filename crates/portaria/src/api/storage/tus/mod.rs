//! `/upload/resumable`: uploads in pieces that survive a lost connection and a restart (tus 1.0, contract §3.4).
//!
//! An upload's row counts what is on the disk; the file grows in the data folder until it becomes a blob. The row
//! outlives the upload until it expires, so that whoever lost the last answer can ask whether it is done.

pub mod append;
pub mod complete;
pub mod create;
pub mod head;
pub mod metadata;
pub mod patch;
pub mod terminate;

use axum::{
    extract::Request,
    http::{HeaderMap, HeaderValue, StatusCode},
    middleware::Next,
    response::{IntoResponse, Response},
};

use crate::api::storage::{StorageError, require_staff, text};
use crate::{
    accounts::authenticate::Credential,
    app::App,
    db::Tx,
    policy::Caller,
    stored_files::upload::{self, Upload},
};

/// The one version of the protocol.
const VERSION: &str = "1.0.0";
const EXTENSIONS: &str = "creation,creation-with-upload,expiration,termination";
/// What a body with a piece of a file is.
const PIECE: &str = "application/offset+octet-stream";

/// Speaks the protocol's version, and asks that the caller does.
pub async fn tus_headers(request: Request, next: Next) -> Response {
    let spoken = text(request.headers(), "tus-resumable") == Some(VERSION);
    let mut response = if spoken {
        next.run(request).await
    } else {
        ([("tus-version", VERSION)], StorageError::wrong_version().plain()).into_response()
    };
    response.headers_mut().insert("tus-resumable", HeaderValue::from_static(VERSION));
    response
}

/// What is offered, for whoever asks first.
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

/// The upload of that id, if it is the caller's own.
///
/// # Errors
/// `AccessDenied` for all but the office; `NoSuchUpload`, also for what another began.
fn own(
    tx: &mut Tx<'_>,
    credential: &Credential,
    app: &App,
    id: &str,
) -> Result<Upload, StorageError> {
    let caller = require_staff(tx, credential, app)?;
    let upload = upload::find(tx, id, app.clock.now())?;
    let is_own = |upload: &Upload| {
        caller == Caller::Service || upload.owner_id == caller.user().map(|id| id.to_string())
    };
    upload.filter(is_own).ok_or_else(StorageError::no_upload)
}

/// A header that holds a number of bytes.
///
/// # Errors
/// `InvalidRequest`.
fn number(headers: &HeaderMap, name: &str) -> Result<u64, StorageError> {
    let digits = text(headers, name)
        .filter(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()));
    let number = digits.and_then(|text| text.parse().ok());
    number.filter(|number| i64::try_from(*number).is_ok()).ok_or_else(|| {
        StorageError::invalid_request(format!("The header {name} must be a number of bytes"))
    })
}

/// Whether the body is a piece of the file.
fn brings_piece(headers: &HeaderMap) -> bool {
    text(headers, "content-type") == Some(PIECE)
}

/// When an upload is given up, as a header says it.
fn expires(upload: &Upload) -> String {
    let at: jiff::Timestamp = upload.expires_at.parse().unwrap_or_default();
    crate::api::storage::file_response::http_date(at)
}
