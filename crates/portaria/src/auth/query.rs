//! Parameters that stand in the address.

use url::form_urlencoded;

/// The first parameter of that name; one that is empty counts as missing, for the client library sends those.
pub(super) fn param(query: Option<&str>, name: &str) -> Option<String> {
    form_urlencoded::parse(query?.as_bytes())
        .find(|(key, _)| key == name)
        .map(|(_, value)| value.into_owned())
        .filter(|value| !value.is_empty())
}
