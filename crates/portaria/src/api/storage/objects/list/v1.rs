//! `POST /object/list/{bucket}`: what stands right under a prefix, which is taken for a folder.

use std::{cmp::min, sync::Arc};

use axum::{Extension, Json as Answer, extract::State};
use sea_query::{Expr, ExprTrait, Order, Query, SelectStatement};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::storage::{
    StorageError, caller,
    extract::{BucketPath, JsonBody},
    objects::list::directory::{DIRECTORY_ALIAS, DirectoryEntry, column, directory_query, entries},
    response,
};
use crate::{
    accounts::authenticate::Credential,
    app::App,
    db::{
        Tx,
        dialect::{Dialect, literal},
    },
    policy,
};

/// Entries in one answer at most.
const MAX_LIMIT: u64 = 1000;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    #[serde(default)]
    prefix: String,
    #[serde(default)]
    limit: Option<u64>,
    #[serde(default)]
    offset: Option<u64>,
    #[serde(default)]
    search: Option<String>,
    #[serde(default)]
    sort_by: Option<SortBy>,
}

#[derive(Deserialize)]
struct SortBy {
    #[serde(default)]
    column: Option<Column>,
    #[serde(default)]
    order: Option<Direction>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Column {
    Name,
    CreatedAt,
    UpdatedAt,
    LastAccessedAt,
}

/// Which way a list goes.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Direction {
    Asc,
    Desc,
}

impl From<Direction> for Order {
    fn from(direction: Direction) -> Self {
        match direction {
            Direction::Asc => Self::Asc,
            Direction::Desc => Self::Desc,
        }
    }
}

/// Answers with the files and folders under the prefix that the caller may read (contract §3.2).
///
/// # Errors
/// `InvalidRequest` for a body of another form. What the caller may not read is not listed, and a bucket that does
/// not exist holds nothing.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    BucketPath(bucket): BucketPath,
    body: JsonBody,
) -> Result<Answer<Value>, StorageError> {
    let mut body: Body = body.read(&["prefix"])?;
    if body.limit == Some(0) {
        return Err(StorageError::invalid_request("body/limit must be >= 1"));
    }
    if !body.prefix.is_empty() && !body.prefix.ends_with('/') {
        body.prefix.push('/');
    }
    let inner = Arc::clone(&app);
    let list = move |tx: &mut Tx<'_>| {
        let caller = caller(tx, &credential, &inner)?;
        let Ok(listed) = policy::listed_objects(caller) else { return Ok(Vec::new()) };
        // A search goes on where the prefix ends, and may name folders on its way.
        let search = body.search.as_deref().unwrap_or_default();
        let (way, _) = search.rsplit_once('/').map_or(("", search), |(way, rest)| (way, rest));
        let way = if way.is_empty() { String::new() } else { format!("{way}/") };
        let condition = listed.add(Expr::col(("objects", "bucket_id")).eq(bucket));
        let condition = condition.add_option(begins(tx.dialect(), &body.prefix, search));
        let directory = format!("{}{way}", body.prefix);
        let statement = page(directory_query(tx.dialect(), condition, &directory), &body);
        let entries = entries(tx, &statement)?;
        let told = |(entry, _)| match entry {
            DirectoryEntry::Folder(label) => {
                folder(&format!("{way}{}", label.trim_end_matches('/')))
            }
            DirectoryEntry::File(label, object) => {
                response::list_entry(&object, &format!("{way}{label}"))
            }
        };
        Ok::<_, StorageError>(entries.into_iter().map(told).collect())
    };
    Ok(Answer(app.db.read(list).await?.into()))
}

/// Case does not matter, as in the original.
fn begins(dialect: Dialect, prefix: &str, search: &str) -> Option<Expr> {
    let start = format!("{prefix}{search}");
    let pattern = format!("{}%", literal(&start));
    (!start.is_empty()).then(|| dialect.ilike(Expr::col(("objects", "name")), &pattern))
}

fn page(level: SelectStatement, body: &Body) -> SelectStatement {
    let sort = body.sort_by.as_ref();
    let order: Order = sort.and_then(|sort| sort.order).unwrap_or(Direction::Asc).into();
    let mut query = Query::select();
    query.expr(column("label")).expr(column("file")).expr(Expr::cust("NULL"));
    query.from_subquery(level, DIRECTORY_ALIAS);
    let time = match sort.and_then(|sort| sort.column) {
        None | Some(Column::Name) => None,
        Some(Column::CreatedAt) => Some("created_at"),
        Some(Column::UpdatedAt | Column::LastAccessedAt) => Some("updated_at"),
    };
    if let Some(time) = time {
        // A folder has no time: folders come first, by name.
        let is_file =
            Expr::case(column("file").is_null(), Expr::cust("0")).finally(Expr::cust("1"));
        let of_file = Expr::case(column("file").is_null(), Expr::cust("''")).finally(column(time));
        query.order_by_expr(is_file.into(), Order::Asc);
        query.order_by_expr(of_file.into(), order.clone());
    }
    query.order_by_expr(column("label"), order.clone()).order_by_expr(column("file"), order);
    query.limit(min(body.limit.unwrap_or(100), MAX_LIMIT));
    query.offset(min(body.offset.unwrap_or(0), i64::MAX.unsigned_abs()));
    query.take()
}

fn folder(name: &str) -> Value {
    json!({
        "name": name, "id": null, "updated_at": null, "created_at": null, "last_accessed_at": null,
        "metadata": null,
    })
}
