//! Stores one file of an archive as a document of its client, by the rules of an upload and of the table `documents`.
//!
//! The document counts as delivered by other means: its client had it before. Nothing is notified.

use std::{io, path::Path, sync::Arc};

use sea_query::{Expr, ExprTrait, JoinType, Query};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use tokio::{fs::File, io::AsyncReadExt};

use crate::{
    app::App,
    db::{self, Tx},
    documents::{
        contacts::{self, ContactHooks},
        from_file,
        hooks::SilentDocumentHooks,
        import::{Item, archive::describe},
    },
    lease,
    policy::Action,
    schema::DOCUMENTS_BUCKET,
    security::{caller::Caller, keys},
    stored_files::{
        file_type::DOCUMENT_EXTENSIONS,
        intake::{self, IntakeError, Place, ReceivedFile},
        object, quota,
    },
    table_write::{WriteContext, WriteError},
};

/// The note of the delivery.
pub(crate) const NOTE: &str = "Importado do arquivo anterior";
/// Name of the lock that serializes the transactions of imports, so that two at once import nothing twice.
const LOCK_NAME: &str = "import";
/// Number of bytes that are read at once.
const CHUNK: usize = 64 * 1024;

/// The result of one file.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The document was created, or a rehearsal found that it can be. Contains its size in bytes.
    Imported(u64),
    /// The document exists.
    Present,
    /// The file is not accepted. The sentence is for a person.
    Refused(String),
}

/// Stores a file. A rehearsal passes all checks and changes nothing.
///
/// # Errors
/// Errors of the store and of the database.
pub(crate) async fn store(app: &Arc<App>, item: Item, rehearses: bool) -> anyhow::Result<Outcome> {
    let query = item.clone();
    let stored = app.db.read(move |tx| hashes(tx, &query)).await?;
    if !stored.is_empty() {
        match hash(&item.path).await {
            Ok(hash) if stored.contains(&hash) => return Ok(Outcome::Present),
            Ok(_) => {}
            Err(error) => return Ok(Outcome::Refused(describe(&error))),
        }
    }
    let mut content = match File::open(&item.path).await {
        Ok(content) => content,
        Err(error) => return Ok(Outcome::Refused(describe(&error))),
    };
    let (bucket, name, extensions) = (DOCUMENTS_BUCKET, &item.file_name, &[DOCUMENT_EXTENSIONS]);
    let received = if rehearses {
        intake::examine(app, bucket, name, extensions, &mut content).await
    } else {
        intake::receive(app, bucket, name, extensions, &mut content).await
    };
    let stored = match received {
        Ok(file) => {
            let write = move |tx: &mut Tx<'_>, app: &Arc<App>| {
                let result = insert(tx, app, &item, &file);
                if rehearses || !matches!(result, Ok(Outcome::Imported(_))) {
                    tx.rollback();
                }
                Ok::<_, db::Error>(result)
            };
            app.write(write).await?
        }
        Err(error) => Err(error),
    };
    match stored {
        Ok(outcome) => Ok(outcome),
        Err(IntakeError::Refused(reason)) => Ok(Outcome::Refused(reason)),
        Err(IntakeError::Source(error)) => Ok(Outcome::Refused(describe(&error))),
        Err(IntakeError::Store(error)) => Err(error.into()),
        Err(IntakeError::Database(error)) => Err(error.into()),
    }
}

/// Computes the SHA-256 of a file, in the form of [`object::Object::sha256`].
pub(crate) async fn hash(path: &Path) -> io::Result<String> {
    let mut file = File::open(path).await?;
    let (mut hash, mut chunk) = (Sha256::new(), vec![0; CHUNK]);
    loop {
        let read = file.read(&mut chunk).await?;
        if read == 0 {
            return Ok(keys::hex(&hash.finalize()));
        }
        hash.update(chunk.get(..read).unwrap_or_default());
    }
}

/// Returns the SHA-256 of the files of all documents with the client, folder and name of an item.
fn hashes(tx: &mut Tx<'_>, item: &Item) -> Result<Vec<String>, db::Error> {
    let document = |column| Expr::col(("documents", column));
    let mut query = Query::select();
    query.column(("objects", "sha256")).from("documents").join(
        JoinType::InnerJoin,
        "objects",
        Expr::col(("objects", "name")).equals(("documents", "file_url")),
    );
    query.and_where(Expr::col(("objects", "bucket_id")).eq(DOCUMENTS_BUCKET));
    query.and_where(document("client_id").eq(item.client.id.as_str()));
    query.and_where(document("folder_id_supabase").eq(item.folder.id.as_str()));
    query.and_where(document("name").eq(item.name.as_str()));
    tx.rows(&query)?.iter().map(|row| row.text(0).map(str::to_owned)).collect()
}

/// Inserts object, document and delivery.
fn insert(
    tx: &mut Tx<'_>,
    app: &App,
    item: &Item,
    file: &ReceivedFile,
) -> Result<Outcome, IntakeError> {
    lease::advisory_lock(tx, LOCK_NAME)?;
    if hashes(tx, item)?.iter().any(|hash| hash == file.sha256()) {
        return Ok(Outcome::Present);
    }
    quota::lock(tx, app)?;
    let now = app.clock.now();
    let id = keys::new_id(now).to_string();
    let name = object::document_path(
        &item.client.id,
        &item.folder.id,
        &id,
        &item.file_name,
        &item.file_name,
    );
    let place = Place { bucket: DOCUMENTS_BUCKET, name, owner: None, metadata: None };
    let object = intake::insert(tx, app, file, place, now)?;

    let mut values = item.values.clone();
    values.insert("name".into(), json!(item.name));
    let values = from_file::describe(app, &item.folder.id, &object.name, values);
    insert_rows(tx, app, &values).map_err(|error| match error {
        WriteError::Rejected(rejection) => IntakeError::Refused(rejection.message),
        WriteError::Database(error) => IntakeError::Database(error),
    })?;
    Ok(Outcome::Imported(object.size))
}

/// Inserts a document with its delivery, as a program of the office.
fn insert_rows(tx: &mut Tx<'_>, app: &App, values: &Map<String, Value>) -> Result<(), WriteError> {
    let caller = Caller::Service;
    let document = from_file::create(tx, app, caller, &SilentDocumentHooks, values)?;
    let delivery = json!({"document_id": document, "kind": contacts::DELIVERY, "note": NOTE});
    let delivery = delivery.as_object().cloned().unwrap_or_default();
    WriteContext::new(app, caller, contacts::TABLE, &ContactHooks, Action::Insert)?
        .create(tx, &delivery)
        .map(drop)
}
