//! Object names: what people call a file, checked once at the edge.

use unicode_normalization::UnicodeNormalization;

use crate::api::storage::StorageError;
use crate::display_name;

/// A legal object name in NFC.
///
/// # Errors
/// `InvalidKey` for names that hide, climb or cannot travel (security S-11, S-13).
pub(crate) fn parse(text: &str) -> Result<String, StorageError> {
    let key: String = text.nfc().collect();
    let legal = key.len() <= 1024 && key.split('/').all(is_legal_segment);
    if legal {
        Ok(key)
    } else {
        Err(StorageError::invalid_key(
            &key.chars().take(200).filter(|c| !c.is_control()).collect::<String>(),
        ))
    }
}

fn is_legal_segment(segment: &str) -> bool {
    let hidden = |c: char| {
        c.is_control()
            || c == '\\'
            || display_name::is_bidi_control(c)
            || matches!(c, '\u{200B}'..='\u{200D}' | '\u{2060}'..='\u{2065}' | '\u{FEFF}')
    };
    !segment.is_empty()
        && segment.len() <= 255
        && !matches!(segment, "." | "..")
        && !segment.starts_with(' ')
        && !segment.ends_with([' ', '.'])
        && !segment.contains(hidden)
}

#[cfg(test)]
mod tests {
    use crate::api::storage::object_key::parse;

    #[test]
    fn names_people_give_are_kept_and_tricks_are_refused() {
        for good in ["public/a/b/1-Declaração nº 3 – João.pdf", ".hidden", "a／b", "😀.png"]
        {
            assert_eq!(parse(good).unwrap(), good);
        }
        assert_eq!(parse("ac\u{327}a\u{303}o").unwrap(), "ação");
        for bad in [
            "",
            "/",
            "a//b",
            "../x",
            "a/../b",
            "a/.",
            "a\\b",
            "a\0b",
            "a\nb",
            "a /b",
            " a",
            "a.",
            "\u{202E}fdp.exe",
        ] {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
        assert!(parse(&"ã".repeat(128)).is_err());
        assert!(parse(&vec!["a".repeat(200); 6].join("/")).is_err());
    }
}
