//! Moves documents into the trash, before their rows are deleted.

use std::collections::BTreeMap;

use sea_query::Query;
use serde_json::Value;

use crate::{
    clock::format_timestamp,
    db::{Error, Tx},
    documents::trash::{RETENTION, snapshot::Snapshot},
    notifications::cancellation,
    schema::{DOCUMENTS_BUCKET, TRASH_BUCKET},
    stored_files::object::{self, NewObject, Object},
    table_write::WriteContext,
};

/// First segment of the name of a file whose document has no client. A client's files begin with the client's id.
const NO_CLIENT: &str = "none";

/// Adds documents that the caller of this function has locked and deletes next. At most 500.
///
/// A document of an erased client is left out, because it was kept for a legal hold only.
pub(crate) fn add(ctx: &WriteContext<'_>, tx: &mut Tx<'_>, keys: &[String]) -> Result<(), Error> {
    let mut snapshots = Snapshot::take(tx, keys)?;
    snapshots.retain(|_, snapshot| text(snapshot, "erased_client_id").is_none());
    for id in cancellation::documents_with_unsent_mail(tx, keys)? {
        if let Some(snapshot) = snapshots.get_mut(&id) {
            snapshot.had_waiting_mail = true;
        }
    }
    let files: Vec<&str> = snapshots.values().filter_map(Snapshot::file_url).collect();
    let mut objects = BTreeMap::new();
    if !files.is_empty() {
        // The lock keeps the objects, and so their blobs, until the copies refer to the blobs, too.
        for object in object::lock(tx, object::by_name(DOCUMENTS_BUCKET, &files))? {
            objects.insert(object.name.clone(), object);
        }
    }
    for (id, snapshot) in &snapshots {
        let object = snapshot.file_url().and_then(|name| objects.get(name));
        let file_url = object.map(|object| copy(ctx, tx, id, snapshot, object)).transpose()?;
        insert(ctx, tx, id, snapshot, file_url)?;
    }
    Ok(())
}

fn text<'a>(snapshot: &'a Snapshot, column: &str) -> Option<&'a str> {
    snapshot.document.get(column).and_then(Value::as_str)
}

/// Returns the client of a document, also of a withdrawn one.
fn client(snapshot: &Snapshot) -> Option<&str> {
    text(snapshot, "client_id").or_else(|| text(snapshot, "withdrawn_client_id"))
}

/// Copies a document's file into the bucket of the trash, and returns its name there. The copy shares the blob, so another
/// document may keep the original.
fn copy(
    ctx: &WriteContext<'_>,
    tx: &mut Tx<'_>,
    id: &str,
    snapshot: &Snapshot,
    object: &Object,
) -> Result<String, Error> {
    let file = object.name.rsplit('/').next().unwrap_or_default();
    let copy = NewObject {
        bucket_id: TRASH_BUCKET.into(),
        name: format!("{}/{id}/{file}", client(snapshot).unwrap_or(NO_CLIENT)),
        ..object.properties()
    };
    object::insert(tx, &copy, &object.blob(), true, ctx.now)?;
    Ok(copy.name)
}

fn insert(
    ctx: &WriteContext<'_>,
    tx: &mut Tx<'_>,
    id: &str,
    snapshot: &Snapshot,
    file_url: Option<String>,
) -> Result<(), Error> {
    let json = serde_json::to_string(snapshot);
    let json = json.map_err(|error| Error::Internal(format!("a snapshot: {error}")))?;
    let mut statement = Query::insert();
    statement.into_table("deleted_documents").columns([
        "id",
        "name",
        "search_name",
        "client_id",
        "folder_id_supabase",
        "file_url",
        "size",
        "deleted_at",
        "deleted_by_id",
        "purge_at",
        "snapshot",
    ]);
    statement.values_panic([
        id.into(),
        text(snapshot, "name").into(),
        text(snapshot, "search_name").into(),
        client(snapshot).into(),
        text(snapshot, "folder_id_supabase").into(),
        file_url.into(),
        snapshot.document.get("size").and_then(Value::as_i64).into(),
        format_timestamp(ctx.now).into(),
        ctx.caller.user().into(),
        format_timestamp(ctx.now + RETENTION).into(),
        json.into(),
    ]);
    tx.execute(&statement).map(drop)
}
