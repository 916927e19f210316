//! What all error answers share: the request's id, and what is said when the fault is ours.

use axum::http::StatusCode;

use crate::db;

tokio::task_local! {
    /// The id of the request being answered, set by the outermost layer.
    pub static REQUEST_ID: String;
}

/// The current request's id; empty outside of a request.
#[must_use]
pub fn request_id() -> String {
    REQUEST_ID.try_with(Clone::clone).unwrap_or_default()
}

/// A fault that is not the caller's: 503 when trying again may help, 500 otherwise.
/// The cause goes to the log once, here, and never into an answer.
#[must_use]
pub fn fault(error: &db::Error) -> StatusCode {
    let id = request_id();
    match error {
        db::Error::Busy | db::Error::Unavailable(_) => {
            tracing::warn!(request = id, %error, "refused for now");
            StatusCode::SERVICE_UNAVAILABLE
        }
        _ => {
            tracing::error!(request = id, %error, "failed");
            StatusCode::INTERNAL_SERVER_ERROR
        }
    }
}
