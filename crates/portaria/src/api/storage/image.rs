//! `GET /render/image/…`: images. The server does not transform images; it ignores the requested size and sends the
//! original.

use std::sync::Arc;

use axum::{Extension, extract::State, response::Response};

use crate::api::storage::{
    StorageError, extract::ObjectPath, file_response::FileRequest, objects::download,
    signed_url::create,
};
use crate::{accounts::authenticate::Credential, app::App};

/// Sends an image that the caller may read.
///
/// # Errors
/// As [`download::handler`]; `InvalidRequest` for a file that is not an image.
pub async fn handler(
    state: State<Arc<App>>,
    credential: Extension<Credential>,
    path: ObjectPath,
    request: FileRequest,
) -> Result<Response, StorageError> {
    download::handler(state, credential, path, request.image_only()).await
}

/// Sends an image of a public bucket, without a caller.
///
/// # Errors
/// As [`handler`]; `NoSuchBucket` when the bucket is not public.
pub async fn public(
    state: State<Arc<App>>,
    path: ObjectPath,
    request: FileRequest,
) -> Result<Response, StorageError> {
    download::public(state, path, request.image_only()).await
}

/// Sends the image of a signed URL.
///
/// # Errors
/// As [`create::download`]; `InvalidRequest` for a file that is not an image.
pub async fn signed(
    state: State<Arc<App>>,
    path: ObjectPath,
    request: FileRequest,
) -> Result<Response, StorageError> {
    create::download(state, path, request.image_only()).await
}
