//! Rows of `objects`: files with bucket, name and metadata. Each refers to a blob.
//!
//! An object's row always has its complete blob; copies share one. A blob that lost an object is queued in `blob_gc`,
//! and `jobs/garbage_collect.rs` removes it later unless another object refers to it
//! (`docs/decisions/0010-an-object-row-always-has-its-blob.md`).

use std::collections::HashSet;

use jiff::{SignedDuration, Timestamp};
use sea_query::{
    Condition, Expr, ExprTrait, OnConflict, Order, Query, SelectStatement, UpdateStatement,
};
use serde_json::json;

use crate::audit::EventName;
use crate::{
    audit::AuditEvent,
    blob::StoredBlob,
    clock::format_timestamp,
    db::{Error, Row, Tx},
    display_name,
    schema::{
        ATTACHMENTS_BUCKET, DOCUMENTS_BUCKET, RECEIVED_BUCKET, TRASH_BUCKET, VERSIONS_BUCKET,
    },
    security::{
        ids::{ObjectId, UserId},
        keys,
    },
    stored_files::{file_type, given_names, rendition},
};

/// Maximum length of a file's name in the name of an object. Characters; at most four bytes each.
const MAX_FILE_NAME_CHARS: usize = 50;
/// Maximum length of a segment of a path, in bytes (`api/storage/object_key.rs`).
const MAX_SEGMENT_BYTES: usize = 255;

/// Age below which a blob without a row is not an orphan, because its row may still be inserted.
pub const ORPHAN_GRACE: SignedDuration = SignedDuration::from_hours(24);

/// A stored file.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "fields are named like the columns")]
pub struct Object {
    pub id: ObjectId,
    pub bucket_id: String,
    pub name: String,
    pub version: String,
    pub owner_id: Option<UserId>,
    pub blob: String,
    pub size: u64,
    pub sha256: String,
    pub mime_type: String,
    pub detected_mime_type: Option<String>,
    pub content_encoding: Option<String>,
    pub cache_control: String,
    pub user_metadata: Option<String>,
    pub created_at: String,
    pub updated_at: String,
}

/// Columns of an object, in the order of [`Object::read`] and of `values`.
pub const COLUMNS: [&str; 15] = [
    "id",
    "bucket_id",
    "name",
    "version",
    "owner_id",
    "blob",
    "size",
    "sha256",
    "mime_type",
    "detected_mime_type",
    "content_encoding",
    "cache_control",
    "user_metadata",
    "created_at",
    "updated_at",
];

fn values(object: &Object) -> Result<[Expr; 15], Error> {
    let object = object.clone();
    let size = i64::try_from(object.size)
        .map_err(|_| Error::Internal("file size exceeds 63 bits".into()))?;
    Ok([
        object.id.into(),
        object.bucket_id.into(),
        object.name.into(),
        object.version.into(),
        object.owner_id.into(),
        object.blob.into(),
        size.into(),
        object.sha256.into(),
        object.mime_type.into(),
        object.detected_mime_type.into(),
        object.content_encoding.into(),
        object.cache_control.into(),
        object.user_metadata.into(),
        object.created_at.into(),
        object.updated_at.into(),
    ])
}

/// Values of a new object, except its blob.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "fields are named like the columns")]
pub struct NewObject {
    pub bucket_id: String,
    pub name: String,
    pub owner_id: Option<UserId>,
    pub mime_type: String,
    pub detected_mime_type: Option<String>,
    pub content_encoding: Option<String>,
    pub cache_control: String,
    pub user_metadata: Option<String>,
}

impl Object {
    /// Reads an object from a row of [`COLUMNS`].
    pub fn read(row: Row<'_>) -> Result<Self, Error> {
        let text = |column| row.text(column).map(str::to_owned);
        let opt_text = |column| row.opt_text(column).map(|text| text.map(str::to_owned));
        Ok(Self {
            id: row.parse(0)?,
            bucket_id: text(1)?,
            name: text(2)?,
            version: text(3)?,
            owner_id: row.opt_parse(4)?,
            blob: text(5)?,
            size: row.int(6)?.unsigned_abs(),
            sha256: text(7)?,
            mime_type: text(8)?,
            detected_mime_type: opt_text(9)?,
            content_encoding: opt_text(10)?,
            cache_control: text(11)?,
            user_metadata: opt_text(12)?,
            created_at: text(13)?,
            updated_at: text(14)?,
        })
    }

