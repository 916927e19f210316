//! Documents whose file is replaced: the old one goes in the transaction that brings the new one.

use jiff::Timestamp;
use sea_query::{Expr, ExprTrait, Order, Query, SelectStatement, Value as Sql};

use crate::api::rest::RestError;
use crate::{db::Tx, documents::legal_hold, stored_files::object};

/// Ids in one statement at most.
const AT_ONCE: usize = 500;

/// The files of the documents that `which` names, before they get another one of `owner`'s. Nobody else changes those
/// documents before the end of this transaction.
///
/// # Errors
/// A document stays with its client: the receipts and the mails about it are theirs. What a legal hold keeps is not replaced.
pub(crate) fn lock_current_files(
    tx: &mut Tx<'_>,
    mut which: SelectStatement,
    owner: Option<&Sql>,
) -> Result<Vec<String>, RestError> {
    let columns = ["file_url", "client_id", "id"].map(|column| ("documents", column));
    which.columns(columns).from("documents");
    which.order_by(("documents", "id"), Order::Asc).lock_exclusive();
    let (mut files, mut ids) = (Vec::new(), Vec::new());
    for row in tx.rows(&which)?.iter() {
        if let (Some(Sql::String(Some(owner))), Some(before)) = (owner, row.opt_text(1)?)
            && owner != before
        {
            return Err(RestError::foreign_key("documents"));
        }
        files.extend(row.opt_text(0)?.map(str::to_owned));
        ids.push(row.text(2)?.to_owned());
    }
    ensure_not_on_hold(tx, &ids)?;
    Ok(files)
}

/// Refuses to take away what a legal hold keeps.
pub(crate) fn ensure_not_on_hold(tx: &mut Tx<'_>, ids: &[String]) -> Result<(), RestError> {
    for ids in ids.chunks(AT_ONCE) {
        let mut query = Query::select();
        query.column(("documents", "id")).from("documents").cond_where(legal_hold::is_on_hold());
        query.and_where(Expr::col(("documents", "id")).is_in(ids.iter().map(String::as_str)));
        if !tx.rows(query.limit(1))?.is_empty() {
            return Err(RestError::legal_hold());
        }
    }
    Ok(())
}

/// Removes those of the files that no document shows any more, and with them every way to their bytes.
pub(crate) fn release_unreferenced(
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
    let unshown = object::by_name(object::DOCUMENTS_BUCKET, &names)
        .add(Expr::col("name").not_in_subquery(shown));
    object::release(tx, &unshown, now)?;
    Ok(())
}
