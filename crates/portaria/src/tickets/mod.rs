//! Tickets: rules for tickets, messages and attachments, response due dates, notifications, and uploads of attachments.

pub mod attachment_upload;
pub mod notify;
pub mod rules;
pub mod sla;
