//! The `Content-Disposition` header (RFC 6266).
//!
//! Written by hand: the header has one form here, `attachment` with a file name, and percent-encoding is the crate's.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Characters that are percent-encoded in `filename*`: all except letters, digits and these characters of `attr-char`
/// (RFC 8187, section 3.2.1).
const EXT_VALUE: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'+');

/// Builds `attachment` with the name as `filename` (ASCII, for old clients) and as `filename*` (UTF-8).
/// Control and bidirectional characters are dropped, path separators become `_`, and the name is cut to 200 characters.
pub(crate) fn attachment(name: &str) -> String {
    let name: String = name
        .chars()
        .filter(|c| {
            !c.is_control() && !matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
        })
        .map(|c| if matches!(c, '/' | '\\') { '_' } else { c })
        .take(200)
        .collect();
    let ascii: String = name
        .chars()
        .map(|c| if c.is_ascii() && !matches!(c, '"' | '%' | ';') { c } else { '_' })
        .collect();
    format!(
        "attachment; filename=\"{ascii}\"; filename*=UTF-8''{}",
        utf8_percent_encode(&name, EXT_VALUE)
    )
}

/// Percent-decodes a file name a second time, because the client library encodes non-ASCII names twice.
/// A name that does not decode to UTF-8 is returned unchanged.
pub(crate) fn decode_file_name(name: &str) -> String {
    percent_decode_str(name).decode_utf8().map_or_else(|_| name.to_owned(), Into::into)
}

#[cfg(test)]
mod tests {
    use crate::api::storage::content_disposition::{attachment, decode_file_name};

    #[test]
    fn attachment_encodes_name_in_both_forms_and_drops_control_characters() {
        assert_eq!(
            attachment("Declaração nº 3 – João.pdf"),
            "attachment; filename=\"Declara__o n_ 3 _ Jo_o.pdf\"; \
             filename*=UTF-8''Declara%C3%A7%C3%A3o%20n%C2%BA%203%20%E2%80%93%20Jo%C3%A3o.pdf"
        );
        assert_eq!(decode_file_name("nome %C3%A9.pdf"), "nome é.pdf");
        assert_eq!(decode_file_name("100% %FF"), "100% %FF");
        assert_eq!(
            attachment("a\"b\r\nSet-Cookie: x"),
            "attachment; filename=\"a_bSet-Cookie: x\"; filename*=UTF-8''a%22bSet-Cookie%3A%20x"
        );
        assert!(attachment("../../x").starts_with("attachment; filename=\".._.._x\""));
    }
}
