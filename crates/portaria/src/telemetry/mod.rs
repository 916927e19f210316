//! telemetry

pub mod logging;
pub mod metrics;
pub mod request_id;
