//! `DELETE /cdn/{bucket}` and `/cdn/{bucket}/{path}`: purge a CDN. The portal has none, so these routes check the
//! caller and the bucket and do nothing.

use std::sync::Arc;

use axum::{Extension, Json, extract::State};
use serde_json::{Value, json};

use crate::api::storage::{
    StorageError,
    extract::{BucketPath, ObjectPath},
    require_staff, visible_bucket,
};
use crate::{accounts::authenticate::Credential, app::App};

/// Purges a bucket.
///
/// # Errors
/// `AccessDenied` for clients, `NoSuchBucket`.
pub async fn bucket(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    BucketPath(bucket): BucketPath,
) -> Result<Json<Value>, StorageError> {
    app.read::<_, StorageError, _>(move |tx, app| {
        let caller = require_staff(tx, &credential, app)?;
        visible_bucket(tx, caller, &bucket)
    })
    .await?;
    Ok(Json(json!({"message": "success"})))
}

/// Purges an object, which need not exist.
///
/// # Errors
/// As [`bucket`].
pub async fn object(
    state: State<Arc<App>>,
    credential: Extension<Credential>,
    path: ObjectPath,
) -> Result<Json<Value>, StorageError> {
    bucket(state, credential, BucketPath(path.bucket)).await
}
