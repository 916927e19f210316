//! Validation and normalization of object names, applied once when a request is parsed.

use unicode_normalization::UnicodeNormalization;

use crate::api::storage::StorageError;
use crate::display_name;

/// Normalizes an object name to NFC and validates it (`docs/protocol/storage.md`, section 3.1).
///
/// # Errors
/// `InvalidKey` for names that could traverse directories (`..`, `\`), deceive their reader (invisible characters,
/// changes of the writing direction), or not be saved on common file systems (too long, trailing dot).
pub(crate) fn parse(text: &str) -> Result<String, StorageError> {
    let key: String = text.nfc().collect();
    let is_valid = key.len() <= 1024 && key.split('/').all(is_valid_segment);
    if is_valid {
        Ok(key)
    } else {
        Err(StorageError::invalid_key(
            &key.chars().take(200).filter(|c| !c.is_control()).collect::<String>(),
        ))
    }
}

fn is_valid_segment(segment: &str) -> bool {
    let is_forbidden = |c: char| {
        c.is_control()
            || c == '\\'
            || display_name::is_bidi_control(c)
            || display_name::is_zero_width(c)
    };
    !segment.is_empty()
        && segment.len() <= 255
        && !matches!(segment, "." | "..")
        && !segment.starts_with(' ')
        && !segment.ends_with([' ', '.'])
        && !segment.contains(is_forbidden)
}

#[cfg(test)]
mod tests {
    use crate::api::storage::object_key::parse;

    #[test]
    fn object_key_keeps_unicode_and_refuses_deceptive_names() {
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
