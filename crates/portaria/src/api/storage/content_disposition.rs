//! The name under which a browser saves a file (RFC 6266).

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// What RFC 5987 lets stand in an extended value.
const EXTENDED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'+');

/// `attachment` with the name in both forms: plain ASCII for old programs, UTF-8 for the rest.
pub(crate) fn attachment(name: &str) -> String {
    let name: String = name
        .chars()
        .filter(|c| {
            !c.is_control() && !matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
        })
        .map(|c| if matches!(c, '/' | '\\') { '_' } else { c })
        .take(200)
        .collect();
    let plain: String = name
        .chars()
        .map(|c| if c.is_ascii() && !matches!(c, '"' | '%' | ';') { c } else { '_' })
        .collect();
    format!(
        "attachment; filename=\"{plain}\"; filename*=UTF-8''{}",
        utf8_percent_encode(&name, EXTENDED)
    )
}

/// The client library encodes a name of other letters twice (contract §5).
pub(crate) fn decoded_again(name: &str) -> String {
    percent_decode_str(name).decode_utf8().map_or_else(|_| name.to_owned(), Into::into)
}

#[cfg(test)]
mod tests {
    use crate::api::storage::content_disposition::{attachment, decoded_again};

    #[test]
    fn names_travel_in_both_forms_and_carry_nothing_else() {
        assert_eq!(
            attachment("Declaração nº 3 – João.pdf"),
            "attachment; filename=\"Declara__o n_ 3 _ Jo_o.pdf\"; \
             filename*=UTF-8''Declara%C3%A7%C3%A3o%20n%C2%BA%203%20%E2%80%93%20Jo%C3%A3o.pdf"
        );
        assert_eq!(decoded_again("nome %C3%A9.pdf"), "nome é.pdf");
        assert_eq!(decoded_again("100% %FF"), "100% %FF");
        assert_eq!(
            attachment("a\"b\r\nSet-Cookie: x"),
            "attachment; filename=\"a_bSet-Cookie: x\"; filename*=UTF-8''a%22bSet-Cookie%3A%20x"
        );
        assert!(attachment("../../x").starts_with("attachment; filename=\".._.._x\""));
    }
}
