//! Transforms images that the cache lacks. One image per node is transformed at a time, so that hostile images cost a
//! bounded amount of memory; the requests of one person wait in a queue of their own, and visitors without an account
//! take one place among the persons.

use std::{io, ops::Range, sync::Arc, time::Duration};

use axum::body::Bytes;
use sha2::{Digest, Sha256};
use tokio::{task::spawn_blocking, time::timeout};

use crate::api::storage::{
    ReadableFile, StorageError,
    images::{
        photo,
        render::{RenderError, RenderedImage, SourceFormat, render, render_photo},
        transform::Transform,
    },
    upload_target::commit_or_undo,
};
use crate::{
    app::{App, IMAGE_MEMORY},
    blob::{BlobReader, StoredBlob},
    db::Tx,
    security::{keys, memory_pool::MemoryPermit, rate_limit::ClientAddr},
    stored_files::{
        object::{self, Object},
        rendition::{self, Rendition},
    },
};

/// Maximum size of a source. Bytes.
pub(super) const MAX_FILE_BYTES: u64 = 20_000_000;
/// Maximum time of waiting for other images.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// The cache as one request uses it: the source and its requested transformation.
#[derive(Debug, Clone, Copy)]
pub(super) struct ImageCache<'a> {
    pub(super) app: &'a Arc<App>,
    pub(super) file: &'a ReadableFile,
    pub(super) format: SourceFormat,
    pub(super) transform: &'a Transform,
    pub(super) address: ClientAddr,
}

/// A transformed image.
#[derive(Debug)]
pub(super) struct Image {
    rendition: Rendition,
    /// The bytes of an image that could not be stored.
    unstored: Option<Bytes>,
}

/// Bytes of an answer, with their part of the memory of all answers.
struct AnswerBytes {
    bytes: Bytes,
    _memory: MemoryPermit,
}

impl AsRef<[u8]> for AnswerBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Image {
    /// Returns the source with the properties of the image.
    pub(super) fn in_place_of(&self, source: ReadableFile) -> ReadableFile {
        let Rendition { blob, mime_type } = self.rendition.clone();
        let object = Object {
            blob: blob.blob,
            size: blob.size,
            sha256: blob.sha256,
            detected_mime_type: Some(mime_type.clone()),
            mime_type,
            // The source was not decoded either.
            content_encoding: None,
            ..source.object
        };
        ReadableFile { object, ..source }
    }
}

impl ImageCache<'_> {
    /// Returns the transformed image, from the cache if it has it.
    ///
    /// # Errors
    /// `InvalidRequest` for an image that is damaged or beyond the limits; `ServerBusy`; `NoSuchKey` for a file that is
    /// deleted meanwhile.
    pub(super) async fn image(&self) -> Result<Image, StorageError> {
        let (version, key) = (self.file.object.version.clone(), self.transform.key());
        let cached = self.app.db.read(move |tx| rendition::find(tx, &version, &key)).await?;
        match cached {
            Some(rendition) => Ok(Image { rendition, unstored: None }),
            None => self.make().await,
        }
    }

    /// Opens a part of an image. A cached image whose blob is gone, because it was evicted meanwhile or lost, is made
    /// again.
    ///
    /// # Errors
    /// As [`Self::image`]; a fault of the blob store.
    pub(super) async fn open(
        &self,
        image: Image,
        part: Range<u64>,
    ) -> Result<BlobReader, StorageError> {
        let missing = match self.open_stored(&image, &part).await {
            Err(error) if error.kind() == io::ErrorKind::NotFound => error,
            opened => return Ok(opened?),
        };
        let StoredBlob { blob, sha256, .. } = image.rendition.blob;
        self.app.db.write(move |tx| rendition::forget(tx, &blob)).await?;
        let again = self.make().await?;
        // Another version of the server may have made the missing image. The headers describe that one.
        if again.rendition.blob.sha256 != sha256 {
            return Err(missing.into());
        }
        Ok(self.open_stored(&again, &part).await?)
    }

    async fn open_stored(&self, image: &Image, part: &Range<u64>) -> io::Result<BlobReader> {
        let Some(bytes) = &image.unstored else {
            let blob = &image.rendition.blob.blob;
            return self.app.files.open_blob(blob, part.start, part.end).await;
        };
        let place = |place| usize::try_from(place).unwrap_or(usize::MAX).min(bytes.len());
        Ok(BlobReader::memory(bytes.slice(place(part.start)..place(part.end))))
    }

    /// Transforms the image and stores the result. A full disk, or another fault, does not prevent its answer.
    async fn make(&self) -> Result<Image, StorageError> {
        let image = transform_now(self).await?;
        let (mime_type, bytes) = (image.mime_type.to_owned(), Bytes::from(image.bytes));
        match write(self.app, bytes.clone()).await {
            Ok(blob) => {
                let new = Rendition { blob, mime_type: mime_type.clone() };
                match insert(self.app, &self.file.object, self.transform, new).await {
                    Ok(rendition) => return Ok(Image { rendition, unstored: None }),
                    Err(error) if error.is_final() => return Err(error),
                    // Logged where it was converted.
                    Err(_) => {}
                }
            }
            // Each request of an image would repeat a warning of a full disk.
            Err(error) => tracing::debug!(%error, "transformed image not stored"),
        }
        let memory = self.app.answer_memory.try_acquire(self.file.caller.user(), bytes.len());
        let memory = memory.ok_or_else(StorageError::too_many_images)?;
        let (size, sha256) = (bytes.len() as u64, keys::hex(&Sha256::digest(&bytes)));
        let blob = StoredBlob { blob: String::new(), size, sha256 };
        let unstored = Bytes::from_owner(AnswerBytes { bytes, _memory: memory });
        Ok(Image { rendition: Rendition { blob, mime_type }, unstored: Some(unstored) })
    }
}

/// Transforms an image when its turn comes.
async fn transform_now(request: &ImageCache<'_>) -> Result<RenderedImage, StorageError> {
    let ImageCache { app, file, format, transform, address } = *request;
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
    // The memory is in use until the work ends, also if the client disconnects.
    let work = match format {
        SourceFormat::Image(format) => spawn_blocking(move || {
            let _memory = memory;
            render(source, format, &transform)
        }),
        SourceFormat::Photo => {
            let photo = photo::decode(app, source).await?;
            spawn_blocking(move || {
                let _memory = memory;
                render_photo(&photo, &transform)
            })
        }
    };
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

/// Writes a transformed image as a blob.
async fn write(app: &App, bytes: Bytes) -> io::Result<StoredBlob> {
    app.files.create().await?.write(bytes).await?.commit().await
}

/// Inserts the row of a transformed image, and removes the oldest ones beyond the cache's size.
async fn insert(
    app: &Arc<App>,
    source: &Object,
    transform: &Transform,
    new: Rendition,
) -> Result<Rendition, StorageError> {
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
