//! Documents: expiry notifications, notifications of new documents, legal holds, replacement of files, and the calendar
//! of due dates.

pub mod expiry;
pub mod ics;
pub mod legal_hold;
pub mod notify;
pub mod replace_file;
