//! `DELETE /cdn/{bucket}` and `/cdn/{bucket}/{path}`: forget what a cache holds. There is none between the files and
//! their readers, so nothing is left to forget.

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State};
use serde_json::{Value, json};

use crate::api::storage::{
    StorageError,
    extract::{BucketPath, ObjectPath},
    known_bucket, require_staff,
};
use crate::{accounts::authenticate::Credential, app::App};

/// # Errors
/// `AccessDenied` for all but the office, `NoSuchBucket`.
pub async fn bucket(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    BucketPath(bucket): BucketPath,
) -> Result<Answer<Value>, StorageError> {
    let inner = Arc::clone(&app);
    app.db
        .read::<_, StorageError, _>(move |tx| {
            let caller = require_staff(tx, &credential, &inner)?;
            known_bucket(tx, caller, &bucket)
        })
        .await?;
    Ok(Answer(json!({"message": "success"})))
}

/// # Errors
/// As [`bucket`].
pub async fn object(
    state: State<Arc<App>>,
    credential: Extension<Credential>,
    place: ObjectPath,
) -> Result<Answer<Value>, StorageError> {
    bucket(state, credential, BucketPath(place.bucket)).await
}
