//! `DELETE /bucket/{id}`: remove a bucket that holds nothing.

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State};
use serde_json::{Value, json};

use super::{StorageError, ask::InBucket, office};
use crate::{
    app::App,
    buckets,
    db::{self, Tx},
    objects::BUCKET,
    session::Credential,
};

/// # Errors
/// `AccessDenied` for all but the office, and for the documents' bucket; `NoSuchBucket`; `ResourceNotEmpty`.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    InBucket(id): InBucket,
) -> Result<Answer<Value>, StorageError> {
    let inner = Arc::clone(&app);
    let delete = move |tx: &mut Tx<'_>| {
        office(tx, &credential, &inner)?;
        let bucket = buckets::lock(tx, &id)?.ok_or_else(StorageError::no_bucket)?;
        if bucket.id == BUCKET {
            return Err(StorageError::denied("The bucket of the documents stays"));
        }
        match buckets::delete(tx, &bucket.id) {
            Err(db::Error::ForeignKey(_)) => Err(StorageError::bucket_not_empty()),
            other => Ok(other?),
        }
    };
    app.db.write(delete).await?;
    Ok(Answer(json!({"message": "Successfully deleted"})))
}
