//! Versions: the earlier files of a document, which staff can download and restore
//! (docs/decisions/0128-versions-are-objects-of-a-staff-bucket.md).
//!
//! A replaced file moves into a bucket that only staff can reach, and a row of `document_versions` describes it. The rows
//! have no foreign key to the document, so they outlive its time in the trash.

pub(crate) mod hooks;
pub(crate) mod keep;
pub(crate) mod restore;

use jiff::Timestamp;
use sea_query::{Condition, Expr, ExprTrait, Query};

use crate::{
    db::{Error, Tx},
    schema::{TableId, VERSIONS_BUCKET},
    security::ids::UserId,
    stored_files::object,
};

/// The table of versions.
pub(crate) const TABLE: TableId = TableId::DocumentVersions;

/// Maximum number of versions of a document. One more removes the oldest.
const MAX_VERSIONS: u64 = 20;

/// Removes the versions of documents for good.
pub(crate) fn remove_of_documents(
    tx: &mut Tx<'_>,
    documents: &[String],
    now: Timestamp,
) -> Result<(), Error> {
    remove(tx, &Expr::col("document_id").is_in(documents.iter().map(String::as_str)), now)
}

/// Removes the versions of a client's documents, when the client's account is deleted.
pub(crate) fn remove_of_client(
    tx: &mut Tx<'_>,
    client: UserId,
    now: Timestamp,
) -> Result<(), Error> {
    remove(tx, &Expr::col("client_id").eq(client), now)
}

/// Removes the versions that meet a condition, with their files.
fn remove(tx: &mut Tx<'_>, which: &Expr, now: Timestamp) -> Result<(), Error> {
    let mut names = Query::select();
    names.column("file_url").from("document_versions").and_where(which.clone());
    let files = Condition::all()
        .add(Expr::col("bucket_id").eq(VERSIONS_BUCKET))
        .add(Expr::col("name").in_subquery(names));
    object::release(tx, &files, now)?;
    tx.execute(Query::delete().from_table("document_versions").and_where(which.clone())).map(drop)
}
