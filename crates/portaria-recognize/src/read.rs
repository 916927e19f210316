//! Reading of one file: from its name and bytes to the findings.

use image::ImageFormat;
use jiff::civil::Date;

use crate::facts::{self, Payments};
use crate::findings::{Findings, Format, Found, Line, Place, Problem};
use crate::kinds::find_kind;
use crate::pdf::PdfFile;
use crate::picture::{self, Picture};
use crate::rules::{Fact, Rules};
use crate::text::PageText;
use crate::xml;

/// Maximum number of pages whose text is read.
const MAX_PAGES: usize = 40;
/// Maximum number of pages that are searched for codes, because drawing a page takes a tenth of a second.
const MAX_DRAWN_PAGES: usize = 3;
/// Maximum number of lines, and of characters of a line, in the findings.
const MAX_LINES: usize = 400;
const MAX_LINE_LENGTH: usize = 300;

/// Reads a file. `today` decides which of two possible due dates a payment line means.
#[must_use]
pub fn read(name: &str, bytes: Vec<u8>, today: Date, rules: &Rules) -> Findings {
    let file_name = PageText::plain(name.rsplit(['/', '\\']).next().unwrap_or(name));
    let mut findings = Findings { format: detect(&bytes), ..Findings::default() };
    findings.tax_ids = facts::find_tax_ids_with_roles(&file_name, rules);
    let outcome = match findings.format {
        Some(Format::Pdf) => read_pdf(bytes, today, rules, &file_name, &mut findings),
        Some(Format::Jpeg) => {
            read_picture(&bytes, ImageFormat::Jpeg, today, rules, &file_name, &mut findings)
        }
        Some(Format::Png) => {
            read_picture(&bytes, ImageFormat::Png, today, rules, &file_name, &mut findings)
        }
        Some(Format::Xml) => {
            findings.is_complete = true;
            xml::read(&bytes, rules, &mut findings)
        }
        None => Ok(()),
    };
    if let Err(problem) = outcome {
        findings.problem = Some(problem);
        findings.is_complete = false;
    }
    if findings.kind.is_none() && findings.pages == 0 {
        interpret(
            &mut [],
            &file_name,
            rules,
            today,
            Payments { lines: Vec::new(), pix: Vec::new() },
            &mut findings,
        );
    }
    findings
}

/// The format of a file's content. The name is not considered.
fn detect(bytes: &[u8]) -> Option<Format> {
    /// Number of bytes that may precede a PDF file's header (ISO 32000, annex H).
    const MAX_PREFIX: usize = 1024;
    let start = bytes.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0);
    let content = bytes[start..].strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes[start..]);
    if bytes.starts_with(b"\xff\xd8\xff") {
        Some(Format::Jpeg)
    } else if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        Some(Format::Png)
    } else if content.starts_with(b"<?xml")
        || content.starts_with(b"<nfe")
        || content.starts_with(b"<NFe")
    {
        Some(Format::Xml)
    } else if bytes[..bytes.len().min(MAX_PREFIX)].windows(5).any(|window| window == b"%PDF-") {
        Some(Format::Pdf)
    } else {
        None
    }
}

fn read_pdf(
    bytes: Vec<u8>,
    today: Date,
    rules: &Rules,
    file_name: &PageText,
    findings: &mut Findings,
) -> Result<(), Problem> {
    let file = PdfFile::open(bytes)?;
    let count = file.page_count();
    findings.pages = u32::try_from(count).unwrap_or(u32::MAX);
    let pages = file.read_pages(MAX_PAGES);
    findings.is_complete = count <= MAX_PAGES && pages.iter().all(|page| page.is_complete);
    let drawable: Vec<usize> = pages
        .iter()
        .enumerate()
        .filter(|(_, page)| page.may_have_codes)
        .map(|(index, _)| index)
        .collect();
    let mut texts: Vec<PageText> = pages.into_iter().map(|page| page.text).collect();
    let mut payments = facts::take_payments(&mut texts);
    if payments.pix.is_empty() {
        let has_lines = !payments.lines.is_empty();
        for index in drawable.into_iter().take(MAX_DRAWN_PAGES) {
            add_drawn_codes(&file, index, has_lines, &mut payments);
        }
    }
    interpret(&mut texts, file_name, rules, today, payments, findings);
    Ok(())
}

