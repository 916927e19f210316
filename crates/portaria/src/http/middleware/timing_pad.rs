//! Answers whose time tells nothing. What is asked of an address costs about the same whether or not it has an account;
//! the rest of the difference, tenths of a millisecond, goes in the wait for the next step.

use std::time::Duration;

use axum::{extract::Request, middleware::Next, response::Response};
use tokio::time::{Instant, sleep_until};

/// Far above what the work takes, so that it does not end now before a step and now behind it; little for whoever waits
/// for a mail.
pub const TIMING_QUANTUM: Duration = Duration::from_millis(250);

/// Holds the answer until a whole number of steps has passed since the request came.
pub async fn pad_response_time(request: Request, next: Next) -> Response {
    let mut end = Instant::now() + TIMING_QUANTUM;
    let answer = next.run(request).await;
    while end < Instant::now() {
        end += TIMING_QUANTUM;
    }
    sleep_until(end).await;
    answer
}
