//! The HTTP server: listeners and TLS, routes, middleware, the embedded web app, and metrics.

pub mod metrics;
pub mod middleware;
pub mod route_label;
pub mod router;
pub mod server;
pub mod spa;
pub mod tls;
pub mod webmanifest;
pub mod write_timeout;

pub use crate::http::server::{listen, serve};
pub use router::router;
