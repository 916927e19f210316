//! Fonts and styles of the text of a proof of delivery: measures, wraps and draws it.

use anyhow::Context as _;
use krilla::{
    geom::Point,
    surface::Surface,
    text::{Font, TextDirection},
};
use skrifa::{
    FontRef, MetadataProvider as _,
    instance::{LocationRef, Size},
};

use crate::documents::proof::pdf::set_color;

const REGULAR: &[u8] = include_bytes!("../../../assets/fonts/Inter-Regular.ttf");
const SEMI_BOLD: &[u8] = include_bytes!("../../../assets/fonts/Inter-SemiBold.ttf");

/// The appearance of a text. The size is in points.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    pub(super) is_bold: bool,
    pub(super) size: f32,
    pub(super) color: [u8; 3],
}

/// The two fonts, each to draw with and to measure with.
pub(super) struct Fonts<'a> {
    drawn: [Font; 2],
    measured: [FontRef<'a>; 2],
}

impl Fonts<'static> {
    pub(super) fn load() -> anyhow::Result<Self> {
        let drawn = |bytes: &'static [u8]| Font::new(bytes.into(), 0).context("a font");
        Ok(Self {
            drawn: [drawn(REGULAR)?, drawn(SEMI_BOLD)?],
            measured: [FontRef::new(REGULAR)?, FontRef::new(SEMI_BOLD)?],
        })
    }
}

impl Fonts<'_> {
    pub(super) fn draw(
        &self,
        surface: &mut Surface<'_>,
        (x, y): (f32, f32),
        text: &str,
        style: Style,
    ) {
        set_color(surface, style.color);
        let font = self.drawn[usize::from(style.is_bold)].clone();
        surface.draw_text(Point::from_xy(x, y), font, style.size, text, false, TextDirection::Auto);
    }

    /// Returns the width of a text in points, without kerning.
    pub(super) fn width(&self, text: &str, style: Style) -> f32 {
        let font = &self.measured[usize::from(style.is_bold)];
        let (glyphs, metrics) =
            (font.charmap(), font.glyph_metrics(Size::new(style.size), LocationRef::default()));
        let advance = |c| metrics.advance_width(glyphs.map(c).unwrap_or_default());
        text.chars().map(|c| advance(c).unwrap_or(style.size)).sum()
    }

    /// Breaks a text into lines of at most `width` points, between words, or within a word that is longer than a line.
    pub(super) fn wrap(&self, text: &str, style: Style, width: f32) -> Vec<String> {
        let mut lines = vec![String::new()];
        for word in text.split_whitespace() {
            let line = lines.last_mut().expect("there is a line");
            let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
            if self.width(&longer, style) <= width {
                *line = longer;
                continue;
            }
            if !line.is_empty() {
                lines.push(String::new());
            }
            for c in word.chars() {
                let line = lines.last_mut().expect("there is a line");
                if self.width(&format!("{line}{c}"), style) <= width {
                    line.push(c);
                } else {
                    lines.push(c.to_string());
                }
            }
        }
        lines
    }
}
