//! Renders blocks as a DOCX file, with the few parts of the package that Word, Pages and `LibreOffice` need.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

use jiff::civil::Date;
use zip::ZipWriter;
use zip::result::ZipResult;
use zip::write::SimpleFileOptions;

use crate::markup::Block;
use crate::people::OFFICE;

const NAMESPACES: &str = r#"xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships""#;

/// Renders a document with the office's letterhead.
pub(crate) fn write(blocks: &[Block], issued: Date) -> Vec<u8> {
    package(blocks, issued).expect("writing to memory cannot fail")
}

fn package(blocks: &[Block], issued: Date) -> ZipResult<Vec<u8>> {
    let title = match blocks.first() {
        Some(Block::Title(title, _)) => title,
        _ => OFFICE.name,
    };
    let body: String = blocks.iter().map(block).collect();
    let parts = [
        ("[Content_Types].xml", include_str!("docx/content-types.xml").to_owned()),
        ("_rels/.rels", include_str!("docx/package-rels.xml").to_owned()),
        ("docProps/core.xml", core(title, issued)),
        ("word/_rels/document.xml.rels", include_str!("docx/document-rels.xml").to_owned()),
        ("word/styles.xml", include_str!("docx/styles.xml").to_owned()),
        ("word/header1.xml", header()),
        ("word/footer1.xml", include_str!("docx/footer.xml").to_owned()),
        ("word/document.xml", document(&body)),
    ];
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, part) in parts {
        zip.start_file(name, SimpleFileOptions::default())?;
        zip.write_all(part.as_bytes())?;
    }
    Ok(zip.finish()?.into_inner())
}

fn block(block: &Block) -> String {
    match block {
        Block::Title(title, about) => paragraph("Title", title) + &paragraph("Subtitle", about),
        Block::Heading(text) => paragraph("Heading1", text),
        Block::Text(text) => paragraph("Normal", text),
        Block::Note(text) => paragraph("Note", text),
        Block::Table(rows) => table(rows),
        Block::Form(rows) => rows
            .iter()
            .flatten()
            .map(|(label, value)| paragraph("Normal", &format!("**{label}:** {value}")))
            .collect(),
        Block::Signatures(signers) => signers
            .iter()
            .map(|(name, role)| {
                paragraph("Signature", &format!("**{name}**")) + &paragraph("Note", role)
            })
            .collect(),
        // Only payment slips have a barcode, and they are PDF files.
        Block::Barcode(_) => String::new(),
    }
}

fn table(rows: &[Vec<String>]) -> String {
    let numeric: Vec<bool> = rows[0].iter().map(|cell| cell.ends_with('>')).collect();
    let mut xml = String::from(
        r#"<w:tbl><w:tblPr><w:tblStyle w:val="Ledger"/><w:tblW w:w="5000" w:type="pct"/></w:tblPr><w:tblGrid>"#,
    );
    xml.extend(rows[0].iter().map(|_| "<w:gridCol/>"));
    xml.push_str("</w:tblGrid>");
    for (index, row) in rows.iter().enumerate() {
        let properties = if index == 0 {
            "<w:trPr><w:cantSplit/><w:tblHeader/></w:trPr>"
        } else {
            "<w:trPr><w:cantSplit/></w:trPr>"
        };
        write!(xml, "<w:tr>{properties}").expect("writing to a String cannot fail");
        for (cell, numeric) in row.iter().zip(&numeric) {
            let style = if *numeric { "Amount" } else { "Cell" };
            let cell = cell.trim_end_matches('>');
            let text = if index == 0 && !cell.is_empty() {
                paragraph(style, &format!("**{cell}**"))
            } else {
                paragraph(style, cell)
            };
            let shade = if index == 0 {
                r#"<w:tcPr><w:shd w:val="clear" w:fill="E9EDF2"/></w:tcPr>"#
            } else {
                ""
            };
            write!(xml, "<w:tc>{shade}{text}</w:tc>").expect("writing to a String cannot fail");
        }
        xml.push_str("</w:tr>");
    }
    // Word requires a paragraph after a table.
    xml + "</w:tbl>" + &paragraph("Cell", "")
}

/// Renders a paragraph in a style of `docx/styles.xml`, with `**words**` in bold.
fn paragraph(style: &str, markup: &str) -> String {
    let mut runs = String::new();
    for (index, text) in markup.split("**").enumerate().filter(|(_, text)| !text.is_empty()) {
        let bold = if index % 2 == 1 { "<w:rPr><w:b/></w:rPr>" } else { "" };
        write!(runs, r#"<w:r>{bold}<w:t xml:space="preserve">{}</w:t></w:r>"#, escape(text))
            .expect("writing to a String cannot fail");
    }
    format!(r#"<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr>{runs}</w:p>"#)
}

fn document(body: &str) -> String {
    let section = r#"<w:sectPr><w:headerReference w:type="default" r:id="rId2"/><w:footerReference w:type="default" r:id="rId3"/><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1985" w:right="1304" w:bottom="1418" w:left="1304" w:header="794" w:footer="624" w:gutter="0"/></w:sectPr>"#;
    format!(
        r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?><w:document {NAMESPACES}><w:body>{body}{section}</w:body></w:document>"#
    )
}

fn header() -> String {
    let (name, lines) =
        (paragraph("Letterhead", OFFICE.name), format!("{} · {}", OFFICE.address, OFFICE.crc));
    format!(
        r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?><w:hdr {NAMESPACES}>{name}{}</w:hdr>"#,
        paragraph("LetterheadLine", &lines)
    )
}

fn core(title: &str, issued: Date) -> String {
    format!(
        r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?><cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:title>{}</dc:title><dc:creator>{}</dc:creator><dcterms:created xsi:type="dcterms:W3CDTF">{issued}T12:00:00Z</dcterms:created></cp:coreProperties>"#,
        escape(title),
        escape(OFFICE.name)
    )
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read};

    use jiff::civil::date;
    use zip::ZipArchive;

    use crate::docx::write;
    use crate::markup::parse;

    /// Panics unless every element of the XML is closed by its own name.
    fn assert_balanced(name: &str, xml: &str) {
        let mut open = Vec::new();
        for tag in xml.split('<').skip(1).map(|rest| rest.split('>').next().unwrap()) {
            let element = tag.trim_start_matches('/').split([' ', '/']).next().unwrap();
            if tag.starts_with('/') {
                assert_eq!(open.pop(), Some(element), "{name}");
            } else if !tag.starts_with('?') && !tag.ends_with('/') {
                open.push(element);
            }
        }
        assert!(open.is_empty(), "{name}: {open:?}");
    }

    #[test]
    fn package_is_complete_and_text_is_escaped() {
        let text = "# Carta | a quem\n\n## Um\n\nPão & **vinho** < 3\n\n| A | B> |\n| 1 | 2 |\n\n@ Ana | Contadora\n\n> Nota.";
        let bytes = write(&parse(text), date(2026, 11, 21));
        let mut package = ZipArchive::new(Cursor::new(bytes)).unwrap();
        assert_eq!(package.len(), 8);
        for index in 0..package.len() {
            let mut part = package.by_index(index).unwrap();
            let mut xml = String::new();
            part.read_to_string(&mut xml).unwrap();
            let name = part.name().unwrap();
            assert_balanced(&name, &xml);
            if name == "word/document.xml" {
                assert!(xml.contains("Pão &amp; ") && xml.contains(" &lt; 3"));
                assert!(xml.contains(r#"<w:rPr><w:b/></w:rPr><w:t xml:space="preserve">vinho"#));
            }
        }
    }
}
