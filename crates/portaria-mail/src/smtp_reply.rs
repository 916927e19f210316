//! The replies of a mail server as texts for the administrator.

use std::error::Error as _;

use lettre::transport::smtp::{Error, response::Response};

/// Maximum length of a server's reply in an error message. Characters.
const MAX_REPLY: usize = 200;

/// Returns code and text of the server's reply as one line of at most [`MAX_REPLY`] characters.
pub(crate) fn of_error(error: &Error) -> Option<String> {
    let code = error.status()?;
    let text = error.source().map(ToString::to_string).unwrap_or_default();
    Some(one_line(&format!("{code} {text}")))
}

/// Returns code and text of a reply as one line of at most [`MAX_REPLY`] characters.
pub(crate) fn text(reply: &Response) -> String {
    let lines: Vec<&str> = reply.message().collect();
    one_line(&format!("{} {}", reply.code(), lines.join(" ")))
}

/// Joins the lines of a reply to one of at most [`MAX_REPLY`] characters.
fn one_line(reply: &str) -> String {
    let text: String = reply.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().take(MAX_REPLY).collect()
}
