//! Mail: what a template becomes, how it looks, the outbox in which it waits, and how it leaves.

pub mod html_tags;
pub mod inline_images;
pub mod layout;
pub mod mime;
pub mod plain_text;
pub mod sanitize;
pub mod smtp;
pub mod template;

pub use crate::mail::plain_text::to_plain_text;
pub use template::render;
