//! Buckets as rows: what holds objects, and which files it takes.

use sea_query::{Condition, Expr, ExprTrait, Order, Query, SelectStatement};

use crate::db::{Error, Row, Tx, dialect};

/// A bucket.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the names are the columns'")]
pub struct Bucket {
    pub id: String,
    pub name: String,
    pub owner_id: Option<String>,
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

/// In which order, and which of them, a list gives buckets.
#[derive(Debug, Clone)]
pub struct Page {
    /// A column of the table.
    pub column: &'static str,
    /// Which way.
    pub order: Order,
    /// How many at most.
    pub limit: u64,
    /// How many to leave out first.
    pub offset: u64,
}

impl Bucket {
    fn read(row: Row<'_>) -> Result<Self, Error> {
        let text = |column| row.text(column).map(str::to_owned);
        let opt_text = |column| row.opt_text(column).map(|text| text.map(str::to_owned));
        let types = row.opt_text(5)?.map(serde_json::from_str).transpose();
        Ok(Self {
            id: text(0)?,
            name: text(1)?,
            owner_id: opt_text(2)?,
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

/// The bucket of that id, if it meets `condition` too.
pub fn find(tx: &mut Tx<'_>, id: &str, condition: Condition) -> Result<Option<Bucket>, Error> {
    tx.rows(select(id).cond_where(condition))?.first().map(Bucket::read).transpose()
}

/// The bucket of that id. Nobody else changes it, or adds to it, before this transaction has ended.
pub fn lock(tx: &mut Tx<'_>, id: &str) -> Result<Option<Bucket>, Error> {
    tx.rows(select(id).lock_exclusive())?.first().map(Bucket::read).transpose()
}

fn select(id: &str) -> SelectStatement {
    let mut query = Query::select();
    query.columns(COLUMNS).from("buckets").and_where(Expr::col("id").eq(id)).take()
}

/// Buckets of which `text`, if given, is a part of the name.
pub fn list(tx: &mut Tx<'_>, text: Option<&str>, page: &Page) -> Result<Vec<Bucket>, Error> {
    let mut query = Query::select();
    query.columns(COLUMNS).from("buckets");
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        let pattern = format!("%{}%", dialect::literal(text));
        query.and_where(tx.dialect().ilike(Expr::col("name"), &pattern));
    }
    query.order_by(page.column, page.order.clone()).order_by("id", page.order.clone());
    tx.rows(query.limit(page.limit).offset(page.offset))?.iter().map(Bucket::read).collect()
}

/// Adds a bucket.
///
/// # Errors
/// [`Error::Unique`] when there is one of that id or name.
pub fn insert(tx: &mut Tx<'_>, bucket: &Bucket) -> Result<(), Error> {
    let mut statement = Query::insert();
    statement.into_table("buckets").columns(COLUMNS).values_panic(bucket.values());
    tx.execute(&statement).map(drop)
}

/// Writes a bucket's changed values.
pub fn update(tx: &mut Tx<'_>, bucket: &Bucket) -> Result<(), Error> {
    let mut statement = Query::update();
    statement.table("buckets").values(COLUMNS.into_iter().zip(bucket.values()).skip(1));
    tx.execute(statement.and_where(Expr::col("id").eq(&bucket.id))).map(drop)
}

/// Removes a bucket that holds nothing.
///
/// # Errors
/// [`Error::ForeignKey`] when it does hold something.
pub fn delete(tx: &mut Tx<'_>, id: &str) -> Result<(), Error> {
    tx.execute(Query::delete().from_table("buckets").and_where(Expr::col("id").eq(id))).map(drop)
}
