//! Pictures: JPEG and PNG files, and the bar codes and QR codes of a picture.

use std::collections::HashSet;
use std::io::Cursor;

use image::{ImageFormat, ImageReader, Limits};
use rxing::common::HybridBinarizer;
use rxing::multi::MultipleBarcodeReader;
use rxing::multi::qrcode::QRCodeMultiReader;
use rxing::oned::ITFReader;
use rxing::{BarcodeFormat, BinaryBitmap, DecodeHints, Luma8LuminanceSource, RXingResult, Reader};

use crate::findings::Problem;
use crate::text::Rect;
use portaria_codes::{PaymentLine, PixCode};

/// Maximum width and height of a picture file in dots.
const MAX_SIDE: u32 = 12_000;
/// Maximum memory for the decoder of a picture file, in bytes.
const MAX_DECODER_BYTES: u64 = 256 * 1024 * 1024;
/// Number of digits of a slip's bar code.
const SLIP_LENGTH: u32 = 44;

/// A picture in shades of gray.
pub(crate) struct Picture {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) gray: Vec<u8>,
    /// Dots per point of the page, or 1 for a picture file.
    pub(crate) scale: f32,
}

/// Decodes a picture file.
pub(crate) fn decode(bytes: &[u8], format: ImageFormat) -> Result<Picture, Problem> {
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE);
    limits.max_image_height = Some(MAX_SIDE);
    limits.max_alloc = Some(MAX_DECODER_BYTES);
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    reader.limits(limits);
    let gray = reader
        .decode()
        .map_err(|error| match error {
            image::ImageError::Limits(_) => Problem::TooLarge,
            _ => Problem::Damaged,
        })?
        .into_luma8();
    Ok(Picture { width: gray.width(), height: gray.height(), gray: gray.into_raw(), scale: 1.0 })
}

/// Finds the bar code of a slip, and its place in points of the page.
pub(crate) fn find_slip(picture: &Picture) -> Option<(PaymentLine, Rect)> {
    let result = find_bars(picture)?;
    let line = PaymentLine::from_barcode(result.getText()).ok()?;
    Some((line, rect_of(&result, picture.scale)))
}

/// Finds the Pix codes among the QR codes, and their places in points of the page.
pub(crate) fn find_pix_codes(picture: &Picture) -> Vec<(PixCode, Rect)> {
    let results = find_qr_codes(picture).into_iter();
    results
        .filter_map(|result| {
            Some((result.getText().parse().ok()?, rect_of(&result, picture.scale)))
        })
        .collect()
}

fn bitmap(picture: &Picture) -> Option<BinaryBitmap<HybridBinarizer<Luma8LuminanceSource>>> {
    let source =
        Luma8LuminanceSource::new(picture.gray.clone(), picture.width, picture.height).ok()?;
    Some(BinaryBitmap::new(HybridBinarizer::new(source)))
}

fn find_bars(picture: &Picture) -> Option<RXingResult> {
    let hints = DecodeHints {
        PossibleFormats: Some(HashSet::from([BarcodeFormat::ITF])),
        TryHarder: Some(true),
        AllowedLengths: Some(vec![SLIP_LENGTH]),
        ..DecodeHints::default()
    };
    ITFReader::default().decode_with_hints(&mut bitmap(picture)?, &hints).ok()
}

fn find_qr_codes(picture: &Picture) -> Vec<RXingResult> {
    let hints = DecodeHints { TryHarder: Some(true), ..DecodeHints::default() };
    bitmap(picture)
        .and_then(|mut bitmap| {
            QRCodeMultiReader::new().decode_multiple_with_hints(&mut bitmap, &hints).ok()
        })
        .unwrap_or_default()
}

fn rect_of(result: &RXingResult, scale: f32) -> Rect {
    result
        .getRXingResultPoints()
        .iter()
        .map(|point| {
            let (x, y) = (point.x / scale, point.y / scale);
            Rect { left: x, top: y, right: x, bottom: y }
        })
        .reduce(Rect::union)
        .unwrap_or_default()
}
