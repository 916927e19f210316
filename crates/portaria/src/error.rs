//! Maps internal errors to a status code and logs the cause.

use std::io;

use axum::http::StatusCode;

use crate::{blob, db, telemetry::request_id};

/// The status code for a database error: 503 for a transient one, 500 for any other. The cause is logged here, once,
/// and never sent to the client (`docs/logging.md`).
#[must_use]
pub fn internal_error_status(error: &db::Error) -> StatusCode {
    log_internal_error(error);
    if error.is_transient() {
        StatusCode::SERVICE_UNAVAILABLE
    } else {
        StatusCode::INTERNAL_SERVER_ERROR
    }
}

/// Logs a database error that ends a request.
pub fn log_internal_error(error: &db::Error) {
    let id = request_id::current();
    if let db::Error::DiskFull(_) = error {
        tracing::error!(request = id, %error, "disk full");
    } else if error.is_transient() {
        tracing::warn!(request = id, %error, "database unavailable, request rejected");
    } else {
        tracing::error!(request = id, %error, "internal error");
    }
}

/// Returns the message of an internal error for the client: the request's id, by which the log names the cause, and the
/// cause itself only if it is a full disk.
#[must_use]
pub fn internal_error_message(error: &db::Error) -> String {
    let id = request_id::current();
    match error {
        db::Error::DiskFull(_) => format!("The server's disk is full, request {id}"),
        _ => format!("Internal error, request {id}"),
    }
}

/// Returns the error of work on the database that needs a file beside it, which `file` names.
#[must_use]
pub fn file_error(file: &str, error: &io::Error) -> db::Error {
    let text = format!("{file}: {error}");
    if blob::is_disk_full(error) { db::Error::DiskFull(text) } else { db::Error::Internal(text) }
}
