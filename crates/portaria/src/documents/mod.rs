//! documents

pub mod expiry;
pub mod ics;
pub mod legal_hold;
pub mod notify;
pub mod replace_file;
