//! The `Content-Disposition` header (RFC 6266).
//!
//! Written by hand: the header has one form here, `attachment` with a file name, and percent-encoding is the crate's.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::display_name::portable_file_name;

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

/// Maximum length of a name. Characters.
const MAX_NAME_CHARS: usize = 200;

/// Builds `attachment` with the name as `filename` (ASCII, for old clients) and as `filename*` (UTF-8).
/// The name is made valid on all file systems and cut to [`MAX_NAME_CHARS`].
pub(crate) fn attachment(name: &str) -> String {
    let name = portable_file_name(name, MAX_NAME_CHARS);
    let ascii: String = name
        .chars()
        .map(|c| if c.is_ascii() && !matches!(c, '"' | '%' | ';') { c } else { '_' })
        .collect();
    let quote = if ascii.bytes().all(is_token_byte) { "" } else { "\"" };
    format!(
        "attachment; filename={quote}{ascii}{quote}; filename*=UTF-8''{}",
        utf8_percent_encode(&name, EXT_VALUE)
    )
}

/// Whether a name that consists of such bytes needs no quotes (`token` of RFC 9110, section 5.6.2). The original quotes no
/// name, and clients compare the header with its form.
fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&+".contains(&byte)
}

/// Percent-decodes a file name a second time, because the client library encodes non-ASCII names twice.
/// A name that does not decode to UTF-8 is returned unchanged.
pub(crate) fn decode_file_name(name: &str) -> String {
    percent_decode_str(name).decode_utf8().map_or_else(|_| name.to_owned(), Into::into)
}

#[cfg(test)]
mod tests {
    use percent_encoding::utf8_percent_encode;

    use crate::api::storage::content_disposition::{EXT_VALUE, attachment, decode_file_name};

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
            "attachment; filename=\"a_bSet-Cookie_ x\"; filename*=UTF-8''a_bSet-Cookie_%20x"
        );
        for (name, safe) in [
            ("nul.pdf", "_nul.pdf"),
            ("CON", "_CON"),
            ("Lpt9.tar.gz", "_Lpt9.tar.gz"),
            ("com¹ .txt", "_com¹ .txt"),
            ("conta.pdf", "conta.pdf"),
            ("com10.txt", "com10.txt"),
            ("a*b?.pdf", "a_b_.pdf"),
            ("a<b>|c:\"d\".pdf", "a_b__c__d_.pdf"),
            ("fim. .", "fim"),
            ("..", "_"),
        ] {
            let expected = format!("filename*=UTF-8''{}", utf8_percent_encode(safe, EXT_VALUE));
            let header = attachment(name);
            assert!(header.ends_with(&expected), "{name}: {header}");
        }
        assert!(attachment("../../x").starts_with("attachment; filename=.._.._x; "));
        assert_eq!(attachment("a.pdf"), "attachment; filename=a.pdf; filename*=UTF-8''a.pdf");
    }
}
