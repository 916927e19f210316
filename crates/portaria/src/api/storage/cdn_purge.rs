//! `DELETE /cdn/{bucket}` and `/cdn/{bucket}/{path}`: forget what a cache holds. There is none between the files and
//! their readers, so nothing is left to forget.

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State};
use serde_json::{Value, json};

use crate::api::storage::{
    StorageError,
    extract::{InBucket, Place},
    known_bucket, office,
};
use crate::{accounts::authenticate::Credential, app::App};

/// # Errors
/// `AccessDenied` for all but the office, `NoSuchBucket`.
pub async fn bucket(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    InBucket(bucket): InBucket,
) -> Result<Answer<Value>, StorageError> {
    let inner = Arc::clone(&app);
    app.db
        .read::<_, StorageError, _>(move |tx| {
            let caller = office(tx, &credential, &inner)?;
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
    place: Place,
) -> Result<Answer<Value>, StorageError> {
    bucket(state, credential, InBucket(place.bucket)).await
}
