//! Display names of files, folders and people.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// Returns whether a character changes the writing direction (Unicode `Bidi_Control`): with it one name can look like
/// another, for example with another file extension.
#[must_use]
pub fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Removes control characters and bidirectional controls from a name. Line breaks and tabs become spaces.
#[must_use]
pub fn sanitize_display_name(name: &str) -> String {
    let name = name.replace("\r\n", " ");
    let whitespace_to_space = |c: char| if c.is_control() && c.is_whitespace() { ' ' } else { c };
    name.chars()
        .map(whitespace_to_space)
        .filter(|c| !c.is_control() && !is_bidi_control(*c))
        .collect()
}

/// Normalizes a name for search and sorting: removes accents and folds case, as `lib/search.ts` of the web app does.
#[must_use]
pub fn search_key(name: &str) -> String {
    name.trim().nfd().filter(|c| !is_combining_mark(*c)).collect::<String>().to_lowercase()
}
