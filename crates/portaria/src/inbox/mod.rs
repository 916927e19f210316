//! The inbox: files that the office drops at once, and that become documents of clients after a review.
//!
//! A file of the bucket `inbox` has a row of `inbox_files` (`add`). A node reads it in a child process (`reading`)
//! and proposes the values of the document (`proposal`); staff correct them through the table (`hooks`) and
//! schedule the publication (`schedule`). `jobs/publish_inbox.rs` publishes what is due (`publish`). Choices that
//! the reading could not make are remembered as rules (`rules`), and the office describes
//! kinds of documents itself (`recognition`). Scanners and scripts add files by a token (`tokens`).

pub(crate) mod add;
pub(crate) mod discard;
pub(crate) mod duplicates;
pub(crate) mod hooks;
pub(crate) mod intake;
pub(crate) mod proposal;
pub(crate) mod publish;
pub(crate) mod reading;
pub(crate) mod recognition;
pub(crate) mod review_group;
pub(crate) mod rules;
pub(crate) mod schedule;
pub(crate) mod tokens;

use jiff::SignedDuration;
use sea_query::{Expr, ExprTrait, Query};

use crate::{
    db::{Error, MAX_KEYS_PER_STATEMENT, Tx},
    schema::TableId,
    table_write::returned_keys,
};

/// The table of files in the inbox.
pub const TABLE: TableId = TableId::InboxFiles;

/// Time after which a file that was not published is removed.
pub const RETENTION: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Returns the clients of files.
///
/// # Errors
/// Of the database.
pub(crate) fn clients_of(tx: &mut Tx<'_>, files: &[String]) -> Result<Vec<String>, Error> {
    let mut clients = Vec::new();
    for files in files.chunks(MAX_KEYS_PER_STATEMENT) {
        let mut query = Query::select();
        query.column("client_id").distinct().from("inbox_files");
        query.and_where(Expr::col("id").is_in(files.iter().map(String::as_str)));
        query.and_where(Expr::col("client_id").is_not_null());
        clients.extend(returned_keys(&tx.rows(&query)?)?);
    }
    Ok(clients)
}
