//! Puts the glyphs of a page into reading order: lines from top to bottom, segments from left to right.
//!
//! A PDF file draws glyphs in any order and may contain no spaces, so only positions count.

use unicode_normalization::UnicodeNormalization;

use crate::text::{PageText, Rect};

/// A glyph on the page as it is displayed. Distances are points from the upper left corner.
#[derive(Clone, Debug)]
pub(crate) struct Glyph {
    pub(crate) text: String,
    /// The start of its baseline.
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) advance: f32,
    /// The height of its em square.
    pub(crate) size: f32,
    /// Clockwise rotation in quarters of a turn, 0 to 3.
    pub(crate) turn: u8,
}

/// Gaps in parts of the font size: a wider one divides words, a still wider one divides segments.
const WORD_GAP: f32 = 0.18;
const SEGMENT_GAP: f32 = 1.1;
/// Two equal glyphs closer than this part of the font size are one glyph that was drawn twice, for a bold look.
const DUPLICATE_DISTANCE: f32 = 0.12;
/// Baselines within this part of the font size belong to one line.
const BASELINE_TOLERANCE: f32 = 0.35;

/// Lays out the glyphs of a page.
pub(crate) fn arrange(number: u32, width: f32, height: f32, glyphs: Vec<Glyph>) -> PageText {
    let mut page = PageText { number, width, height, ..PageText::default() };
    let mut by_turn: [Vec<Glyph>; 4] = Default::default();
    for glyph in glyphs {
        by_turn[usize::from(glyph.turn & 3)].push(glyph);
    }
    let mut first_line = 0;
    for (turn, glyphs) in (0_u8..).zip(by_turn) {
        first_line = arrange_turn(&mut page, turn, glyphs, first_line);
    }
    page
}

/// Appends the lines of glyphs that have one direction. Returns the number of the next line.
fn arrange_turn(page: &mut PageText, turn: u8, glyphs: Vec<Glyph>, first_line: usize) -> usize {
    let mut upright: Vec<Glyph> = glyphs.into_iter().map(|glyph| turned(glyph, turn)).collect();
    upright.sort_by(|a, b| a.y.total_cmp(&b.y).then(a.x.total_cmp(&b.x)));
    let mut number = first_line;
    let mut rest = upright.as_mut_slice();
    while let Some(first) = rest.first() {
        let (mut baseline, mut size) = (first.y, first.size);
        // Larger glyphs of the same line can begin after smaller ones, so the tolerance follows the last glyph.
        let end = rest
            .iter()
            .position(|glyph| {
                let is_next =
                    glyph.y - baseline > BASELINE_TOLERANCE * size.min(glyph.size).max(1.0);
                if !is_next {
                    (baseline, size) = (glyph.y, glyph.size);
                }
                is_next
            })
            .unwrap_or(rest.len());
        let (line, others) = rest.split_at_mut(end);
        line.sort_by(|a, b| a.x.total_cmp(&b.x));
        if append_line(page, turn, line, number) {
            number += 1;
        }
        rest = others;
    }
    number
}

/// Appends a line. Returns whether it has visible glyphs.
fn append_line(page: &mut PageText, turn: u8, glyphs: &[Glyph], line: usize) -> bool {
    let mut previous: Option<&Glyph> = None;
    let mut saw_space = false;
    let mut recent: Vec<&Glyph> = Vec::new();
    for glyph in glyphs {
        if glyph.text.trim().is_empty() {
            saw_space = true;
            continue;
        }
        recent.retain(|other| glyph.x - other.x < DUPLICATE_DISTANCE * glyph.size);
        let is_duplicate = recent.iter().any(|other| {
            other.text == glyph.text && (other.y - glyph.y).abs() < DUPLICATE_DISTANCE * glyph.size
        });
        if is_duplicate {
            continue;
        }
        let gap = previous.map(|previous| {
            (glyph.x - previous.x - previous.advance) / previous.size.min(glyph.size).max(0.1)
        });
        match gap {
            None => page.start_segment(line, turn),
            Some(gap) if gap > SEGMENT_GAP => page.start_segment(line, turn),
            Some(gap) if gap > WORD_GAP || (saw_space && gap > -0.5) => {
                let rect = page.rects.last().copied().unwrap_or_default();
                page.push(' ', rect);
            }
            Some(_) => {}
        }
        let rect = Rect {
            left: glyph.x,
            top: glyph.y - 0.8 * glyph.size,
            right: glyph.x + glyph.advance,
            bottom: glyph.y + 0.2 * glyph.size,
        };
        for character in glyph.text.nfkc().filter(|character| !character.is_control()) {
            page.push(character, rect);
        }
        saw_space = false;
        recent.push(glyph);
        previous = Some(glyph);
    }
    previous.is_some()
}

/// Turns the coordinates of a glyph so that its text runs from left to right.
fn turned(mut glyph: Glyph, turn: u8) -> Glyph {
    (glyph.x, glyph.y) = match turn {
        0 => (glyph.x, glyph.y),
        1 => (glyph.y, -glyph.x),
        2 => (-glyph.x, -glyph.y),
        _ => (-glyph.y, glyph.x),
    };
    glyph
}

#[cfg(test)]
mod tests {
    use super::{Glyph, arrange};

    fn word(text: &str, x: f32, y: f32) -> Vec<Glyph> {
        let glyph = |(index, character): (u8, char)| Glyph {
            text: character.to_string(),
            x: x + f32::from(index) * 5.0,
            y,
            advance: 5.0,
            size: 10.0,
            turn: 0,
        };
        (0..).zip(text.chars()).map(glyph).collect()
    }

    #[test]
    fn glyphs_in_any_order_become_lines_and_segments() {
        let mut glyphs = [
            word("20/11/2026", 300.0, 40.0),
            word("Valor", 40.0, 60.0),
            word("de", 70.0, 40.0),
            word("Data", 47.0, 40.5),
            word("Valor", 40.3, 60.0),
        ]
        .concat();
        glyphs.reverse();
        let page = arrange(1, 600.0, 800.0, glyphs);
        assert_eq!(page.characters.iter().collect::<String>(), "Data de\t20/11/2026\nValor");
        let rect = page.rect_of(8, 18).unwrap();
        assert!((rect.left - 300.0).abs() < 0.1 && (rect.right - 350.0).abs() < 0.1);
    }

    #[test]
    fn turned_text_is_read_in_its_direction() {
        let turned = |glyph: Glyph| Glyph { x: 600.0 - glyph.y, y: glyph.x, turn: 1, ..glyph };
        let glyphs = word("Guia", 100.0, 50.0).into_iter().map(turned).collect();
        let page = arrange(1, 600.0, 800.0, glyphs);
        assert_eq!(page.characters.iter().collect::<String>(), "Guia");
        let rect = page.rect_of(0, 4).unwrap();
        assert!(rect.left > 540.0 && (rect.top - 100.0).abs() < 0.1 && rect.height() > 19.0);
    }
}
