//! Mail: templates, HTML sanitizing, layout, MIME messages, delivery over SMTP, and received mails.

pub mod html_limits;
pub mod imap;
pub mod incoming;
pub mod layout;
pub mod layout_cache;
pub mod mime;
pub mod reply_text;
pub mod sanitize;
pub mod smtp;
pub mod template;

mod html_tags;
mod inline_images;
mod plain_text;
mod server;
mod smtp_reply;
mod videos;

pub use plain_text::to_plain_text;
pub use server::{Login, MailFrom, MailServer, Security};
pub use template::render;
