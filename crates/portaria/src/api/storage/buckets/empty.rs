//! `POST /bucket/{id}/empty`: remove all files of a bucket.

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State};
use sea_query::{Expr, ExprTrait};
use serde_json::{Value, json};

use crate::api::storage::{StorageError, extract::BucketPath, locked_bucket, tell_bucket};
use crate::{
    accounts::authenticate::Credential, app::App, db::Tx, documents::legal_hold,
    stored_files::object,
};

/// Answers when the files are gone from every list and link, but for what a legal hold keeps; their bytes follow within
/// the hour that the original's words announce.
///
/// # Errors
/// `AccessDenied` for all but the office, `NoSuchBucket`.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    BucketPath(id): BucketPath,
) -> Result<Answer<Value>, StorageError> {
    let inner = Arc::clone(&app);
    let empty = move |tx: &mut Tx<'_>| {
        let (caller, bucket) = locked_bucket(tx, &credential, &inner, &id)?;
        let all = legal_hold::not_on_hold().add(Expr::col("bucket_id").eq(&bucket.id));
        let files = object::release(tx, &all, inner.clock.now())?;
        tell_bucket(tx, &inner, caller, ("bucket.emptied", json!({"files": files})), &bucket);
        Ok::<_, StorageError>(())
    };
    app.db.write(empty).await?;
    Ok(Answer(
        json!({"message": "Empty bucket has been queued. Completion may take up to an hour."}),
    ))
}
