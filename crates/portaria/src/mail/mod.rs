//! Mail: what a template becomes, how it looks, and the outbox in which it waits.

pub mod clean;
pub mod letter;
pub mod notices;
mod plain;
mod tags;
pub mod template;
pub mod unsubscribe;

pub use plain::plain;
pub use template::render;
