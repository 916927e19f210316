//! `POST /bucket/{id}/empty`: deletes all files of a bucket.

use std::sync::Arc;

use axum::{Extension, Json, extract::State};
use sea_query::{Expr, ExprTrait};
use serde_json::{Value, json};

use crate::api::storage::{StorageError, audit_bucket, extract::BucketPath, lock_bucket};
use crate::audit::EventName;
use crate::{
    accounts::authenticate::Credential, app::App, documents::legal_hold, stored_files::object,
};

/// Deletes the rows of all files except those under legal hold. Garbage collection removes the bytes later, in
/// accordance with the original's message.
///
/// # Errors
/// `AccessDenied` for clients, `NoSuchBucket`.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    BucketPath(id): BucketPath,
) -> Result<Json<Value>, StorageError> {
    app.write(move |tx, app| {
        let (caller, bucket) = lock_bucket(tx, &credential, app, &id)?;
        let deletable = legal_hold::not_on_hold().add(Expr::col("bucket_id").eq(&bucket.id));
        let files = object::release(tx, &deletable, app.clock.now())?;
        audit_bucket(tx, app, caller, &bucket, EventName::BucketEmptied, json!({"files": files}));
        Ok::<_, StorageError>(())
    })
    .await?;
    Ok(Json(json!({"message": "Empty bucket has been queued. Completion may take up to an hour."})))
}
