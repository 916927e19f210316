//! Pix codes in a text.

use portaria_codes::PixCode;

/// The start of every BR Code: the version of the format.
const START: &str = "000201";
/// Maximum length of a QR code's text.
const MAX_LENGTH: usize = 1200;

/// Finds Pix codes in a text whose lines may divide a code.
pub(crate) fn find_pix(text: &str) -> Vec<(PixCode, usize, usize)> {
    let starts = text.match_indices(START).map(|(start, _)| start);
    let mut found: Vec<(PixCode, usize, usize)> = Vec::new();
    for start in starts {
        if found.iter().any(|(_, _, end)| start < *end) {
            continue;
        }
        found.extend(pix_at(text, start));
    }
    found
}

/// Matches a code at a position. The layout of a page can turn a space within the code into a line break, and a line
/// break is no character of it otherwise, so both readings are tried.
fn pix_at(text: &str, start: usize) -> Option<(PixCode, usize, usize)> {
    for replacement in ["", " "] {
        let mut code = String::new();
        for (offset, character) in text[start..].char_indices().take(MAX_LENGTH) {
            match character {
                '\n' | '\t' => code.push_str(replacement),
                _ => code.push(character),
            }
            if let Some(at) = code.len().checked_sub(8)
                && code.is_char_boundary(at)
                && code[at..].starts_with("6304")
                && let Ok(pix) = code.parse()
            {
                return Some((pix, start, start + offset + character.len_utf8()));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::find_pix;

    /// The example of the Banco Central's manual.
    const EXAMPLE: &str = "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-426655440000\
        5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D";

    #[test]
    fn codes_are_found_across_lines() {
        let divided = format!("Pague com Pix:\n{}\n{}\tObrigado", &EXAMPLE[..60], &EXAMPLE[60..]);
        let found = find_pix(&divided);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0.as_str(), EXAMPLE);
        // The page's layout replaced the space of the merchant's name.
        let at_space = EXAMPLE.replacen("Fulano de", "Fulano\nde", 1);
        assert_eq!(find_pix(&at_space)[0].0.as_str(), EXAMPLE);
    }

    proptest! {
        #[test]
        fn search_never_panics(text in "(000201|6304|[0-9a-zé \n]{0,9}){0,30}") {
            find_pix(&text);
        }
    }
}
