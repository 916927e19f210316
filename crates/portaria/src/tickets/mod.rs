//! tickets

pub mod attachment_upload;
pub mod notify;
pub mod rules;
pub mod sla;
