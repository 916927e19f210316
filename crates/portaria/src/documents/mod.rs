//! Documents: expiry notifications, notifications of new documents, legal holds, replacement of files, codes and reports
//! of payment, approvals, reminders of documents that were not opened, personal links, proofs of delivery, the trash,
//! earlier files, the calendar of due dates, and the import of an archive.

pub(crate) mod approvals;
pub(crate) mod contacts;
pub mod expiry;
pub(crate) mod folder_change;
pub(crate) mod from_file;
pub(crate) mod hooks;
pub mod ics;
pub(crate) mod import;
pub mod legal_hold;
pub mod model;
pub mod notify;
pub(crate) mod payment;
pub(crate) mod payments;
pub(crate) mod personal_link;
pub(crate) mod proof;
pub(crate) mod receipts;
pub(crate) mod remind;
pub mod reminder_rules;
pub mod replace_file;
pub(crate) mod trash;
pub(crate) mod versions;
pub(crate) mod withdraw;

use crate::{schema::TableId, table_write::Parent};

/// The table of documents.
pub const TABLE: TableId = TableId::Documents;

/// Maximum number of documents that a person may choose for one call.
const MAX_CHOSEN: usize = 500;

/// The document of a row whose client is the document's.
pub(crate) const PARENT: Parent =
    Parent { table: TABLE, reference: "document_id", owner: "client_id", is_locked: false };
