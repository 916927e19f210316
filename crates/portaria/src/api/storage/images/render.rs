//! Decodes, resizes and encodes an image, within limits of pixels and memory.
//!
//! `image` decodes and encodes JPEG, PNG and WebP in Rust, which matters for files from strangers; it writes WebP without
//! loss. `fast_image_resize` resizes with SIMD and weighs colors by their alpha, which `image` does not.

use std::io::Cursor;

use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions, Resizer};
use image::{
    DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits,
    codecs::{jpeg::JpegEncoder, png::PngEncoder, webp::WebPEncoder},
    metadata::Orientation,
};

use crate::api::storage::{
    StorageError,
    images::transform::{Geometry, Transform},
};

/// The detected media type of a photo of a phone.
const PHOTO_TYPE: &str = "image/heif";
/// Maximum number of pixels of a source.
pub(super) const MAX_PIXELS: u64 = 25_000_000;
/// Maximum width and height of a source, that of the JPEG format. The resizer keeps numbers for each column and row of the
/// source, which exceed the pixels of an image that is long and thin.
const MAX_SOURCE_SIDE: u32 = u16::MAX as u32;
/// Maximum number of scans of a JPEG file. Common files have at most ten; each costs a pass over all pixels.
const MAX_SCANS: usize = 20;
/// Maximum size of the decoded source. Bytes. The memory of a whole transformation, [`crate::app::IMAGE_MEMORY`], is
/// sufficient for it: a progressive JPEG file keeps twice as much beside the pixels, the resizer as much again for an
/// image with alpha and for the intermediate image.
const MAX_DECODED_BYTES: u64 = 80_000_000;

/// A transformed image.
#[derive(Debug)]
pub(super) struct RenderedImage {
    pub(super) bytes: Vec<u8>,
    pub(super) mime_type: &'static str,
}

/// Reasons to refuse a source.
#[derive(Debug, thiserror::Error)]
pub(super) enum RenderError {
    #[error("The source image is invalid or unsupported for rendering")]
    Invalid,
    #[error("The source image resolution is too large to process")]
    TooLarge,
}

impl From<ImageError> for RenderError {
    fn from(error: ImageError) -> Self {
        match error {
            ImageError::Limits(_) => Self::TooLarge,
            _ => Self::Invalid,
        }
    }
}

impl From<RenderError> for StorageError {
    fn from(error: RenderError) -> Self {
        Self::invalid_request(error.to_string())
    }
}

/// The format of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SourceFormat {
    /// A format that this process decodes.
    Image(ImageFormat),
    /// A photo of a phone (HEIC), which a process of its own decodes (`photo`).
    Photo,
}

/// Returns the format of a detected media type; `None` for a type that is not transformed.
pub(super) fn source_format(mime_type: &str) -> Option<SourceFormat> {
    if mime_type == PHOTO_TYPE {
        return Some(SourceFormat::Photo);
    }
    let format = ImageFormat::from_mime_type(mime_type)?;
    matches!(format, ImageFormat::Jpeg | ImageFormat::Png | ImageFormat::WebP)
        .then_some(SourceFormat::Image(format))
}

/// Transforms an image.
///
/// # Errors
/// [`RenderError::TooLarge`] beyond the limits, before a pixel is decoded; [`RenderError::Invalid`] for a damaged or
/// truncated file.
pub(super) fn render(
    mut source: Vec<u8>,
    format: ImageFormat,
    transform: &Transform,
) -> Result<RenderedImage, RenderError> {
    if format == ImageFormat::Png {
        repair_checksums(&mut source);
    }
    let (image, orientation) = decode(&source, format)?;
    transform_image(&image, orientation, format, transform)
}

/// Transforms a decoded photo, which is upright, into a JPEG file or the requested format.
///
/// # Errors
/// [`RenderError::Invalid`].
pub(super) fn render_photo(
    photo: &DynamicImage,
    transform: &Transform,
) -> Result<RenderedImage, RenderError> {
    transform_image(photo, Orientation::NoTransforms, ImageFormat::Jpeg, transform)
}

/// Transforms a decoded image. `format` is that of the result, unless another is requested.
fn transform_image(
    image: &DynamicImage,
    orientation: Orientation,
    format: ImageFormat,
    transform: &Transform,
) -> Result<RenderedImage, RenderError> {
    let mut image = resize(image, orientation, transform)?;
    image.apply_orientation(orientation);
    encode(image, format, transform)
}

/// Replaces the checksums of a PNG file by those of its content. The decoder refuses a wrong one; the original does not.
fn repair_checksums(source: &mut [u8]) {
    // The signature comes first.
    let mut rest = source.get_mut(8..).unwrap_or_default();
    while let Some((length, chunk)) = rest.split_first_chunk_mut::<4>() {
        let length = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX);
        // The type of the chunk, its content, and the checksum of both.
        let Some((content, next)) = chunk.split_at_mut_checked(length.saturating_add(4)) else {
            return;
        };
        let Some((checksum, next)) = next.split_first_chunk_mut::<4>() else { return };
        let mut sum = flate2::Crc::new();
        sum.update(content);
        *checksum = sum.sum().to_be_bytes();
        rest = next;
    }
}

