//! Mail: templates, HTML sanitizing, layout, MIME messages, and delivery over SMTP. It knows no table; the outbox and
//! the notifications are in `notifications`.

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
