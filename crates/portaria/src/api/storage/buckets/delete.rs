//! `DELETE /bucket/{id}`: deletes an empty bucket.

use std::sync::Arc;

use axum::{Extension, Json, extract::State};
use serde_json::{Value, json};

use crate::api::storage::{
    StorageError, audit_bucket, extract::BucketPath, lock_bucket, upload_policy::is_strict,
};
use crate::audit::EventName;
use crate::{accounts::authenticate::Credential, app::App, db, stored_files::bucket};

/// Deletes an empty bucket.
///
/// # Errors
/// `AccessDenied` for clients and for the portal's own buckets; `NoSuchBucket`; `ResourceNotEmpty`.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    BucketPath(id): BucketPath,
) -> Result<Json<Value>, StorageError> {
    app.write(move |tx, app| {
        let (caller, bucket) = lock_bucket(tx, &credential, app, &id)?;
        if is_strict(&bucket.id) {
            return Err(StorageError::denied("The portal's own buckets stay"));
        }
        match bucket::delete(tx, &bucket.id) {
            Err(db::Error::ForeignKey(_)) => Err(StorageError::bucket_not_empty()),
            result => {
                result?;
                audit_bucket(tx, app, caller, &bucket, EventName::BucketDeleted, json!({}));
                Ok(())
            }
        }
    })
    .await?;
    Ok(Json(json!({"message": "Successfully deleted"})))
}