/// Decodes the source, and returns the orientation that its metadata state.
fn decode(source: &[u8], format: ImageFormat) -> Result<(DynamicImage, Orientation), RenderError> {
    if format == ImageFormat::Jpeg && count_scans(source).is_none_or(|scans| scans > MAX_SCANS) {
        return Err(RenderError::Invalid);
    }
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_DECODED_BYTES);
    let mut reader = ImageReader::with_format(Cursor::new(source), format);
    reader.limits(limits);
    let mut decoder = reader.into_decoder()?;

    let (width, height) = decoder.dimensions();
    let pixels = u64::from(width) * u64::from(height);
    let is_long = width.max(height) > MAX_SOURCE_SIDE;
    if is_long || pixels > MAX_PIXELS || decoder.total_bytes() > MAX_DECODED_BYTES {
        return Err(RenderError::TooLarge);
    }
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    Ok((DynamicImage::from_decoder(decoder)?, orientation))
}

/// Counts the scans of a JPEG file. `None` for a malformed header, and for a truncated file, which has no end-of-image
/// marker behind its first scan: the decoder fills its missing rest with gray.
fn count_scans(source: &[u8]) -> Option<usize> {
    let mut rest = source.get(2..).unwrap_or_default();
    // Header segments may contain a complete preview image.
    while let [0xFF, marker, high, low, ..] = rest {
        if *marker == 0xDA {
            let count =
                |marker: u8| rest.windows(2).filter(|bytes| **bytes == [0xFF, marker]).count();
            return (count(0xD9) > 0).then(|| count(0xDA));
        }
        let length = usize::from(u16::from_be_bytes([*high, *low]));
        rest = match marker {
            // A fill byte.
            0xFF => rest.get(1..),
            // No writer produces markers without a length here, and the decoder skips them.
            0x00 | 0x01 | 0xD0..=0xD9 => return None,
            _ => rest.get(2 + length..),
        }
        .unwrap_or_default();
    }
    None
}

/// Resizes the image before it is oriented, because the result is smaller.
fn resize(
    image: &DynamicImage,
    orientation: Orientation,
    transform: &Transform,
) -> Result<DynamicImage, RenderError> {
    let is_transposed = is_transposed(orientation);
    let [width, height] = if is_transposed {
        [image.height(), image.width()]
    } else {
        [image.width(), image.height()]
    };
    // The shown part is chosen in the oriented image.
    let mut geometry = transform.geometry(width, height);
    let [is_mirrored, is_upside_down] = mirrored_axes(orientation);
    if is_mirrored {
        geometry = geometry.mirrored_horizontally(width);
    }
    if is_upside_down {
        geometry = geometry.mirrored_vertically(height);
    }
    if is_transposed {
        geometry = geometry.transposed();
    }
    let Geometry { left, top, crop_width, crop_height, width, height } = geometry;
    let options = ResizeOptions::new()
        .crop(left, top, crop_width, crop_height)
        .resize_alg(ResizeAlg::Convolution(FilterType::Lanczos3));
    let mut resized = DynamicImage::new(width, height, image.color());
    Resizer::new().resize(image, &mut resized, &options).map_err(|_| RenderError::Invalid)?;
    Ok(resized)
}

/// Whether an orientation exchanges width and height.
fn is_transposed(orientation: Orientation) -> bool {
    matches!(
        orientation,
        Orientation::Rotate90
            | Orientation::Rotate270
            | Orientation::Rotate90FlipH
            | Orientation::Rotate270FlipH
    )
}

/// Whether the columns, and whether the rows of the oriented image have the opposite order in the source.
fn mirrored_axes(orientation: Orientation) -> [bool; 2] {
    match orientation {
        Orientation::NoTransforms | Orientation::Rotate90FlipH => [false, false],
        Orientation::FlipHorizontal | Orientation::Rotate90 => [true, false],
        Orientation::FlipVertical | Orientation::Rotate270 => [false, true],
        Orientation::Rotate180 | Orientation::Rotate270FlipH => [true, true],
    }
}

/// Encodes the result, without the metadata of the source.
fn encode(
    image: DynamicImage,
    source: ImageFormat,
    transform: &Transform,
) -> Result<RenderedImage, RenderError> {
    let format = if transform.wants_webp() { ImageFormat::WebP } else { source };
    let image = if format == ImageFormat::Jpeg { without_alpha(image) } else { to_8_bits(image) };
    let mut bytes = Vec::new();
    let written = match format {
        ImageFormat::Jpeg => {
            let encoder = JpegEncoder::new_with_quality(&mut bytes, transform.quality());
            image.write_with_encoder(encoder)
        }
        ImageFormat::WebP => image.write_with_encoder(WebPEncoder::new_lossless(&mut bytes)),
        _ => image.write_with_encoder(PngEncoder::new(&mut bytes)),
    };
    written?;
    Ok(RenderedImage { bytes, mime_type: format.to_mime_type() })
}

fn without_alpha(image: DynamicImage) -> DynamicImage {
    match image {
        DynamicImage::ImageLuma8(_) | DynamicImage::ImageRgb8(_) => image,
        other => other.into_rgb8().into(),
    }
}

/// Reduces an image with 16 bits per channel.
fn to_8_bits(image: DynamicImage) -> DynamicImage {
    match image {
        DynamicImage::ImageLuma16(_) => image.into_luma8().into(),
        DynamicImage::ImageLumaA16(_) => image.into_luma_alpha8().into(),
        DynamicImage::ImageRgb16(_) => image.into_rgb8().into(),
        DynamicImage::ImageRgba16(_) => image.into_rgba8().into(),
        other => other,
    }
}
