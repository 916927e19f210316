//! Publication: a scheduled file becomes a document of its client, in one transaction.
//!
//! The document's object shares the blob of the inbox's, so no bytes are copied. The document passes the rules of the
//! table `documents`, in the name of the person who published it. A file whose document the rules refuse returns to the
//! review with the reason.

use std::sync::Arc;

use jiff::Timestamp;
use sea_query::{Expr, ExprTrait, LockBehavior, LockType, Order, Query};
use serde_json::{Map, Value};

use crate::{
    accounts::user,
    app::App,
    clock::format_timestamp,
    db::{self, Error, MAX_KEYS_PER_STATEMENT, Tx},
    documents::{self, from_file, hooks::DocumentHooks},
    inbox::{duplicates, review_group, rules},
    policy::Action,
    schema::{DOCUMENTS_BUCKET, INBOX_BUCKET},
    security::{caller::Caller, ids::UserId},
    stored_files::{
        object::{self, NewObject, Object},
        quota::{self, QuotaError},
    },
    table_write::{WriteContext, WriteError},
};

/// The reason to return the files of a person who left the office.
const NO_PUBLISHER: &str = "Quem publicou não trabalha mais no escritório.";

/// The reason to return a file that was to replace a document which another file replaced.
const REPLACED: &str = "Outro arquivo já substituiu este documento. Confira qual vale.";

/// A file to publish.
struct ScheduledFile {
    id: String,
    name: String,
    file_url: String,
    publisher: Option<UserId>,
    client: String,
    folder: String,
    /// The document to replace.
    replaces: Option<String>,
    /// The document's columns that the review determines.
    values: Map<String, Value>,
}

/// Publishes the file that is due first. Returns whether there was one.
///
/// # Errors
/// Database errors; the file is published by a later run then.
pub(crate) async fn publish_next(app: &Arc<App>) -> Result<bool, db::Error> {
    let attempt = |tx: &mut Tx<'_>, app: &Arc<App>| {
        let Some(key) = next_due(tx, app.clock.now())? else { return Ok(Ok(false)) };
        match publish(tx, app, &key) {
            Ok(()) => Ok(Ok(true)),
            Err(WriteError::Rejected(rejection)) => {
                tx.rollback();
                Ok(Err((key, rejection.message)))
            }
            Err(WriteError::Database(error)) => Err(error),
        }
    };
    match app.write(attempt).await? {
        Ok(published) => Ok(published),
        Err((key, reason)) => {
            app.db.write(move |tx| return_to_review(tx, &[key], &reason)).await?;
            Ok(true)
        }
    }
}

/// Returns the time at which the next file is due.
///
/// # Errors
/// Database errors.
pub(crate) fn next_due_at(tx: &mut Tx<'_>) -> Result<Option<Timestamp>, Error> {
    let mut query = Query::select();
    query.expr(Expr::col("publish_at").min()).from("inbox_files");
    query.and_where(Expr::col("state").eq(Expr::cust("'scheduled'")));
    let rows = tx.rows(&query)?;
    let text = rows.first().map(|row| row.opt_text(0)).transpose()?.flatten();
    Ok(text.and_then(|text| text.parse().ok()))
}

fn next_due(tx: &mut Tx<'_>, now: Timestamp) -> Result<Option<String>, Error> {
    let mut query = Query::select();
    query.column("id").from("inbox_files");
    query.and_where(Expr::col("state").eq(Expr::cust("'scheduled'")));
    query.and_where(Expr::col("publish_at").lte(format_timestamp(now)));
    query.order_by("publish_at", Order::Asc).order_by("id", Order::Asc).limit(1);
    // A file that another node publishes at this moment is not this one's.
    let rows = tx.rows(query.lock_with_behavior(LockType::Update, LockBehavior::SkipLocked))?;
    rows.first().map(|row| row.text(0).map(str::to_owned)).transpose()
}

