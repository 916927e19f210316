//! References to files: the documents and ticket attachments that show a file of the portal's own buckets. The
//! reference is the object's name in `file_url`, so a file in use keeps its name until its row is gone.

use std::collections::HashMap;

use sea_query::{Condition, Expr, ExprTrait, Order, Query, SelectStatement};

use crate::{
    db::{Error, Tx},
    schema::{
        ATTACHMENTS_BUCKET, DOCUMENTS_BUCKET, INBOX_BUCKET, RECEIVED_BUCKET, TRASH_BUCKET,
        VERSIONS_BUCKET,
    },
    security::ids::UserId,
};

/// The portal's own buckets, each with the table whose rows show its files.
pub const REFERRING_TABLES: [(&str, &str); 6] = [
    (DOCUMENTS_BUCKET, "documents"),
    (TRASH_BUCKET, "deleted_documents"),
    (VERSIONS_BUCKET, "document_versions"),
    (ATTACHMENTS_BUCKET, "ticket_attachments"),
    (INBOX_BUCKET, "inbox_files"),
    (RECEIVED_BUCKET, "received_files"),
];

/// Condition that a row of `table` shows the row of `objects`.
#[must_use]
pub fn is_shown_by(table: &'static str) -> Expr {
    let reference = Query::select()
        .expr(Expr::cust("1"))
        .from(table)
        .and_where(Expr::col((table, "file_url")).equals(("objects", "name")))
        .take();
    Expr::exists(reference)
}

/// Condition that no document or attachment shows the row of `objects`. A caller that deletes or renames objects locks
/// them first and checks then, because a document that is inserted locks its object too.
#[must_use]
pub fn not_in_use() -> Condition {
    REFERRING_TABLES.into_iter().fold(Condition::all(), |condition, (bucket, table)| {
        let is_used = Expr::col(("objects", "bucket_id")).eq(bucket).and(is_shown_by(table));
        condition.add(is_used.not())
    })
}

/// Returns the clients of the documents that show the files with these names, by name.
pub fn document_owners(
    tx: &mut Tx<'_>,
    bucket: &str,
    names: &[&str],
) -> Result<HashMap<String, UserId>, Error> {
    if bucket != DOCUMENTS_BUCKET {
        return Ok(HashMap::new());
    }
    let mut query = Query::select();
    query.columns(["file_url", "client_id"]).from("documents");
    query.and_where(Expr::col("file_url").is_in(names.iter().copied()));
    query.and_where(Expr::col("client_id").is_not_null());
    tx.rows(&query)?.iter().map(|row| Ok((row.text(0)?.to_owned(), row.parse(1)?))).collect()
}

/// Returns table, id and file of the documents and attachments whose object does not exist.
pub fn dangling(tx: &mut Tx<'_>) -> Result<Vec<(&'static str, String, String)>, Error> {
    let mut found = Vec::new();
    for (bucket, table) in REFERRING_TABLES {
        for row in tx.rows(&select_dangling(bucket, table))?.iter() {
            let file = format!("{bucket}/{}", row.text(1)?);
            found.push((table, row.text(0)?.to_owned(), file));
        }
    }
    Ok(found)
}

fn select_dangling(bucket: &'static str, table: &'static str) -> SelectStatement {
    let object = Query::select()
        .expr(Expr::cust("1"))
        .from("objects")
        .and_where(Expr::col(("objects", "bucket_id")).eq(bucket))
        .and_where(Expr::col(("objects", "name")).equals((table, "file_url")))
        .take();
    Query::select()
        .columns(["id", "file_url"])
        .from(table)
        .and_where(Expr::col("file_url").is_not_null())
        .and_where(Expr::exists(object).not())
        .order_by("id", Order::Asc)
        .take()
}
