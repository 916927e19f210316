//! Tax ids in a text.

use portaria_codes::TaxId;

use crate::text::fold;

/// Length of the longest tax id, a CNPJ. Characters.
const CNPJ_LENGTH: usize = 14;

/// The groups of a tax id in texts: lengths, and whether letters may occur.
const FORMS: [(&[usize], bool); 3] =
    [(&[3, 3, 3, 2], false), (&[2, 3, 3, 4, 2], false), (&[2, 3, 3, 4, 2], true)];

/// A tax id in a text: the positions of its characters, and whether it is written with punctuation.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TaxIdInText {
    pub(crate) tax_id: TaxId,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) punctuated: bool,
}

/// Finds the tax ids in the name of a file or folder, in their order.
#[must_use]
pub fn tax_ids_in_name(name: &str) -> Vec<TaxId> {
    find_tax_ids(&fold(name)).into_iter().map(|found| found.tax_id).collect()
}

/// Finds the tax ids in a folded text (capital ASCII letters). A line break may divide a tax id, and letters may touch
/// one that consists of digits: `CNPJ11222333000181`.
pub(crate) fn find_tax_ids(text: &str) -> Vec<TaxIdInText> {
    let bytes = text.as_bytes();
    let mut found: Vec<TaxIdInText> = Vec::new();
    for (groups, letters) in FORMS {
        for start in 0..bytes.len() {
            if let Some(tax_id) = match_at(bytes, start, groups, letters)
                && found.iter().all(|other| other.end <= tax_id.start || tax_id.end <= other.start)
            {
                found.push(tax_id);
            }
        }
    }
    found.sort_by_key(|tax_id| tax_id.start);
    found
}

/// Matches groups of characters that are no part of a longer run of such characters.
fn match_at(bytes: &[u8], start: usize, groups: &[usize], letters: bool) -> Option<TaxIdInText> {
    let belongs = |byte: &u8| byte.is_ascii_digit() || (letters && byte.is_ascii_uppercase());
    if start > 0 && belongs(&bytes[start - 1]) {
        return None;
    }
    let mut at = start;
    let mut plain = String::with_capacity(CNPJ_LENGTH);
    for (index, &length) in groups.iter().enumerate() {
        if index > 0 {
            at += separator_length(&bytes[at..]);
        }
        let group = bytes.get(at..at + length)?;
        if !group.iter().all(belongs) {
            return None;
        }
        plain.extend(group.iter().map(|byte| char::from(*byte)));
        at += length;
    }
    if bytes.get(at).is_some_and(belongs) {
        return None;
    }
    let punctuated = at - start > plain.len();
    Some(TaxIdInText { tax_id: plain.parse().ok()?, start, end: at, punctuated })
}

/// Length of the optional separator of two groups: a space, or a punctuation mark between optional spaces.
fn separator_length(rest: &[u8]) -> usize {
    let is_space = |at: usize| matches!(rest.get(at), Some(b' ' | b'\n'));
    let lead = usize::from(is_space(0));
    match rest.get(lead) {
        Some(b'.' | b'_' | b'-' | b'/' | b':') => lead + 1 + usize::from(is_space(lead + 1)),
        _ => lead,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::find_tax_ids;

    fn found(text: &str) -> Vec<String> {
        find_tax_ids(text).into_iter().map(|found| found.tax_id.as_str().to_owned()).collect()
    }

    #[test]
    fn tax_ids_are_found_in_texts_and_file_names() {
        for (text, expected) in [
            ("CNPJ11222333000181.PDF", "11222333000181"),
            ("GUIA 11.222.333-0001-81", "11222333000181"),
            ("CNPJ 11.222.333/\n0001-81", "11222333000181"),
            ("11 222 333 / 0001-81", "11222333000181"),
            ("2026-11-11222333000181.PDF", "11222333000181"),
            ("CPF52998224725", "52998224725"),
            ("FILIAL 12.ABC.345-01DE-35.PDF", "12ABC34501DE35"),
        ] {
            assert_eq!(found(text), [expected], "{text}");
        }
    }

    #[test]
    fn parts_of_longer_numbers_are_no_tax_ids() {
        for text in [
            "35261111222333000181550010000012341000012345",
            "34191.79001 01043.510047 91020.150008 5 72510026000",
            "IMG_20261123_101500.JPG",
            "(11) 98765-4321",
            "529\t982\t247\t25",
        ] {
            assert_eq!(found(text), Vec::<String>::new(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn search_never_panics(text in "[ -~\n\t]{0,200}") {
            find_tax_ids(&text);
        }
    }
}
