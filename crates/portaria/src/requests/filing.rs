//! Filing: files that clients sent become documents of their clients, in one transaction.
//!
//! The object moves to the documents' bucket, so no bytes are copied and no space is needed. The document passes the
//! rules of the table `documents`. Its client sent the file, so no mail announces it and it counts as opened.

use std::collections::BTreeMap;

use sea_query::{Expr, ExprTrait, Order, Query};
use serde_json::{Map, json};

use crate::{
    app::App,
    audit::{self, AuditEvent, EventName},
    clock::format_timestamp,
    db::Tx,
    documents::{from_file, hooks::SilentDocumentHooks},
    requests::{files, items, wrong_state},
    schema::{DOCUMENTS_BUCKET, RECEIVED_BUCKET},
    security::caller::Caller,
    stored_files::object::{self, Object},
    table_write::{WriteError, check_choice},
};

/// Maximum number of files of one request.
const MAX_FILES: usize = 100;

/// A file to file.
struct ReceivedFile {
    id: String,
    client: String,
    item: Option<String>,
    file_url: String,
    name: String,
}

/// Files received files in a folder. `names` holds the name of the new document for the id of each file. Returns the ids
/// of the documents in the order of the files' ids. The items whose files are all filed are accepted.
///
/// # Errors
/// 22023 for no or too many files, PT404 for an unknown file, `file_filed`, `request_state` for a refused file, and the
/// errors of the table `documents`.
pub(crate) fn file_documents(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    folder: &str,
    names: &BTreeMap<String, String>,
) -> Result<Vec<String>, WriteError> {
    check_choice(names.len(), MAX_FILES, "arquivos")?;
    let received = lock(tx, names)?;
    let mut created = Vec::new();
    for file in &received {
        let document = file_document(tx, app, caller, folder, file, &names[&file.id])?;
        let mut update = Query::update();
        update.table("received_files").values([
            ("file_url", Option::<String>::None.into()),
            ("filed_at", format_timestamp(app.clock.now()).into()),
            ("document_id", document.as_str().into()),
        ]);
        tx.execute(update.and_where(Expr::col("id").eq(file.id.as_str())))?;
        let event = AuditEvent::new(EventName::ReceivedFileFiled)
            .person(file.client.parse().ok())
            .subject(Some(file.id.clone()), Some(file.name.clone()))
            .detail(json!({"document": document}));
        audit::record(tx, app, caller, [event]);
        created.push(document);
    }
    let items: Vec<String> = received.into_iter().filter_map(|file| file.item).collect();
    items::derive_status(tx, &items)?;
    Ok(created)
}

fn lock(
    tx: &mut Tx<'_>,
    names: &BTreeMap<String, String>,
) -> Result<Vec<ReceivedFile>, WriteError> {
    let mut query = Query::select();
    query.columns(["id", "client_id", "item_id", "file_url", "name", "refused_at"]);
    query.from("received_files");
    query.and_where(Expr::col("id").is_in(names.keys().map(String::as_str)));
    let rows = tx.rows(query.order_by("id", Order::Asc).lock_exclusive())?;
    if rows.iter().count() < names.len() {
        return Err(WriteError::new(
            crate::table_write::RejectionKind::NotFound,
            "PT404",
            "Um dos arquivos não existe mais.",
        ));
    }
    let read = |row: crate::db::Row<'_>| {
        if row.opt_text(5)?.is_some() {
            return Err(wrong_state());
        }
        let file_url = row.opt_text(3)?.ok_or_else(files::already_filed)?;
        Ok(ReceivedFile {
            id: row.text(0)?.to_owned(),
            client: row.text(1)?.to_owned(),
            item: row.opt_text(2)?.map(str::to_owned),
            file_url: file_url.to_owned(),
            name: row.text(4)?.to_owned(),
        })
    };
    rows.iter().map(read).collect()
}

fn file_document(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    folder: &str,
    file: &ReceivedFile,
    name: &str,
) -> Result<String, WriteError> {
    let object = object::lock(tx, object::by_name(RECEIVED_BUCKET, &[&file.file_url]))?.pop();
    let object = object.ok_or_else(wrong_state)?;
    let path = object::document_path(&file.client, folder, &file.id, &file.name, &file.file_url);
    let moved = Object { bucket_id: DOCUMENTS_BUCKET.into(), name: path.clone(), ..object };
    object::update(tx, moved, app.clock.now())?;

    let mut values = Map::from_iter([("name".to_owned(), json!(name))]);
    if let Some(month) = month_of(tx, file)? {
        values.insert("reference_month".into(), json!(month));
    }
    let values = from_file::describe(app, folder, &path, values);
    let document = from_file::create(tx, app, caller, &SilentDocumentHooks, &values)?;
    let mut opened = Query::update();
    opened.table("documents").value("was_opened", true);
    tx.execute(opened.and_where(Expr::col("id").eq(document.as_str())))?;
    Ok(document)
}

/// Returns the month of the file's item.
fn month_of(tx: &mut Tx<'_>, file: &ReceivedFile) -> Result<Option<String>, WriteError> {
    let Some(item) = &file.item else { return Ok(None) };
    let mut query = Query::select();
    query.column("month").from("request_items").and_where(Expr::col("id").eq(item.as_str()));
    let rows = tx.rows(&query)?;
    Ok(rows.first().map(|row| row.text(0).map(str::to_owned)).transpose()?)
}
