//! Mail: what a template becomes, and the outbox in which it waits.

mod template;
pub mod unsubscribe;

pub use template::render;
