//! Documents: expiry notifications, notifications of new documents, legal holds, replacement of files, codes and reports
//! of payment, and the calendar of due dates.

pub mod expiry;
pub(crate) mod hooks;
pub mod ics;
pub mod legal_hold;
pub mod model;
pub mod notify;
pub(crate) mod payment;
pub(crate) mod payments;
pub(crate) mod receipts;
pub mod replace_file;

use crate::schema::TableId;

/// The table of documents.
pub const TABLE: TableId = TableId::Documents;
