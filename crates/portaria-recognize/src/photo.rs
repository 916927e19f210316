//! Photos of phones: HEIC files, whose pictures are coded by HEVC.

use crate::findings::Problem;

/// A decoded photo in its upright orientation.
#[derive(Clone, PartialEq, Eq)]
pub struct Photo {
    pub width: u32,
    pub height: u32,
    /// Red, green and blue of each pixel, a byte each, row by row from the top.
    pub rgb: Vec<u8>,
}

/// Decodes a photo of at most `max_pixels` pixels, in a process that decodes no other.
///
/// # Errors
/// [`Problem::TooLarge`] before a pixel is decoded; [`Problem::Damaged`], also for the forms of HEIC that no phone writes.
pub(crate) fn decode(bytes: &[u8], max_pixels: u64) -> Result<Photo, Problem> {
    let damaged = |_| Problem::Damaged;
    let info = heic_decoder::probe(bytes).map_err(damaged)?;
    // A clean aperture shows a part of what is decoded.
    if info.coded_width as u64 * info.coded_height as u64 > max_pixels {
        return Err(Problem::TooLarge);
    }
    // The decoder divides its work among threads, and a child may start none.
    let own_thread = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    own_thread.build_global().map_err(|_| Problem::Damaged)?;
    let image = heic_decoder::decode(bytes).and_then(|image| image.to_rgb8()).map_err(damaged)?;
    let [width, height] = [image.width, image.height].map(u32::try_from);
    match (width, height) {
        (Ok(width), Ok(height)) => Ok(Photo { width, height, rgb: image.data }),
        _ => Err(Problem::TooLarge),
    }
}
