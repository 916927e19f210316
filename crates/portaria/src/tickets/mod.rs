//! Tickets: rules for tickets, messages, attachments and presence, response due dates, notifications, and uploads of
//! attachments, and answers by mail.

pub mod attachment_upload;
pub(crate) mod attachments;
pub(crate) mod history;
pub(crate) mod hooks;
pub(crate) mod mail_refusal;
pub(crate) mod mail_reply;
pub(crate) mod messages;
pub mod model;
pub mod notify;
pub(crate) mod office_hooks;
pub(crate) mod presence;
pub(crate) mod reply_address;
pub(crate) mod saved_replies;
pub mod sla;
