//! Rows of `uploads`: resumable uploads with the number of durable bytes and the lock of the present sender.

use jiff::{SignedDuration, Timestamp};
use sea_query::{Condition, Expr, ExprTrait, Query};

use crate::{
    clock::format_timestamp,
    db::{Error, Row, Tx},
    security::{ids::UserId, keys},
    stored_files::object,
};

/// Lifetime of an upload, after which it is aborted.
const LIFETIME: SignedDuration = SignedDuration::from_hours(24);
/// Time without data after which a sender's lock ends.
pub const LOCK_TIMEOUT: SignedDuration = SignedDuration::from_secs(30);

/// A resumable upload.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "fields are named like the columns")]
pub struct Upload {
    pub id: String,
    pub blob: String,
    pub bucket_id: String,
    pub name: String,
    pub owner_id: Option<UserId>,
    pub replaces: bool,
    pub size: u64,
    pub received: u64,
    pub metadata: String,
    pub expires_at: String,
}

/// Values of a new upload.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "fields are named like the columns")]
pub struct NewUpload {
    pub bucket_id: String,
    pub name: String,
    pub owner_id: Option<UserId>,
    pub replaces: bool,
    pub size: u64,
    pub metadata: String,
}

const COLUMNS: [&str; 10] = [
    "id",
    "blob",
    "bucket_id",
    "name",
    "owner_id",
    "replaces",
    "size",
    "received",
    "metadata",
    "expires_at",
];

impl Upload {
    fn read(row: Row<'_>) -> Result<Self, Error> {
        let text = |column| row.text(column).map(str::to_owned);
        Ok(Self {
            id: text(0)?,
            blob: text(1)?,
            bucket_id: text(2)?,
            name: text(3)?,
            owner_id: row.opt_parse(4)?,
            replaces: row.bool(5)?,
            size: row.int(6)?.unsigned_abs(),
            received: row.int(7)?.unsigned_abs(),
            metadata: text(8)?,
            expires_at: text(9)?,
        })
    }
}

/// Inserts an upload.
pub fn insert(tx: &mut Tx<'_>, new: NewUpload, now: Timestamp) -> Result<Upload, Error> {
    let upload = Upload {
        id: keys::new_token(),
        blob: keys::new_blob_name(),
        bucket_id: new.bucket_id,
        name: new.name,
        owner_id: new.owner_id,
        replaces: new.replaces,
        size: new.size,
        received: 0,
        metadata: new.metadata,
        expires_at: format_timestamp(now + LIFETIME),
    };
    tx.insert(
        "uploads",
        [
            ("id", upload.id.as_str().into()),
            ("blob", upload.blob.as_str().into()),
            ("bucket_id", upload.bucket_id.as_str().into()),
            ("name", upload.name.as_str().into()),
            ("owner_id", upload.owner_id.into()),
            ("replaces", upload.replaces.into()),
            ("size", signed(upload.size).into()),
            ("received", 0_i64.into()),
            ("metadata", upload.metadata.as_str().into()),
            ("created_at", format_timestamp(now).into()),
            ("expires_at", upload.expires_at.as_str().into()),
        ],
    )?;
    Ok(upload)
}

/// Finds an upload that has not expired.
pub fn find(tx: &mut Tx<'_>, id: &str, now: Timestamp) -> Result<Option<Upload>, Error> {
    let mut query = Query::select();
    query.columns(COLUMNS).from("uploads").and_where(Expr::col("id").eq(id));
    query.and_where(Expr::col("expires_at").gt(format_timestamp(now)));
    tx.rows(&query)?.first().map(Upload::read).transpose()
}

/// Counts the unfinished uploads of a file.
pub fn count_unfinished(
    tx: &mut Tx<'_>,
    bucket: &str,
    name: &str,
    now: Timestamp,
) -> Result<u64, Error> {
    let mut query = Query::select();
    query.expr(Expr::cust("count(*)")).from("uploads");
    query.and_where(Expr::col("bucket_id").eq(bucket)).and_where(Expr::col("name").eq(name));
    query.and_where(Expr::col("received").lt(Expr::col("size")));
    query.and_where(Expr::col("expires_at").gt(format_timestamp(now)));
    let rows = tx.rows(&query)?;
    Ok(rows.first().map(|row| row.int(0)).transpose()?.unwrap_or(0).unsigned_abs())
}

