//! The HTTP edge: routes, who asks, what every answer carries, and the sockets.

mod caller;
mod layers;
mod manifest;
mod origin;
mod router;
mod serve;
mod spa;

pub use router::router;
pub use serve::{listen, serve};
