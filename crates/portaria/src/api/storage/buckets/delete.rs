//! `DELETE /bucket/{id}`: remove a bucket that holds nothing.

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State};
use serde_json::{Value, json};

use crate::api::storage::{
    StorageError, extract::BucketPath, locked_bucket, tell_bucket, upload_policy::is_strict,
};
use crate::{
    accounts::authenticate::Credential,
    app::App,
    db::{self, Tx},
    stored_files::bucket,
};

/// # Errors
/// `AccessDenied` for all but the office, and for the portal's own; `NoSuchBucket`; `ResourceNotEmpty`.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    BucketPath(id): BucketPath,
) -> Result<Answer<Value>, StorageError> {
    let inner = Arc::clone(&app);
    let delete = move |tx: &mut Tx<'_>| {
        let (caller, bucket) = locked_bucket(tx, &credential, &inner, &id)?;
        if is_strict(&bucket.id) {
            return Err(StorageError::denied("The portal's own buckets stay"));
        }
        match bucket::delete(tx, &bucket.id) {
            Err(db::Error::ForeignKey(_)) => Err(StorageError::bucket_not_empty()),
            other => {
                other?;
                tell_bucket(tx, &inner, caller, ("bucket.deleted", json!({})), &bucket);
                Ok(())
            }
        }
    };
    app.db.write(delete).await?;
    Ok(Answer(json!({"message": "Successfully deleted"})))
}
