//! Pages of the tuned family: Helvetica in `WinAnsi` encoding, bars and QR codes as shapes.

use pdf_writer::{Content, Finish, Name, Pdf, Rect, Ref, Str};
use qrcode::{Color, QrCode};

use crate::codes;

pub(crate) const WIDTH: f32 = 595.0;
pub(crate) const HEIGHT: f32 = 842.0;
/// Width of a narrow bar in points: 0.27 mm.
const NARROW: f32 = 0.765;

/// Advance widths of Helvetica in thousandths of the font size, for the characters from space to tilde.
#[rustfmt::skip]
const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// Pages while they are drawn. Distances are points from the upper left corner.
pub(crate) struct Paper {
    pages: Vec<Content>,
    /// Clockwise rotation that the pages declare, in degrees.
    pub(crate) rotation: i32,
}

impl Paper {
    pub(crate) fn new() -> Paper {
        Paper { pages: vec![Content::new()], rotation: 0 }
    }

    pub(crate) fn add_page(&mut self) {
        self.pages.push(Content::new());
    }

    fn page(&mut self) -> &mut Content {
        self.pages.last_mut().expect("a paper has a page")
    }

    pub(crate) fn text(&mut self, x: f32, y: f32, size: f32, bold: bool, text: &str) {
        let font = if bold { Name(b"F2") } else { Name(b"F1") };
        self.page()
            .begin_text()
            .set_font(font, size)
            .set_text_matrix([1.0, 0.0, 0.0, 1.0, x, HEIGHT - y])
            .show(Str(&encode(text)))
            .end_text();
    }

    /// Draws a text that ends at `x`.
    pub(crate) fn text_before(&mut self, x: f32, y: f32, size: f32, text: &str) {
        self.text(x - width(text, size), y, size, false, text);
    }

    /// Draws a paragraph. Returns the position below it.
    pub(crate) fn paragraph(
        &mut self,
        x: f32,
        mut y: f32,
        size: f32,
        measure: f32,
        text: &str,
    ) -> f32 {
        let mut line = String::new();
        for word in text.split(' ') {
            if !line.is_empty() && width(&format!("{line} {word}"), size) > measure {
                self.text(x, y, size, false, &line);
                y += size * 1.4;
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        self.text(x, y, size, false, &line);
        y + size * 1.4
    }

    pub(crate) fn outline(&mut self, x: f32, y: f32, width: f32, height: f32) {
        self.page().set_line_width(0.5).rect(x, HEIGHT - y - height, width, height).stroke();
    }

    /// Draws the bars of a slip's code.
    pub(crate) fn bars(&mut self, x: f32, y: f32, digits: &str) {
        let mut at = x;
        for (index, is_wide) in codes::bars(digits).into_iter().enumerate() {
            let width = if is_wide { NARROW * 3.0 } else { NARROW };
            if index % 2 == 0 {
                self.page().rect(at, HEIGHT - y - 37.0, width, 37.0);
            }
            at += width;
        }
        self.page().fill_nonzero();
    }

    /// Draws a QR code that is `side` points wide.
    pub(crate) fn qr(&mut self, x: f32, y: f32, side: f32, text: &str) {
        let code = QrCode::new(text).expect("the text fits a QR code");
        let count = code.width();
        #[expect(clippy::cast_precision_loss, reason = "a QR code has at most 177 modules")]
        let module = side / count as f32;
        for (index, color) in code.to_colors().into_iter().enumerate() {
            #[expect(clippy::cast_precision_loss, reason = "a QR code has at most 177 modules")]
            let (column, row) = ((index % count) as f32, (index / count) as f32);
            if color == Color::Dark {
                self.page().rect(
                    x + column * module,
                    HEIGHT - y - (row + 1.0) * module,
                    module,
                    module,
                );
            }
        }
        self.page().fill_nonzero();
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        let mut ids = (1..).map(Ref::new);
        let mut id = || ids.next().expect("a document has few objects");
        let (catalog, tree, regular, bold) = (id(), id(), id(), id());
        let pages: Vec<_> = self.pages.into_iter().map(|page| (id(), id(), page)).collect();
        let mut pdf = Pdf::new();
        pdf.catalog(catalog).pages(tree);
        let count = i32::try_from(pages.len()).expect("a document has few pages");
        pdf.pages(tree).kids(pages.iter().map(|(page, ..)| *page)).count(count);
        for (font, base) in [(regular, Name(b"Helvetica")), (bold, Name(b"Helvetica-Bold"))] {
            pdf.type1_font(font).base_font(base).encoding_predefined(Name(b"WinAnsiEncoding"));
        }
        for (page_id, content, page) in pages {
            let mut sheet = pdf.page(page_id);
            sheet.media_box(Rect::new(0.0, 0.0, WIDTH, HEIGHT)).parent(tree).contents(content);
            if self.rotation != 0 {
                sheet.rotate(self.rotation);
            }
            sheet.resources().fonts().pair(Name(b"F1"), regular).pair(Name(b"F2"), bold);
            sheet.finish();
            pdf.stream(content, page.finish().as_slice());
        }
        pdf.finish()
    }
}

/// Width of a text in points.
pub(crate) fn width(text: &str, size: f32) -> f32 {
    let width = |byte: u8| WIDTHS.get(usize::from(byte).wrapping_sub(32)).copied().unwrap_or(556);
    encode(text).into_iter().map(|byte| f32::from(width(byte))).sum::<f32>() * size / 1000.0
}

/// Encodes a text as `WinAnsi`.
pub(crate) fn encode(text: &str) -> Vec<u8> {
    let code = |letter: char| match letter {
        '–' => 0x96,
        _ => u8::try_from(u32::from(letter)).unwrap_or(b'?'),
    };
    text.chars().map(code).collect()
}