    /// Creates an audit event about the file. Its person is the client in whose folder the file is.
    pub fn audit_event(&self, event: EventName) -> AuditEvent {
        let mut segments = self.name.rsplit('/');
        let name = segments.next().map(str::to_owned);
        let is_client_bucket =
            [DOCUMENTS_BUCKET, ATTACHMENTS_BUCKET, RECEIVED_BUCKET, TRASH_BUCKET, VERSIONS_BUCKET]
                .contains(&self.bucket_id.as_str());
        let client = is_client_bucket.then(|| segments.nth(1)).flatten();
        AuditEvent::new(event)
            .person(client.and_then(|id| id.parse().ok()))
            .subject(Some(self.id.to_string()), name)
            .detail(json!({"bucket": self.bucket_id}))
    }

    /// The properties of a copy. The caller sets its bucket and name.
    #[must_use]
    pub fn properties(&self) -> NewObject {
        NewObject {
            bucket_id: self.bucket_id.clone(),
            name: self.name.clone(),
            owner_id: self.owner_id,
            mime_type: self.mime_type.clone(),
            detected_mime_type: self.detected_mime_type.clone(),
            content_encoding: self.content_encoding.clone(),
            cache_control: self.cache_control.clone(),
            user_metadata: self.user_metadata.clone(),
        }
    }

    /// The object's blob, to which a copy refers too.
    #[must_use]
    pub fn blob(&self) -> StoredBlob {
        StoredBlob { blob: self.blob.clone(), size: self.size, sha256: self.sha256.clone() }
    }
}

/// Finds an object by name that also meets `condition`.
pub fn find(
    tx: &mut Tx<'_>,
    bucket: &str,
    name: &str,
    condition: Condition,
) -> Result<Option<Object>, Error> {
    let rows = tx.rows(&select(by_name(bucket, &[name]).add(condition)))?;
    rows.first().map(Object::read).transpose()
}

/// Returns those of `names` under which objects exist that also meet `condition`.
pub fn existing_names(
    tx: &mut Tx<'_>,
    bucket: &str,
    names: &[&str],
    condition: Condition,
) -> Result<Vec<String>, Error> {
    let mut query = Query::select();
    query.column("name").from("objects").cond_where(by_name(bucket, names)).cond_where(condition);
    tx.rows(&query)?.iter().map(|row| row.text(0).map(str::to_owned)).collect()
}

/// Locks the objects that meet `condition` until the transaction ends, and returns them sorted by name.
pub fn lock(tx: &mut Tx<'_>, condition: Condition) -> Result<Vec<Object>, Error> {
    let mut query = select(condition);
    // One lock order for all transactions prevents deadlocks.
    query.order_by("name", Order::Asc).lock_exclusive();
    tx.rows(&query)?.iter().map(Object::read).collect()
}

fn select(condition: Condition) -> SelectStatement {
    Query::select().columns(COLUMNS).from("objects").cond_where(condition).take()
}

/// Inserts an object, or replaces the existing object of that name if `replace` is true.
///
/// # Errors
/// [`Error::Unique`] if the name exists and `replace` is false; [`Error::Busy`] if the object to replace was deleted
/// concurrently.
pub fn insert(
    tx: &mut Tx<'_>,
    new: &NewObject,
    blob: &StoredBlob,
    replace: bool,
    now: Timestamp,
) -> Result<Object, Error> {
    let id = ObjectId::new(now);
    let object = Object {
        version: id.to_string(),
        id,
        bucket_id: new.bucket_id.clone(),
        name: new.name.clone(),
        owner_id: new.owner_id,
        blob: blob.blob.clone(),
        size: blob.size,
        sha256: blob.sha256.clone(),
        mime_type: new.mime_type.clone(),
        detected_mime_type: new.detected_mime_type.clone(),
        content_encoding: new.content_encoding.clone(),
        cache_control: new.cache_control.clone(),
        user_metadata: new.user_metadata.clone(),
        created_at: format_timestamp(now),
        updated_at: format_timestamp(now),
    };

    // `ON CONFLICT DO NOTHING`, because a constraint violation would abort the transaction on PostgreSQL.
    let mut statement = Query::insert();
    statement.into_table("objects").columns(COLUMNS).values_panic(values(&object)?);
    statement.on_conflict(OnConflict::columns(["bucket_id", "name"]).do_nothing().to_owned());
    if tx.execute(&statement)? == 1 {
        return Ok(object);
    }
    if !replace {
        return Err(Error::Unique("objects_bucket_id_name_key".into()));
    }

    let existing = lock(tx, by_name(&new.bucket_id, &[&new.name]))?;
    // Deleted since the insert: a retry finds the name free.
    let old = existing.into_iter().next().ok_or(Error::Busy)?;
    let object = Object { id: old.id, created_at: old.created_at, ..object };
    tx.execute(&update_statement(&object)?)?;
    queue_blob_deletion(tx, &old.blob, now)?;
    rendition::release(tx, &by_name(&new.bucket_id, &[&new.name]), now)?;
    update_referring_rows(tx, &object)?;
    Ok(object)
}

