//! Display names of files, folders and people.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Returns whether a character changes the writing direction (Unicode `Bidi_Control`): with it one name can look like
/// another, for example with another file extension.
#[must_use]
pub fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Returns whether a character is invisible and has no width: with it two names can look the same.
#[must_use]
pub fn is_zero_width(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200D}' | '\u{2060}'..='\u{2065}' | '\u{FEFF}')
}

/// Removes control characters and bidirectional controls from a name. Line breaks and tabs become spaces. The result is
/// in the Unicode form NFC.
#[must_use]
pub fn sanitize_display_name(name: &str) -> String {
    let name = name.replace("\r\n", " ");
    let whitespace_to_space = |c: char| if c.is_control() && c.is_whitespace() { ' ' } else { c };
    name.nfc()
        .map(whitespace_to_space)
        .filter(|c| !c.is_control() && !is_bidi_control(*c))
        .collect()
}

/// Normalizes a name for search and sorting: removes accents and folds case, as `lib/text-search.ts` of the web app does.
#[must_use]
pub fn search_key(name: &str) -> String {
    name.trim().nfd().filter(|c| !is_combining_mark(*c)).collect::<String>().to_lowercase()
}

/// Converts a name into a file name that is valid on all file systems, of at most `max_chars` characters, in the Unicode
/// form NFC. Device names of Windows (`nul.pdf`) get a `_` in front.
#[must_use]
pub fn portable_file_name(name: &str, max_chars: usize) -> String {
    let replace_reserved = |c: char| match c {
        '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' => '_',
        c => c,
    };
    let is_invisible = |c: &char| c.is_control() || is_bidi_control(*c) || is_zero_width(*c);
    let name: String =
        name.nfc().filter(|c| !is_invisible(c)).map(replace_reserved).take(max_chars).collect();
    // Windows drops spaces and dots at the end.
    let name = name.trim_start().trim_end_matches([' ', '.']);
    if name.is_empty() || is_device_name(name) { format!("_{name}") } else { name.to_owned() }
}

/// Whether Windows opens a device for a file name. Its extension does not matter.
fn is_device_name(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_lowercase();
    let is_port = |stem: &str| {
        let number = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
        number.is_some_and(|number| {
            let mut chars = number.chars();
            let digit = chars.next();
            matches!(digit, Some('1'..='9' | '¹' | '²' | '³')) && chars.next().is_none()
        })
    };
    matches!(stem.as_str(), "con" | "prn" | "aux" | "nul") || is_port(&stem)
}

#[cfg(test)]
mod tests {
    use crate::display_name::portable_file_name;

    #[test]
    fn file_names_of_macos_are_those_of_other_systems() {
        assert_eq!(portable_file_name("Relato\u{301}rio.pdf", 80), "Relatório.pdf");
    }

    #[test]
    fn file_names_have_no_invisible_characters() {
        assert_eq!(portable_file_name("\u{FEFF}nota\u{200B} 11.pdf", 80), "nota 11.pdf");
    }
}
