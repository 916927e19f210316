//! The office's logo: a small PNG, and the icons of the installed app that are made of it.
//!
//! The web app converts SVG files to PNG before it sends them, so that the server neither parses nor serves SVG
//! (docs/decisions/0111-logos-are-png.md).

use std::{
    io::Cursor,
    sync::{Arc, OnceLock},
};

use base64::{Engine, prelude::BASE64_STANDARD};
use image::{
    ImageBuffer, ImageDecoder, ImageFormat, ImageReader, Limits, Rgba, RgbaImage,
    imageops::{self, FilterType},
};
use sha2::{Digest, Sha256};

use crate::security::keys;

/// Maximum size of the file. Bytes.
pub const MAX_BYTES: usize = 100 * 1024;
/// Minimum and maximum width and height. Pixels.
pub const SIDES: (u32, u32) = (16, 1024);
/// The beginning of a logo as the database stores it.
const DATA_URL: &str = "data:image/png;base64,";
/// Maximum memory of the decoder. Bytes: twice the pixels of the largest logo with 16 bits a channel.
const MAX_DECODED_BYTES: u64 = 16 << 20;

/// The icons of the web app manifest: name, side length, and the share of it that the logo takes. A launcher may cut a
/// maskable icon down to the inner 80 % of its side.
pub const ICONS: [(&str, u32, u32); 4] =
    [("192", 192, 88), ("512", 512, 88), ("maskable-512", 512, 56), ("apple-touch-icon", 180, 76)];

/// A valid logo.
#[derive(Debug, Clone)]
pub struct Logo {
    /// The PNG file.
    pub png: Vec<u8>,
    /// Changes with the content.
    pub version: String,
    icons: Arc<[OnceLock<Option<Vec<u8>>>; ICONS.len()]>,
}

impl PartialEq for Logo {
    fn eq(&self, other: &Self) -> bool {
        self.png == other.png
    }
}

impl Eq for Logo {}

/// Pixels of an image, four bytes each.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct Pixels {
    pub width: u32,
    pub height: u32,
    pub rgba: Vec<u8>,
}

/// A reason to refuse a logo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub enum InvalidLogo {
    NotPng,
    TooLarge,
    WrongSize,
}

impl Logo {
    /// Returns the logo of a data URL that was checked when it was stored.
    #[must_use]
    pub fn stored(data_url: &str) -> Option<Self> {
        let png = BASE64_STANDARD.decode(data_url.strip_prefix(DATA_URL)?).ok()?;
        let digest = keys::hex(&Sha256::digest(&png));
        let version = digest.chars().take(16).collect();
        Some(Self { png, version, icons: Arc::default() })
    }

    /// Checks a data URL: a PNG file within the limits that decodes completely, with nothing behind it.
    ///
    /// # Errors
    /// [`InvalidLogo`].
    pub fn check(data_url: &str) -> Result<(), InvalidLogo> {
        let text = data_url.strip_prefix(DATA_URL).ok_or(InvalidLogo::NotPng)?;
        let png = BASE64_STANDARD.decode(text).map_err(|_| InvalidLogo::NotPng)?;
        if png.len() > MAX_BYTES {
            return Err(InvalidLogo::TooLarge);
        }
        // The last chunk of a PNG file has no content and a fixed checksum.
        if !png.ends_with(b"\0\0\0\0IEND\xAE\x42\x60\x82") {
            return Err(InvalidLogo::NotPng);
        }
        decode(&png).map(drop)
    }

    /// Returns the pixels.
    #[must_use]
    pub fn pixels(&self) -> Option<Pixels> {
        let image = decode(&self.png).ok()?;
        Some(Pixels { width: image.width(), height: image.height(), rgba: image.into_raw() })
    }

    /// Returns an icon by its name, which it makes once. Takes some milliseconds.
    #[must_use]
    pub fn icon(&self, name: &str) -> Option<&[u8]> {
        let index = ICONS.iter().position(|(icon, ..)| *icon == name)?;
        let (_, side, share) = ICONS.get(index)?;
        let made = self.icons.get(index)?.get_or_init(|| draw_icon(&self.png, *side, *share));
        made.as_deref()
    }
}

