//! Parses a received message: its sender, the written text, the attachments, and a report of a failed delivery.

mod failure;
mod fields;
mod limits;
mod parts;

use mail_parser::{Address, Message};

use crate::reply_text;

/// A received message. Its texts have no control characters, except line feeds and tabs in [`text`](Self::text).
#[derive(Debug, Default)]
pub struct IncomingMail {
    /// The Message-ID without angle brackets; empty if the message has none.
    pub message_id: String,
    /// The address of the sender, in lower case; empty if the message has none.
    pub from: String,
    /// The addresses to which the message was sent or delivered, in lower case.
    pub recipients: Vec<String>,
    /// The subject.
    pub subject: String,
    /// The written text, without quoted text below it.
    pub text: String,
    /// Whether a program wrote the message (RFC 3834), such as a notice of absence.
    pub is_automatic: bool,
    /// The attached files.
    pub attachments: Vec<Attachment>,
    /// The report of a delivery that failed, if the message is one.
    pub failure: Option<DeliveryFailure>,
}

/// An attached file.
#[derive(Debug)]
pub struct Attachment {
    /// The name that the sender gave, which may contain any character except control characters.
    pub name: String,
    /// The content.
    pub bytes: Vec<u8>,
}

/// A report of a delivery that failed for good (RFC 3464).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryFailure {
    /// The Message-ID of the mail that failed, without angle brackets.
    pub message_id: String,
    /// The recipient, in lower case: the address that failed, and the one to which the mail was sent before it was
    /// forwarded, if the report names both.
    pub recipients: Vec<String>,
    /// The answer of the recipient's server, or the status code. A line.
    pub reason: String,
}

/// Parses a message. Returns `None` for bytes that are no message, and for messages that exceed the limits of the parser
/// (`limits.rs`) or contain an encoded message.
#[must_use]
pub fn parse(bytes: &[u8]) -> Option<IncomingMail> {
    let message = fields::parse_message(bytes)?;
    if parts::has_encoded_message(&message) {
        return None;
    }
    let lists = ["To", "Cc"].into_iter().flat_map(|name| fields::address_lists(&message, name));
    let delivered = ["Delivered-To", "X-Original-To", "Envelope-To"];
    let delivered = delivered.into_iter().flat_map(|name| fields::plain_addresses(&message, name));
    let text = parts::body_text(&message);
    Some(IncomingMail {
        message_id: fields::message_id(&message).unwrap_or_default(),
        from: fields::sender(&message).unwrap_or_default(),
        recipients: lists.chain(delivered).collect(),
        subject: fields::subject(&message),
        text: reply_text::written_text(&without_control(&text, &['\n', '\t'])),
        is_automatic: is_automatic(&message),
        attachments: parts::attachments(&message),
        failure: failure::delivery_failure(&message),
    })
}

/// Removes control characters. PostgreSQL stores no NUL, and the others have no meaning in a line.
fn printable(text: &str) -> String {
    without_control(text, &[])
}

fn without_control(text: &str, kept: &[char]) -> String {
    text.chars().filter(|char| !char.is_control() || kept.contains(char)).collect()
}

fn addresses<'a>(value: &'a Address<'_>) -> impl Iterator<Item = String> + use<'a> {
    value
        .iter()
        .filter_map(|address| address.address())
        .map(|text| printable(text).to_ascii_lowercase())
}

fn address_in(text: &str) -> String {
    printable(text.trim().trim_start_matches('<').trim_end_matches('>')).to_ascii_lowercase()
}

fn is_automatic(message: &Message<'_>) -> bool {
    let text =
        |name: &'static str| message.header_raw(name).unwrap_or_default().trim().to_lowercase();
    let submitted = text("Auto-Submitted");
    (!submitted.is_empty() && submitted != "no")
        || ["bulk", "junk", "list", "auto_reply"].contains(&text("Precedence").as_str())
        || !text("X-Autoreply").is_empty()
        || !text("List-Id").is_empty()
        || text("Return-Path") == "<>"
}

#[cfg(test)]
mod tests;
