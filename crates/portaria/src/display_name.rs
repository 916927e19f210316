//! Names that people give: to files, folders, themselves.

/// Whether a character turns the direction of writing (Unicode `Bidi_Control`): with it a name looks like another.
#[must_use]
pub fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// A name without such characters and without controls; the end of a line parts two words.
#[must_use]
pub fn sanitize_display_name(name: &str) -> String {
    let name = name.replace("\r\n", " ");
    let blank = |c: char| if c.is_control() && c.is_whitespace() { ' ' } else { c };
    name.chars().map(blank).filter(|c| !c.is_control() && !is_bidi_control(*c)).collect()
}
