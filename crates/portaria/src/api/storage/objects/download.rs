//! `GET` and `HEAD /object/{bucket}/{path}`, `/object/authenticated/…` and `/object/public/…`: downloads.

use std::sync::Arc;

use axum::{Extension, extract::State, response::Response};

use crate::api::storage::{
    StorageError,
    extract::ObjectPath,
    file_response::{FileRequest, file_response},
    find_for, find_public_file,
};
use crate::{accounts::authenticate::Credential, app::App, db::Tx};

/// Streams a file that the caller may read; `HEAD` sends the headers alone.
///
/// # Errors
/// `NoSuchKey`, for a missing file and for one that the caller may not read; those of `file_response`.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    path: ObjectPath,
    request: FileRequest,
) -> Result<Response, StorageError> {
    let find =
        move |tx: &mut Tx<'_>, app: &Arc<App>| Ok((find_for(tx, app, &credential, &path)?, ()));
    let (file, (), request) = request.find(&app, find).await?;
    file_response(&app, file, request).await
}

/// Streams a file of a public bucket, without a caller.
///
/// # Errors
/// `NoSuchBucket` if the bucket is not public. The names of documents begin with `public/` too, but their bucket is
/// private.
pub async fn public(
    State(app): State<Arc<App>>,
    path: ObjectPath,
    request: FileRequest,
) -> Result<Response, StorageError> {
    file_response(&app, find_public_file(&app, path).await?, request).await
}
