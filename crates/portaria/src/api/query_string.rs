//! Pairs of a query string (WHATWG URL, `application/x-www-form-urlencoded`).
//!
//! The three protocols share this parser and differ in what they do with a pair that is repeated, empty or not UTF-8.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

/// One pair of a query string, before decoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct QueryPair<'a> {
    /// Name of the parameter.
    pub(crate) name: &'a str,
    /// Value of the parameter. `None` without an equals sign.
    pub(crate) value: Option<&'a str>,
}

/// Splits a query string into its pairs. Empty pairs are skipped.
pub(crate) fn query_pairs(query: &str) -> impl Iterator<Item = QueryPair<'_>> {
    query.split('&').filter(|pair| !pair.is_empty()).map(|pair| match pair.split_once('=') {
        Some((name, value)) => QueryPair { name, value: Some(value) },
        None => QueryPair { name: pair, value: None },
    })
}

/// Decodes a name or a value: `+` is a space, and `%xx` is a byte. Returns `None` if the result is not UTF-8.
pub(crate) fn decode(text: &str) -> Option<String> {
    percent_decode_str(&text.replace('+', " ")).decode_utf8().ok().map(Cow::into_owned)
}

/// Like [`decode`], but replaces bytes that are not UTF-8 by U+FFFD.
pub(crate) fn decode_lossy(text: &str) -> String {
    percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use crate::api::query_string::{QueryPair, decode, decode_lossy, query_pairs};

    #[test]
    fn query_is_split_at_ampersands_and_first_equals_sign() {
        let pairs: Vec<QueryPair<'_>> = query_pairs("&a=b=c&d&&e=").collect();
        let pair = |name, value| QueryPair { name, value };
        assert_eq!(pairs, [pair("a", Some("b=c")), pair("d", None), pair("e", Some(""))]);
    }

    #[test]
    fn text_is_decoded_as_a_form() {
        for (text, expected, lossy) in [
            ("a+b%2B%20c", Some("a b+ c"), "a b+ c"),
            ("%C3%A3", Some("ã"), "ã"),
            ("%FF", None, "\u{fffd}"),
            ("100%", Some("100%"), "100%"),
        ] {
            assert_eq!(decode(text).as_deref(), expected, "{text}");
            assert_eq!(decode_lossy(text), lossy, "{text}");
        }
    }
}