fn publish(tx: &mut Tx<'_>, app: &App, key: &str) -> Result<(), WriteError> {
    let now = app.clock.now();
    quota::lock(tx, app)?;
    let file = load(tx, key)?;
    check_folder(tx, &file.folder)?;
    let object = object::lock(tx, object::by_name(INBOX_BUCKET, &[&file.file_url]))?.pop();
    let object = object.ok_or_else(|| refused("O arquivo não está mais na caixa de entrada."))?;
    let caller = publisher(tx, &file, now)?;
    let new = document_object(&file, &object, caller);
    object::insert(tx, &new, &object.blob(), false, now)?;
    // The file takes the space of the inbox's, not more.
    object::release(tx, &object::by_name(INBOX_BUCKET, &[&file.file_url]), now)?;
    quota::check(tx, app, DOCUMENTS_BUCKET, &new.name, 0).map_err(|error| match error {
        QuotaError::Portal => refused("O espaço do portal está cheio."),
        QuotaError::Client => refused("O espaço deste cliente está cheio."),
        QuotaError::Database(error) => error.into(),
    })?;

    let document = write_document(tx, app, caller, &file, &new.name)?;
    let mut update = Query::update();
    update.table("inbox_files").value("state", "published");
    update.value("document_id", document.as_str()).value("file_url", Option::<String>::None);
    update.value("updated_at", format_timestamp(now));
    tx.execute(update.and_where(Expr::col("id").eq(key)))?;
    review_group::derive(tx, &[key.to_owned()])?;
    duplicates::find_again(tx, key)?;
    let replacing = match &file.replaces {
        Some(document) => duplicates::forget_replacements(tx, document)?,
        None => Vec::new(),
    };
    return_to_review(tx, &replacing, REPLACED)?;
    rules::learn(tx, app, caller, key)?;
    Ok(())
}

/// Returns the person who published a file, with the present rights; [`Caller::Service`] for a program.
///
/// # Errors
/// A rejection if the person is no member of the staff any more, or is banned.
fn publisher(tx: &mut Tx<'_>, file: &ScheduledFile, now: Timestamp) -> Result<Caller, WriteError> {
    let Some(id) = file.publisher else { return Ok(Caller::Service) };
    let person = user::by_id(tx, id)?.filter(|person| person.is_admin() && !person.is_banned(now));
    Ok(person.ok_or_else(|| refused(NO_PUBLISHER))?.as_caller())
}

fn load(tx: &mut Tx<'_>, key: &str) -> Result<ScheduledFile, WriteError> {
    let mut query = Query::select();
    query.columns(["name", "file_url", "publisher_id", "client_id", "folder_id_supabase"]);
    query.columns(["document_name", "category", "reference_month", "expires_at", "amount_cents"]);
    query.columns(["payment_line", "pix_code", "duplicate_of_id", "duplicate_choice"]);
    let rows = tx.rows(query.from("inbox_files").and_where(Expr::col("id").eq(key)))?;
    let row = rows.first().ok_or_else(|| Error::Internal("a locked row is gone".into()))?;
    let text = |cell| row.opt_text(cell).map(|text| text.map(str::to_owned));
    let required = |cell, missing| text(cell)?.ok_or_else(|| refused(missing));
    let replaces = if row.opt_text(13)? == Some("replace") { text(12)? } else { None };
    let mut values = Map::new();
    values.insert("name".into(), required(5, "Falta o nome do documento.")?.into());
    let optional = ["category", "reference_month", "expires_at"].into_iter().zip(6..9);
    for (column, cell) in optional.chain([("payment_line", 10), ("pix_code", 11)]) {
        values.insert(column.into(), text(cell)?.into());
    }
    values.insert("amount_cents".into(), row.opt_int(9)?.into());
    Ok(ScheduledFile {
        id: key.to_owned(),
        name: row.text(0)?.to_owned(),
        file_url: required(1, "O arquivo não está mais na caixa de entrada.")?,
        publisher: row.opt_parse(2)?,
        client: required(3, "O cliente não existe mais.")?,
        folder: required(4, "A pasta não existe mais.")?,
        replaces,
        values,
    })
}

