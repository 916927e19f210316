//! Composes the MIME message of a mail: headers, plain text, HTML and inline images.
//!
//! The Message-ID is derived from the outbox row's id, so repeated deliveries carry the same one. Text that people
//! write cannot become a header, another recipient or the end of the message: header values are single lines, and
//! bodies are quoted-printable.

use base64::{Engine, prelude::BASE64_STANDARD as BASE64};
use jiff::Timestamp;
use lettre::{
    Address, Message,
    message::{
        Body, Mailbox, MultiPart, MultiPartKind, SinglePart,
        header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue},
    },
};
use url::{Host, Url};

use crate::{
    MailFrom, inline_images,
    layout::{LOGO, LOGO_PATH},
    plain_text::to_plain_text,
    reply_text::REPLY_LINE,
};

/// Maximum length of a subject. Characters.
const MAX_SUBJECT: usize = 250;
/// Maximum length of a person's name. Characters.
const MAX_NAME: usize = 80;

/// Input of [`compose`].
#[derive(Debug)]
#[expect(missing_docs, reason = "the names describe the fields")]
pub struct MessageContent<'a> {
    pub id: &'a str,
    pub recipient: &'a str,
    /// Display name of the recipient, if the address is confirmed to be theirs.
    pub name: Option<&'a str>,
    pub subject: &'a str,
    pub html: &'a str,
    /// The office's logo, a PNG file.
    pub logo: Option<&'a [u8]>,
    /// Unsubscribe URL, for mails that have a topic.
    pub unsubscribe: Option<&'a str>,
    /// The address for an answer, if the portal reads answers to the mail.
    pub reply_to: Option<&'a str>,
}

/// A message with its SMTP envelope.
#[derive(Debug)]
pub struct MimeMessage {
    pub(crate) from: Address,
    pub(crate) to: Address,
    pub(crate) bytes: Vec<u8>,
}

/// The sender or the recipient is not a valid mail address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidRecipient;

