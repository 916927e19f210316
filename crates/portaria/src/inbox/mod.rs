//! The inbox: files that the office drops at once, and that become documents of clients after a review.
//!
//! A file of the bucket `inbox` has a row of `inbox_files` (`add`). A node reads it in a child process (`reading`)
//! and proposes the values of the document (`proposal`); staff correct them through the table (`hooks`) and
//! schedule the publication (`schedule`). `jobs/publish_inbox.rs` publishes what is due (`publish`). Choices that
//! the reading could not make are remembered as rules (`rules`).

pub(crate) mod add;
pub(crate) mod discard;
pub(crate) mod duplicates;
pub(crate) mod hooks;
pub(crate) mod proposal;
pub(crate) mod publish;
pub(crate) mod reading;
pub(crate) mod review_group;
pub(crate) mod rules;
pub(crate) mod schedule;

use jiff::SignedDuration;

use crate::schema::TableId;

/// The table of files in the inbox.
pub const TABLE: TableId = TableId::InboxFiles;

/// Time after which a file that was not published is removed.
pub const RETENTION: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Maximum number of ids in one statement.
const MAX_IDS_PER_STATEMENT: usize = 500;
