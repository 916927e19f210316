//! Payment lines in a text.

use portaria_codes::PaymentLine;

/// A payment line in a text: the positions of its digits.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PaymentLineInText {
    pub(crate) line: PaymentLine,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Finds typed lines in a folded text. Dots, hyphens, spaces, tabs and line breaks may divide the digits.
pub(crate) fn find_payment_lines(text: &str) -> Vec<PaymentLineInText> {
    let bytes = text.as_bytes();
    let mut found: Vec<PaymentLineInText> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let starts = bytes[at].is_ascii_digit() && (at == 0 || !bytes[at - 1].is_ascii_digit());
        match starts.then(|| line_at(bytes, at)).flatten() {
            Some(line) => {
                at = line.end;
                found.push(line);
            }
            None => at += 1,
        }
    }
    found
}

/// Matches a typed line, or the digits of a bar code in one piece, at a position.
fn line_at(bytes: &[u8], start: usize) -> Option<PaymentLineInText> {
    /// Maximum number of characters between two digits of a line.
    const MAX_GAP: usize = 5;
    let mut digits = String::with_capacity(48);
    let mut gap = 0;
    let mut is_whole = true;
    for (at, &byte) in bytes.iter().enumerate().skip(start) {
        if byte.is_ascii_digit() {
            is_whole &= gap == 0;
            gap = 0;
            digits.push(char::from(byte));
            let ends = bytes.get(at + 1).is_none_or(|next| !next.is_ascii_digit());
            let line = match digits.len() {
                44 if is_whole && ends => PaymentLine::from_barcode(&digits).ok(),
                47 | 48 if ends => digits.parse().ok(),
                49.. => return None,
                _ => None,
            };
            if let Some(line) = line {
                return Some(PaymentLineInText { line, start, end: at + 1 });
            }
        } else {
            gap += 1;
            if gap > MAX_GAP || !matches!(byte, b' ' | b'.' | b'-' | b'\t' | b'\n') {
                return None;
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::find_payment_lines;

    #[test]
    fn lines_are_found_with_punctuation_and_line_breaks() {
        // The example of FEBRABAN's specification with the bank 001.
        let typed = "00190.50095 40144.816069\n06809.350314 3 37370000000100";
        let text = format!("RECIBO 12 {typed} FIM");
        let found = find_payment_lines(&text);
        assert_eq!(found.len(), 1);
        assert_eq!(&text[found[0].start..found[0].end], typed);
        assert!(find_payment_lines(&text.replace("816069", "816068")).is_empty());
    }

    proptest! {
        #[test]
        fn search_never_panics(text in "[0-9 .\n-]{0,200}") {
            find_payment_lines(&text);
        }
    }
}
