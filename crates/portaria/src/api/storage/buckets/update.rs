//! `PUT /bucket/{id}`: whether a bucket is open to everybody, and what it takes.

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::storage::{
    StorageError,
    buckets::Limits,
    extract::{BucketPath, JsonBody},
    require_staff, tell_bucket,
    upload_policy::is_strict,
};
use crate::{
    accounts::authenticate::Credential, app::App, clock::format_timestamp, db::Tx,
    stored_files::bucket,
};

#[derive(Deserialize)]
struct Body {
    #[serde(default)]
    public: Option<bool>,
    #[serde(default)]
    versioning_status: Option<String>,
    #[serde(flatten)]
    limits: Limits,
}

/// Changes what the request names, and leaves the rest.
///
/// # Errors
/// `AccessDenied` for all but the office, and for everybody who would open one of the portal's own (behaviour B3).
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    BucketPath(id): BucketPath,
    body: JsonBody,
) -> Result<Answer<Value>, StorageError> {
    let body = body.read::<Body>(&[]);
    let inner = Arc::clone(&app);
    let update = move |tx: &mut Tx<'_>| {
        let caller = require_staff(tx, &credential, &inner)?;
        let body = body?;
        if body.versioning_status.is_some() {
            return Err(StorageError::invalid_request(
                "Only standard buckets without versions are offered",
            ));
        }
        if body.public.is_none() && body.limits.told().is_empty() {
            return Err(StorageError::invalid_request("No content provided"));
        }
        let mut bucket = bucket::lock(tx, &id)?.ok_or_else(StorageError::no_bucket)?;
        if is_strict(&bucket.id) && body.public == Some(true) {
            return Err(StorageError::denied("The portal's own buckets stay private"));
        }
        let mut told = body.limits.told();
        told.extend(body.public.map(|_| "public"));
        bucket.public = body.public.unwrap_or(bucket.public);
        body.limits.apply(&mut bucket)?;
        bucket.updated_at = format_timestamp(inner.clock.now());
        bucket::update(tx, &bucket)?;
        let detail = json!({"columns": told, "public": bucket.public});
        tell_bucket(tx, &inner, caller, ("bucket.changed", detail), &bucket);
        Ok(())
    };
    app.db.write(update).await?;
    Ok(Answer(json!({"message": "Successfully updated"})))
}
