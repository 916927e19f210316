//! Maps internal errors to a status code and logs the cause.

use axum::http::StatusCode;

use crate::{db, telemetry::request_id};

/// The status code for a database error: 503 for a transient one, 500 for any other. The cause is logged here, once,
/// and never sent to the client (`docs/logging.md`).
#[must_use]
pub fn internal_error_status(error: &db::Error) -> StatusCode {
    let id = request_id::current();
    if error.is_transient() {
        tracing::warn!(request = id, %error, "database unavailable, request rejected");
        StatusCode::SERVICE_UNAVAILABLE
    } else {
        tracing::error!(request = id, %error, "internal error");
        StatusCode::INTERNAL_SERVER_ERROR
    }
}
