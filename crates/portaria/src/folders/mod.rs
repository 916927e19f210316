//! Folders of documents: rules, deletion and order.
//!
//! Deletion and reordering change several rows of which a part would be wrong, so each is one transaction instead of
//! several requests to the table (docs/decisions/0035-functions-for-multi-row-changes.md).

pub(crate) mod delete;
pub(crate) mod hooks;
pub(crate) mod model;
pub(crate) mod reorder;

pub(crate) use crate::folders::{delete::delete, reorder::reorder};
use crate::schema::TableId;

/// The table of folders.
pub const TABLE: TableId = TableId::Folders;
