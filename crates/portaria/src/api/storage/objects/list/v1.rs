//! `POST /object/list/{bucket}`: the direct children of a directory. The prefix is taken for a directory, with or
//! without its slash.

use std::{cmp::min, sync::Arc};

use axum::{Extension, extract::State, response::Response};
use sea_query::{Expr, ExprTrait, Order, Query, SelectStatement};
use serde::Deserialize;
use serde_json::{Value, json};
use unicode_normalization::UnicodeNormalization;

use crate::api::answer_memory;
use crate::api::storage::{
    StorageError, caller, coercion,
    extract::{BucketPath, JsonBody},
    objects::list::directory::{DIRECTORY_ALIAS, DirectoryEntry, column, directory_query, entries},
    reserve_answer, response,
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

/// Maximum number of entries per response.
const MAX_LIMIT: u64 = 1000;
/// Number of entries without a limit.
const DEFAULT_LIMIT: u64 = 100;

/// Maximum size of an entry: twice the name of a file, its metadata and its timestamps.
const ENTRY_BYTES: u64 = 4 << 10;

/// Request body.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    #[serde(default)]
    prefix: String,
    #[serde(default, deserialize_with = "coercion::count")]
    limit: Option<u64>,
    #[serde(default, deserialize_with = "coercion::count")]
    offset: Option<u64>,
    #[serde(default)]
    search: Option<String>,
    #[serde(default)]
    sort_by: Option<SortBy>,
}

impl Body {
    fn limit(&self) -> u64 {
        min(self.limit.unwrap_or(DEFAULT_LIMIT), MAX_LIMIT)
    }
}

/// Returns the maximum size of a list.
pub(super) fn answer_bytes(entries: u64) -> usize {
    usize::try_from(entries.saturating_mul(ENTRY_BYTES)).unwrap_or(usize::MAX)
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

/// Sort direction.
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

/// Returns the files and folders under the prefix that the caller may read. The list of a missing bucket, and of one
/// that the caller may not list, is empty.
///
/// # Errors
/// `InvalidRequest` for a malformed body; `ServerBusy`.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    BucketPath(bucket): BucketPath,
    body: JsonBody,
) -> Result<Response, StorageError> {
    let mut body: Body = body.read(&["prefix"])?;
    if body.limit == Some(0) {
        return Err(StorageError::invalid_request("body/limit must be >= 1"));
    }
    // Names are stored in the form NFC.
    body.prefix = body.prefix.nfc().collect();
    body.search = body.search.map(|search| search.nfc().collect());
    if !body.prefix.is_empty() && !body.prefix.ends_with('/') {
        body.prefix.push('/');
    }
    let memory = reserve_answer(&app, &credential, answer_bytes(body.limit())).await?;
    let list = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let caller = caller(tx, &credential, app)?;
        let Ok(listed) = policy::listed_objects(caller) else { return Ok(Vec::new()) };
        // The search text is relative to the prefix and may contain directories.
        let search = body.search.as_deref().unwrap_or_default();
        let (subdirectory, _) =
            search.rsplit_once('/').map_or(("", search), |(directory, name)| (directory, name));
        let subdirectory =
            if subdirectory.is_empty() { String::new() } else { format!("{subdirectory}/") };

        let condition = listed.add(Expr::col(("objects", "bucket_id")).eq(bucket));
        let condition = condition.add_option(name_starts_with(tx.dialect(), &body.prefix, search));
        let directory = format!("{}{subdirectory}", body.prefix);
        let statement = page(directory_query(tx.dialect(), condition, &directory), &body);
        let entries = entries(tx, &statement)?;

        let to_json = |(entry, _)| match entry {
            DirectoryEntry::Folder(label) => {
                folder(&format!("{subdirectory}{}", label.trim_end_matches('/')))
            }
            DirectoryEntry::File(label, object) => {
                response::list_entry(&object, &format!("{subdirectory}{label}"))
            }
        };
        Ok::<_, StorageError>(entries.into_iter().map(to_json).collect())
    };
    let entries: Vec<Value> = app.read(list).await?;
    Ok(answer_memory::json(&app, &entries.into(), memory))
}

/// Condition for names that begin with prefix and search text, ignoring case as in the original. `None` without both.
fn name_starts_with(dialect: Dialect, prefix: &str, search: &str) -> Option<Expr> {
    let start = format!("{prefix}{search}");
    let pattern = format!("{}%", literal(&start));
    (!start.is_empty()).then(|| dialect.ilike(Expr::col(("objects", "name")), &pattern))
}

/// Sorts and limits the directory's entries.
fn page(directory: SelectStatement, body: &Body) -> SelectStatement {
    let sort = body.sort_by.as_ref();
    let order: Order = sort.and_then(|sort| sort.order).unwrap_or(Direction::Asc).into();
    let mut query = Query::select();
    query.expr(column("label")).expr(column("file")).expr(Expr::cust("NULL"));
    query.from_subquery(directory, DIRECTORY_ALIAS);

    let time = match sort.and_then(|sort| sort.column) {
        None | Some(Column::Name) => None,
        Some(Column::CreatedAt) => Some("created_at"),
        Some(Column::UpdatedAt | Column::LastAccessedAt) => Some("updated_at"),
    };
    if let Some(time) = time {
        // A folder has no timestamp. Folders come first, sorted by name.
        let is_file =
            Expr::case(column("file").is_null(), Expr::cust("0")).finally(Expr::cust("1"));
        let file_time =
            Expr::case(column("file").is_null(), Expr::cust("''")).finally(column(time));
        query.order_by_expr(is_file.into(), Order::Asc);
        query.order_by_expr(file_time.into(), order.clone());
    }

    query.order_by_expr(column("label"), order.clone()).order_by_expr(column("file"), order);
    query.limit(body.limit());
    query.offset(min(body.offset.unwrap_or(0), i64::MAX.unsigned_abs()));
    query.take()
}

/// The list entry of a folder.
fn folder(name: &str) -> Value {
    json!({
        "name": name, "id": null, "updated_at": null, "created_at": null, "last_accessed_at": null,
        "metadata": null,
    })
}
