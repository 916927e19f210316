//! `portaria fsck`: checks that each object has its complete blob and each document and attachment its object, that
//! signing keys can be decrypted, lists files with misleading names, and counts orphan blobs that garbage collection has
//! not queued yet. The check changes nothing.

use futures_util::{StreamExt, TryStreamExt, stream};
use sea_query::{Expr, ExprTrait, Order, Query};

use crate::{
    app::App,
    db::{Db, Error, Tx},
    security::ids::SigningKeyId,
    stored_files::{
        given_names::{self, Misnamed},
        object::{self, ORPHAN_GRACE},
        references,
    },
};

/// Number of objects that one query reads.
const PAGE_SIZE: u64 = 500;
/// Maximum number of blobs that are read and hashed at the same time.
const PARALLEL_CHECKS: usize = 8;

/// Result of a check.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FsckReport {
    /// Number of objects whose blob is complete and unchanged.
    pub files: u64,
    /// Total size of their blobs.
    pub bytes: u64,
    /// Number of orphan blobs.
    pub orphans: u64,
    /// The faults.
    pub faults: Vec<Fault>,
    /// Descriptions of rows whose file has a name that the portal would not accept now. They are no faults: the files are
    /// whole.
    pub misnamed: Vec<String>,
    /// Signing keys that the portal secret cannot decrypt. A restore under another secret has them.
    pub unreadable_keys: Vec<SigningKeyId>,
}

/// A fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The description, for the operator.
    pub text: String,
    pub(crate) kind: FaultKind,
}

/// The subject of a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FaultKind {
    Database,
    /// The blob with this name.
    Blob(String),
    /// A row that names a file without an object.
    Reference,
}

/// An object with the expected properties of its blob.
struct Object {
    id: String,
    name: String,
    blob: String,
    size: u64,
    sha256: String,
}

/// Checks the database file, each object and each blob. The portal may be running.
///
/// # Errors
/// Database errors, and errors of listing the blob store. A blob that cannot be read is a fault, not an error.
pub async fn run(app: &App) -> Result<FsckReport, Error> {
    let mut faults = Vec::new();
    if app.config.database.is_none() {
        let folder = app.config.data_dir.clone();
        let found = tokio::task::spawn_blocking(move || Db::integrity_errors(&folder)).await;
        let found = found.map_err(|error| Error::Internal(error.to_string()))??;
        faults.extend(found.into_iter().map(|fault| Fault {
            text: format!("the database: {fault}"),
            kind: FaultKind::Database,
        }));
    }
    let mut found = check_files(app).await?;
    found.faults.splice(0..0, faults);
    Ok(found)
}

/// Checks each object and each blob, and not the database file.
///
/// # Errors
/// See [`run`].
pub async fn check_files(app: &App) -> Result<FsckReport, Error> {
    let mut found = FsckReport::default();
    let mut last = String::new();
    loop {
        let objects = app.db.read(move |tx| page(tx, &last)).await?;
        let Some(last_object) = objects.last() else { break };
        last = last_object.id.clone();
        let mut checked =
            stream::iter(objects).map(|object| check(app, object)).buffered(PARALLEL_CHECKS);
        while let Some(object) = checked.try_next().await? {
            found.files += object.files;
            found.bytes += object.bytes;
            found.faults.extend(object.faults);
        }
    }

    let dangling = app.db.read(references::dangling).await?;
    found.faults.extend(dangling.into_iter().map(|(table, id, file)| {
        let row = match table {
            "documents" => "document",
            "deleted_documents" => "deleted document",
            "document_versions" => "version",
            _ => "attachment",
        };
        let text = format!("the {row} {id} has no file: {file} does not exist");
        Fault { text, kind: FaultKind::Reference }
    }));

    let misnamed = app.db.read(given_names::find_misnamed).await?;
    found.misnamed.extend(misnamed.into_iter().map(|Misnamed { table, id, name, object }| {
        format!("{table} {id} has the name {name:?}, which does not suit its file {object}")
    }));

    let keys = app.keys.signing_keys();
    found.unreadable_keys = keys.unreadable(&app.db, app.clock.now()).await?;

    for first in 0..=u8::MAX {
        let cutoff = (app.clock.now() - ORPHAN_GRACE).into();
        let blobs = app.files.list_older_than(first, cutoff).await;
        let blobs =
            blobs.map_err(|error| Error::Internal(format!("a folder of blobs: {error}")))?;
        for batch in blobs.chunks(500) {
            let names = batch.to_vec();
            let orphans = app.db.read(move |tx| object::orphans(tx, &names)).await?;
            found.orphans += orphans.len() as u64;
        }
    }
    Ok(found)
}

/// Checks one object.
async fn check(app: &App, object: Object) -> Result<FsckReport, Error> {
    let fault = match app.files.checksum(&object.blob).await {
        Ok(blob) if blob.size == object.size && blob.sha256 == object.sha256 => {
            return Ok(FsckReport { files: 1, bytes: blob.size, ..FsckReport::default() });
        }
        Ok(_) => "is not what was stored".to_owned(),
        Err(error) => format!("cannot be read: {error}"),
    };
    // The object may have been deleted or replaced since it was read.
    let blob = object.blob.clone();
    let is_current = app.db.read(move |tx| {
        let mut query = Query::select();
        query.column("id").from("objects").and_where(Expr::col("id").eq(object.id));
        Ok::<_, Error>(!tx.rows(query.and_where(Expr::col("blob").eq(blob)))?.is_empty())
    });
    let faults = is_current.await?.then(|| Fault {
        text: format!("{} {fault}", object.name),
        kind: FaultKind::Blob(object.blob),
    });
    Ok(FsckReport { faults: faults.into_iter().collect(), ..FsckReport::default() })
}

fn page(tx: &mut Tx<'_>, after: &str) -> Result<Vec<Object>, Error> {
    let mut query = Query::select();
    query.columns(["id", "bucket_id", "name", "blob", "size", "sha256"]).from("objects");
    query.and_where(Expr::col("id").gt(after)).order_by("id", Order::Asc).limit(PAGE_SIZE);
    let to_object = |row: crate::db::Row<'_>| {
        Ok(Object {
            id: row.text(0)?.to_owned(),
            name: format!("{}/{}", row.text(1)?, row.text(2)?),
            blob: row.text(3)?.to_owned(),
            size: row.int(4)?.unsigned_abs(),
            sha256: row.text(5)?.to_owned(),
        })
    };
    tx.rows(&query)?.iter().map(to_object).collect()
}
