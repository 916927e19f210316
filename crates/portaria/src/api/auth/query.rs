//! Query parameters.

use url::form_urlencoded;

/// Returns the value of a query parameter. An empty value counts as missing, because the client library sends empty
/// values; a repeated parameter counts as missing because it is ambiguous.
pub(crate) fn param(query: Option<&str>, name: &str) -> Option<String> {
    let mut values = form_urlencoded::parse(query?.as_bytes()).filter(|(key, _)| key == name);
    let (_, value) = values.next()?;
    let is_one = values.next().is_none();
    (is_one && !value.is_empty()).then(|| value.into_owned())
}
