//! The HTTP server: listeners and TLS, routes, middleware, the embedded web app, and metrics.

mod lingering_close;
mod metered_body;
pub mod metrics;
pub mod middleware;
mod office_images;
pub mod route_label;
pub mod router;
pub mod server;
pub mod spa;
pub mod tls;
mod transfer_meter;
mod unread_body;
pub mod webmanifest;
pub mod write_timeout;

pub use crate::http::server::{listen, serve};
pub use router::router;
