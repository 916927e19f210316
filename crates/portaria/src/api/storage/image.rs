//! `GET /render/image/…`: pictures. None is changed here, so each is served as it is, whatever size was asked for.

use std::sync::Arc;

use axum::{Extension, extract::State, response::Response};

use crate::api::storage::{
    StorageError, extract::ObjectPath, file_response::FileRequest, objects::download,
    signed_url::create,
};
use crate::{accounts::authenticate::Credential, app::App};

/// For who may read the file.
///
/// # Errors
/// As a download; `InvalidRequest` for a file that is no picture.
pub async fn handler(
    state: State<Arc<App>>,
    credential: Extension<Credential>,
    place: ObjectPath,
    asked: FileRequest,
) -> Result<Response, StorageError> {
    download::handler(state, credential, place, asked.image_only()).await
}

/// For everybody, of a public bucket's files.
///
/// # Errors
/// As [`handler`]; `NoSuchBucket` when the bucket is not public.
pub async fn public(
    state: State<Arc<App>>,
    place: ObjectPath,
    asked: FileRequest,
) -> Result<Response, StorageError> {
    download::public(state, place, asked.image_only()).await
}

/// For whoever holds a link.
///
/// # Errors
/// As [`handler`], and as a link.
pub async fn linked(
    state: State<Arc<App>>,
    place: ObjectPath,
    asked: FileRequest,
) -> Result<Response, StorageError> {
    create::follow(state, place, asked.image_only()).await
}
