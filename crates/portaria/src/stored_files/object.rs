//! Stored files as rows: the name that people know, and the blob behind it.
//!
//! An object's row always has its whole blob; copies share one. A blob that lost an object is listed in `blob_gc`,
//! and unlinked later unless another object holds it (`jobs/sweep.rs`).

use std::collections::HashSet;

use jiff::{SignedDuration, Timestamp};
use sea_query::{
    Condition, Expr, ExprTrait, OnConflict, Order, Query, SelectStatement, UpdateStatement,
};

pub use crate::schema::{ATTACHMENTS_BUCKET, DOCUMENTS_BUCKET, STAFF_PREFIX};
use crate::{
    blob::StoredBlob,
    clock::format_timestamp,
    db::{Error, Row, Tx},
    security::keys,
};

/// Younger blobs may still get their row.
pub const ORPHAN_GRACE: SignedDuration = SignedDuration::from_hours(24);

/// A stored file.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the names are the columns'")]
pub struct Object {
    pub id: String,
    pub bucket_id: String,
    pub name: String,
    pub version: String,
    pub owner_id: Option<String>,
    pub blob: String,
    pub size: u64,
    pub sha256: String,
    pub mime_type: String,
    pub sniffed: Option<String>,
    pub content_encoding: Option<String>,
    pub cache_control: String,
    pub user_metadata: Option<String>,
    pub created_at: String,
    pub updated_at: String,
}

/// In the order in which [`Object::read`] takes them.
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
    "sniffed",
    "content_encoding",
    "cache_control",
    "user_metadata",
    "created_at",
    "updated_at",
];

/// What a new object is to hold besides its blob.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the names are the columns'")]
pub struct NewObject {
    pub bucket_id: String,
    pub name: String,
    pub owner_id: Option<String>,
    pub mime_type: String,
    pub sniffed: Option<String>,
    pub content_encoding: Option<String>,
    pub cache_control: String,
    pub user_metadata: Option<String>,
}

impl Object {
    /// An object out of a row of [`COLUMNS`].
    pub fn read(row: Row<'_>) -> Result<Self, Error> {
        let text = |column| row.text(column).map(str::to_owned);
        let opt_text = |column| row.opt_text(column).map(|text| text.map(str::to_owned));
        Ok(Self {
            id: text(0)?,
            bucket_id: text(1)?,
            name: text(2)?,
            version: text(3)?,
            owner_id: opt_text(4)?,
            blob: text(5)?,
            size: row.int(6)?.unsigned_abs(),
            sha256: text(7)?,
            mime_type: text(8)?,
            sniffed: opt_text(9)?,
            content_encoding: opt_text(10)?,
            cache_control: text(11)?,
            user_metadata: opt_text(12)?,
            created_at: text(13)?,
            updated_at: text(14)?,
        })
    }

    /// The blob behind it, for another object to hold too.
    #[must_use]
    pub fn blob(&self) -> StoredBlob {
        StoredBlob { blob: self.blob.clone(), size: self.size, sha256: self.sha256.clone() }
    }
}

/// The object of that name, if it meets `condition` too.
pub fn find(
    tx: &mut Tx<'_>,
    bucket: &str,
    name: &str,
    condition: Condition,
) -> Result<Option<Object>, Error> {
    let rows = tx.rows(&select(by_name(bucket, &[name]).add(condition)))?;
    rows.first().map(Object::read).transpose()
}

/// Those of the names under which there are objects that meet `condition` too.
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

/// The objects that `which` names, by name. Nobody else changes them before this transaction has ended.
pub fn lock(tx: &mut Tx<'_>, which: Condition) -> Result<Vec<Object>, Error> {
    let mut query = select(which);
    // All who lock several do so in one order, and so never wait for each other in a circle.
    query.order_by("name", Order::Asc).lock_exclusive();
    tx.rows(&query)?.iter().map(Object::read).collect()
}

fn select(which: Condition) -> SelectStatement {
    Query::select().columns(COLUMNS).from("objects").cond_where(which).take()
}

/// Adds an object, or (`replace`) gives an existing one other bytes.
///
/// # Errors
/// [`Error::Unique`] when the name is taken and `replace` is not asked for.
pub fn insert(
    tx: &mut Tx<'_>,
    new: &NewObject,
    written: &StoredBlob,
    replace: bool,
    now: Timestamp,
) -> Result<Object, Error> {
    let id = keys::new_id(now).to_string();
    let object = Object {
        version: id.clone(),
        id,
        bucket_id: new.bucket_id.clone(),
        name: new.name.clone(),
        owner_id: new.owner_id.clone(),
        blob: written.blob.clone(),
        size: written.size,
        sha256: written.sha256.clone(),
        mime_type: new.mime_type.clone(),
        sniffed: new.sniffed.clone(),
        content_encoding: new.content_encoding.clone(),
        cache_control: new.cache_control.clone(),
        user_metadata: new.user_metadata.clone(),
        created_at: format_timestamp(now),
        updated_at: format_timestamp(now),
    };
    // Who loses a race for a name learns it here, not by a failure that would end the transaction.
    let mut statement = Query::insert();
    statement.into_table("objects").columns(COLUMNS).values_panic(values(&object)?);
    statement.on_conflict(OnConflict::columns(["bucket_id", "name"]).do_nothing().to_owned());
    if tx.execute(&statement)? == 1 {
        return Ok(object);
    }
    if !replace {
        return Err(Error::Unique("objects_bucket_id_name_key".into()));
    }
    let held = lock(tx, by_name(&new.bucket_id, &[&new.name]))?;
    // Removed since: whoever tries again finds the name free.
    let old = held.into_iter().next().ok_or(Error::Busy)?;
    let object = Object { id: old.id, created_at: old.created_at, ..object };
    tx.execute(&change(&object)?)?;
    delete(tx, &old.blob, now)?;
    tell_rows(tx, &object)?;
    Ok(object)
}

