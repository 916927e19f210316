//! Resumable uploads under way, as rows: how much of which file is on the disk, and who is sending more.

use jiff::{SignedDuration, Timestamp};
use sea_query::{Condition, Expr, ExprTrait, Query};

use crate::{
    clock::format_timestamp,
    db::{Error, Row, Tx},
    security::keys,
    stored_files::object,
};

/// An upload that was not finished by then is given up.
const LIFE: SignedDuration = SignedDuration::from_hours(24);
/// Who says nothing for so long is no longer sending.
pub const LOCK_TIMEOUT: SignedDuration = SignedDuration::from_secs(30);

/// An upload under way.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the names are the columns'")]
pub struct Upload {
    pub id: String,
    pub blob: String,
    pub bucket_id: String,
    pub name: String,
    pub owner_id: Option<String>,
    pub replaces: bool,
    pub size: u64,
    pub received: u64,
    pub metadata: String,
    pub expires_at: String,
}

/// What a new upload is to become.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the names are the columns'")]
pub struct New {
    pub bucket_id: String,
    pub name: String,
    pub owner_id: Option<String>,
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
            owner_id: row.opt_text(4)?.map(str::to_owned),
            replaces: row.bool(5)?,
            size: row.int(6)?.unsigned_abs(),
            received: row.int(7)?.unsigned_abs(),
            metadata: text(8)?,
            expires_at: text(9)?,
        })
    }
}

/// Begins an upload.
pub fn insert(tx: &mut Tx<'_>, new: New, now: Timestamp) -> Result<Upload, Error> {
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
        expires_at: format_timestamp(now + LIFE),
    };
    tx.insert(
        "uploads",
        [
            ("id", upload.id.as_str().into()),
            ("blob", upload.blob.as_str().into()),
            ("bucket_id", upload.bucket_id.as_str().into()),
            ("name", upload.name.as_str().into()),
            ("owner_id", upload.owner_id.clone().into()),
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

/// The upload of that id, unless it was given up.
pub fn find(tx: &mut Tx<'_>, id: &str, now: Timestamp) -> Result<Option<Upload>, Error> {
    let mut query = Query::select();
    query.columns(COLUMNS).from("uploads").and_where(Expr::col("id").eq(id));
    query.and_where(Expr::col("expires_at").gt(format_timestamp(now)));
    tx.rows(&query)?.first().map(Upload::read).transpose()
}

/// Takes the turn to send bytes behind the first `received`; `false` when somebody else has it.
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

/// Ends every turn: for whoever knows that nobody else can be receiving.
pub fn release_all_locks(tx: &mut Tx<'_>) -> Result<(), Error> {
    let mut statement = Query::update();
    statement.table("uploads").value("writer", Option::<String>::None);
    tx.execute(statement.and_where(Expr::col("writer").is_not_null())).map(drop)
}

/// Writes down how much is on the disk, and keeps the turn or (`last`) gives it back; `false` when it was lost.
pub fn progress(
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

/// Writes down that the whole file is in its place, and ends the turn; `false` when it was lost. Without a writer
/// nobody may have it.
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

/// Ends an upload, whether it became a file or not.
pub fn delete(tx: &mut Tx<'_>, id: &str) -> Result<(), Error> {
    tx.execute(Query::delete().from_table("uploads").and_where(Expr::col("id").eq(id))).map(drop)
}

/// Gives up those whose time is over and that nobody is sending. A crash may have left one's whole blob.
pub fn expire(tx: &mut Tx<'_>, now: Timestamp) -> Result<(), Error> {
    let over = Condition::all().add(Expr::col("expires_at").lte(format_timestamp(now))).add(
        Condition::any()
            .add(Expr::col("writer").is_null())
            .add(Expr::col("writer_until").lte(format_timestamp(now))),
    );
    abort(tx, over, now)
}

/// Gives up those that a condition names. Whoever is sending one finds it gone.
pub fn abort(tx: &mut Tx<'_>, which: Condition, now: Timestamp) -> Result<(), Error> {
    let mut over = Query::select();
    over.columns(["id", "blob"]).from("uploads").cond_where(which);
    for row in tx.rows(over.lock_exclusive())?.iter() {
        delete(tx, row.text(0)?)?;
        object::delete(tx, row.text(1)?, now)?;
    }
    Ok(())
}

/// Those of the blobs' names that belong to uploads under way.
pub fn active(tx: &mut Tx<'_>, blobs: &[String]) -> Result<Vec<String>, Error> {
    let mut query = Query::select();
    query.column("blob").from("uploads").and_where(Expr::col("blob").is_in(blobs));
    tx.rows(&query)?.iter().map(|row| row.text(0).map(str::to_owned)).collect()
}

fn signed(size: u64) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}
