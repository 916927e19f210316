//! Replacement of a document's file: the transaction that sets the new file releases the old one, of which a version stays
//! (docs/decisions/0036-documents-keep-their-client.md, 0128-versions-are-objects-of-a-staff-bucket.md).

use jiff::Timestamp;
use sea_query::{Condition, Expr, ExprTrait, Func, Order, Query, SelectStatement};

use crate::{
    db::{Error, MAX_KEYS_PER_STATEMENT, Tx},
    documents::legal_hold,
    schema::DOCUMENTS_BUCKET,
    security::ids::{DocumentId, UserId},
    stored_files::object,
    table_write::WriteError,
};

/// A document with its present file.
#[derive(Debug)]
pub(crate) struct CurrentFile {
    pub(crate) document: DocumentId,
    pub(crate) client: Option<UserId>,
    pub(crate) file_url: String,
}

/// Locks the selected documents until the end of the transaction, and returns those with a file.
/// `owner` is the client of the new file.
///
/// # Errors
/// 23503 if a document would change its client, because read receipts and mails about it belong to the present one;
/// `document_held` for a document on legal hold.
pub(crate) fn lock_current_files(
    tx: &mut Tx<'_>,
    mut selection: SelectStatement,
    owner: Option<UserId>,
) -> Result<Vec<CurrentFile>, WriteError> {
    let column = |name| Expr::col(("documents", name));
    // A withdrawn document still belongs to the client it was withdrawn from.
    let client = Func::coalesce([column("client_id"), column("withdrawn_client_id")]);
    selection.column(("documents", "file_url")).expr(client).column(("documents", "id"));
    selection.from("documents");
    selection.order_by(("documents", "id"), Order::Asc).lock_exclusive();
    let (mut files, mut ids) = (Vec::new(), Vec::new());
    for row in tx.rows(&selection)?.iter() {
        let present: Option<UserId> = row.opt_parse(1)?;
        if let (Some(owner), Some(present)) = (owner, present)
            && owner != present
        {
            return Err(WriteError::foreign_key("documents"));
        }
        let document = row.parse(2)?;
        if let Some(file_url) = row.opt_text(0)? {
            files.push(CurrentFile { document, client: present, file_url: file_url.to_owned() });
        }
        ids.push(document);
    }
    ensure_not_on_hold(tx, &ids)?;
    Ok(files)
}

/// Checks that no document is on legal hold.
///
/// # Errors
/// `document_held`.
fn ensure_not_on_hold(tx: &mut Tx<'_>, ids: &[DocumentId]) -> Result<(), WriteError> {
    for ids in ids.chunks(MAX_KEYS_PER_STATEMENT) {
        let these = Expr::col(("documents", "id")).is_in(ids.iter().copied());
        legal_hold::lock_folders(tx, Condition::all().add(these))?;
        let mut query = Query::select();
        query.column(("documents", "id")).from("documents").cond_where(legal_hold::is_on_hold());
        query.and_where(Expr::col(("documents", "id")).is_in(ids.iter().copied()));
        if !tx.rows(query.limit(1))?.is_empty() {
            let message =
                "O documento está sob guarda legal e não pode ser excluído nem substituído.";
            return Err(WriteError::conflict("document_held", message));
        }
    }
    Ok(())
}

/// Releases the files to which no document refers any more. They become unreachable at once.
pub(crate) fn release_unreferenced(
    tx: &mut Tx<'_>,
    files: &[CurrentFile],
    now: Timestamp,
) -> Result<(), Error> {
    if files.is_empty() {
        return Ok(());
    }
    let file_names = || files.iter().map(|file| file.file_url.as_str());
    let referenced = Query::select()
        .column("file_url")
        .from("documents")
        .and_where(Expr::col("file_url").is_in(file_names()))
        .take();
    let names: Vec<&str> = file_names().collect();
    let unreferenced = object::by_name(DOCUMENTS_BUCKET, &names)
        .add(Expr::col("name").not_in_subquery(referenced));
    object::release(tx, &unreferenced, now)?;
    Ok(())
}
