//! Mail: what a template becomes, and the outbox in which it waits.

mod template;

pub use template::render;
