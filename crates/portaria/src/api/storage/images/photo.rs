//! Photos of phones (HEIC), which no browser but Safari shows. A process of its own decodes each
//! (`docs/decisions/0146-photos-of-phones-are-decoded-in-a-process.md`).

use std::{io::Cursor, time::Duration};

use image::{DynamicImage, RgbImage};
use portaria_recognize::{
    Photo, Problem,
    child::{Limits, ReadError},
};

use crate::{
    api::storage::{
        StorageError,
        images::{
            cache::MAX_FILE_BYTES,
            render::{MAX_PIXELS, RenderError},
        },
    },
    app::App,
};

/// The limits of a process. A photo of 24 megapixels, the largest that phones take by default, needs 450 MB.
const LIMITS: Limits = Limits {
    file_bytes: MAX_FILE_BYTES,
    memory_bytes: 640 << 20,
    processor_time: Duration::from_secs(10),
    time: Duration::from_secs(20),
    // Three bytes of each pixel, behind a line.
    output_bytes: MAX_PIXELS * 3 + 1024,
};

/// Decodes a photo.
///
/// # Errors
/// [`RenderError`] as an error of the request; `ServerBusy` if the process could not be started.
pub(super) async fn decode(app: &App, source: Vec<u8>) -> Result<DynamicImage, StorageError> {
    let reader = app.reader(LIMITS);
    let decoded = reader.decode(source.len() as u64, Cursor::new(source), MAX_PIXELS).await;
    let (Photo { width, height, rgb }, confinement) = decoded.map_err(|error| refusal(&error))?;
    if !confinement.is_complete() {
        tracing::warn!(?confinement, "a reader of a photo is not confined");
    }
    let image = RgbImage::from_raw(width, height, rgb).ok_or(RenderError::Invalid)?;
    Ok(image.into())
}

fn refusal(error: &ReadError) -> StorageError {
    match error.problem() {
        Some(Problem::TooLarge) => RenderError::TooLarge.into(),
        Some(_) => RenderError::Invalid.into(),
        None => {
            tracing::error!(%error, "a photo could not be decoded");
            StorageError::too_many_images()
        }
    }
}
