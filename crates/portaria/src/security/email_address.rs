//! The form in which e-mail addresses are stored and compared.

use idna::domain_to_ascii_strict;
use unicode_normalization::UnicodeNormalization;

/// Returns an address without white space at both ends, in lower case and the Unicode form NFC, with an international
/// domain as punycode (RFC 5891). A domain that has no such form stays as it is.
#[must_use]
pub fn canonical_address(text: &str) -> String {
    let address: String = text.trim().to_lowercase().nfc().collect();
    let Some((local, domain)) = address.rsplit_once('@') else { return address };
    match canonical_domain(domain) {
        Some(domain) => format!("{local}@{domain}"),
        None => address,
    }
}

/// Returns an international domain as punycode, and any other domain as it is. `None` for a domain that has no such
/// form.
#[must_use]
pub fn canonical_domain(domain: &str) -> Option<String> {
    if domain.is_ascii() && !domain.contains("xn--") {
        return Some(domain.to_owned());
    }
    domain_to_ascii_strict(domain).ok()
}

#[cfg(test)]
mod tests {
    use crate::security::email_address::canonical_address;

    #[test]
    fn international_domain_becomes_punycode() {
        for (text, expected) in [
            (" Ana@Exemplo.com.BR ", "ana@exemplo.com.br"),
            ("a@pão.com", "a@xn--po-sia.com"),
            ("a@PA\u{303}O.com", "a@xn--po-sia.com"),
            ("a@xn--po-sia.com", "a@xn--po-sia.com"),
            ("a@ｅｘｅｍｐｌｏ.com", "a@exemplo.com"),
            ("JOA\u{303}O@pão.com", "joão@xn--po-sia.com"),
            ("a@\u{ad}.com", "a@\u{ad}.com"),
            ("a_b@c_d.com", "a_b@c_d.com"),
            ("sem arroba", "sem arroba"),
        ] {
            assert_eq!(canonical_address(text), expected);
        }
    }
}
