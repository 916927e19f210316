//! Pads response times, so that they do not reveal whether an e-mail address has an account. The work for both cases
//! differs by tenths of a millisecond, and the padding to a multiple of [`TIMING_QUANTUM`] hides the difference
//! (`docs/protocol/auth.md`, section 5.2).

use std::time::Duration;

use axum::{extract::Request, middleware::Next, response::Response};
use tokio::time::{Instant, sleep_until};

/// Unit of response times. It is far longer than the work, so that a response rarely crosses from one multiple to the
/// next, and short for a person who waits for a mail.
pub const TIMING_QUANTUM: Duration = Duration::from_millis(250);

/// Delays the response until a multiple of [`TIMING_QUANTUM`] has passed since the request.
pub async fn pad_response_time(request: Request, next: Next) -> Response {
    let mut end = Instant::now() + TIMING_QUANTUM;
    let response = next.run(request).await;
    while end < Instant::now() {
        end += TIMING_QUANTUM;
    }
    sleep_until(end).await;
    response
}
