//! `GET` and `HEAD /object/{bucket}/{path}`, `/object/authenticated/…` and `/object/public/…`: the bytes, for who may
//! read them.

use std::sync::Arc;

use axum::{Extension, extract::State, response::Response};

use crate::api::storage::{
    StorageError,
    extract::ObjectPath,
    file_response::{FileRequest, file_response},
    find, find_public,
};
use crate::{accounts::authenticate::Credential, app::App};

/// Answers with the bytes, streamed; `HEAD` with what would be said of them.
///
/// # Errors
/// `NoSuchKey` for what is not there and for what the caller may not read, alike.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    place: ObjectPath,
    asked: FileRequest,
) -> Result<Response, StorageError> {
    file_response(&app, find(&app, credential, place).await?, asked).await
}

/// Answers everybody with the bytes of a public bucket's file.
///
/// # Errors
/// `NoSuchBucket` when the bucket is not public: `public` is also but the first word of a document's name.
pub async fn public(
    State(app): State<Arc<App>>,
    place: ObjectPath,
    asked: FileRequest,
) -> Result<Response, StorageError> {
    file_response(&app, find_public(&app, place).await?, asked).await
}
