//! `GET /render/image/…`: images, transformed if the request asks for it (`docs/protocol/storage.md`, section 5.6).
//!
//! Results are cached as blobs (`cache`) and sent like every other file, by `file_response`.

mod cache;
mod gravity;
mod photo;
mod render;
pub mod transform;

use std::sync::Arc;

use axum::{Extension, extract::State, response::Response};

use crate::api::storage::{
    ReadableFile, StorageError, content_type,
    extract::ObjectPath,
    file_response::{FileRequest, file_response, response_from},
    find_for, find_public_file,
    images::{
        cache::ImageCache,
        render::{RenderError, SourceFormat},
        transform::Transform,
    },
    signed_url::create::find_signed_file,
};
use crate::{
    accounts::authenticate::Credential, app::App, db::Tx, security::rate_limit::ClientAddr,
};

/// Sends an image that the caller may read.
///
/// # Errors
/// `NoSuchKey`, for a missing file and for one that the caller may not read; `InvalidRequest` for a malformed
/// transformation, and for a file that is not an image or cannot be transformed; `ServerBusy`; those of `file_response`.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Extension(address): Extension<ClientAddr>,
    path: ObjectPath,
    transform: Transform,
    request: FileRequest,
) -> Result<Response, StorageError> {
    let find =
        move |tx: &mut Tx<'_>, app: &Arc<App>| Ok((find_for(tx, app, &credential, &path)?, ()));
    let (file, (), request) = request.find(&app, find).await?;
    send(&app, file, &transform, address, request).await
}

/// Sends an image of a public bucket, without a caller.
///
/// # Errors
/// As [`handler`]; `NoSuchBucket` when the bucket is not public.
pub async fn public(
    State(app): State<Arc<App>>,
    Extension(address): Extension<ClientAddr>,
    path: ObjectPath,
    transform: Transform,
    request: FileRequest,
) -> Result<Response, StorageError> {
    let file = find_public_file(&app, path).await?;
    send(&app, file, &transform, address, request).await
}

/// Sends the image of a signed URL, with the transformation that was signed.
///
/// # Errors
/// As `find_signed_file` and [`handler`].
pub async fn signed(
    State(app): State<Arc<App>>,
    Extension(address): Extension<ClientAddr>,
    path: ObjectPath,
    request: FileRequest,
) -> Result<Response, StorageError> {
    let (file, token, request) = find_signed_file(&app, path, request).await?;
    send(&app, file, token.transform(), address, request).await
}

async fn send(
    app: &Arc<App>,
    file: ReadableFile,
    transform: &Transform,
    address: ClientAddr,
    request: FileRequest,
) -> Result<Response, StorageError> {
    // A drawing has no pixels to transform, and is sent as a download.
    if content_type::is_svg(&file.object.mime_type) {
        return file_response(app, file, request).await;
    }
    let file = as_image(file, transform)?;
    match render::source_format(&file.object.mime_type) {
        Some(format) if !transform.is_identity() => {
            let cache = ImageCache { app, file: &file, format, transform, address };
            let image = cache.image().await?;
            let shown = image.in_place_of(file.clone());
            let request = request.transformed(transform.description());
            response_from(app, shown, request, async |part| cache.open(image, part).await).await
        }
        _ => file_response(app, file, request).await,
    }
}

/// Gives an image its detected type in place of the declared one.
///
/// # Errors
/// `InvalidRequest` for a file that is not an image, and for a photo of a phone that is not transformed into a type that
/// browsers display.
fn as_image(mut file: ReadableFile, transform: &Transform) -> Result<ReadableFile, StorageError> {
    let detected = file.object.detected_mime_type.as_deref();
    let is_shown = |kind: &&str| {
        content_type::is_displayable_image(kind)
            || render::source_format(kind) == Some(SourceFormat::Photo) && !transform.is_identity()
    };
    let kind = detected.filter(is_shown);
    let kind = kind.ok_or_else(|| StorageError::from(RenderError::Invalid))?;
    file.object.mime_type = kind.to_owned();
    Ok(file)
}
