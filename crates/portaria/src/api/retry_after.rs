//! `Retry-After` (RFC 9110, section 10.2.3). Every answer with 429 or 503 receives it here.

use std::time::Duration;

use axum::{
    http::{StatusCode, header},
    response::Response,
};

/// Wait after an answer with 429 whose end is unknown.
pub(crate) const DEFAULT_WAIT: Duration = Duration::from_mins(1);
/// Wait after an answer with 503 whose end is unknown. The cause is usually load, which passes quickly.
const UNAVAILABLE_WAIT: Duration = Duration::from_secs(1);

/// Adds the header with the time after which a retry can succeed: `wait`, or a default for a status that says that a
/// retry can succeed. Seconds are rounded up, so that a retry does not come too early.
pub(crate) fn add(mut response: Response, wait: Option<Duration>) -> Response {
    let wait = wait.or(match response.status() {
        StatusCode::TOO_MANY_REQUESTS => Some(DEFAULT_WAIT),
        StatusCode::SERVICE_UNAVAILABLE => Some(UNAVAILABLE_WAIT),
        _ => None,
    });
    if let Some(wait) = wait {
        let seconds = ceil_seconds(wait).max(1);
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    response
}

/// Whole seconds, rounded up.
pub(crate) fn ceil_seconds(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}