/// Decodes a PNG file within the limits.
fn decode(png: &[u8]) -> Result<RgbaImage, InvalidLogo> {
    let mut limits = Limits::default();
    limits.max_alloc = Some(MAX_DECODED_BYTES);
    let mut reader = ImageReader::with_format(Cursor::new(png), ImageFormat::Png);
    reader.limits(limits);
    let decoder = reader.into_decoder().map_err(|_| InvalidLogo::NotPng)?;
    let (width, height) = decoder.dimensions();
    if width.min(height) < SIDES.0 || width.max(height) > SIDES.1 {
        return Err(InvalidLogo::WrongSize);
    }
    let image = image::DynamicImage::from_decoder(decoder).map_err(|_| InvalidLogo::NotPng)?;
    Ok(image.into_rgba8())
}

/// Draws the logo in the middle of a white square. `share` is in percent of the side.
fn draw_icon(png: &[u8], side: u32, share: u32) -> Option<Vec<u8>> {
    let logo = decode(png).ok()?;
    let room = side * share / 100;
    let longest = logo.width().max(logo.height());
    let scaled = |length: u32| (length * room / longest).max(1);
    let (width, height) = (scaled(logo.width()), scaled(logo.height()));
    let logo = imageops::resize(&logo, width, height, FilterType::Lanczos3);
    let mut icon: RgbaImage = ImageBuffer::from_pixel(side, side, Rgba([255, 255, 255, 255]));
    let middle = |length: u32| i64::from((side - length) / 2);
    imageops::overlay(&mut icon, &logo, middle(width), middle(height));
    let mut bytes = Cursor::new(Vec::new());
    icon.write_to(&mut bytes, ImageFormat::Png).ok()?;
    Some(bytes.into_inner())
}

#[cfg(test)]
mod tests {
    use base64::{Engine, prelude::BASE64_STANDARD};
    use image::{ImageFormat, RgbaImage};

    use crate::office::logo::{DATA_URL, ICONS, InvalidLogo, Logo};

    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = std::io::Cursor::new(Vec::new());
        let image = RgbaImage::from_pixel(width, height, image::Rgba([10, 90, 60, 255]));
        image.write_to(&mut bytes, ImageFormat::Png).unwrap();
        bytes.into_inner()
    }

    fn url(bytes: &[u8]) -> String {
        format!("{DATA_URL}{}", BASE64_STANDARD.encode(bytes))
    }

    #[test]
    fn only_small_whole_png_files_are_logos() {
        let good = png(200, 80);
        assert_eq!(Logo::check(&url(&good)), Ok(()));
        let truncated = &good[..good.len() / 2];
        let followed = [&good[..], b"<script>alert(1)</script>"].concat();
        // A header that announces more pixels than the file has: 65,535 by 65,535.
        let mut bomb = good.clone();
        bomb[16..24].copy_from_slice(&[0, 0, 255, 255, 0, 0, 255, 255]);
        let svg = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>";
        for (bytes, expected) in [
            (truncated, InvalidLogo::NotPng),
            (&followed, InvalidLogo::NotPng),
            (&bomb, InvalidLogo::NotPng),
            (svg, InvalidLogo::NotPng),
            (&png(8, 8), InvalidLogo::WrongSize),
            (&png(1100, 20), InvalidLogo::WrongSize),
            (&vec![0; 120_000], InvalidLogo::TooLarge),
        ] {
            assert_eq!(Logo::check(&url(bytes)), Err(expected));
        }
        let as_svg = format!("data:image/svg+xml;base64,{}", BASE64_STANDARD.encode(svg));
        assert_eq!(Logo::check(&as_svg), Err(InvalidLogo::NotPng));
    }

    #[test]
    fn icons_show_logo_on_white_square() {
        let logo = Logo::stored(&url(&png(200, 80))).unwrap();
        for (name, side, _) in ICONS {
            let icon = image::load_from_memory(logo.icon(name).unwrap()).unwrap().into_rgba8();
            assert_eq!((icon.width(), icon.height()), (side, side));
            assert_eq!(icon.get_pixel(0, 0).0, [255, 255, 255, 255]);
            assert_eq!(icon.get_pixel(side / 2, side / 2).0, [10, 90, 60, 255]);
        }
        assert_eq!(logo.icon("outro"), None);
    }
}
