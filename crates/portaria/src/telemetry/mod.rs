//! Observability: the log, the metrics, the traces, the context that connects the lines of one request, and the
//! notifications of the service manager.

pub mod examination;
pub mod logging;
pub mod metrics;
pub mod request_id;
pub mod storage_health;
pub(crate) mod systemd;
pub(crate) mod traces;
pub mod version;
