//! Rows of `buckets`: groups of objects with common limits.

use sea_query::{Condition, Expr, ExprTrait, Order, Query, SelectStatement};

use crate::{
    db::{Error, Row, Tx, dialect},
    security::ids::UserId,
};

/// A bucket.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "fields are named like the columns")]
pub struct Bucket {
    pub id: String,
    pub name: String,
    pub owner_id: Option<UserId>,
    pub public: bool,
    pub file_size_limit: Option<u64>,
    pub allowed_mime_types: Option<Vec<String>>,
    pub created_at: String,
    pub updated_at: String,
}

const COLUMNS: [&str; 8] = [
    "id",
    "name",
    "owner_id",
    "public",
    "file_size_limit",
    "allowed_mime_types",
    "created_at",
    "updated_at",
];

/// Order and range of a list of buckets.
#[derive(Debug, Clone)]
pub struct BucketPage {
    /// Sort column of the table.
    pub column: &'static str,
    /// Sort direction.
    pub order: Order,
    /// Maximum number of buckets.
    pub limit: u64,
    /// Number of buckets to skip.
    pub offset: u64,
}

impl Bucket {
    fn read(row: Row<'_>) -> Result<Self, Error> {
        let text = |column| row.text(column).map(str::to_owned);
        let types = row.opt_text(5)?.map(serde_json::from_str).transpose();
        Ok(Self {
            id: text(0)?,
            name: text(1)?,
            owner_id: row.opt_parse(2)?,
            public: row.bool(3)?,
            file_size_limit: row.opt_int(4)?.map(i64::unsigned_abs),
            allowed_mime_types: types.map_err(|error| Error::Internal(error.to_string()))?,
            created_at: text(6)?,
            updated_at: text(7)?,
        })
    }

    fn values(&self) -> [Expr; 8] {
        let bucket = self.clone();
        let limit = bucket.file_size_limit.map(|limit| i64::try_from(limit).unwrap_or(i64::MAX));
        let types = bucket.allowed_mime_types.map(|types| serde_json::json!(types).to_string());
        [
            bucket.id.into(),
            bucket.name.into(),
            bucket.owner_id.into(),
            bucket.public.into(),
            limit.into(),
            types.into(),
            bucket.created_at.into(),
            bucket.updated_at.into(),
        ]
    }
}

/// Finds a bucket by id that also meets `condition`.
pub fn find(tx: &mut Tx<'_>, id: &str, condition: Condition) -> Result<Option<Bucket>, Error> {
    tx.rows(select(id).cond_where(condition))?.first().map(Bucket::read).transpose()
}

/// Finds and locks a bucket. Until the transaction ends, no other transaction changes it or adds objects to it.
pub fn lock(tx: &mut Tx<'_>, id: &str) -> Result<Option<Bucket>, Error> {
    tx.rows(select(id).lock_exclusive())?.first().map(Bucket::read).transpose()
}

fn select(id: &str) -> SelectStatement {
    let mut query = Query::select();
    query.columns(COLUMNS).from("buckets").and_where(Expr::col("id").eq(id)).take()
}

/// Lists buckets. `text` restricts them to names that contain it, ignoring case.
pub fn list(tx: &mut Tx<'_>, text: Option<&str>, page: &BucketPage) -> Result<Vec<Bucket>, Error> {
    let mut query = Query::select();
    query.columns(COLUMNS).from("buckets");
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        let pattern = format!("%{}%", dialect::literal(text));
        query.and_where(tx.dialect().ilike(Expr::col("name"), &pattern));
    }
    query.order_by(page.column, page.order.clone()).order_by("id", page.order.clone());
    tx.rows(query.limit(page.limit).offset(page.offset))?.iter().map(Bucket::read).collect()
}

/// Inserts a bucket.
///
/// # Errors
/// [`Error::Unique`] if the id or the name exists.
pub fn insert(tx: &mut Tx<'_>, bucket: &Bucket) -> Result<(), Error> {
    let mut statement = Query::insert();
    statement.into_table("buckets").columns(COLUMNS).values_panic(bucket.values());
    tx.execute(&statement).map(drop)
}

/// Updates all columns of a bucket.
pub fn update(tx: &mut Tx<'_>, bucket: &Bucket) -> Result<(), Error> {
    let mut statement = Query::update();
    statement.table("buckets").values(COLUMNS.into_iter().zip(bucket.values()).skip(1));
    tx.execute(statement.and_where(Expr::col("id").eq(&bucket.id))).map(drop)
}

/// Deletes an empty bucket.
///
/// # Errors
/// [`Error::ForeignKey`] if the bucket contains objects.
pub fn delete(tx: &mut Tx<'_>, id: &str) -> Result<(), Error> {
    tx.execute(Query::delete().from_table("buckets").and_where(Expr::col("id").eq(id))).map(drop)
}
