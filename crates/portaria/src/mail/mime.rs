//! A row of the outbox as the message that leaves: headers, a text, its HTML and its pictures (MIME).
//!
//! A row is known by its Message-ID however often it leaves. Nothing that anybody wrote can become a header, another
//! recipient or the end of the message: headers are single lines, bodies are encoded.

use jiff::Timestamp;
use lettre::{
    Address, Message,
    message::{
        Body, Mailbox, MultiPart, MultiPartKind, SinglePart,
        header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue},
    },
};
use url::{Host, Url};

use crate::config::MailFrom;
use crate::mail::{inline_images, plain_text::to_plain_text};

/// The longest subject. Characters.
const SUBJECT: usize = 250;
/// The longest name of a person. Characters.
const NAME: usize = 80;

/// What a message is made of.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct MessageContent<'a> {
    pub id: &'a str,
    pub recipient: &'a str,
    /// What the recipient is called, if they are known to be that person.
    pub name: Option<&'a str>,
    pub subject: &'a str,
    pub html: &'a str,
    /// Where such mails can be ended, for those that can.
    pub unsubscribe: Option<&'a str>,
}

/// A message, and whom it goes to.
#[derive(Debug)]
pub struct MimeMessage {
    pub(crate) from: Address,
    pub(crate) to: Address,
    pub(crate) bytes: Vec<u8>,
}

/// The recipient is no address that a mail can be sent to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidRecipient;

impl MimeMessage {
    /// The message as it travels.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Makes the message.
///
/// # Errors
/// [`NoAddress`].
pub fn compose(
    content: &MessageContent<'_>,
    sender: &MailFrom,
    site_url: &str,
    now: Timestamp,
) -> Result<MimeMessage, InvalidRecipient> {
    let (from, to) = (address(&sender.address)?, address(content.recipient)?);
    let name = |text: &str| Some(line(text, NAME)).filter(|name| !name.is_empty());
    let site = Url::parse(site_url).ok();
    let host = site.as_ref().and_then(Url::host_str).unwrap_or("localhost");
    let mut message = Message::builder()
        .date(now.into())
        .from(Mailbox::new(name(&sender.name), from.clone()))
        .to(Mailbox::new(content.name.and_then(name), to.clone()))
        .subject(line(content.subject, SUBJECT))
        .message_id(Some(format!("<{}@{host}>", content.id)))
        // No answer of a machine to this one (RFC 3834).
        .raw_header(header("Auto-Submitted", "auto-generated".to_owned()));
    // As its parser writes it: ASCII, without a blank.
    if let Some(link) = content.unsubscribe.and_then(|link| Url::parse(link).ok()) {
        message = message
            .raw_header(header("List-Unsubscribe", format!("<{link}>")))
            // With one click in the mail program (RFC 8058).
            .raw_header(header("List-Unsubscribe-Post", "List-Unsubscribe=One-Click".to_owned()));
    }
    let parts = MultiPart::builder()
        .kind(MultiPartKind::Alternative)
        // Nothing quoted-printable holds this.
        .boundary(format!("=_{}", content.id))
        .singlepart(part(ContentType::TEXT_PLAIN, &to_plain_text(content.html)));
    let (html, pictures) = inline_images::extract_inline_images(content.html, content.id, host);
    let html = part(ContentType::TEXT_HTML, &html);
    let parts = if pictures.is_empty() {
        parts.singlepart(html)
    } else {
        // Neither boundary begins like the other.
        let related = MultiPart::related().boundary(format!("=_p_{}", content.id)).singlepart(html);
        parts.multipart(pictures.into_iter().fold(related, MultiPart::singlepart))
    };
    let message = message.multipart(parts).expect("there are a sender and a recipient");
    Ok(MimeMessage { from, to, bytes: message.formatted() })
}

/// An address as it is written on the wire: a domain has its ASCII name there.
fn address(text: &str) -> Result<Address, InvalidRecipient> {
    let (local, domain) = text.rsplit_once('@').ok_or(InvalidRecipient)?;
    // Nobody's mailbox needs what only a quoted name could hold.
    if local.contains(|c: char| c == '"' || c.is_control() || c.is_whitespace()) {
        return Err(InvalidRecipient);
    }
    let Ok(Host::Domain(domain)) = Host::parse(domain) else { return Err(InvalidRecipient) };
    Address::new(local, domain).map_err(|_| InvalidRecipient)
}

/// Text of people's as one line, for a header.
fn line(text: &str, most: usize) -> String {
    let is_bidi = |c: &char| matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    let text: String = text
        .chars()
        .filter(|c| !is_bidi(c))
        .map(|c| if c.is_control() || c.is_whitespace() { ' ' } else { c })
        .collect();
    let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    // What looks like an encoded word would be decoded by whoever reads it.
    words.join(" ").replace("=?", "= ?").chars().take(most).collect()
}

/// A header of ours: printable, and short or without a place to fold it.
fn header(name: &'static str, value: String) -> HeaderValue {
    debug_assert!(value.bytes().all(|byte| byte.is_ascii_graphic()), "{value}");
    HeaderValue::dangerous_new_pre_encoded(
        HeaderName::new_from_ascii_str(name),
        value.clone(),
        value,
    )
}

/// A part in quoted-printable: short lines of ASCII, in which no line end and no dot stands that was not meant.
fn part(kind: ContentType, text: &str) -> SinglePart {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let text: String =
        text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    let body = Body::new_with_encoding(text, ContentTransferEncoding::QuotedPrintable);
    SinglePart::builder()
        .header(kind)
        .body(body.expect("any text can be written in quoted-printable"))
}
