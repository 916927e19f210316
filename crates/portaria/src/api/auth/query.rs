//! Parameters that stand in the address.

use url::form_urlencoded;

/// The parameter of that name. One that is empty counts as missing, for the client library sends those; one that is
/// given twice does, for it says nothing.
pub(crate) fn param(query: Option<&str>, name: &str) -> Option<String> {
    let mut given = form_urlencoded::parse(query?.as_bytes()).filter(|(key, _)| key == name);
    let (_, value) = given.next()?;
    let is_one = given.next().is_none();
    (is_one && !value.is_empty()).then(|| value.into_owned())
}
