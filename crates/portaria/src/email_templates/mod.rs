//! email_templates

pub mod preview;
pub mod recipient_preview;
