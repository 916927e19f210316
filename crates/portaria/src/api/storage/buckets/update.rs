//! `PUT /bucket/{id}`: changes a bucket's visibility and limits.

use std::sync::Arc;

use axum::{Extension, Json, extract::State};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::storage::{
    StorageError, audit_bucket,
    buckets::BucketLimits,
    coercion,
    extract::{BucketPath, JsonBody},
    require_bucket_manager,
    upload_policy::is_strict,
};
use crate::audit::EventName;
use crate::{
    accounts::authenticate::Credential, app::App, clock::format_timestamp, stored_files::bucket,
};

/// Request body.
#[derive(Deserialize)]
struct Body {
    #[serde(default, deserialize_with = "coercion::boolean")]
    public: Option<bool>,
    #[serde(default)]
    versioning_status: Option<String>,
    #[serde(flatten)]
    limits: BucketLimits,
}

/// Changes the properties that the request contains.
///
/// # Errors
/// `AccessDenied` for clients, and for a request to make one of the portal's own buckets public: documents would become
/// readable without a session. `NoSuchBucket`; `InvalidRequest` for an empty request or versioning.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    BucketPath(id): BucketPath,
    body: JsonBody,
) -> Result<Json<Value>, StorageError> {
    let body = body.read::<Body>(&[]);
    app.write(move |tx, app| {
        let caller = require_bucket_manager(tx, &credential, app)?;
        let body = body?;
        if body.versioning_status.is_some() {
            return Err(StorageError::invalid_request(
                "Only standard buckets without versions are offered",
            ));
        }
        if body.public.is_none() && body.limits.changed_columns().is_empty() {
            return Err(StorageError::invalid_request("No content provided"));
        }
        let mut bucket = bucket::lock(tx, &id)?.ok_or_else(StorageError::no_bucket)?;
        if is_strict(&bucket.id) && body.public == Some(true) {
            return Err(StorageError::denied("The portal's own buckets stay private"));
        }

        let mut columns = body.limits.changed_columns();
        columns.extend(body.public.map(|_| "public"));
        bucket.public = body.public.unwrap_or(bucket.public);
        body.limits.apply(&mut bucket, app.config.max_upload)?;
        bucket.updated_at = format_timestamp(app.clock.now());
        bucket::update(tx, &bucket)?;

        let detail = json!({"columns": columns, "public": bucket.public});
        audit_bucket(tx, app, caller, &bucket, EventName::BucketChanged, detail);
        Ok(())
    })
    .await?;
    Ok(Json(json!({"message": "Successfully updated"})))
}
