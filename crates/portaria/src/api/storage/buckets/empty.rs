//! `POST /bucket/{id}/empty`: deletes all files of a bucket.

use std::sync::Arc;

use axum::{Extension, Json, extract::State};
use sea_query::{Condition, Expr, ExprTrait};
use serde_json::{Value, json};

use crate::api::storage::{
    StorageError, audit_bucket, extract::BucketPath, lock_bucket, upload_policy::is_strict,
};
use crate::audit::EventName;
use crate::{accounts::authenticate::Credential, app::App, stored_files::object};

/// Deletes the rows of all files. Garbage collection removes the bytes later, in accordance with the original's
/// message.
///
/// # Errors
/// `AccessDenied` for clients and for the portal's own buckets, whose documents and messages would lose their files;
/// `NoSuchBucket`.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    BucketPath(id): BucketPath,
) -> Result<Json<Value>, StorageError> {
    app.write(move |tx, app| {
        let (caller, bucket) = lock_bucket(tx, &credential, app, &id)?;
        if is_strict(&bucket.id) {
            return Err(StorageError::denied("The portal's own buckets cannot be emptied"));
        }
        let all = Condition::all().add(Expr::col("bucket_id").eq(&bucket.id));
        let files = object::release(tx, &all, app.clock.now())?;
        audit_bucket(tx, app, caller, &bucket, EventName::BucketEmptied, json!({"files": files}));
        Ok::<_, StorageError>(())
    })
    .await?;
    Ok(Json(json!({"message": "Empty bucket has been queued. Completion may take up to an hour."})))
}
