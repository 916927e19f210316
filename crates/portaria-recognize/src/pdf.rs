//! PDF files: the text of their pages with positions, and pages as pictures. The PDF library is named here only.

use hayro::hayro_interpret::font::{Glyph as PdfGlyph, GlyphRun};
use hayro::hayro_interpret::hayro_cmap::BfString;
use hayro::hayro_interpret::util::TransformExt;
use hayro::hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps,
    InterpreterCache, InterpreterSettings, SoftMask, interpret_page,
};
use hayro::hayro_syntax::page::Page;
use hayro::hayro_syntax::{LoadPdfError, Pdf};
use hayro::kurbo::{Affine, BezPath, Point, Rect, Vec2};
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::{PixmapSettings, RenderCache, RenderSettings, render};

use crate::findings::Problem;
use crate::layout::{self, Glyph};
use crate::picture::Picture;
use crate::text::PageText;

/// Maximum number of glyphs of a page. A page of small print has about 10,000.
const MAX_GLYPHS: usize = 60_000;
/// Units of a glyph's coordinates per em.
const UNITS_PER_EM: f64 = 1000.0;
/// Maximum number of dots of a page's side.
const MAX_SIDE: f32 = 4200.0;

/// A PDF file that was parsed.
pub(crate) struct PdfFile(Pdf);

/// Number of visible characters below which a page counts as a picture.
const MIN_CHARACTERS: usize = 40;
/// Part of a page from which a picture may hold the page's words. A logo is smaller.
const MAX_PICTURE: f64 = 0.4;
/// One glyph in this many may lack its character, such as a symbol of a list.
const MIN_GLYPHS_PER_UNKNOWN: usize = 20;

/// The text of a page.
pub(crate) struct ReadPage {
    pub(crate) text: PageText,
    /// Whether the text is all that the page says. A scan with a stamp, a scan with a layer of recognized text, and a
    /// font without characters say more.
    pub(crate) is_complete: bool,
    /// Whether the page shows pictures or enough shapes for a bar code.
    pub(crate) may_have_codes: bool,
}

impl PdfFile {
    pub(crate) fn open(bytes: Vec<u8>) -> Result<PdfFile, Problem> {
        match Pdf::new(bytes) {
            Ok(pdf) if pdf.pages().is_empty() => Err(Problem::Damaged),
            Ok(pdf) => Ok(PdfFile(pdf)),
            Err(LoadPdfError::Decryption(_)) => Err(Problem::PasswordProtected),
            Err(LoadPdfError::Invalid) => Err(Problem::Damaged),
        }
    }

    pub(crate) fn page_count(&self) -> usize {
        self.0.pages().len()
    }

    /// Reads the text of the first pages.
    pub(crate) fn read_pages(&self, count: usize) -> Vec<ReadPage> {
        let cache = InterpreterCache::new();
        (1..)
            .zip(self.0.pages().iter().take(count))
            .map(|(number, page)| self.read(page, number, &cache))
            .collect()
    }

    fn read<'a>(
        &'a self,
        page: &'a Page<'a>,
        number: u32,
        cache: &InterpreterCache<'a>,
    ) -> ReadPage {
        let (width, height) = page.render_dimensions();
        let bounds = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
        let transform = page.initial_transform(true).to_kurbo();
        let settings = InterpreterSettings::default();
        let mut context = Context::new(transform, bounds, cache, self.0.xref(), settings);
        let mut collector = Collector {
            bounds,
            glyphs: Vec::new(),
            unknown: 0,
            excess: 0,
            images: 0,
            image_area: 0.0,
            shapes: 0,
        };
        interpret_page(page, &mut context, &mut collector);
        let has_all_words = collector.has_all_words();
        let may_have_codes = collector.images > 0 || collector.shapes > MIN_BARS;
        let text = layout::arrange(number, width, height, collector.glyphs);
        ReadPage {
            is_complete: has_all_words && text.visible_characters() >= MIN_CHARACTERS,
            may_have_codes,
            text,
        }
    }

    /// Draws a page, counted from 0, in shades of gray. The bars of a slip are 0.25 mm wide and need two dots.
    pub(crate) fn draw(&self, index: usize, dots_per_inch: f32) -> Option<Picture> {
        let page = self.0.pages().get(index)?;
        let (width, height) = page.render_dimensions();
        let scale = (dots_per_inch / 72.0).min(MAX_SIDE / width.max(height).max(1.0));
        let pixmap = render(
            page,
            &RenderCache::new(),
            &InterpreterSettings::default(),
            &RenderSettings::default(),
            &PixmapSettings { x_scale: scale, y_scale: scale, bg_color: WHITE },
        );
        let (width, height) = (u32::from(pixmap.width()), u32::from(pixmap.height()));
        let luma = |pixel: &[u8]| {
            let [red, green, blue] = [0, 1, 2].map(|channel| u32::from(pixel[channel]));
            u8::try_from((red * 299 + green * 587 + blue * 114) / 1000)
                .expect("a mean of bytes is a byte")
        };
        let gray = pixmap.data_as_u8_slice().chunks_exact(4).map(luma).collect();
        Some(Picture { width, height, gray, scale })
    }
}

