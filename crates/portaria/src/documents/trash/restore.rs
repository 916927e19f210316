//! Restores documents from the trash.

use std::collections::BTreeSet;

use jiff::Timestamp;
use sea_query::{Expr, ExprTrait, Order, Query};

use crate::{
    app::App,
    audit::{self, AuditEvent, EventName},
    db::{Error, MAX_KEYS_PER_STATEMENT, Tx},
    documents::{
        MAX_CHOSEN, notify,
        trash::{purge, snapshot::Snapshot},
    },
    schema::{DOCUMENTS_BUCKET, TRASH_BUCKET},
    security::{caller::Caller, ids::UserId, keys},
    stored_files::object::{self, NewObject},
    table_write::{RejectionKind, WriteError, check_choice, parse_keys},
};

/// A row of the trash.
struct DeletedDocument {
    id: String,
    name: String,
    client: Option<UserId>,
    folder: Option<String>,
    file_url: Option<String>,
    snapshot: Snapshot,
}

/// Restores documents with their receipts, reported payments, answers, contacts and personal links. `folder` receives
/// those whose folder was deleted.
///
/// A client is notified of a document only if a mail about it waited when it was deleted, as after "Desfazer".
///
/// # Errors
/// PT404 for a document that is not in the trash, 22023 for too many, `folder_deleted` without a folder.
pub(crate) fn restore(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    ids: &[String],
    folder: Option<&str>,
) -> Result<(), WriteError> {
    check_choice(ids.len(), MAX_CHOSEN, "documentos")?;
    let documents = lock(tx, ids)?;
    if documents.len() < ids.iter().collect::<BTreeSet<_>>().len() {
        let message = "Um dos documentos não está mais na lixeira.";
        return Err(WriteError::new(RejectionKind::NotFound, "PT404", message));
    }
    let to_event = |document: &DeletedDocument| {
        AuditEvent::new(EventName::DocumentRestored)
            .person(document.client)
            .subject(Some(document.id.clone()), Some(document.name.clone()))
    };
    audit::record(tx, app, caller, documents.iter().map(to_event).collect::<Vec<_>>());
    let had_mail = documents.iter().filter(|document| document.snapshot.had_waiting_mail);
    let had_mail: Vec<String> = had_mail.map(|document| document.id.clone()).collect();
    put_back(tx, documents, folder, app.clock.now())?;
    Ok(notify::notify_visible(tx, app, &parse_keys(&had_mail)?, &[])?)
}

/// Locks the rows with these ids, and returns them by id.
fn lock(tx: &mut Tx<'_>, ids: &[String]) -> Result<Vec<DeletedDocument>, Error> {
    let mut query = Query::select();
    query.columns(["id", "name", "client_id", "folder_id_supabase", "file_url", "snapshot"]);
    query.from("deleted_documents");
    query.and_where(Expr::col("id").is_in(ids.iter().map(String::as_str)));
    let rows = tx.rows(query.order_by("id", Order::Asc).lock_exclusive())?;
    let read = |row: crate::db::Row<'_>| {
        let text = |column| row.opt_text(column).map(|text| text.map(str::to_owned));
        let snapshot = serde_json::from_str(row.text(5)?);
        Ok(DeletedDocument {
            id: row.text(0)?.to_owned(),
            name: row.text(1)?.to_owned(),
            client: row.opt_parse(2)?,
            folder: text(3)?,
            file_url: text(4)?,
            snapshot: snapshot.map_err(|error| Error::Internal(format!("a snapshot: {error}")))?,
        })
    };
    rows.iter().map(read).collect()
}

fn put_back(
    tx: &mut Tx<'_>,
    documents: Vec<DeletedDocument>,
    folder: Option<&str>,
    now: Timestamp,
) -> Result<(), WriteError> {
    let named: BTreeSet<&str> =
        documents.iter().flat_map(|document| document.snapshot.accounts()).collect();
    let accounts = existing_accounts(tx, &named)?;
    let ids: Vec<String> = documents.iter().map(|document| document.id.clone()).collect();
    for mut document in documents {
        let Some(folder) = document.folder.as_deref().or(folder) else {
            let message = "A pasta do documento foi excluída. Escolha outra pasta para restaurar.";
            return Err(WriteError::conflict("folder_deleted", message));
        };
        let folder = folder.to_owned();
        let file = restore_file(tx, &document, now)?;
        document.snapshot.place(&folder, file.as_deref());
        document.snapshot.insert(tx, &accounts).map_err(|error| match error {
            Error::Unique(_) => {
                WriteError::conflict("23505", "Já existe um documento com este identificador.")
            }
            Error::ForeignKey(_) => WriteError::foreign_key("documents"),
            error => error.into(),
        })?;
    }
    Ok(purge::remove_rows(tx, &ids, now)?)
}

/// Returns those of `ids` that are accounts.
fn existing_accounts(tx: &mut Tx<'_>, ids: &BTreeSet<&str>) -> Result<BTreeSet<String>, Error> {
    let ids: Vec<&str> = ids.iter().copied().collect();
    let mut existing = BTreeSet::new();
    for ids in ids.chunks(MAX_KEYS_PER_STATEMENT) {
        let mut query = Query::select();
        query.column("id").from("users");
        let rows = tx.rows(query.and_where(Expr::col("id").is_in(ids.iter().copied())))?;
        for row in rows.iter() {
            existing.insert(row.text(0)?.to_owned());
        }
    }
    Ok(existing)
}

/// Gives a document its file back, and returns the name. The file keeps its name unless another file has it by now.
fn restore_file(
    tx: &mut Tx<'_>,
    document: &DeletedDocument,
    now: Timestamp,
) -> Result<Option<String>, Error> {
    let (Some(kept), Some(name)) = (&document.file_url, document.snapshot.file_url()) else {
        return Ok(None);
    };
    let kept = object::lock(tx, object::by_name(TRASH_BUCKET, &[kept]))?.pop();
    let Some(kept) = kept else { return Ok(None) };
    let present = object::lock(tx, object::by_name(DOCUMENTS_BUCKET, &[name]))?.pop();
    let name = match present {
        // Another document refers to the same file.
        Some(present) if present.blob == kept.blob => return Ok(Some(present.name)),
        Some(_) => {
            let (folder, file) = name.rsplit_once('/').unwrap_or(("public", name));
            let file = object::unique_file_name(&keys::new_id(now).to_string(), file);
            format!("{folder}/{file}")
        }
        None => name.to_owned(),
    };
    let restored = NewObject { bucket_id: DOCUMENTS_BUCKET.into(), name, ..kept.properties() };
    object::insert(tx, &restored, &kept.blob(), false, now)?;
    Ok(Some(restored.name))
}
