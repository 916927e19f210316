//! Blocks of a document, and the plain-text markup of the templates (`texts/*.txt`).
//!
//! The modules `pdf` and `docx` both render these blocks.

/// A block of a document, from top to bottom. Texts can contain `**bold**` words.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Block {
    /// The title, and a subtitle.
    Title(String, String),
    Heading(String),
    Text(String),
    /// Small print.
    Note(String),
    /// The first row is the head. A head cell that ends in `>` aligns its column to the right. A row that begins in
    /// bold is a total.
    Table(Vec<Vec<String>>),
    /// Rows of boxed fields with label and value, as on an official form.
    Form(Vec<Vec<(String, String)>>),
    /// Names and roles of the signers, side by side.
    Signatures(Vec<(String, String)>),
    /// The 44 digits of a payment slip.
    Barcode(String),
}

/// Parses the markup: `# Title | subtitle`, `## Heading`, `> note`, `| table | row |`, `@ signer | role`. Other lines
/// up to an empty line form a paragraph.
pub(crate) fn parse(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    for chunk in text.split("\n\n").map(str::trim).filter(|chunk| !chunk.is_empty()) {
        let block = if let Some(title) = chunk.strip_prefix("# ") {
            let (title, subtitle) = pair(title);
            Block::Title(title, subtitle)
        } else if let Some(heading) = chunk.strip_prefix("## ") {
            Block::Heading(heading.to_owned())
        } else if let Some(note) = chunk.strip_prefix("> ") {
            Block::Note(one_line(note))
        } else if chunk.starts_with("| ") {
            let cells = |line: &str| {
                line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
            };
            Block::Table(chunk.lines().map(cells).collect())
        } else if chunk.starts_with("@ ") {
            Block::Signatures(
                chunk.lines().map(|line| pair(line.trim_start_matches("@ "))).collect(),
            )
        } else {
            Block::Text(one_line(chunk))
        };
        blocks.push(block);
    }
    blocks
}

/// A field of a form.
pub(crate) fn field(label: &str, value: &str) -> (String, String) {
    (label.to_owned(), value.to_owned())
}

/// Joins the lines, with no-break spaces between signs and their numbers.
fn one_line(chunk: &str) -> String {
    let line = chunk.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    line.replace("nº ", "nº\u{a0}").replace("R$ ", "R$\u{a0}")
}

fn pair(line: &str) -> (String, String) {
    let (first, second) = line.split_once(" | ").unwrap_or((line, ""));
    (first.trim().to_owned(), second.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use crate::markup::{Block, parse};

    #[test]
    fn parse_returns_a_block_per_kind_of_line() {
        let text = "# Recibo | de honorários\n\n## Objeto\n\nPrimeira linha,\nsegunda linha nº 2.\n\n> Nota.\n\n\
                    | Item | Valor> |\n| Um | 1,00 |\n\n@ Ana | Contadora\n@ João | Cliente\n";
        let own = |texts: [&str; 2]| texts.map(str::to_owned).to_vec();
        let expected = [
            Block::Title("Recibo".into(), "de honorários".into()),
            Block::Heading("Objeto".into()),
            Block::Text("Primeira linha, segunda linha nº\u{a0}2.".into()),
            Block::Note("Nota.".into()),
            Block::Table(vec![own(["Item", "Valor>"]), own(["Um", "1,00"])]),
            Block::Signatures(vec![
                ("Ana".into(), "Contadora".into()),
                ("João".into(), "Cliente".into()),
            ]),
        ];
        assert_eq!(parse(text), expected);
    }
}
