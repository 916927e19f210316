//! Changes of rows and broadcasts over a websocket.

mod changes;
mod limits;
mod sessions;
pub(crate) mod socket;
mod topics;
