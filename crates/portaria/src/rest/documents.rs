//! Documents whose file is replaced: the old one goes in the transaction that brings the new one.

use jiff::Timestamp;
use sea_query::{Expr, ExprTrait, Order, Query, SelectStatement, Value as Sql};

use super::RestError;
use crate::{db::Tx, objects};

/// The files of the documents that `which` names, before they get another one of `owner`'s. Nobody else changes those
/// documents before the end of this transaction.
///
/// # Errors
/// A document stays with its client: the receipts and the mails about it are theirs.
pub(super) fn files(
    tx: &mut Tx<'_>,
    mut which: SelectStatement,
    owner: Option<&Sql>,
) -> Result<Vec<String>, RestError> {
    which.columns([("documents", "file_url"), ("documents", "client_id")]).from("documents");
    which.order_by(("documents", "id"), Order::Asc).lock_exclusive();
    let mut files = Vec::new();
    for row in tx.rows(&which)?.iter() {
        if let (Some(Sql::String(Some(owner))), Some(before)) = (owner, row.opt_text(1)?)
            && owner != before
        {
            return Err(RestError::foreign_key("documents"));
        }
        files.extend(row.opt_text(0)?.map(str::to_owned));
    }
    Ok(files)
}

/// Removes those of the files that no document shows any more, and with them every way to their bytes.
pub(super) fn retire_unshown(
    tx: &mut Tx<'_>,
    files: &[String],
    now: Timestamp,
) -> Result<(), RestError> {
    if files.is_empty() {
        return Ok(());
    }
    let these = || files.iter().map(String::as_str);
    let shown = Query::select()
        .column("file_url")
        .from("documents")
        .and_where(Expr::col("file_url").is_in(these()))
        .take();
    let names: Vec<&str> = these().collect();
    let unshown =
        objects::named(objects::BUCKET, &names).add(Expr::col("name").not_in_subquery(shown));
    objects::retire(tx, &unshown, now)?;
    Ok(())
}