/// Number of shapes on a page with a drawn bar code or QR code.
const MIN_BARS: usize = 80;

/// Collects the glyphs of a page, and counts its pictures and shapes.
struct Collector {
    bounds: Rect,
    glyphs: Vec<Glyph>,
    /// Number of glyphs whose character is not known.
    unknown: usize,
    /// Number of glyphs beyond the maximum.
    excess: usize,
    images: usize,
    /// Area of all pictures, in square points.
    image_area: f64,
    shapes: usize,
}

impl Collector {
    /// Whether the glyphs are all words of the page.
    fn has_all_words(&self) -> bool {
        self.excess == 0
            && self.unknown * MIN_GLYPHS_PER_UNKNOWN <= self.glyphs.len()
            && self.image_area < MAX_PICTURE * self.bounds.area()
    }

    fn collect(&mut self, glyph: &PdfGlyph<'_>, transform: Affine) {
        let text = match glyph.as_unicode() {
            Some(BfString::Char(character)) => character.to_string(),
            Some(BfString::String(text)) => text,
            None => {
                self.unknown += 1;
                return;
            }
        };
        let advance = match glyph {
            PdfGlyph::Outline(glyph) => glyph.advance_width(),
            PdfGlyph::Type3(glyph) => glyph.advance_width(),
        };
        let origin = transform * Point::ZERO;
        let along = transform_vector(transform, Vec2::new(UNITS_PER_EM, 0.0));
        let up = transform_vector(transform, Vec2::new(0.0, UNITS_PER_EM));
        if !self.bounds.contains(origin) || !along.hypot().is_finite() {
            return;
        }
        let turn = (along.atan2() / std::f64::consts::FRAC_PI_2).round().rem_euclid(4.0);
        let advance = f64::from(advance.unwrap_or(500.0)) / UNITS_PER_EM * along.hypot();
        self.glyphs.push(Glyph {
            text,
            x: to_f32(origin.x),
            y: to_f32(origin.y),
            advance: to_f32(advance),
            size: to_f32(up.hypot()),
            turn: [0, 1, 2, 3].into_iter().find(|&quarter| f64::from(quarter) >= turn).unwrap_or(0),
        });
    }
}

fn transform_vector(transform: Affine, vector: Vec2) -> Vec2 {
    (transform * vector.to_point()) - (transform * Point::ZERO)
}

#[expect(clippy::cast_possible_truncation, reason = "positions on a page need no double precision")]
fn to_f32(value: f64) -> f32 {
    value as f32
}

impl Device<'_> for Collector {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, '_>, props: DrawProps<'_>, _: &DrawMode) {
        for glyph in run.glyphs() {
            if self.glyphs.len() < MAX_GLYPHS {
                self.collect(glyph, props.transform * glyph.transform());
            } else {
                self.excess += 1;
            }
        }
    }

    fn draw_path(&mut self, path: &BezPath, _: DrawProps<'_>, _: &DrawMode) {
        // One path can hold all bars, with five elements for each.
        self.shapes += 1 + path.elements().len() / 5;
    }

    fn draw_image(&mut self, image: Image<'_, '_>, props: ImageDrawProps<'_>) {
        self.images += 1;
        let dots = Rect::new(0.0, 0.0, f64::from(image.width()), f64::from(image.height()));
        // A picture may lie beyond the page's edge.
        let shown = props.transform.transform_rect_bbox(dots).intersect(self.bounds);
        self.image_area += shown.area();
    }

    fn push_clip_path(&mut self, _: &ClipPath) {}
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'_>>, _: BlendMode) {}
    fn pop_clip(&mut self) {}
    fn pop_transparency_group(&mut self) {}
}
