//! `POST /object/list-v2/{bucket}`: files whose names begin with a prefix, in pages. With a delimiter, names are
//! grouped into folders.

use std::{cmp::min, sync::Arc};

use axum::{Extension, extract::State, response::Response};
use sea_query::{Condition, Expr, ExprTrait, Order, Query, SelectStatement};
use serde::Deserialize;
use serde_json::{Value, json};
use unicode_normalization::UnicodeNormalization;

use crate::api::answer_memory;
use crate::api::storage::{
    StorageError, caller, coercion,
    extract::{BucketPath, JsonBody},
    objects::list::{
        cursor::{Column, Cursor},
        directory::{DIRECTORY_ALIAS, DirectoryEntry, column, directory_query, entries},
        v1::{Direction, answer_bytes},
    },
    reserve_answer, response,
};
use crate::{
    accounts::authenticate::Credential, app::App, db::Tx, policy, stored_files::object::Object,
};

/// Maximum number of entries per response.
const MAX_LIMIT: u64 = 1000;

/// Request body.
#[derive(Deserialize)]
struct Body {
    #[serde(default)]
    prefix: Option<String>,
    #[serde(default, deserialize_with = "coercion::count")]
    limit: Option<u64>,
    #[serde(default)]
    cursor: Option<String>,
    #[serde(default, deserialize_with = "coercion::boolean")]
    with_delimiter: Option<bool>,
    #[serde(default, rename = "sortBy")]
    sort_by: Option<SortBy>,
}

#[derive(Deserialize)]
struct SortBy {
    #[serde(default)]
    column: Option<Column>,
    #[serde(default)]
    order: Option<Direction>,
}

/// One page of a list. `after` is the cursor of the previous page.
struct Page {
    prefix: String,
    with_delimiter: bool,
    column: Column,
    descending: bool,
    after: Option<Cursor>,
    limit: u64,
}

/// Returns one page with the cursor of the next. Files that the caller may not read are not listed.
///
/// # Errors
/// `InvalidRequest` for a malformed body or cursor; `ServerBusy`.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    BucketPath(bucket): BucketPath,
    body: JsonBody,
) -> Result<Response, StorageError> {
    let page = Page::read(body.read(&[])?)?;
    let memory = reserve_answer(&app, &credential, answer_bytes(page.limit)).await?;
    let list = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let caller = caller(tx, &credential, app)?;
        let Ok(listed) = policy::listed_objects(caller) else {
            return Ok(page.to_json(Vec::new()));
        };
        let name = Expr::col(("objects", "name"));
        // A range that contains every name with the prefix, because an index serves it.
        let end = format!("{}\u{10FFFF}", page.prefix);
        let condition = listed
            .add(Expr::col(("objects", "bucket_id")).eq(bucket))
            .add(name.clone().gte(&page.prefix))
            .add(name.lt(end));
        let statement = page.statement(tx, condition);
        let entries = entries(tx, &statement)?;
        Ok::<_, StorageError>(page.to_json(entries))
    };
    Ok(answer_memory::json(&app, &app.read(list).await?, memory))
}

impl Page {
    fn read(body: Body) -> Result<Self, StorageError> {
        if body.limit == Some(0) {
            return Err(StorageError::invalid_request("body/limit must be >= 1"));
        }
        // The cursor determines the order of the following pages. Clients send an empty one for the first page.
        let cursor = body.cursor.as_deref().filter(|cursor| !cursor.is_empty());
        let after = cursor.map(Cursor::read).transpose()?;
        let sort = body.sort_by.as_ref();
        let (column, descending) = after.as_ref().map_or_else(
            || {
                let order = sort.and_then(|sort| sort.order);
                let column = sort.and_then(|sort| sort.column).unwrap_or_default();
                (column, matches!(order, Some(Direction::Desc)))
            },
            |cursor| (cursor.column, cursor.descending),
        );
        Ok(Self {
            // Names are stored in the form NFC.
            prefix: body.prefix.unwrap_or_default().nfc().collect(),
            with_delimiter: body.with_delimiter.unwrap_or(false),
            column,
            descending,
            after,
            limit: min(body.limit.unwrap_or(MAX_LIMIT), MAX_LIMIT),
        })
    }

    /// Returns the directory part of the prefix, with its slash.
    fn directory(&self) -> &str {
        self.prefix.rfind('/').map_or("", |slash| &self.prefix[..=slash])
    }

    /// Selects the entries after the cursor, one more than the limit.
    fn statement(&self, tx: &Tx<'_>, condition: Condition) -> SelectStatement {
        let mut query = Query::select();
        let (name, time) = if self.with_delimiter {
            let name = column("label");
            query.expr(name.clone()).expr(column("file"));
            query.from_subquery(
                directory_query(tx.dialect(), condition, self.directory()),
                DIRECTORY_ALIAS,
            );
            (name, self.column.time().map(column))
        } else {
            let name = Expr::col(("objects", "name"));
            query.expr(name.clone()).column(("objects", "id")).from("objects");
            query.cond_where(condition);
            (name, self.column.time().map(|time| Expr::col(("objects", time))))
        };
        query.expr(time.clone().unwrap_or_else(|| Expr::cust("NULL")));

        if let Some(after) = &self.after {
            let after_cursor = |expr: Expr, value: &str| {
                if self.descending { expr.lt(value) } else { expr.gt(value) }
            };
            let name_after_cursor = after_cursor(name.clone(), &after.name);
            query.cond_where(match (time.clone(), &after.time) {
                (Some(time), Some(last)) => Condition::any()
                    .add(after_cursor(time.clone(), last))
                    .add(Condition::all().add(time.eq(last)).add(name_after_cursor)),
                _ => Condition::all().add(name_after_cursor),
            });
        }

        let order = if self.descending { Order::Desc } else { Order::Asc };
        if let Some(time) = time {
            query.order_by_expr(time, order.clone());
        }
        query.order_by_expr(name, order).limit(self.limit + 1);
        query.take()
    }

    /// Renders the page. `entries` contains one entry beyond the limit if another page follows.
    fn to_json(&self, mut entries: Vec<(DirectoryEntry, Option<String>)>) -> Value {
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let has_next = entries.len() > limit;
        entries.truncate(limit);
        let next_cursor = entries.last().filter(|_| has_next).map(|(entry, time)| {
            let (DirectoryEntry::Folder(name) | DirectoryEntry::File(name, _)) = entry;
            let (name, time) = (name.clone(), time.clone());
            Cursor { column: self.column, descending: self.descending, name, time }
        });

        let (mut folders, mut objects) = (Vec::new(), Vec::new());
        for (entry, _) in entries {
            match entry {
                DirectoryEntry::Folder(label) => folders.push(json!({
                    "name": format!("{}{label}", self.directory()),
                    "key": label.trim_end_matches('/'),
                })),
                DirectoryEntry::File(label, object) => objects.push(file(&object, &label)),
            }
        }

        let mut page = json!({"hasNext": has_next, "folders": folders, "objects": objects});
        if let Some(cursor) = next_cursor {
            page["nextCursor"] = cursor.to_text().into();
        }
        page
    }
}

/// The list entry of a file: `name` is the complete name, `key` the name relative to the directory.
fn file(object: &Object, label: &str) -> Value {
    let mut entry = response::list_entry(object, &object.name);
    entry["key"] = label.into();
    entry["version"] = object.version.as_str().into();
    entry
}