/// Writes an object's changed values, as a new version.
///
/// # Errors
/// [`Error::Unique`] when its name is another's.
pub fn update(tx: &mut Tx<'_>, object: Object, now: Timestamp) -> Result<Object, Error> {
    let version = keys::new_id(now).to_string();
    let object = Object { version, updated_at: format_timestamp(now), ..object };
    tx.execute(&change(&object)?)?;
    Ok(object)
}

fn change(object: &Object) -> Result<UpdateStatement, Error> {
    let mut statement = Query::update();
    statement.table("objects").values(COLUMNS.into_iter().zip(values(object)?).skip(1));
    Ok(statement.and_where(Expr::col("id").eq(&object.id)).take())
}

fn values(object: &Object) -> Result<[Expr; 15], Error> {
    let object = object.clone();
    let size =
        i64::try_from(object.size).map_err(|_| Error::Internal("a file beyond 63 bits".into()))?;
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
        object.sniffed.into(),
        object.content_encoding.into(),
        object.cache_control.into(),
        object.user_metadata.into(),
        object.created_at.into(),
        object.updated_at.into(),
    ])
}

/// A document tells the size of its file, as does what came with a message.
fn tell_rows(tx: &mut Tx<'_>, object: &Object) -> Result<(), Error> {
    let table = match object.bucket_id.as_str() {
        DOCUMENTS_BUCKET => "documents",
        ATTACHMENTS_BUCKET => "ticket_attachments",
        _ => return Ok(()),
    };
    let size = i64::try_from(object.size).unwrap_or(i64::MAX);
    let mut statement = Query::update();
    statement.table(table).value("size", size);
    tx.execute(statement.and_where(Expr::col("file_url").eq(&object.name)))?;
    Ok(())
}

/// The condition that names objects of a bucket.
#[must_use]
pub fn by_name(bucket: &str, names: &[&str]) -> Condition {
    let name = Expr::col("name");
    let name = match names {
        [one] => name.eq(*one),
        many => name.is_in(many.iter().copied()),
    };
    Condition::all().add(Expr::col("bucket_id").eq(bucket)).add(name)
}

/// The condition that names the files of the documents that `documents` selects (its one column: `file_url`).
#[must_use]
pub fn of_documents(documents: SelectStatement) -> Condition {
    Condition::all()
        .add(Expr::col("bucket_id").eq(DOCUMENTS_BUCKET))
        .add(Expr::col("name").in_subquery(documents))
}

/// The condition that names the files of the documents that `these` names, unless other documents show them too.
#[must_use]
pub fn only_referenced_by(these: &Expr) -> Condition {
    let files = || {
        Query::select()
            .column("file_url")
            .from("documents")
            .and_where(Expr::col("file_url").is_not_null())
            .take()
    };
    let doomed = files().and_where(these.clone()).take();
    let kept = files()
        .and_where(Expr::col("file_url").in_subquery(doomed.clone()))
        .and_where(these.clone().not())
        .take();
    of_documents(doomed).add(Expr::col("name").not_in_subquery(kept))
}

/// The condition that names the files that `attachments` selects (its one column: `file_url`).
#[must_use]
pub fn of_attachments(attachments: SelectStatement) -> Condition {
    Condition::all()
        .add(Expr::col("bucket_id").eq(ATTACHMENTS_BUCKET))
        .add(Expr::col("name").in_subquery(attachments))
}

/// Removes objects, and with them every way to their bytes, which are unlinked later. How many those were.
pub fn release(tx: &mut Tx<'_>, which: &Condition, now: Timestamp) -> Result<u64, Error> {
    let mut blobs = Query::select();
    // Two copies that go together hold one blob.
    blobs.distinct().column("blob").expr(Expr::val(format_timestamp(now))).from("objects");
    let mut statement = Query::insert();
    statement.into_table("blob_gc").columns(["blob", "since"]);
    statement
        .select_from(blobs.cond_where(which.clone()).take())
        .map_err(|error| Error::Internal(error.to_string()))?;
    tx.execute(statement.on_conflict(again()))?;
    tx.execute(Query::delete().from_table("objects").cond_where(which.clone()))
}

/// Lists a blob to be unlinked once no object holds it.
pub fn delete(tx: &mut Tx<'_>, blob: &str, now: Timestamp) -> Result<(), Error> {
    let mut statement = Query::insert();
    statement.into_table("blob_gc").columns(["blob", "since"]);
    statement.values_panic([blob.into(), format_timestamp(now).into()]);
    tx.execute(statement.on_conflict(again())).map(drop)
}

/// A blob that is listed already waits anew: somebody may have begun to read its last copy just now.
fn again() -> OnConflict {
    OnConflict::column("blob").update_column("since").to_owned()
}

/// Those of the blobs that neither a file, nor an upload under way, nor the list of retired ones names.
pub fn orphans(tx: &mut Tx<'_>, blobs: &[String]) -> Result<Vec<String>, Error> {
    let mut named = HashSet::new();
    for table in ["objects", "uploads", "blob_gc"] {
        let mut query = Query::select();
        query.column("blob").from(table).and_where(Expr::col("blob").is_in(blobs));
        for row in tx.rows(&query)?.iter() {
            named.insert(row.text(0)?.to_owned());
        }
    }
    Ok(blobs.iter().filter(|blob| !named.contains(*blob)).cloned().collect())
}
