//! Legal holds: documents that must be kept against deletion, replacement, retention and erasure (LGPD, art. 16, I).
//!
//! A hold is a reason in words, on a document or on a folder. The hold of a folder ends with the folder's retention
//! (docs/decisions/0043-legal-holds-win.md).

use sea_query::{Condition, Expr, ExprTrait, LockType, Order, Query, SelectStatement};

use crate::{
    db::{Error, Tx},
    schema::DOCUMENTS_BUCKET,
};

/// Returns the condition that a row of `documents` is on hold.
#[must_use]
pub fn is_on_hold() -> Condition {
    let held_folder = Query::select()
        .expr(Expr::cust("1"))
        .from("folders")
        .and_where(
            Expr::col(("folders", "id_supabase")).equals(("documents", "folder_id_supabase")),
        )
        .and_where(Expr::col(("folders", "legal_hold_reason")).is_not_null())
        .take();
    // `retention_expired_at` is set when the folder's retention has expired.
    let by_folder = Condition::all()
        .add(Expr::col(("documents", "retention_expired_at")).is_null())
        .add(Expr::exists(held_folder));
    Condition::any().add(Expr::col(("documents", "legal_hold_reason")).is_not_null()).add(by_folder)
}

/// Locks the folders of the selected documents against a hold that begins meanwhile. The caller of this function has locked
/// the documents, so that none of them gets a hold of its own.
pub(crate) fn lock_folders(tx: &mut Tx<'_>, documents: Condition) -> Result<(), Error> {
    let folders = Query::select()
        .column(("documents", "folder_id_supabase"))
        .from("documents")
        .cond_where(documents)
        .take();
    let mut lock = Query::select();
    lock.column("id").from("folders").and_where(Expr::col("id_supabase").in_subquery(folders));
    tx.rows(lock.order_by("id_supabase", Order::Asc).lock(LockType::Share)).map(drop)
}

/// Returns the condition that no document on hold refers to a row of `objects`.
#[must_use]
pub fn not_on_hold() -> Condition {
    let is_document = Expr::col(("objects", "bucket_id")).eq(DOCUMENTS_BUCKET);
    let held = is_document.and(Expr::col(("objects", "name")).in_subquery(held_files()));
    Condition::all().add(held.not())
}

/// Builds the query for the names of files of documents on hold.
fn held_files() -> SelectStatement {
    Query::select()
        .column(("documents", "file_url"))
        .from("documents")
        .and_where(Expr::col(("documents", "file_url")).is_not_null())
        .cond_where(is_on_hold())
        .take()
}
