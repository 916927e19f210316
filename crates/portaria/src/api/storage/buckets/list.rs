//! `GET /bucket` and `GET /bucket/{id}`: list buckets. For clients no bucket exists.

use std::sync::Arc;

use axum::{
    Extension, Json,
    extract::{RawQuery, State},
};
use sea_query::{Condition, Order};
use serde_json::Value;

use crate::api::storage::{
    StorageError, buckets, caller,
    extract::{BucketPath, query_param},
};
use crate::{
    accounts::authenticate::Credential,
    app::App,
    db::Tx,
    policy,
    stored_files::bucket::{self, Bucket, BucketPage},
};

/// Returns the buckets, sorted by the requested column or by name.
///
/// # Errors
/// `InvalidRequest` for invalid query parameters.
pub async fn all(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    RawQuery(query): RawQuery,
) -> Result<Json<Value>, StorageError> {
    let page = page(query.as_deref())?;
    let search = query_param(query.as_deref(), "search");
    let list = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        if policy::check_manage_buckets(caller(tx, &credential, app)?).is_err() {
            return Ok(Vec::new());
        }
        Ok::<_, StorageError>(bucket::list(tx, search.as_deref(), &page)?)
    };
    let buckets = app.read(list).await?;
    let list_entry = |bucket: &Bucket| {
        let mut entry = buckets::bucket_json(bucket);
        // As in the original, only the list contains the type.
        entry["type"] = "STANDARD".into();
        entry
    };
    Ok(Json(buckets.iter().map(list_entry).collect()))
}

/// Returns one bucket.
///
/// # Errors
/// `NoSuchBucket`.
pub async fn one(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    BucketPath(id): BucketPath,
) -> Result<Json<Value>, StorageError> {
    let find = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        policy::check_manage_buckets(caller(tx, &credential, app)?)
            .map_err(|_| StorageError::no_bucket())?;
        bucket::find(tx, &id, Condition::all())?.ok_or_else(StorageError::no_bucket)
    };
    Ok(Json(buckets::bucket_json(&app.read(find).await?)))
}

/// Parses `limit`, `offset`, `sortColumn` and `sortOrder`.
fn page(query: Option<&str>) -> Result<BucketPage, StorageError> {
    let number = |name: &str, min: u64| {
        let Some(text) = query_param(query, name) else { return Ok(None) };
        let number = text.parse().ok().filter(|number| *number >= min);
        number.map(Some).ok_or_else(|| {
            StorageError::invalid_request(format!("querystring/{name} must be >= {min}"))
        })
    };
    let invalid = |name: &str| {
        StorageError::invalid_request(format!(
            "querystring/{name} must be equal to one of the allowed values"
        ))
    };
    Ok(BucketPage {
        column: match query_param(query, "sortColumn").as_deref() {
            None | Some("name") => "name",
            Some("id") => "id",
            Some("created_at") => "created_at",
            Some("updated_at") => "updated_at",
            Some(_) => return Err(invalid("sortColumn")),
        },
        order: match query_param(query, "sortOrder").as_deref() {
            None | Some("asc") => Order::Asc,
            Some("desc") => Order::Desc,
            Some(_) => return Err(invalid("sortOrder")),
        },
        limit: number("limit", 1)?.unwrap_or(1000).min(1000),
        offset: number("offset", 0)?.unwrap_or(0).min(i64::MAX.unsigned_abs()),
    })
}
