//! Lays blocks out on A4 pages: letterhead on the first page, running title on the others, page numbers on all.
//!
//! What breaks where is decided once, from top to bottom, by the cursor of `Composer`; nothing is laid out twice.

use crate::demo::barcode;
use crate::demo::pdf::{Color, Issuer, PAGE_HEIGHT, PAGE_WIDTH, Page};
use crate::demo::prose::Block;
use crate::demo::typeset::{Font, Line, width, wrap};

const INK: Color = [0.12, 0.14, 0.16];
const MUTED: Color = [0.40, 0.44, 0.48];
const ACCENT: Color = [0.13, 0.23, 0.36];
const HAIRLINE: Color = [0.78, 0.80, 0.82];
const TINT: Color = [0.945, 0.953, 0.961];

const LEFT: f32 = 62.0;
const MEASURE: f32 = PAGE_WIDTH - 2.0 * LEFT;
const BOTTOM: f32 = 70.0;
const DISCLAIMER: &str = "Documento de demonstração, sem valor legal";

/// The pages that these blocks fill.
pub(crate) fn pages(issuer: &Issuer, name: &str, blocks: &[Block]) -> Vec<Page> {
    let mut composer = Composer { issuer, name, pages: Vec::new(), y: 0.0 };
    composer.start_page();
    for (index, block) in blocks.iter().enumerate() {
        // Signatures never stand alone on a page: the sentence before them comes along.
        if matches!(blocks.get(index + 1), Some(Block::Signatures(_))) {
            composer.need(150.0);
        }
        composer.block(block);
    }
    composer.finish()
}

/// The pages set so far and how far down the last one is filled.
struct Composer<'a> {
    issuer: &'a Issuer,
    name: &'a str,
    pages: Vec<Page>,
    /// Distance of the next block's top from the foot of the sheet.
    y: f32,
}

