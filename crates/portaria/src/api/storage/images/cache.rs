//! Transforms images that the cache lacks. One image per node is transformed at a time, so that hostile images cost a
//! bounded amount of memory; the requests of one person wait in a queue of their own, and visitors without an account take
//! one place among the persons.

use std::{sync::Arc, time::Duration};

use image::ImageFormat;
use tokio::{task::spawn_blocking, time::timeout};

use crate::api::storage::{
    ReadableFile, StorageError,
    images::{
        render::{RenderError, RenderedImage, render},
        transform::Transform,
    },
    upload_target::commit_or_undo,
};
use crate::{
    app::{App, IMAGE_MEMORY},
    db::Tx,
    security::rate_limit::ClientAddr,
    stored_files::{
        object::{self, Object},
        rendition::{self, Rendition},
    },
};

/// Maximum size of a source. Bytes.
const MAX_FILE_BYTES: u64 = 20_000_000;
/// Maximum time of waiting for other images.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// Returns the transformed image in place of the file, from the cache if it has it.
///
/// # Errors
/// `InvalidRequest` for an image that is damaged or beyond the limits; `ServerBusy`; `NoSuchKey` for a file that is
/// deleted meanwhile.
pub(super) async fn transformed(
    app: &Arc<App>,
    file: ReadableFile,
    format: ImageFormat,
    transform: &Transform,
    address: ClientAddr,
) -> Result<ReadableFile, StorageError> {
    let (version, key) = (file.object.version.clone(), transform.key());
    let cached = app.db.read(move |tx| rendition::find(tx, &version, &key)).await?;
    let Rendition { blob, mime_type } = if let Some(rendition) = cached {
        rendition
    } else {
        let image = transform_now(app, &file, format, transform, address).await?;
        store(app, &file.object, transform, image).await?
    };
    let object = Object {
        blob: blob.blob,
        size: blob.size,
        sha256: blob.sha256,
        detected_mime_type: Some(mime_type.clone()),
        mime_type,
        ..file.object
    };
    Ok(ReadableFile { object, ..file })
}

/// Transforms an image when its turn comes.
async fn transform_now(
    app: &Arc<App>,
    file: &ReadableFile,
    format: ImageFormat,
    transform: &Transform,
    address: ClientAddr,
) -> Result<RenderedImage, StorageError> {
    if file.object.size > MAX_FILE_BYTES {
        let message = "The source image file is too large to process";
        return Err(StorageError::invalid_request(message));
    }
    let busy = StorageError::too_many_images;
    let _turn = app.images_per_address.acquire(address).ok_or_else(busy)?;
    let person = file.caller.user();
    let memory = async {
        let place = match person {
            Some(_) => None,
            None => Some(app.visitor_images.acquire(Some(address), IMAGE_MEMORY).await),
        };
        (place, app.image_memory.acquire(person, IMAGE_MEMORY).await)
    };
    let memory = timeout(MAX_WAIT, memory).await.map_err(|_| busy())?;

    let source = read(app, &file.object).await?;
    let transform = transform.clone();
    let work = spawn_blocking(move || {
        // The memory is in use until the work ends, also if the client disconnects.
        let _memory = memory;
        render(source, format, &transform)
    });
    match work.await {
        Ok(image) => Ok(image?),
        Err(error) => {
            tracing::error!(%error, "image transformation panicked");
            Err(RenderError::Invalid.into())
        }
    }
}

/// Reads a source, whose size is bounded.
async fn read(app: &App, object: &Object) -> Result<Vec<u8>, StorageError> {
    let mut reader = app.files.open_blob(&object.blob, 0, object.size).await?;
    let mut bytes = Vec::new();
    loop {
        let chunk = reader.next().await?;
        if chunk.is_empty() {
            return Ok(bytes);
        }
        bytes.extend_from_slice(&chunk);
    }
}

/// Stores a transformed image in the cache, and removes the oldest ones beyond the cache's size.
async fn store(
    app: &Arc<App>,
    source: &Object,
    transform: &Transform,
    image: RenderedImage,
) -> Result<Rendition, StorageError> {
    let blob = app.files.create().await?.write(image.bytes.into()).await?.commit().await?;
    let new = Rendition { blob, mime_type: image.mime_type.to_owned() };
    let (own_blob, limit) = (new.blob.blob.clone(), app.config.image_cache);
    let (source, key) = (source.clone(), transform.key());
    let insert = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let current = object::by_name(&source.bucket_id, &[&source.name]);
        let current = object::lock(tx, current)?;
        if !current.iter().any(|object| object.version == source.version) {
            return Err(StorageError::no_object());
        }
        // Another request may have stored the same image.
        if let Some(existing) = rendition::find(tx, &source.version, &key)? {
            return Ok((existing, vec![new.blob.blob]));
        }
        rendition::insert(tx, &source, &key, &new, app.clock.now())?;
        let evicted = rendition::evict(tx, limit, &new.blob.blob)?;
        Ok((new, evicted))
    };
    let undo = async || app.files.remove(&own_blob).await;
    let (rendition, evicted) = commit_or_undo(app, insert, undo).await?;
    for blob in evicted {
        if let Err(error) = app.files.remove(&blob).await {
            // The job `orphan_blobs` removes it later.
            tracing::warn!(%error, "transformed image could not be deleted");
        }
    }
    Ok(rendition)
}
