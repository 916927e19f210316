//! What is said when the fault is ours.

use axum::http::StatusCode;

use crate::{db, telemetry::request_id};

/// A fault that is not the caller's: 503 when trying again may help, 500 otherwise.
/// The cause goes to the log once, here, and never into an answer.
#[must_use]
pub fn internal_error_status(error: &db::Error) -> StatusCode {
    let id = request_id::current();
    if error.is_transient() {
        tracing::warn!(request = id, %error, "refused for now");
        StatusCode::SERVICE_UNAVAILABLE
    } else {
        tracing::error!(request = id, %error, "failed");
        StatusCode::INTERNAL_SERVER_ERROR
    }
}