/// Updates all columns of an object and gives it a new version.
///
/// # Errors
/// [`Error::Unique`] if another object has the name.
pub fn update(tx: &mut Tx<'_>, object: Object, now: Timestamp) -> Result<Object, Error> {
    let version = keys::new_id(now).to_string();
    let object = Object { version, updated_at: format_timestamp(now), ..object };
    rendition::release(tx, &Condition::all().add(Expr::col("id").eq(object.id)), now)?;
    tx.execute(&update_statement(&object)?)?;
    Ok(object)
}

fn update_statement(object: &Object) -> Result<UpdateStatement, Error> {
    let mut statement = Query::update();
    statement.table("objects").values(COLUMNS.into_iter().zip(values(object)?).skip(1));
    Ok(statement.and_where(Expr::col("id").eq(object.id)).take())
}

/// Updates the size in the documents, ticket attachments or received files that refer to the object.
fn update_referring_rows(tx: &mut Tx<'_>, object: &Object) -> Result<(), Error> {
    let table = match object.bucket_id.as_str() {
        DOCUMENTS_BUCKET => "documents",
        ATTACHMENTS_BUCKET => "ticket_attachments",
        RECEIVED_BUCKET => "received_files",
        _ => return Ok(()),
    };
    let size = i64::try_from(object.size).unwrap_or(i64::MAX);
    let mut statement = Query::update();
    statement.table(table).value("size", size);
    tx.execute(statement.and_where(Expr::col("file_url").eq(&object.name)))?;
    Ok(())
}

/// Condition for the objects of a bucket with these names.
#[must_use]
pub fn by_name(bucket: &str, names: &[&str]) -> Condition {
    let name = Expr::col("name");
    let name = match names {
        [one] => name.eq(*one),
        many => name.is_in(many.iter().copied()),
    };
    Condition::all().add(Expr::col("bucket_id").eq(bucket)).add(name)
}

/// Returns the name of a document's object that becomes one from another bucket. `id` makes it new. The extension is that
/// of the object, which was checked when the file was stored.
#[must_use]
pub fn document_path(
    client: &str,
    folder: &str,
    id: &str,
    file_name: &str,
    object: &str,
) -> String {
    let extension = file_type::extension(object);
    let name = given_names::with_extension(file_name, object).replace(['#', '?', '%'], "_");
    let stem = name.rsplit_once('.').map_or(&*name, |(stem, _)| stem).trim_end_matches('.');
    let stem = display_name::portable_file_name(stem, MAX_FILE_NAME_CHARS);
    let path = format!("public/{client}/{folder}/{id}-{stem}");
    if extension.is_empty() { path } else { format!("{path}.{extension}") }
}

/// Returns a name for a file within a folder that `id` makes new. Long file names lose the end of their stem: storage
/// serves no path with a segment of more than 255 bytes.
#[must_use]
pub fn unique_file_name(id: &str, file_name: &str) -> String {
    let max_bytes = MAX_SEGMENT_BYTES - id.len() - 1;
    if file_name.len() <= max_bytes {
        return format!("{id}-{file_name}");
    }
    let (stem, extension) = file_name.rsplit_once('.').unwrap_or((file_name, ""));
    let end = stem.floor_char_boundary(max_bytes.saturating_sub(extension.len() + 1));
    let stem = stem[..end].trim_end_matches([' ', '.']);
    if extension.is_empty() { format!("{id}-{stem}") } else { format!("{id}-{stem}.{extension}") }
}

