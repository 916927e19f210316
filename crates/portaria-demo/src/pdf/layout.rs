//! Lays blocks out on A4 pages, with a letterhead on the first page, a running title on the others, and page numbers.
//!
//! The layout takes one pass from top to bottom. `Composer` holds the position.

use crate::barcode;
use crate::markup::Block;
use crate::pdf::table::{self, Table};
use crate::pdf::text::{Font, Line, natural_width, stacked, width, wrap};
use crate::pdf::{Color, Issuer, PAGE_HEIGHT, PAGE_WIDTH, Page};

const INK: Color = [0.12, 0.14, 0.16];
const MUTED: Color = [0.40, 0.44, 0.48];
const ACCENT: Color = [0.13, 0.23, 0.36];
const HAIRLINE: Color = [0.78, 0.80, 0.82];
const TINT: Color = [0.945, 0.953, 0.961];

const LEFT: f32 = 62.0;
const MEASURE: f32 = PAGE_WIDTH - 2.0 * LEFT;
const BOTTOM: f32 = 70.0;
const DISCLAIMER: &str = "Documento de demonstração, sem valor legal";

/// The style of running text.
struct Style {
    font: Font,
    size: f32,
    color: Color,
    justified: bool,
}

const HEADING: Style = Style { font: Font::Bold, size: 10.5, color: ACCENT, justified: false };
const BODY: Style = Style { font: Font::Regular, size: 10.0, color: INK, justified: true };
const NOTE: Style = Style { font: Font::Regular, size: 8.0, color: MUTED, justified: false };

/// Lays out the pages of a document.
pub(crate) fn pages(issuer: &Issuer, name: &str, blocks: &[Block]) -> Vec<Page> {
    let mut composer = Composer { issuer, name, pages: Vec::new(), y: 0.0 };
    composer.start_page();
    let is_signature = |index: usize| matches!(blocks.get(index + 1), Some(Block::Signatures(_)));
    for (index, block) in blocks.iter().enumerate() {
        // Signatures are kept on a page with the two blocks before them.
        match block {
            Block::Heading(_) | Block::Text(_) if is_signature(index + 1) => {
                composer.ensure_space(200.0);
            }
            _ if is_signature(index) => composer.ensure_space(160.0),
            _ => {}
        }
        composer.block(block);
    }
    composer.finish()
}

/// The pages so far, and the position on the last one.
struct Composer<'a> {
    issuer: &'a Issuer,
    name: &'a str,
    pages: Vec<Page>,
    /// Distance of the next block's top from the bottom edge of the page, in points.
    y: f32,
}

