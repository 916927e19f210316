//! Restores a version: its file replaces the present one, by the rules of every replacement, and the document has the values
//! again that it had with this file.

use sea_query::{Condition, Expr, ExprTrait, Func, Query};
use serde_json::{Map, Value, json};

use crate::{
    app::App,
    audit::{self, AuditEvent, EventName},
    clock::format_timestamp,
    db::{Error, Tx},
    documents::{self, hooks::DocumentHooks, versions},
    policy::Action,
    schema::{DOCUMENTS_BUCKET, VERSIONS_BUCKET},
    security::{caller::Caller, ids::UserId, keys},
    stored_files::object::{self, NewObject},
    table_write::{RejectionKind, WriteContext, WriteError},
};

/// A version and its document.
struct Version {
    document: String,
    document_name: String,
    client: Option<UserId>,
    folder: String,
    name: String,
    file_url: String,
    /// The document's values of this file; empty for a version of an earlier release.
    values: Map<String, Value>,
}

/// Makes a version the present file of its document. The present file becomes a version, and the restored one is none any
/// more.
///
/// # Errors
/// PT404 for an unknown version, and for one whose document is in the trash; `document_held`; 23503 for a document without
/// a client.
pub(crate) fn restore(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    id: &str,
) -> Result<(), WriteError> {
    let now = app.clock.now();
    let Some(version) = find(tx, id)? else { return Err(gone()) };
    let object = object::lock(tx, object::by_name(VERSIONS_BUCKET, &[&version.file_url]))?.pop();
    let object = object.ok_or_else(gone)?;
    let client =
        version.client.ok_or_else(|| WriteError::foreign_key(documents::TABLE.table().name))?;

    // A new name, because an answer of the client is about the file of one name.
    let unique = keys::new_id(now).to_string();
    let path = object::document_path(
        &client.to_string(),
        &version.folder,
        &unique,
        &version.name,
        &version.name,
    );
    let file = NewObject { bucket_id: DOCUMENTS_BUCKET.into(), name: path, ..object.properties() };
    object::insert(tx, &file, &object.blob(), false, now)?;

    let extension = version.name.rsplit_once('.').map(|(_, extension)| extension.to_lowercase());
    let mut values = Map::from_iter([
        ("file_url".to_owned(), json!(file.name)),
        ("uploaded_at".to_owned(), json!(format_timestamp(now))),
    ]);
    values.extend(extension.map(|extension| ("type".to_owned(), Value::from(extension))));
    values.extend(version.values);
    let context = WriteContext::new(app, caller, documents::TABLE, &DocumentHooks, Action::Update)?;
    let changes = context.build_changes(tx, &values, &context.table.columns_in(&values))?;
    let which = Expr::col(("documents", "id")).eq(version.document.as_str());
    // Deleted by a transaction that this one waited for: the version is in the trash with its document.
    if context.change(tx, &Condition::all().add(which), &changes)?.is_empty() {
        return Err(gone());
    }
    versions::remove(tx, &Expr::col("id").eq(id), now)?;

    let event = AuditEvent::new(EventName::VersionRestored).person(version.client);
    let event = event.subject(Some(version.document), Some(version.document_name));
    audit::record(tx, app, caller, [event]);
    Ok(())
}

fn gone() -> WriteError {
    WriteError::new(RejectionKind::NotFound, "PT404", "Esta versão não existe mais.")
}

/// Locks a version, and reads its document.
fn find(tx: &mut Tx<'_>, id: &str) -> Result<Option<Version>, Error> {
    let mut lock = Query::select();
    lock.column("id").from("document_versions").and_where(Expr::col("id").eq(id)).lock_exclusive();
    tx.rows(&lock)?;
    let document = |name| Expr::col(("documents", name));
    let mut query = Query::select();
    query.columns([
        ("documents", "id"),
        ("documents", "name"),
        ("documents", "folder_id_supabase"),
    ]);
    query.columns([("document_versions", "name"), ("document_versions", "file_url")]);
    query.expr(Func::coalesce([document("client_id"), document("withdrawn_client_id")]));
    query.column(("document_versions", "document_values"));
    query
        .from("document_versions")
        .inner_join("documents", document("id").equals(("document_versions", "document_id")));
    let rows = tx.rows(query.and_where(Expr::col(("document_versions", "id")).eq(id)))?;
    let Some(row) = rows.first() else { return Ok(None) };
    let values = row.opt_text(6)?.and_then(|text| serde_json::from_str(text).ok());
    Ok(Some(Version {
        document: row.text(0)?.to_owned(),
        document_name: row.text(1)?.to_owned(),
        folder: row.text(2)?.to_owned(),
        name: row.text(3)?.to_owned(),
        file_url: row.text(4)?.to_owned(),
        client: row.opt_parse(5)?,
        values: values.unwrap_or_default(),
    }))
}
