//! Whether the data keep what the portal promises: every object has its whole blob, and what has no object is young or
//! on its way out. A look only: nothing is mended.

use futures_util::{StreamExt, TryStreamExt, stream};
use sea_query::{Expr, ExprTrait, Order, Query};

use crate::{
    app::App,
    db::{Db, Error, Tx},
    stored_files::object::{self, ORPHAN_GRACE},
};

/// Objects in one question to the database.
const PAGE: u64 = 500;
/// So many are read at once, so that every processor has one to hash.
const AT_ONCE: usize = 8;

/// What a look at everything found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Objects whose bytes were read and are as they were written.
    pub files: u64,
    /// All of theirs together.
    pub bytes: u64,
    /// Old blobs that nothing names, which the next sweep retires.
    pub strays: u64,
    /// What is broken, a sentence each.
    pub faults: Vec<String>,
}

/// An object as it should be.
struct Object {
    id: String,
    name: String,
    blob: String,
    size: u64,
    sha256: String,
}

/// Looks at the database, at every file and at every blob. The portal may go on meanwhile.
///
/// # Errors
/// Those of the database, and of a disk that refuses to be read at all.
pub async fn run(app: &App) -> Result<Found, Error> {
    let mut found = Found::default();
    if app.config.database.is_none() {
        let folder = app.config.data_dir.clone();
        let faults = tokio::task::spawn_blocking(move || Db::integrity_errors(&folder)).await;
        let faults = faults.map_err(|error| Error::Internal(error.to_string()))??;
        found.faults.extend(faults.into_iter().map(|fault| format!("the database: {fault}")));
    }
    let mut last = String::new();
    loop {
        let objects = app.db.read(move |tx| page(tx, &last)).await?;
        let Some(end) = objects.last() else { break };
        last = end.id.clone();
        let mut checked = stream::iter(objects).map(|object| check(app, object)).buffered(AT_ONCE);
        while let Some(object) = checked.try_next().await? {
            found.files += object.files;
            found.bytes += object.bytes;
            found.faults.extend(object.faults);
        }
    }
    for first in 0..=u8::MAX {
        let old = (app.clock.now() - ORPHAN_GRACE).into();
        let blobs = app.files.list_older_than(first, old).await;
        let blobs =
            blobs.map_err(|error| Error::Internal(format!("a folder of blobs: {error}")))?;
        for some in blobs.chunks(500) {
            let names = some.to_vec();
            let strays = app.db.read(move |tx| object::orphans(tx, &names)).await?;
            found.strays += strays.len() as u64;
        }
    }
    Ok(found)
}

/// What a look at one object found.
async fn check(app: &App, object: Object) -> Result<Found, Error> {
    let fault = match app.files.disk_usage(&object.blob).await {
        Ok(blob) if blob.size == object.size && blob.sha256 == object.sha256 => {
            return Ok(Found { files: 1, bytes: blob.size, ..Found::default() });
        }
        Ok(_) => "is not what was stored".to_owned(),
        Err(error) => format!("cannot be read: {error}"),
    };
    // It may have been deleted or replaced since it was listed.
    let blob = object.blob.clone();
    let still_there = app.db.read(move |tx| {
        let mut query = Query::select();
        query.column("id").from("objects").and_where(Expr::col("id").eq(object.id));
        Ok::<_, Error>(!tx.rows(query.and_where(Expr::col("blob").eq(blob)))?.is_empty())
    });
    let faults = still_there.await?.then(|| format!("{} {fault}", object.name));
    Ok(Found { faults: faults.into_iter().collect(), ..Found::default() })
}

fn page(tx: &mut Tx<'_>, after: &str) -> Result<Vec<Object>, Error> {
    let mut query = Query::select();
    query.columns(["id", "bucket_id", "name", "blob", "size", "sha256"]).from("objects");
    query.and_where(Expr::col("id").gt(after)).order_by("id", Order::Asc).limit(PAGE);
    let read = |row: crate::db::Row<'_>| {
        Ok(Object {
            id: row.text(0)?.to_owned(),
            name: format!("{}/{}", row.text(1)?, row.text(2)?),
            blob: row.text(3)?.to_owned(),
            size: row.int(4)?.unsigned_abs(),
            sha256: row.text(5)?.to_owned(),
        })
    };
    tx.rows(&query)?.iter().map(read).collect()
}
