//! Observability: the log, the metrics, and the ID that connects the lines of one request.

pub mod logging;
pub mod metrics;
pub mod request_id;