/// # Errors
/// A rejection for an archived folder.
fn check_folder(tx: &mut Tx<'_>, folder: &str) -> Result<(), WriteError> {
    let mut query = Query::select();
    query.column("id").from("folders").and_where(Expr::col("id_supabase").eq(folder));
    let rows = tx.rows(query.and_where(Expr::col("archived_at").is_not_null()))?;
    if rows.is_empty() { Ok(()) } else { Err(refused("A pasta está arquivada. Escolha outra.")) }
}

/// Describes the object of the document. Its name contains the id of the file, so that it is new.
fn document_object(file: &ScheduledFile, object: &Object, caller: Caller) -> NewObject {
    NewObject {
        bucket_id: DOCUMENTS_BUCKET.into(),
        name: object::document_path(&file.client, &file.folder, &file.id, &file.name, &object.name),
        owner_id: caller.user(),
        mime_type: object.mime_type.clone(),
        detected_mime_type: object.detected_mime_type.clone(),
        content_encoding: None,
        cache_control: object.cache_control.clone(),
        user_metadata: None,
    }
}

/// Creates the document, or replaces the file and the values of the document that the file repeats. Returns its id.
fn write_document(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    file: &ScheduledFile,
    file_url: &str,
) -> Result<String, WriteError> {
    let mut values = from_file::describe(app, &file.folder, file_url, file.values.clone());
    let Some(document) = &file.replaces else {
        return from_file::create(tx, app, caller, &DocumentHooks, &values);
    };
    values.remove("created_at");
    let context = WriteContext::new(app, caller, documents::TABLE, &DocumentHooks, Action::Update)?;
    let values = context.build_changes(tx, &values, &context.table.columns_in(&values))?;
    let which = context.access.condition("documents");
    let which = which.add(Expr::col(("documents", "id")).eq(document.as_str()));
    let changed = context.change(tx, &which, &values)?;
    let id = changed.into_iter().next();
    let id = id.ok_or_else(|| refused("O documento a substituir não existe mais."))?;
    let changed = id.parse().map_err(|_| Error::Internal("a document has no id".into()))?;
    documents::notify::notify_replaced(tx, app, changed)?;
    Ok(id)
}

/// Returns the files to the review that a person scheduled whose account is deleted. Without the person, they would count
/// as those of a program.
pub(crate) fn return_of_publisher(tx: &mut Tx<'_>, person: UserId) -> Result<(), Error> {
    let mut query = Query::select();
    query.column("id").from("inbox_files").and_where(Expr::col("publisher_id").eq(person));
    query.and_where(Expr::col("state").eq("scheduled"));
    let rows = tx.rows(query.order_by("id", Order::Asc).lock_exclusive())?;
    let keys: Vec<String> =
        rows.iter().map(|row| row.text(0).map(str::to_owned)).collect::<Result<_, _>>()?;
    return_to_review(tx, &keys, NO_PUBLISHER)
}

/// Returns files to the review, with the reason why they could not be published.
fn return_to_review(tx: &mut Tx<'_>, keys: &[String], reason: &str) -> Result<(), Error> {
    for keys in keys.chunks(MAX_KEYS_PER_STATEMENT) {
        let mut update = Query::update();
        update.table("inbox_files").value("state", "ready").value("problem", reason);
        update.value("publish_at", Option::<String>::None);
        update.value("publisher_id", Option::<String>::None);
        update.value("reviewed_at", Option::<String>::None);
        // Another node may have published the file since.
        update.and_where(Expr::col("state").eq("scheduled"));
        tx.execute(update.and_where(Expr::col("id").is_in(keys.iter().map(String::as_str))))?;
    }
    review_group::derive(tx, keys)
}

fn refused(message: &str) -> WriteError {
    WriteError::invalid("23514", message)
}