fn read_picture(
    bytes: &[u8],
    format: ImageFormat,
    today: Date,
    rules: &Rules,
    file_name: &PageText,
    findings: &mut Findings,
) -> Result<(), Problem> {
    let picture = picture::decode(bytes, format)?;
    findings.pages = 1;
    let mut payments = Payments { lines: Vec::new(), pix: Vec::new() };
    add_codes(&picture, 1, &mut payments);
    interpret(&mut [], file_name, rules, today, payments, findings);
    Ok(())
}

/// Adds the payment codes that a page, counted from 0, shows. The bar code repeats a payment line of the text, and a
/// QR code needs fewer dots.
fn add_drawn_codes(file: &PdfFile, index: usize, has_lines: bool, payments: &mut Payments) {
    let number = u32::try_from(index + 1).expect("few pages are read");
    if has_lines {
        if let Some(picture) = file.draw(index, 200.0) {
            add_pix_codes(&picture, number, payments);
        }
        return;
    }
    // The bars of a scan can vanish when its dots do not fall on those of the drawing.
    for dots_per_inch in [300.0, 200.0] {
        if let Some(picture) = file.draw(index, dots_per_inch)
            && payments.lines.is_empty()
        {
            add_codes(&picture, number, payments);
        }
    }
}

/// Adds the payment codes of a picture.
fn add_codes(picture: &Picture, page: u32, payments: &mut Payments) {
    if let Some((value, rect)) = picture::find_slip(picture) {
        payments.add_line(Found { value, place: Place::Barcode { page, rect }, confidence: 0.97 });
    }
    add_pix_codes(picture, page, payments);
}

/// Adds the Pix codes of a picture.
fn add_pix_codes(picture: &Picture, page: u32, payments: &mut Payments) {
    for (value, rect) in picture::find_pix_codes(picture) {
        payments.add_pix(Found { value, place: Place::Barcode { page, rect }, confidence: 0.99 });
    }
}

/// Derives the facts from texts and codes.
fn interpret(
    pages: &mut [PageText],
    file_name: &PageText,
    rules: &Rules,
    today: Date,
    payments: Payments,
    findings: &mut Findings,
) {
    for page in &*pages {
        findings.tax_ids.extend(facts::find_tax_ids_with_roles(page, rules));
    }
    let kind = find_kind(rules, file_name, pages, &payments.lines);
    if let Some(kind) = kind {
        if kind.rule.has(Fact::Due) {
            findings.due = facts::find_due(pages, rules, &payments.lines, today);
        }
        if kind.rule.has(Fact::Amount) {
            findings.amount_cents = facts::find_amount(pages, rules, kind.rule, &payments);
        }
        if kind.rule.has(Fact::ValidUntil) {
            findings.valid_until = facts::find_valid_until(pages, rules);
        }
        if kind.rule.has(Fact::Period) {
            findings.period = facts::find_period(pages, file_name, rules);
        }
        findings.kind = Some(kind.found);
    } else {
        // Without a kind only the codes say what is due, and how much.
        findings.due = facts::find_due(&[], rules, &payments.lines, today);
        findings.amount_cents = facts::find_coded_amount(&payments);
    }
    findings.payment_lines = payments.lines;
    findings.pix = payments.pix;
    let lines = pages.iter().flat_map(lines_of);
    findings.lines = lines.take(MAX_LINES).collect();
}

fn lines_of(page: &PageText) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut last = None;
    for segment in &page.segments {
        let text = page.original(segment.start, segment.end.min(segment.start + MAX_LINE_LENGTH));
        let rect = page.rect_of(segment.start, segment.end);
        match lines.last_mut() {
            Some(line) if last == Some(segment.line) && line.text.len() < MAX_LINE_LENGTH => {
                line.text.push('\t');
                line.text.push_str(&text);
                line.rect = line.rect.zip(rect).map(|(a, b)| a.union(b));
            }
            _ => lines.push(Line { page: page.number, rect, text }),
        }
        last = Some(segment.line);
    }
    lines
}
