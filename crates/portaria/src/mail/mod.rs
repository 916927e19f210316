//! Mail: what a template becomes, how it looks, the outbox in which it waits, and how it leaves.

pub mod clean;
pub mod compose;
mod digest;
pub mod letter;
pub mod notices;
pub mod outbox;
mod pictures;
mod plain;
pub mod smtp;
mod tags;
pub mod template;
pub mod unsubscribe;

pub use plain::plain;
pub use template::render;
