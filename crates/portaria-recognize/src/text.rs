//! The text of a document with positions: pages, segments and characters.

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

/// A rectangle on a page in points, from the upper left corner of the page as it is displayed.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Rect {
    pub left: f32,
    pub top: f32,
    pub right: f32,
    pub bottom: f32,
}

impl Rect {
    /// The smallest rectangle that contains both.
    #[must_use]
    pub fn union(self, other: Rect) -> Rect {
        Rect {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }

    /// Whether the horizontal ranges have a part in common.
    pub(crate) fn shares_column(&self, other: &Rect) -> bool {
        self.left < other.right && other.left < self.right
    }

    pub(crate) fn height(&self) -> f32 {
        self.bottom - self.top
    }
}

/// A run of characters on one line without a wide gap.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    /// Index of its first character.
    pub(crate) start: usize,
    /// Index after its last character.
    pub(crate) end: usize,
    /// Number of its line on the page.
    pub(crate) line: usize,
    /// Clockwise rotation on the page in quarters of a turn, 0 to 3.
    pub(crate) turn: u8,
    /// The rectangle in the direction of reading.
    pub(crate) rect: Rect,
}

/// The text of a page in reading order. Segments of a line are divided by a tab, lines by a line break.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageText {
    /// Number of the page, from 1. 0 for a text without pages.
    pub(crate) number: u32,
    pub(crate) width: f32,
    pub(crate) height: f32,
    pub(crate) characters: Vec<char>,
    /// The characters in capital ASCII letters without accents, one byte for each.
    pub(crate) folded: String,
    /// The rectangle of each character in the direction of reading. Meaningless for a text without pages.
    pub(crate) rects: Vec<Rect>,
    pub(crate) segments: Vec<Segment>,
}

impl PageText {
    /// A text without positions: a file name, or the values of an XML file.
    pub(crate) fn plain(text: &str) -> PageText {
        let mut page = PageText::default();
        for (line, content) in text.lines().enumerate() {
            for segment in content.split('\t') {
                page.start_segment(line, 0);
                for character in segment.nfkc() {
                    page.push(character, Rect::default());
                }
            }
        }
        page
    }

    /// Begins a segment. A separator divides it from the one before.
    pub(crate) fn start_segment(&mut self, line: usize, turn: u8) {
        if let Some(last) = self.segments.last() {
            let separator = if last.line == line { '\t' } else { '\n' };
            self.characters.push(separator);
            self.folded.push(separator);
            self.rects.push(Rect::default());
        }
        let at = self.characters.len();
        self.segments.push(Segment { start: at, end: at, line, turn, rect: Rect::default() });
    }

    /// Appends a character to the last segment.
    pub(crate) fn push(&mut self, character: char, rect: Rect) {
        let segment = self.segments.last_mut().expect("a segment was begun");
        let is_first = segment.start == segment.end;
        segment.rect = if is_first { rect } else { segment.rect.union(rect) };
        segment.end += 1;
        self.characters.push(character);
        self.folded.push(fold_character(character));
        self.rects.push(rect);
    }

    /// The rectangle of a range of characters in the direction of reading. `None` for a text without positions.
    pub(crate) fn reading_rect_of(&self, start: usize, end: usize) -> Option<Rect> {
        if self.number == 0 {
            return None;
        }
        let is_visible = |at: &usize| !self.characters[*at].is_whitespace();
        (start..end).filter(is_visible).map(|at| self.rects[at]).reduce(Rect::union)
    }

    /// The rectangle of a range of characters on the page. `None` for a text without positions.
    pub(crate) fn rect_of(&self, start: usize, end: usize) -> Option<Rect> {
        let rect = self.reading_rect_of(start, end)?;
        let index = self.segments.partition_point(|segment| segment.end <= start);
        let turn = self.segments.get(index).map_or(0, |segment| segment.turn);
        let Rect { left, top, right, bottom } = rect;
        let rect = match turn {
            0 => rect,
            1 => Rect { left: -bottom, top: left, right: -top, bottom: right },
            2 => Rect { left: -right, top: -bottom, right: -left, bottom: -top },
            _ => Rect { left: top, top: -right, right: bottom, bottom: -left },
        };
        Some(Rect {
            left: rect.left.clamp(0.0, self.width),
            top: rect.top.clamp(0.0, self.height),
            right: rect.right.clamp(0.0, self.width),
            bottom: rect.bottom.clamp(0.0, self.height),
        })
    }

    /// The folded text of a segment.
    pub(crate) fn folded_segment(&self, segment: &Segment) -> &str {
        &self.folded[segment.start..segment.end]
    }

    /// The text of a range of characters as it is written.
    pub(crate) fn original(&self, start: usize, end: usize) -> String {
        self.characters[start..end].iter().collect()
    }

    /// Number of characters without white space.
    pub(crate) fn visible_characters(&self) -> usize {
        self.characters.iter().filter(|character| !character.is_whitespace()).count()
    }
}

/// Folds a text for comparison: capital ASCII letters without accents.
#[must_use]
pub fn fold(text: &str) -> String {
    text.nfkc().map(fold_character).collect()
}

/// Folds a character to one ASCII character. Others become `~`.
fn fold_character(character: char) -> char {
    match character {
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\r' => ' ',
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{ad}' => '-',
        '\u{2215}' | '\u{2044}' => '/',
        '\u{2018}' | '\u{2019}' => '\'',
        '\u{201c}' | '\u{201d}' => '"',
        'º' | '°' => 'O',
        'ª' => 'A',
        ' '..='~' | '\n' | '\t' => character.to_ascii_uppercase(),
        _ => {
            let base = character.nfd().next().unwrap_or(character);
            if base.is_ascii_graphic() { base.to_ascii_uppercase() } else { '~' }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PageText, fold};

    #[test]
    fn folded_text_has_one_byte_for_each_character() {
        let page = PageText::plain("Competência: março – nº 5\tValor\n№ ﬁm 😀");
        assert_eq!(page.folded.len(), page.characters.len());
        assert!(page.folded.is_ascii());
        assert!(page.folded.starts_with("COMPETENCIA: MARCO - NO 5\tVALOR\n"));
        assert_eq!(page.segments.len(), 3);
        assert_eq!(fold("Órgão"), "ORGAO");
    }
}
