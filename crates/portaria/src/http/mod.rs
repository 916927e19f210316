//! The HTTP edge: routes, who asks, what every answer carries, and the sockets.

mod caller;
pub mod figures;
mod layers;
mod manifest;
mod origin;
mod patient;
mod route;
mod router;
mod serve;
mod spa;
pub mod tls;

pub use router::router;
pub use serve::{listen, serve};
