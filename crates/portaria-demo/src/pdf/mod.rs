//! Renders documents as PDF files, and provides the drawing operations of a page.

pub(crate) mod layout;
pub(crate) mod table;
pub(crate) mod text;

use jiff::civil::Date;
use pdf_writer::{Content, Finish, Name, Pdf, Rect, Ref, Str, TextStr};

use crate::markup::Block;
use crate::pdf::text::{Font, Line, encode};

pub(crate) const PAGE_WIDTH: f32 = 595.28;
pub(crate) const PAGE_HEIGHT: f32 = 841.89;

/// Red, green and blue from 0 to 1.
pub(crate) type Color = [f32; 3];

/// The issuer of a document: the text of its letterhead and footer.
#[derive(Debug)]
pub(crate) struct Issuer {
    /// Empty for a document between two parties, which has a centered title instead of a letterhead.
    pub(crate) name: &'static str,
    pub(crate) lines: &'static [&'static str],
}

/// Renders a document as PDF.
pub(crate) fn print(issuer: &Issuer, name: &str, date: Date, blocks: &[Block]) -> Vec<u8> {
    let mut ids = (1..).map(Ref::new);
    let mut id = || ids.next().expect("a document has few objects");
    let (catalog, tree, info, regular, bold) = (id(), id(), id(), id(), id());
    let pages: Vec<_> =
        layout::pages(issuer, name, blocks).into_iter().map(|page| (id(), id(), page)).collect();

    let mut pdf = Pdf::new();
    let mut root = pdf.catalog(catalog);
    root.pages(tree).lang(TextStr("pt-BR"));
    root.viewer_preferences().display_doc_title(true);
    root.finish();
    let count = i32::try_from(pages.len()).expect("a document has few pages");
    pdf.pages(tree).kids(pages.iter().map(|(page, ..)| *page)).count(count);
    for (font, base) in [(regular, Font::Regular), (bold, Font::Bold)] {
        let base = if base == Font::Bold { Name(b"Helvetica-Bold") } else { Name(b"Helvetica") };
        pdf.type1_font(font).base_font(base).encoding_predefined(Name(b"WinAnsiEncoding"));
    }
    for (page_id, content, page) in pages {
        let mut sheet = pdf.page(page_id);
        sheet
            .media_box(Rect::new(0.0, 0.0, PAGE_WIDTH, PAGE_HEIGHT))
            .parent(tree)
            .contents(content);
        sheet
            .resources()
            .fonts()
            .pair(name_of(Font::Regular), regular)
            .pair(name_of(Font::Bold), bold);
        sheet.finish();
        pdf.stream(content, page.content.finish().as_slice());
    }
    let mut document = pdf.document_info(info);
    document.title(TextStr(name)).creation_date(pdf_date(date));
    if !issuer.name.is_empty() {
        document.author(TextStr(issuer.name));
    }
    document.finish();
    pdf.finish()
}

/// A page while it is drawn. Distances are points from its lower left corner.
pub(crate) struct Page {
    content: Content,
}

impl Page {
    pub(crate) fn blank() -> Page {
        Page { content: Content::new() }
    }

    /// Draws a line of text from the left end of its baseline, with `stretch` points distributed over its word
    /// spaces.
    pub(crate) fn show(
        &mut self,
        x: f32,
        y: f32,
        line: &Line,
        size: f32,
        [red, green, blue]: Color,
        stretch: f32,
    ) {
        self.content
            .begin_text()
            .set_fill_rgb(red, green, blue)
            .set_text_matrix([1.0, 0.0, 0.0, 1.0, x, y]);
        self.content.set_word_spacing(stretch / f32::from(line.gaps.max(1)));
        for (font, text) in &line.runs {
            self.content.set_font(name_of(*font), size).show(Str(&encode(text)));
        }
        self.content.end_text();
    }

    pub(crate) fn fill(
        &mut self,
        x: f32,
        y: f32,
        width: f32,
        height: f32,
        [red, green, blue]: Color,
    ) {
        self.content.set_fill_rgb(red, green, blue).rect(x, y, width, height).fill_nonzero();
    }

    pub(crate) fn outline(
        &mut self,
        x: f32,
        y: f32,
        width: f32,
        height: f32,
        [red, green, blue]: Color,
    ) {
        self.content
            .set_stroke_rgb(red, green, blue)
            .set_line_width(0.6)
            .rect(x, y, width, height)
            .stroke();
    }
}

fn name_of(font: Font) -> Name<'static> {
    match font {
        Font::Regular => Name(b"F1"),
        Font::Bold => Name(b"F2"),
    }
}

fn pdf_date(date: Date) -> pdf_writer::Date {
    let part = |number: i8| u8::try_from(number).expect("months and days are positive");
    let year = u16::try_from(date.year()).expect("the year is positive");
    pdf_writer::Date::new(year).month(part(date.month())).day(part(date.day()))
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use crate::markup::Block;
    use crate::pdf::{Issuer, print};

    const PARTIES: Issuer = Issuer { name: "", lines: &[] };

    fn occurrences(bytes: &[u8], text: &str) -> usize {
        bytes.windows(text.len()).filter(|window| *window == text.as_bytes()).count()
    }

    #[test]
    fn cross_reference_table_has_correct_offsets() {
        let bytes =
            print(&PARTIES, "Recibo – João", date(2026, 11, 21), &[Block::Text("Olá.".into())]);
        let text = String::from_utf8_lossy(&bytes[bytes.len() - 30..]).into_owned();
        let start: usize = text.lines().rev().nth(1).unwrap().parse().unwrap();
        let table = String::from_utf8_lossy(&bytes[start..]).into_owned();
        let entries: Vec<_> =
            table.lines().skip(2).take_while(|line| !line.starts_with("trailer")).collect();
        assert!(entries.len() > 6 && table.starts_with("xref"));
        for (id, entry) in entries.iter().enumerate().skip(1) {
            let offset: usize = entry[..10].parse().unwrap();
            assert!(bytes[offset..].starts_with(format!("{id} 0 obj").as_bytes()), "object {id}");
        }
    }

    #[test]
    fn long_documents_have_more_pages_and_keep_signatures_with_text() {
        let signature = Block::Signatures(vec![("Ana".into(), "Contadora".into())]);
        for paragraphs in 1..30 {
            let mut blocks = vec![Block::Text("Palavra ".repeat(100)); paragraphs];
            blocks.push(signature.clone());
            let bytes = print(&PARTIES, "Contrato", date(2026, 11, 21), &blocks);
            // Each page has one object, besides the page tree. Its content follows it.
            let pages = occurrences(&bytes, "/Type /Page") - 1;
            assert!(
                (paragraphs / 7..=1 + paragraphs / 4).contains(&pages),
                "{paragraphs} paragraphs: {pages} pages"
            );
            let last = bytes.windows(11).rposition(|window| window == b"/Type /Page").unwrap();
            assert!(occurrences(&bytes[last..], "Palavra") > 0, "{paragraphs} paragraphs");
        }
    }
}
