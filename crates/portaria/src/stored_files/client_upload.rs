//! Uploads of clients: the error, and the limit on files that no row shows yet.

use sea_query::{Condition, Expr, ExprTrait, Query};

use crate::{
    db::{self, Tx},
    stored_files::references::{REFERRING_TABLES, is_shown_by},
};

/// Maximum number of a client's files in a bucket that wait for their row. Garbage collection removes them after 24
/// hours. A file that is removed from a message before it is sent keeps waiting, so this is more than one message holds.
const MAX_WAITING_FILES: i64 = 60;

/// An upload that is not accepted.
#[derive(Debug)]
pub(crate) enum ClientUploadError {
    /// The client may not upload the file. A place of another client and a missing one are the same.
    Denied,
    /// Too many files of the client wait for their row.
    TooManyWaiting,
    /// The name refers to no place for files of its client. Contains the name.
    InvalidName(String),
    /// The database failed.
    Database(db::Error),
}

impl From<db::Error> for ClientUploadError {
    fn from(error: db::Error) -> Self {
        Self::Database(error)
    }
}

/// Checks how many files of a client in one of the portal's own buckets wait for their row.
///
/// # Errors
/// [`ClientUploadError::TooManyWaiting`].
pub(crate) fn check_waiting_files(
    tx: &mut Tx<'_>,
    bucket: &str,
    client: &str,
) -> Result<(), ClientUploadError> {
    let tables = REFERRING_TABLES.into_iter().filter(|(of, _)| *of == bucket);
    let is_shown = tables.fold(Condition::any(), |any, (_, table)| any.add(is_shown_by(table)));
    let object_name = || Expr::col(("objects", "name"));
    let mut waiting = Query::select();
    // A prefix as a range that an index can use: `0` is the character after `/`.
    waiting.expr(Expr::cust("count(*)")).from("objects").cond_where(
        Condition::all()
            .add(Expr::col(("objects", "bucket_id")).eq(bucket))
            .add(object_name().gt(format!("{client}/")))
            .add(object_name().lt(format!("{client}0")))
            .add(is_shown.not()),
    );
    let rows = tx.rows(&waiting)?;
    let waiting = rows.first().map(|row| row.int(0)).transpose()?.unwrap_or(0);
    if waiting < MAX_WAITING_FILES { Ok(()) } else { Err(ClientUploadError::TooManyWaiting) }
}
