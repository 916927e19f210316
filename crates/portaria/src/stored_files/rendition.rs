//! Rows of `renditions`: transformed images, a cache. Each refers to a blob of its own, which no quota counts and no
//! backup contains. A rendition belongs to one version of an object and is deleted with it.

use jiff::Timestamp;
use sea_query::{Condition, Expr, ExprTrait, Order, Query, SelectStatement};

use crate::{
    blob::StoredBlob,
    clock::format_timestamp,
    db::{Error, Tx},
    stored_files::object::{self, Object},
};

/// Number of rows that one step of [`evict`] reads.
const EVICTION_STEP: u64 = 100;
/// Space of a rendition beside its bytes, rounded up: a block of the disk, an inode, the row and its indexes. It bounds
/// the number of renditions, too. Bytes.
const OVERHEAD: u64 = 16 << 10;

/// A transformed image.
#[derive(Debug, Clone)]
pub struct Rendition {
    /// The bytes.
    pub blob: StoredBlob,
    /// The media type.
    pub mime_type: String,
}

/// Finds the rendition of a version of an object.
pub fn find(
    tx: &mut Tx<'_>,
    version: &str,
    transformation: &str,
) -> Result<Option<Rendition>, Error> {
    let mut query = Query::select();
    query.columns(["blob", "size", "sha256", "mime_type"]).from("renditions");
    query.and_where(Expr::col("version").eq(version));
    query.and_where(Expr::col("transformation").eq(transformation));
    let rows = tx.rows(&query)?;
    let Some(row) = rows.first() else { return Ok(None) };
    let text = |column| row.text(column).map(str::to_owned);
    let blob = StoredBlob { blob: text(0)?, size: row.int(1)?.unsigned_abs(), sha256: text(2)? };
    Ok(Some(Rendition { blob, mime_type: text(3)? }))
}

/// Inserts a rendition of an object that the caller has locked.
///
/// # Errors
/// [`Error::Unique`] if it exists.
pub fn insert(
    tx: &mut Tx<'_>,
    object: &Object,
    transformation: &str,
    rendition: &Rendition,
    now: Timestamp,
) -> Result<(), Error> {
    let size = i64::try_from(rendition.blob.size)
        .map_err(|_| Error::Internal("image size exceeds 63 bits".into()))?;
    tx.insert(
        "renditions",
        [
            ("version", object.version.as_str().into()),
            ("transformation", transformation.into()),
            ("object_id", object.id.into()),
            ("blob", rendition.blob.blob.as_str().into()),
            ("size", size.into()),
            ("sha256", rendition.blob.sha256.as_str().into()),
            ("mime_type", rendition.mime_type.as_str().into()),
            ("created_at", format_timestamp(now).into()),
        ],
    )
}

/// Deletes the rendition whose blob is gone.
pub fn forget(tx: &mut Tx<'_>, blob: &str) -> Result<(), Error> {
    let mut delete = Query::delete();
    delete.from_table("renditions").and_where(Expr::col("blob").eq(blob));
    tx.execute(&delete).map(drop)
}

/// Deletes the oldest renditions until the others take at most `limit` bytes together, except that of the blob
/// `newest`. Returns the blobs of the deleted ones, which the caller removes after the commit. A removal without the
/// delay of the deletion queue keeps the bytes on the disk within the limit; a download in progress keeps its open
/// file.
pub fn evict(tx: &mut Tx<'_>, limit: u64, newest: &str) -> Result<Vec<String>, Error> {
    let mut query = Query::select();
    // On PostgreSQL the sum of a BIGINT column is NUMERIC.
    query.expr(Expr::cust("CAST(coalesce(sum(size), 0) AS BIGINT)"));
    query.expr(Expr::cust("count(*)")).from("renditions");
    let rows = tx.rows(&query)?;
    let Some(all) = rows.first() else { return Ok(Vec::new()) };
    let [bytes, count] = [all.int(0)?, all.int(1)?].map(i64::unsigned_abs);
    let mut total = bytes.saturating_add(count.saturating_mul(OVERHEAD));

    let mut evicted = Vec::new();
    while total > limit {
        let mut oldest = Query::select();
        oldest.columns(["blob", "size"]).from("renditions").and_where(Expr::col("blob").ne(newest));
        oldest.order_by("created_at", Order::Asc).order_by("blob", Order::Asc);
        let mut step = Vec::new();
        for row in tx.rows(oldest.limit(EVICTION_STEP))?.iter() {
            if total <= limit {
                break;
            }
            total = total.saturating_sub(row.int(1)?.unsigned_abs() + OVERHEAD);
            step.push(row.text(0)?.to_owned());
        }
        if step.is_empty() {
            break;
        }
        let mut delete = Query::delete();
        delete.from_table("renditions").and_where(Expr::col("blob").is_in(&step));
        tx.execute(&delete)?;
        evicted.extend(step);
    }
    Ok(evicted)
}

/// Deletes the renditions of the objects that meet `condition`, and queues their blobs for deletion.
pub fn release(tx: &mut Tx<'_>, condition: &Condition, now: Timestamp) -> Result<(), Error> {
    let is_released = || {
        let objects: SelectStatement =
            Query::select().column("id").from("objects").cond_where(condition.clone()).take();
        Expr::col(("renditions", "object_id")).in_subquery(objects)
    };
    let mut blobs = Query::select();
    blobs.column("blob").from("renditions").and_where(is_released());
    for row in tx.rows(&blobs)?.iter() {
        object::queue_blob_deletion(tx, row.text(0)?, now)?;
    }
    tx.execute(Query::delete().from_table("renditions").and_where(is_released())).map(drop)
}
