//! Legal holds: documents that stay although their client, or their age, would have them go (LGPD art. 16, I).
//!
//! A hold is a reason in words, on a document or on a folder; a folder's lasts as long as the folder keeps its documents.

use sea_query::{Condition, Expr, ExprTrait, Query, SelectStatement};

use crate::schema::DOCUMENTS_BUCKET;

/// Whether the row of `documents` in a statement is held.
#[must_use]
pub fn is_on_hold() -> Condition {
    let of_folder = Query::select()
        .expr(Expr::cust("1"))
        .from("folders")
        .and_where(
            Expr::col(("folders", "id_supabase")).equals(("documents", "folder_id_supabase")),
        )
        .and_where(Expr::col(("folders", "hold_reason")).is_not_null())
        .take();
    // Until its folder's time was seen to be over.
    let by_folder = Condition::all()
        .add(Expr::col(("documents", "outlived_at")).is_null())
        .add(Expr::exists(of_folder));
    Condition::any().add(Expr::col(("documents", "hold_reason")).is_not_null()).add(by_folder)
}

/// The condition on a stored file that no held document shows it.
#[must_use]
pub fn not_on_hold() -> Condition {
    let is_document = Expr::col(("objects", "bucket_id")).eq(DOCUMENTS_BUCKET);
    let held = is_document.and(Expr::col(("objects", "name")).in_subquery(files()));
    Condition::all().add(held.not())
}

/// The names of the files that held documents show.
fn files() -> SelectStatement {
    Query::select()
        .column(("documents", "file_url"))
        .from("documents")
        .and_where(Expr::col(("documents", "file_url")).is_not_null())
        .cond_where(is_on_hold())
        .take()
}