impl Composer<'_> {
    fn block(&mut self, block: &Block) {
        match block {
            Block::Title(title, about) => self.title(title, about),
            Block::Heading(text) => {
                self.need(74.0);
                self.y -= 10.0;
                self.paragraph(text, Font::Bold, 10.5, ACCENT, false);
                self.y -= 3.0;
            }
            Block::Text(text) => {
                self.paragraph(text, Font::Regular, 10.0, INK, true);
                self.y -= 7.0;
            }
            Block::Note(text) => {
                self.paragraph(text, Font::Regular, 8.0, MUTED, false);
                self.y -= 7.0;
            }
            Block::Table(rows) => self.table(rows),
            Block::Form(rows) => self.form(rows),
            Block::Signatures(signers) => self.signatures(signers),
            Block::Barcode(digits) => self.barcode(digits),
        }
    }

    fn title(&mut self, title: &str, about: &str) {
        let centred = self.issuer.name.is_empty();
        let lines = [(title, Font::Bold, 15.0, ACCENT), (about, Font::Regular, 10.0, MUTED)];
        for (text, font, size, color) in lines.into_iter().filter(|(text, ..)| !text.is_empty()) {
            for line in wrap(text, font, size, MEASURE) {
                self.y -= size * 1.35;
                let indent = if centred { (MEASURE - line.width) / 2.0 } else { 0.0 };
                self.show(LEFT + indent, self.y, &line, size, color, 0.0);
            }
        }
        self.y -= 18.0;
    }

    /// A paragraph broken over pages where it must be, never leaving one line alone.
    fn paragraph(&mut self, text: &str, font: Font, size: f32, color: Color, justified: bool) {
        let leading = size * 1.46;
        let lines = wrap(text, font, size, MEASURE);
        for (index, line) in lines.iter().enumerate() {
            let left = lines.len() - index;
            let together = if (left == 2 && index > 0) || (index == 0 && left > 1) { 2.0 } else { 1.0 };
            self.need(leading * together);
            self.y -= leading;
            let stretch = if justified && left > 1 { MEASURE - line.width } else { 0.0 };
            self.show(LEFT, self.y, line, size, color, stretch);
        }
    }

    fn table(&mut self, rows: &[Vec<String>]) {
        let Some((head, body)) = rows.split_first() else { return };
        let widths = column_widths(rows);
        let numeric: Vec<bool> = head.iter().map(|cell| cell.ends_with('>')).collect();
        let head: Vec<String> = head.iter().map(|cell| cell.trim_end_matches('>').to_owned()).collect();
        self.need(60.0);
        self.row(&head, &widths, &numeric, Font::Bold);
        for row in body {
            if self.y - 17.0 < BOTTOM {
                self.start_page();
                self.row(&head, &widths, &numeric, Font::Bold);
            }
            self.row(row, &widths, &numeric, Font::Regular);
        }
        self.y -= 14.0;
    }

    fn row(&mut self, cells: &[String], widths: &[f32], numeric: &[bool], font: Font) {
        const SIZE: f32 = 8.5;
        let lines: Vec<_> =
            cells.iter().zip(widths).map(|(cell, width)| wrap(cell, font, SIZE, width - 10.0)).collect();
        let height = lines.iter().map(|lines| stacked(lines, 11.0)).fold(0.0, f32::max) + 6.0;
        self.need(height);
        if font == Font::Bold {
            self.fill(LEFT, self.y - height, MEASURE, height, TINT);
        }
        let weight = if cells[0].starts_with("**") { ACCENT } else { HAIRLINE };
        let mut x = LEFT;
        for ((lines, width), numeric) in lines.iter().zip(widths).zip(numeric) {
            let mut baseline = self.y - 3.0;
            for line in lines {
                baseline -= 11.0;
                let indent = if *numeric { width - 5.0 - line.width } else { 5.0 };
                self.show(x + indent, baseline + 2.6, line, SIZE, INK, 0.0);
            }
            x += width;
        }
        if weight == ACCENT {
            self.rule(self.y, ACCENT);
        }
        self.y -= height;
        self.rule(self.y, HAIRLINE);
    }

    fn form(&mut self, rows: &[Vec<(String, String)>]) {
        for row in rows {
            let natural: Vec<f32> = row
                .iter()
                .map(|(label, value)| width(label, Font::Regular, 6.5).max(natural_width(value, Font::Regular, 9.5)) + 14.0)
                .collect();
            let total: f32 = natural.iter().sum();
            let widths = natural.iter().map(|width| width * MEASURE / total);
            let fields: Vec<_> = row
                .iter()
                .zip(widths)
                .map(|((label, value), width)| (label, wrap(value, Font::Regular, 9.5, width - 12.0), width))
                .collect();
            let height = fields.iter().map(|(_, lines, _)| stacked(lines, 12.5)).fold(0.0, f32::max) + 16.0;
            self.need(height);
            let mut x = LEFT;
            for (label, lines, width) in fields {
                let y = self.y - height;
                self.page().outline(x, y, width, height, HAIRLINE);
                self.show(x + 6.0, self.y - 10.0, &plain(label, 6.5), 6.5, MUTED, 0.0);
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
            self.need(84.0);
            self.y -= 46.0;
            let mut x = LEFT;
            for (name, role) in pair {
                self.fill(x, self.y, WIDTH, 0.6, INK);
                self.show(x, self.y - 13.0, &bold(name, 9.0), 9.0, INK, 0.0);
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
        self.need(60.0);
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

    /// Starts a new page unless `height` more points fit on this one.
    fn need(&mut self, height: f32) {
        if self.y - height < BOTTOM {
            self.start_page();
        }
    }

    fn start_page(&mut self) {
        self.pages.push(Page::blank());
        let top = PAGE_HEIGHT - 52.0;
        if self.issuer.name.is_empty() || self.pages.len() > 1 {
            if self.pages.len() > 1 {
                self.show(LEFT, top, &plain(self.name, 8.0), 8.0, MUTED, 0.0);
                self.rule(top - 8.0, HAIRLINE);
            }
            self.y = top - 24.0;
            return;
        }
        self.show(LEFT, top - 8.0, &bold(self.issuer.name, 14.0), 14.0, ACCENT, 0.0);
        let mut baseline = top - 8.0;
        for text in self.issuer.lines {
            baseline -= 12.0;
            self.show(LEFT, baseline, &plain(text, 8.0), 8.0, MUTED, 0.0);
        }
        self.fill(LEFT, baseline - 12.0, MEASURE, 1.4, ACCENT);
        self.y = baseline - 30.0;
    }

    /// Adds the feet, which need the number of pages, and gives the pages away.
    fn finish(mut self) -> Vec<Page> {
        let count = self.pages.len();
        let left = match self.issuer.name {
            "" => DISCLAIMER.to_owned(),
            name => format!("{name} · {DISCLAIMER}"),
        };
        let left = plain(&left, 7.5);
        let mut pages = std::mem::take(&mut self.pages);
        for (index, page) in pages.iter_mut().enumerate() {
            let right = plain(&format!("Página {} de {count}", index + 1), 7.5);
            page.fill(LEFT, 46.0, MEASURE, 0.5, HAIRLINE);
            page.show(LEFT, 34.0, &left, 7.5, MUTED, 0.0);
            page.show(LEFT + MEASURE - right.width, 34.0, &right, 7.5, MUTED, 0.0);
        }
        pages
    }

    fn page(&mut self) -> &mut Page {
        self.pages.last_mut().expect("a page is started before anything is set")
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

/// Columns as wide as their widest cell; the widest column takes what is over, or gives what is missing.
fn column_widths(rows: &[Vec<String>]) -> Vec<f32> {
    let mut widths = vec![0.0_f32; rows[0].len()];
    for (index, row) in rows.iter().enumerate() {
        let font = if index == 0 { Font::Bold } else { Font::Regular };
        for (column, cell) in widths.iter_mut().zip(row) {
            *column = column.max(natural_width(cell.trim_end_matches('>'), font, 8.5) + 12.0);
        }
    }
    let rest = MEASURE - widths.iter().sum::<f32>();
    let widest = widths.iter_mut().max_by(|a, b| a.total_cmp(b)).expect("a table has columns");
    *widest = (*widest + rest).max(60.0);
    widths
}

/// The width of the markup on one line.
fn natural_width(markup: &str, font: Font, size: f32) -> f32 {
    wrap(markup, font, size, f32::INFINITY)[0].width
}

fn stacked(lines: &[Line], leading: f32) -> f32 {
    lines.iter().map(|_| leading).sum()
}

fn plain(text: &str, size: f32) -> Line {
    one_line(text, Font::Regular, size)
}

fn bold(text: &str, size: f32) -> Line {
    one_line(text, Font::Bold, size)
}

fn one_line(text: &str, font: Font, size: f32) -> Line {
    Line { runs: vec![(font, text.to_owned())], width: width(text, font, size), gaps: 0 }
}
