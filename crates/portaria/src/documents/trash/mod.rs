//! The trash: deleted documents, which staff can restore for 30 days
//! (docs/decisions/0127-deleted-documents-leave-their-table.md).
//!
//! A deletion moves the row of `documents`, with the rows that depend on it, into one row of `deleted_documents`, and the
//! file into a bucket that only staff can reach. `documents` contains no deleted row, so no other rule has to leave one
//! out. Retention and erasure delete without the trash.

pub(crate) mod add;
pub(crate) mod hooks;
pub(crate) mod purge;
pub(crate) mod restore;
mod snapshot;

use jiff::SignedDuration;

use crate::schema::TableId;

/// The table of deleted documents.
pub(crate) const TABLE: TableId = TableId::DeletedDocuments;

/// Time between the deletion of a document and its removal for good.
pub(crate) const RETENTION: SignedDuration = SignedDuration::from_hours(30 * 24);
