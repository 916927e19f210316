//! The HTTP edge: routes, who asks, what every answer carries, and the sockets.

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