impl MimeMessage {
    /// Returns the message as sent by SMTP.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Checks the address of a recipient.
///
/// # Errors
/// [`InvalidRecipient`].
pub fn check_recipient(recipient: &str) -> Result<(), InvalidRecipient> {
    address(recipient).map(drop)
}

/// Composes a message.
///
/// # Errors
/// [`InvalidRecipient`].
pub fn compose(
    content: &MessageContent<'_>,
    sender: &MailFrom,
    site_url: &str,
    now: Timestamp,
) -> Result<MimeMessage, InvalidRecipient> {
    let (from, to) = (address(&sender.address)?, address(content.recipient)?);
    let name = |text: &str| Some(single_line(text, MAX_NAME)).filter(|name| !name.is_empty());
    let site = Url::parse(site_url).ok();
    let host = site.as_ref().and_then(Url::host_str).unwrap_or("localhost");
    let mut message = Message::builder()
        .date(now.into())
        .from(Mailbox::new(name(&sender.name), from.clone()))
        .to(Mailbox::new(content.name.and_then(name), to.clone()))
        .subject(single_line(content.subject, MAX_SUBJECT))
        .message_id(Some(format!("<{}@{host}>", content.id)))
        // Prevents automatic replies (RFC 3834).
        .raw_header(header("Auto-Submitted", "auto-generated".to_owned()));

    // A serialized `Url` is ASCII without spaces.
    if let Some(link) = content.unsubscribe.and_then(|link| Url::parse(link).ok()) {
        message = message
            .raw_header(header("List-Unsubscribe", format!("<{link}>")))
            // One-click unsubscribe (RFC 8058).
            .raw_header(header("List-Unsubscribe-Post", "List-Unsubscribe=One-Click".to_owned()));
    }

    let reply_to = content.reply_to.and_then(|to| address(to).ok());
    let line = reply_to.is_some().then_some(REPLY_LINE);
    if let Some(reply_to) = reply_to {
        message = message.reply_to(Mailbox::new(name(&sender.name), reply_to));
    }

    let parts = MultiPart::builder()
        .kind(MultiPartKind::Alternative)
        // Quoted-printable text never contains `=_`.
        .boundary(format!("=_{}", content.id))
        .singlepart(text_part(ContentType::TEXT_PLAIN, &plain_text(content.html, line)));
    let html = place_reply_line(&place_logo(content.html, content.logo), line);
    let (html, images) = inline_images::extract_inline_images(&html, content.id, host);
    let html = text_part(ContentType::TEXT_HTML, &html);
    let parts = if images.is_empty() {
        parts.singlepart(html)
    } else {
        // Neither boundary is a prefix of the other.
        let related = MultiPart::related().boundary(format!("=_p_{}", content.id)).singlepart(html);
        parts.multipart(images.into_iter().fold(related, MultiPart::singlepart))
    };
    let message = message.multipart(parts).expect("the message has a sender and a recipient");
    Ok(MimeMessage { from, to, bytes: message.formatted() })
}

/// Puts the logo of now in the place of that of the time at which the mail was written.
fn place_logo(html: &str, logo: Option<&[u8]>) -> String {
    let image = logo.map_or_else(String::new, |png| {
        LOGO.replacen(LOGO_PATH, &format!("data:image/png;base64,{}", BASE64.encode(png)), 1)
    });
    html.replacen(LOGO, &image, 1)
}

/// Converts a mail to plain text, below the line that ends an answer.
fn plain_text(html: &str, reply_line: Option<&str>) -> String {
    let text = to_plain_text(html);
    reply_line.map_or_else(|| text.clone(), |line| format!("{line}\n\n{text}"))
}

/// Puts the line that ends an answer at the head of a page.
fn place_reply_line(html: &str, reply_line: Option<&str>) -> String {
    let body = html.find("<body").and_then(|start| Some(start + html.get(start..)?.find('>')? + 1));
    let parts = body.and_then(|at| html.split_at_checked(at));
    match (reply_line, parts) {
        (Some(line), Some((head, page))) => format!(
            "{head}<div style=\"padding:8px 16px 0;text-align:center;font-family:Arial,sans-serif;font-size:12px;color:#5C6670\">{line}</div>{page}"
        ),
        _ => html.to_owned(),
    }
}

/// Parses an address. The domain is converted to its ASCII form (IDNA).
fn address(text: &str) -> Result<Address, InvalidRecipient> {
    let (local, domain) = text.rsplit_once('@').ok_or(InvalidRecipient)?;
    // Quoted local parts are not supported.
    if local.contains(|c: char| c == '"' || c.is_control() || c.is_whitespace()) {
        return Err(InvalidRecipient);
    }
    let Ok(Host::Domain(domain)) = Host::parse(domain) else { return Err(InvalidRecipient) };
    Address::new(local, domain).map_err(|_| InvalidRecipient)
}

/// Reduces text to one header line of at most `limit` characters, without control and bidirectional characters.
fn single_line(text: &str, limit: usize) -> String {
    let is_bidi = |c: &char| matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    let text: String = text
        .chars()
        .filter(|c| !is_bidi(c))
        .map(|c| if c.is_control() || c.is_whitespace() { ' ' } else { c })
        .collect();
    let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    // A mail program would decode text that looks like an encoded word (RFC 2047).
    words.join(" ").replace("=?", "= ?").chars().take(limit).collect()
}

/// Builds a header whose value is printable ASCII without spaces, so that it needs neither encoding nor folding.
fn header(name: &'static str, value: String) -> HeaderValue {
    debug_assert!(value.bytes().all(|byte| byte.is_ascii_graphic()), "{value}");
    HeaderValue::dangerous_new_pre_encoded(
        HeaderName::new_from_ascii_str(name),
        value.clone(),
        value,
    )
}

/// Builds a text part in quoted-printable: short ASCII lines, safe against bare line ends and lines of a single dot.
fn text_part(content_type: ContentType, text: &str) -> SinglePart {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let text: String =
        text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    let body = Body::new_with_encoding(text, ContentTransferEncoding::QuotedPrintable);
    SinglePart::builder()
        .header(content_type)
        .body(body.expect("quoted-printable encodes any text"))
}