impl Composer<'_> {
    fn block(&mut self, block: &Block) {
        match block {
            Block::Title(title, subtitle) => self.title(title, subtitle),
            Block::Heading(text) => {
                self.ensure_space(74.0);
                self.y -= 10.0;
                self.paragraph(text, &HEADING);
                self.y -= 3.0;
            }
            Block::Text(text) => {
                self.paragraph(text, &BODY);
                self.y -= 7.0;
            }
            Block::Note(text) => {
                self.paragraph(text, &NOTE);
                self.y -= 7.0;
            }
            Block::Table(rows) => self.table(rows),
            Block::Form(rows) => self.form(rows),
            Block::Signatures(signers) => self.signatures(signers),
            Block::Barcode(digits) => self.barcode(digits),
        }
    }

    fn title(&mut self, title: &str, subtitle: &str) {
        let is_centered = self.issuer.name.is_empty();
        let lines = [(title, Font::Bold, 15.0, ACCENT), (subtitle, Font::Regular, 10.0, MUTED)];
        for (text, font, size, color) in lines.into_iter().filter(|(text, ..)| !text.is_empty()) {
            for line in wrap(text, font, size, MEASURE) {
                self.y -= size * 1.35;
                let indent = if is_centered { (MEASURE - line.width) / 2.0 } else { 0.0 };
                self.show(LEFT + indent, self.y, &line, size, color, 0.0);
            }
        }
        self.y -= 18.0;
    }

    /// Lays out a paragraph, if necessary over several pages, without a single line on any of them.
    fn paragraph(&mut self, text: &str, style: &Style) {
        let leading = style.size * 1.46;
        let lines = wrap(text, style.font, style.size, MEASURE);
        for (index, line) in lines.iter().enumerate() {
            let kept_together = match (index, lines.len() - index) {
                (0, 3) => 3.0,
                (0, 2..) | (_, 2) => 2.0,
                _ => 1.0,
            };
            self.ensure_space(leading * kept_together);
            self.y -= leading;
            let is_last = index + 1 == lines.len();
            let stretch = if style.justified && !is_last { MEASURE - line.width } else { 0.0 };
            self.show(LEFT, self.y, line, style.size, style.color, stretch);
        }
    }

    fn table(&mut self, rows: &[Vec<String>]) {
        let table = Table::new(rows, MEASURE);
        self.ensure_space(60.0);
        self.y -= 3.0;
        for (index, row) in table.rows.iter().enumerate() {
            if self.y - row.height < BOTTOM {
                self.start_page();
                self.row(&table, 0);
            }
            self.row(&table, index);
        }
        self.y -= 14.0;
    }

    fn row(&mut self, table: &Table, index: usize) {
        let row = &table.rows[index];
        if index == 0 {
            self.fill(LEFT, self.y - row.height, MEASURE, row.height, TINT);
        }
        if row.is_sum {
            self.rule(self.y, ACCENT);
        }
        let mut x = LEFT;
        for (lines, column) in row.cells.iter().zip(&table.columns) {
            let mut baseline = self.y - 0.4;
            for line in lines {
                baseline -= table::LEADING;
                let indent = if column.numeric { column.width - 5.0 - line.width } else { 5.0 };
                self.show(x + indent, baseline, line, table::SIZE, INK, 0.0);
            }
            x += column.width;
        }
        self.y -= row.height;
        self.rule(self.y, HAIRLINE);
    }

    fn form(&mut self, rows: &[Vec<(String, String)>]) {
        self.y -= 3.0;
        for row in rows {
            let natural: Vec<f32> = row
                .iter()
                .map(|(label, value)| {
                    width(label, Font::Regular, 6.5).max(natural_width(value, Font::Regular, 9.5))
                        + 14.0
                })
                .collect();
            let total: f32 = natural.iter().sum();
            let widths = natural.iter().map(|width| width * MEASURE / total);
            let fields: Vec<_> = row
                .iter()
                .zip(widths)
                .map(|((label, value), width)| {
                    (label, wrap(value, Font::Regular, 9.5, width - 12.0), width)
                })
                .collect();
            let height =
                fields.iter().map(|(_, lines, _)| stacked(lines, 12.5)).fold(0.0, f32::max) + 16.0;
            self.ensure_space(height);
            let mut x = LEFT;
            for (label, lines, width) in fields {
                let y = self.y - height;
                self.page().outline(x, y, width, height, HAIRLINE);
                self.show(x + 6.0, self.y - 10.0, &Line::plain(label, 6.5), 6.5, MUTED, 0.0);
                let mut baseline = self.y - 10.5;
                for line in &lines {
                    baseline -= 12.5;
                    self.show(x + 6.0, baseline, line, 9.5, INK, 0.0);
                }
                x += width;
            }
            self.y -= height;
        }
        self.y -= 14.0;
    }

    fn signatures(&mut self, signers: &[(String, String)]) {
        const WIDTH: f32 = 214.0;
        for pair in signers.chunks(2) {
            self.ensure_space(84.0);
            self.y -= 46.0;
            let mut x = LEFT;
            for (name, role) in pair {
                self.fill(x, self.y, WIDTH, 0.6, INK);
                self.show(x, self.y - 13.0, &Line::bold(name, 9.0), 9.0, INK, 0.0);
                let mut baseline = self.y - 13.0;
                for line in wrap(role, Font::Regular, 8.0, WIDTH) {
                    baseline -= 11.0;
                    self.show(x, baseline, &line, 8.0, MUTED, 0.0);
                }
                x = LEFT + MEASURE - WIDTH;
            }
            self.y -= 38.0;
        }
    }

    fn barcode(&mut self, digits: &str) {
        self.ensure_space(60.0);
        let mut x = LEFT;
        for (index, wide) in barcode::bars(digits).into_iter().enumerate() {
            let width = if wide { 2.0 } else { 0.8 };
            if index % 2 == 0 {
                self.fill(x, self.y - 40.0, width, 40.0, [0.0; 3]);
            }
            x += width;
        }
        self.y -= 54.0;
    }

    /// Starts a new page unless `height` points fit on the current one.
    fn ensure_space(&mut self, height: f32) {
        if self.y - height < BOTTOM {
            self.start_page();
        }
    }

    fn start_page(&mut self) {
        self.pages.push(Page::blank());
        let top = PAGE_HEIGHT - 52.0;
        if self.issuer.name.is_empty() || self.pages.len() > 1 {
            if self.pages.len() > 1 {
                self.show(LEFT, top, &truncate(self.name, 8.0), 8.0, MUTED, 0.0);
                self.rule(top - 8.0, HAIRLINE);
            }
            self.y = top - 24.0;
            return;
        }
        self.show(LEFT, top - 8.0, &Line::bold(self.issuer.name, 14.0), 14.0, ACCENT, 0.0);
        let mut baseline = top - 8.0;
        for text in self.issuer.lines {
            baseline -= 12.0;
            self.show(LEFT, baseline, &Line::plain(text, 8.0), 8.0, MUTED, 0.0);
        }
        self.fill(LEFT, baseline - 12.0, MEASURE, 1.4, ACCENT);
        self.y = baseline - 30.0;
    }

    /// Adds the page footers, which contain the number of pages, and returns the pages.
    fn finish(mut self) -> Vec<Page> {
        let count = self.pages.len();
        let left = match self.issuer.name {
            "" => DISCLAIMER.to_owned(),
            name => format!("{name} · {DISCLAIMER}"),
        };
        let left = Line::plain(&left, 7.5);
        let mut pages = std::mem::take(&mut self.pages);
        for (index, page) in pages.iter_mut().enumerate() {
            let right = Line::plain(&format!("Página {} de {count}", index + 1), 7.5);
            page.fill(LEFT, 46.0, MEASURE, 0.5, HAIRLINE);
            page.show(LEFT, 34.0, &left, 7.5, MUTED, 0.0);
            page.show(LEFT + MEASURE - right.width, 34.0, &right, 7.5, MUTED, 0.0);
        }
        pages
    }

    fn page(&mut self) -> &mut Page {
        self.pages.last_mut().expect("`pages` starts the first page")
    }

    fn show(&mut self, x: f32, y: f32, line: &Line, size: f32, color: Color, stretch: f32) {
        self.page().show(x, y, line, size, color, stretch);
    }

    fn fill(&mut self, x: f32, y: f32, width: f32, height: f32, color: Color) {
        self.page().fill(x, y, width, height, color);
    }

    fn rule(&mut self, y: f32, color: Color) {
        self.fill(LEFT, y, MEASURE, 0.5, color);
    }
}

/// Returns the words that fit on a line, with an ellipsis if any are left out.
fn truncate(text: &str, size: f32) -> Line {
    let mut lines = wrap(text, Font::Regular, size, MEASURE - 12.0);
    let mut line = lines.swap_remove(0);
    if !lines.is_empty() {
        line.runs.push((Font::Regular, "…".into()));
    }
    line
}
