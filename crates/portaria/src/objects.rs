//! Stored files as rows: the name that people know, and the blob behind it.
//!
//! An object's row always has its whole blob. A blob that lost its row is listed in `blob_gc` and unlinked later.

use jiff::Timestamp;
use sea_query::{Condition, Expr, ExprTrait, OnConflict, Query, SelectStatement};

use crate::{
    clock::stamp,
    db::{Error, Tx},
    files::Written,
};

/// The bucket of the documents (spec §9).
pub const BUCKET: &str = "client-documents";

/// A stored file.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the names are the columns'")]
pub struct Object {
    pub id: String,
    pub bucket_id: String,
    pub name: String,
    pub blob: String,
    pub size: u64,
    pub sha256: String,
    pub mime_type: String,
    pub cache_control: String,
    pub user_metadata: Option<String>,
    pub created_at: String,
    pub updated_at: String,
}

/// What a new object is to hold besides its blob.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the names are the columns'")]
pub struct New {
    pub id: String,
    pub bucket_id: String,
    pub name: String,
    pub owner_id: Option<String>,
    pub mime_type: String,
    pub cache_control: String,
    pub user_metadata: Option<String>,
}

/// The object of that name, if it meets `condition` too.
pub fn find(
    tx: &mut Tx<'_>,
    bucket: &str,
    name: &str,
    condition: Condition,
) -> Result<Option<Object>, Error> {
    let mut query = Query::select();
    query
        .columns([
            "id",
            "bucket_id",
            "name",
            "blob",
            "size",
            "sha256",
            "mime_type",
            "cache_control",
        ])
        .columns(["user_metadata", "created_at", "updated_at"])
        .from("objects")
        .and_where(Expr::col("bucket_id").eq(bucket))
        .and_where(Expr::col("name").eq(name))
        .cond_where(condition);
    let rows = tx.rows(&query)?;
    let Some(row) = rows.first() else { return Ok(None) };
    let text = |column| row.text(column).map(str::to_owned);
    Ok(Some(Object {
        id: text(0)?,
        bucket_id: text(1)?,
        name: text(2)?,
        blob: text(3)?,
        size: row.int(4)?.unsigned_abs(),
        sha256: text(5)?,
        mime_type: text(6)?,
        cache_control: text(7)?,
        user_metadata: row.opt_text(8)?.map(str::to_owned),
        created_at: text(9)?,
        updated_at: text(10)?,
    }))
}

/// Adds an object, or (`replace`) gives an existing one other bytes. Returns its id.
///
/// # Errors
/// [`Error::Unique`] when the name is taken and `replace` is not asked for.
pub fn insert(
    tx: &mut Tx<'_>,
    new: &New,
    written: &Written,
    replace: bool,
    now: Timestamp,
) -> Result<String, Error> {
    if replace {
        retire(tx, &named(&new.bucket_id, &[&new.name]), now)?;
    }
    let now = stamp(now);
    let size =
        i64::try_from(written.size).map_err(|_| Error::Internal("a file beyond 63 bits".into()))?;
    tx.insert(
        "objects",
        [
            ("id", new.id.as_str().into()),
            ("bucket_id", new.bucket_id.as_str().into()),
            ("name", new.name.as_str().into()),
            ("owner_id", new.owner_id.clone().into()),
            ("blob", written.blob.as_str().into()),
            ("size", size.into()),
            ("sha256", written.sha256.as_str().into()),
            ("mime_type", new.mime_type.as_str().into()),
            ("cache_control", new.cache_control.as_str().into()),
            ("user_metadata", new.user_metadata.clone().into()),
            ("created_at", now.as_str().into()),
            ("updated_at", now.as_str().into()),
        ],
    )?;
    Ok(new.id.clone())
}

/// The condition that names objects of a bucket.
#[must_use]
pub fn named(bucket: &str, names: &[&str]) -> Condition {
    Condition::all()
        .add(Expr::col("bucket_id").eq(bucket))
        .add(Expr::col("name").is_in(names.iter().copied()))
}

/// The condition that names the files of the documents that `documents` selects (its one column: `file_url`).
#[must_use]
pub fn of_documents(documents: SelectStatement) -> Condition {
    Condition::all()
        .add(Expr::col("bucket_id").eq(BUCKET))
        .add(Expr::col("name").in_subquery(documents))
}

/// Removes objects, and with them every way to their bytes, which are unlinked later.
pub fn retire(tx: &mut Tx<'_>, which: &Condition, now: Timestamp) -> Result<(), Error> {
    tx.execute(
        Query::insert()
            .into_table("blob_gc")
            .columns(["blob", "since"])
            .select_from(
                Query::select()
                    .column("blob")
                    .expr(Expr::val(stamp(now)))
                    .from("objects")
                    .cond_where(which.clone())
                    .take(),
            )
            .map_err(|error| Error::Internal(error.to_string()))?
            .on_conflict(OnConflict::column("blob").do_nothing().to_owned()),
    )?;
    tx.execute(Query::delete().from_table("objects").cond_where(which.clone()))?;
    Ok(())
}