/// Condition for the files of documents. `documents` selects the column `file_url`.
#[must_use]
pub fn of_documents(documents: SelectStatement) -> Condition {
    Condition::all()
        .add(Expr::col("bucket_id").eq(DOCUMENTS_BUCKET))
        .add(Expr::col("name").in_subquery(documents))
}

/// Condition for the files of the documents that meet `documents`, unless other documents refer to them too.
#[must_use]
pub fn only_referenced_by(documents: &Expr) -> Condition {
    let files = || {
        Query::select()
            .column("file_url")
            .from("documents")
            .and_where(Expr::col("file_url").is_not_null())
            .take()
    };
    let selected = files().and_where(documents.clone()).take();
    let shared = files()
        .and_where(Expr::col("file_url").in_subquery(selected.clone()))
        .and_where(documents.clone().not())
        .take();
    of_documents(selected).add(Expr::col("name").not_in_subquery(shared))
}

/// Condition for the files of ticket attachments. `attachments` selects the column `file_url`.
#[must_use]
pub fn of_attachments(attachments: SelectStatement) -> Condition {
    Condition::all()
        .add(Expr::col("bucket_id").eq(ATTACHMENTS_BUCKET))
        .add(Expr::col("name").in_subquery(attachments))
}

/// Condition for received files. `rows` selects the column `file_url`.
#[must_use]
pub fn of_received_files(rows: SelectStatement) -> Condition {
    Condition::all()
        .add(Expr::col("bucket_id").eq(RECEIVED_BUCKET))
        .add(Expr::col("name").in_subquery(rows))
}

/// Deletes the objects that meet `condition`, with their renditions, queues the blobs for deletion, and returns the number
/// of objects.
pub fn release(tx: &mut Tx<'_>, condition: &Condition, now: Timestamp) -> Result<u64, Error> {
    rendition::release(tx, condition, now)?;
    let mut blobs = Query::select();
    // Several of the objects may share a blob.
    blobs.distinct().column("blob").expr(Expr::val(format_timestamp(now))).from("objects");
    let mut statement = Query::insert();
    statement.into_table("blob_gc").columns(["blob", "since"]);
    statement
        .select_from(blobs.cond_where(condition.clone()).take())
        .map_err(|error| Error::Internal(error.to_string()))?;
    tx.execute(statement.on_conflict(restart_delay()))?;
    tx.execute(Query::delete().from_table("objects").cond_where(condition.clone()))
}

/// Queues a blob for deletion. Garbage collection keeps it while an object refers to it.
pub fn queue_blob_deletion(tx: &mut Tx<'_>, blob: &str, now: Timestamp) -> Result<(), Error> {
    let mut statement = Query::insert();
    statement.into_table("blob_gc").columns(["blob", "since"]);
    statement.values_panic([blob.into(), format_timestamp(now).into()]);
    tx.execute(statement.on_conflict(restart_delay())).map(drop)
}

/// Restarts the delay of a blob that is queued already, because a download of its last object may have just begun.
fn restart_delay() -> OnConflict {
    OnConflict::column("blob").update_column("since").to_owned()
}

/// Returns those of `blobs` to which neither an object, nor a rendition, nor a resumable upload, nor the deletion queue
/// refers.
pub fn orphans(tx: &mut Tx<'_>, blobs: &[String]) -> Result<Vec<String>, Error> {
    let mut referenced = HashSet::new();
    for table in ["objects", "renditions", "uploads", "blob_gc"] {
        let mut query = Query::select();
        query.column("blob").from(table).and_where(Expr::col("blob").is_in(blobs));
        for row in tx.rows(&query)?.iter() {
            referenced.insert(row.text(0)?.to_owned());
        }
    }
    Ok(blobs.iter().filter(|blob| !referenced.contains(*blob)).cloned().collect())
}

#[cfg(test)]
mod tests {
    use crate::stored_files::object::unique_file_name;

    #[test]
    fn long_file_names_keep_their_extension() {
        let id = "0".repeat(36);
        assert_eq!(unique_file_name(&id, "Guia.pdf"), format!("{id}-Guia.pdf"));
        let long = unique_file_name(&id, &format!("{}.pdf", "ç".repeat(120)));
        assert!(long.len() <= 255 && long.ends_with("ç.pdf"), "{long}");
    }
}