/// Acquires the lock for sending bytes at the offset `received`. Returns `false` if another sender holds it or the
/// offset has changed.
pub fn acquire_lock(
    tx: &mut Tx<'_>,
    id: &str,
    writer: &str,
    received: u64,
    now: Timestamp,
) -> Result<bool, Error> {
    let mut statement = Query::update();
    statement
        .table("uploads")
        .value("writer", writer)
        .value("writer_until", format_timestamp(now + LOCK_TIMEOUT));
    statement.and_where(Expr::col("id").eq(id));
    statement.and_where(Expr::col("received").eq(signed(received))).cond_where(
        Condition::any()
            .add(Expr::col("writer").is_null())
            .add(Expr::col("writer_until").lte(format_timestamp(now))),
    );
    Ok(tx.execute(&statement)? == 1)
}

/// Releases all locks. Call it only while no process is receiving uploads.
pub fn release_all_locks(tx: &mut Tx<'_>) -> Result<(), Error> {
    let mut statement = Query::update();
    statement.table("uploads").value("writer", Option::<String>::None);
    tx.execute(statement.and_where(Expr::col("writer").is_not_null())).map(drop)
}

/// Records the number of durable bytes, and renews the lock or, if `last`, releases it. Returns `false` if the lock was
/// lost.
pub fn record_progress(
    tx: &mut Tx<'_>,
    id: &str,
    writer: &str,
    received: u64,
    last: bool,
    now: Timestamp,
) -> Result<bool, Error> {
    let mut statement = Query::update();
    statement.table("uploads").value("received", signed(received));
    if last {
        statement.value("writer", Option::<String>::None);
    } else {
        statement.value("writer_until", format_timestamp(now + LOCK_TIMEOUT));
    }
    statement.and_where(Expr::col("id").eq(id)).and_where(Expr::col("writer").eq(writer));
    Ok(tx.execute(&statement)? == 1)
}

/// Marks an upload as complete and releases the lock. Returns `false` if `writer` does not hold the lock, or, without
/// `writer`, if another sender holds it.
pub fn complete(tx: &mut Tx<'_>, id: &str, writer: Option<&str>) -> Result<bool, Error> {
    let mut statement = Query::update();
    statement.table("uploads").value("received", Expr::col("size"));
    statement.value("writer", Option::<String>::None);
    statement.and_where(Expr::col("id").eq(id)).and_where(match writer {
        Some(writer) => Expr::col("writer").eq(writer),
        None => Expr::col("writer").is_null(),
    });
    Ok(tx.execute(&statement)? == 1)
}

/// Deletes an upload's row, whether it was completed or not.
pub fn delete(tx: &mut Tx<'_>, id: &str) -> Result<(), Error> {
    tx.execute(Query::delete().from_table("uploads").and_where(Expr::col("id").eq(id))).map(drop)
}

/// Aborts expired uploads whose lock is free.
pub fn expire(tx: &mut Tx<'_>, now: Timestamp) -> Result<(), Error> {
    let expired = Condition::all().add(Expr::col("expires_at").lte(format_timestamp(now))).add(
        Condition::any()
            .add(Expr::col("writer").is_null())
            .add(Expr::col("writer_until").lte(format_timestamp(now))),
    );
    abort(tx, expired, now)
}

/// Aborts the uploads that meet `condition`: deletes their rows and queues their blobs for deletion, which a crash may
/// have published. A present sender loses the lock.
pub fn abort(tx: &mut Tx<'_>, condition: Condition, now: Timestamp) -> Result<(), Error> {
    let mut query = Query::select();
    query.columns(["id", "blob"]).from("uploads").cond_where(condition);
    for row in tx.rows(query.lock_exclusive())?.iter() {
        delete(tx, row.text(0)?)?;
        object::queue_blob_deletion(tx, row.text(1)?, now)?;
    }
    Ok(())
}

/// Returns those of `blobs` that belong to an upload.
pub fn active(tx: &mut Tx<'_>, blobs: &[String]) -> Result<Vec<String>, Error> {
    let mut query = Query::select();
    query.column("blob").from("uploads").and_where(Expr::col("blob").is_in(blobs));
    tx.rows(&query)?.iter().map(|row| row.text(0).map(str::to_owned)).collect()
}

fn signed(size: u64) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}
