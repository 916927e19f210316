//! Scans: pages as pictures, with noise and a slight rotation.

use std::io::Cursor;

use fastrand::Rng;
use hayro::hayro_interpret::InterpreterSettings;
use hayro::hayro_syntax::Pdf;
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::{PixmapSettings, RenderCache, RenderSettings, render};
use image::codecs::jpeg::JpegEncoder;
use image::{ExtendedColorType, GrayImage, ImageFormat, Luma};

use crate::press;

/// Resolution of office scanners, in dots per inch.
const DOTS_PER_INCH: f32 = 200.0;

/// Scans the first page of a PDF file.
pub(crate) fn scan(pdf: &[u8], rng: &mut Rng) -> GrayImage {
    let pdf = Pdf::new(pdf.to_vec()).expect("generated files are valid");
    let scale = DOTS_PER_INCH / 72.0;
    let pixmap = render(
        &pdf.pages()[0],
        &RenderCache::new(),
        &InterpreterSettings::default(),
        &RenderSettings::default(),
        &PixmapSettings { x_scale: scale, y_scale: scale, bg_color: WHITE },
    );
    let (width, height) = (u32::from(pixmap.width()), u32::from(pixmap.height()));
    let gray = pixmap.data_as_u8_slice().chunks_exact(4).map(|pixel| pixel[1]).collect();
    let sharp = GrayImage::from_raw(width, height, gray).expect("a page has a value for each dot");
    skew(&sharp, rng)
}

/// Rotates by up to one degree and adds noise and dust.
fn skew(sharp: &GrayImage, rng: &mut Rng) -> GrayImage {
    let slope = (rng.f32() - 0.5) * 0.035;
    let (width, height) = sharp.dimensions();
    let mut scan = GrayImage::from_fn(width, height, |x, y| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            reason = "a page has few dots"
        )]
        let shifted = [(x, y, slope), (y, x, -slope)]
            .map(|(along, across, slope)| i64::from(along) + (across as f32 * slope) as i64);
        let [x, y] = shifted.map(|at| u32::try_from(at).unwrap_or(u32::MAX));
        let value = if x < width && y < height { sharp.get_pixel(x, y).0[0] } else { 255 };
        let noise = rng.u8(0..36);
        Luma([if value > 128 { value.saturating_sub(noise) } else { value.saturating_add(noise) }])
    });
    for _ in 0..400 {
        scan.put_pixel(rng.u32(..width), rng.u32(..height), Luma([40]));
    }
    scan
}

/// A scan as a PDF file with pictures only.
pub(crate) fn as_pdf(scans: &[GrayImage]) -> Vec<u8> {
    let pictures: Vec<_> =
        scans.iter().map(|scan| (scan.width(), scan.height(), as_jpeg(scan))).collect();
    press::picture_pages(&pictures, (595.0, 842.0))
}

pub(crate) fn as_jpeg(scan: &GrayImage) -> Vec<u8> {
    let mut bytes = Vec::new();
    JpegEncoder::new_with_quality(&mut bytes, 78)
        .encode(scan, scan.width(), scan.height(), ExtendedColorType::L8)
        .expect("a page can be encoded");
    bytes
}

pub(crate) fn as_png(scan: &GrayImage) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    scan.write_to(&mut bytes, ImageFormat::Png).expect("a page can be encoded");
    bytes.into_inner()
}
