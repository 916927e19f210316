//! Parses a received message: its sender, the written text, the attachments, and a report of a failed delivery.

use mail_parser::{Address, HeaderValue, Message, MessageParser, MimeHeaders, PartType};

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
    /// The recipient, in lower case.
    pub recipient: String,
    /// The answer of the recipient's server, or the status code. A line.
    pub reason: String,
}

/// Parses a message. Returns `None` for bytes that are no message.
#[must_use]
pub fn parse(bytes: &[u8]) -> Option<IncomingMail> {
    let message = MessageParser::default().parse(bytes)?;
    let recipients = ["To", "Cc", "Delivered-To", "X-Original-To", "Envelope-To"];
    let text = message.body_text(0).unwrap_or_default();
    Some(IncomingMail {
        message_id: printable(message.message_id().unwrap_or_default()),
        from: message.from().and_then(|from| addresses(from).next()).unwrap_or_default(),
        recipients: recipients.iter().flat_map(|name| addresses_in(&message, name)).collect(),
        subject: printable(message.subject().unwrap_or_default()),
        text: reply_text::written_text(&without_control(&text, &['\n', '\t'])),
        is_automatic: is_automatic(&message),
        attachments: attachments(&message),
        failure: delivery_failure(&message),
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

fn addresses_in(message: &Message<'_>, header: &str) -> Vec<String> {
    let values = message.headers().iter().filter(|given| given.name().eq_ignore_ascii_case(header));
    values
        .flat_map(|given| match given.value() {
            HeaderValue::Address(address) => addresses(address).collect(),
            HeaderValue::Text(text) => vec![address_in(text)],
            HeaderValue::TextList(texts) => texts.iter().map(|text| address_in(text)).collect(),
            _ => Vec::new(),
        })
        .collect()
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

fn attachments(message: &Message<'_>) -> Vec<Attachment> {
    let files = message.attachments().filter_map(|part| {
        let name = printable(part.attachment_name()?.trim());
        Some(Attachment { name, bytes: part.contents().to_vec() })
            .filter(|file| !file.name.is_empty())
    });
    files.collect()
}

/// Reads a report of the type `multipart/report; report-type=delivery-status`.
fn delivery_failure(message: &Message<'_>) -> Option<DeliveryFailure> {
    let kind = message.content_type()?;
    let is_report = kind.ctype().eq_ignore_ascii_case("multipart")
        && kind.subtype().is_some_and(|subtype| subtype.eq_ignore_ascii_case("report"));
    if !is_report {
        return None;
    }
    let has_type = |part: &mail_parser::MessagePart<'_>, wanted: &str| {
        let kind = part.content_type();
        kind.and_then(|kind| kind.subtype()).is_some_and(|given| given.eq_ignore_ascii_case(wanted))
    };
    let status = message.parts.iter().find(|part| has_type(part, "delivery-status"))?;
    let status = String::from_utf8_lossy(status.contents()).into_owned();
    let message_id = message.parts.iter().find_map(|part| match &part.body {
        PartType::Message(original) => original.message_id().map(printable),
        _ if has_type(part, "rfc822-headers") => {
            let headers = MessageParser::default().parse(part.contents())?;
            headers.message_id().map(printable)
        }
        _ => None,
    })?;
    // Each recipient is a block of fields behind an empty line.
    let normalized = status.replace("\r\n", "\n");
    normalized.split("\n\n").find_map(|block| {
        let action = field(block, "action")?;
        let recipient =
            field(block, "final-recipient").or_else(|| field(block, "original-recipient"))?;
        let recipient = recipient.rsplit(';').next().unwrap_or_default();
        let reason = field(block, "diagnostic-code").map(|code| match code.split_once(';') {
            Some((_, reply)) => reply.trim().to_owned(),
            None => code,
        });
        let reason = reason.or_else(|| field(block, "status")).unwrap_or_default();
        let failure = DeliveryFailure {
            message_id: message_id.clone(),
            recipient: address_in(recipient),
            reason: printable(&reason).chars().take(500).collect(),
        };
        action.eq_ignore_ascii_case("failed").then_some(failure)
    })
}

/// Returns the value of a field, with its continuation lines.
fn field(block: &str, name: &str) -> Option<String> {
    let mut lines = block.lines().skip_while(|line| {
        !line.split_once(':').is_some_and(|(given, _)| given.trim().eq_ignore_ascii_case(name))
    });
    let first = lines.next()?.split_once(':')?.1.trim().to_owned();
    let rest = lines.take_while(|line| line.starts_with([' ', '\t'])).map(str::trim);
    let words: Vec<&str> = [first.as_str()].into_iter().chain(rest).collect();
    Some(words.join(" "))
}

#[cfg(test)]
mod tests {
    use crate::incoming::{DeliveryFailure, parse};

    #[test]
    fn reply_has_its_own_text_and_its_files() {
        let mail = parse(
            concat!(
                "From: =?utf-8?q?Jo=C3=A3o?= <Joao@Exemplo.com.br>\r\n",
                "To: \"Portal, Prado\" <portal+abc@prado.com.br>\r\nDelivered-To: portal@prado.com.br\r\n",
                "Message-ID: <1@exemplo>\r\nSubject: =?utf-8?b?UmU6IGltcG9zdG8=?=\r\n",
                "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n",
                "--b\r\nContent-Type: text/plain; charset=iso-8859-1\r\n",
                "Content-Transfer-Encoding: quoted-printable\r\n\r\n",
                "Segue o comprovante. N=E3o sei a conta.\r\n\r\n",
                "Em sex., 27 de nov. de 2026, Prado <portal@prado.com.br> escreveu:\r\n> Texto\r\n",
                "--b\r\nContent-Type: application/pdf\r\n",
                "Content-Disposition: attachment; filename*=utf-8''guia%20paga.pdf\r\n",
                "Content-Transfer-Encoding: base64\r\n\r\nJVBERi0=\r\n--b--\r\n",
            )
            .as_bytes(),
        )
        .unwrap();
        assert_eq!(mail.from, "joao@exemplo.com.br");
        assert_eq!(mail.recipients, ["portal+abc@prado.com.br", "portal@prado.com.br"]);
        assert_eq!((mail.message_id.as_str(), mail.subject.as_str()), ("1@exemplo", "Re: imposto"));
        assert_eq!(mail.text, "Segue o comprovante. Não sei a conta.");
        assert_eq!(mail.attachments[0].name, "guia paga.pdf");
        assert_eq!(mail.attachments[0].bytes, b"%PDF-");
        assert!(!mail.is_automatic && mail.failure.is_none());
    }

    #[test]
    fn control_characters_are_removed() {
        let mail = parse(
            b"From: jo\0ao@exemplo.com.br\r\nTo: portal@prado.com.br\r\nMessage-ID: <1\0@exemplo>\r\n\
              Subject: =?utf-8?q?Gu=00ia=1B?=\r\nMIME-Version: 1.0\r\n\
              Content-Type: multipart/mixed; boundary=b\r\n\r\n\
              --b\r\nContent-Type: text/plain; charset=utf-8\r\n\
              Content-Transfer-Encoding: quoted-printable\r\n\r\nUm=00a\tlinha.\r\nOutra=07.\r\n\
              --b\r\nContent-Type: application/pdf\r\n\
              Content-Disposition: attachment; filename*=utf-8''guia%00%0A.pdf\r\n\r\n%PDF-\0\r\n--b--\r\n",
        )
        .unwrap();
        assert_eq!(
            (mail.from.as_str(), mail.message_id.as_str()),
            ("joao@exemplo.com.br", "1@exemplo")
        );
        assert_eq!((mail.subject.as_str(), mail.text.as_str()), ("Guia", "Uma\tlinha.\nOutra."));
        assert_eq!(mail.attachments[0].name, "guia.pdf");
        assert_eq!(mail.attachments[0].bytes, b"%PDF-\0", "the content stays");
        let failed = report("failed", "message/rfc822").replace("User", "Us\0er\x07");
        let failure = parse(failed.as_bytes()).unwrap().failure.unwrap();
        assert_eq!(failure.reason, "550 5.1.1 <ana@exemplo.com.br>: User unknown");
    }

    #[test]
    fn notice_of_absence_is_automatic() {
        for header in ["Auto-Submitted: auto-replied", "Precedence: bulk", "Return-Path: <>"] {
            let mail = format!("From: a@b.c\r\n{header}\r\n\r\nEstou de férias.\r\n");
            assert!(parse(mail.as_bytes()).unwrap().is_automatic, "{header}");
        }
        assert!(!parse(b"From: a@b.c\r\nAuto-Submitted: no\r\n\r\nOi\r\n").unwrap().is_automatic);
    }

    fn report(action: &str, original: &str) -> String {
        format!(
            "From: MAILER-DAEMON@mx.example\r\nTo: portal@prado.com.br\r\nMIME-Version: 1.0\r\n\
             Content-Type: multipart/report; report-type=delivery-status; boundary=r\r\n\r\n\
             --r\r\nContent-Type: text/plain\r\n\r\nUndelivered\r\n\
             --r\r\nContent-Type: message/delivery-status\r\n\r\n\
             Reporting-MTA: dns; mx.example\r\n\r\n\
             Final-Recipient: rfc822; Ana@Exemplo.com.br\r\nAction: {action}\r\nStatus: 5.1.1\r\n\
             Diagnostic-Code: smtp; 550 5.1.1 <ana@exemplo.com.br>:\r\n User unknown\r\n\
             --r\r\nContent-Type: {original}\r\n\r\nMessage-ID: <mail-1@portal>\r\nSubject: x\r\n\r\n\
             --r--\r\n"
        )
    }

    #[test]
    fn report_of_a_failed_delivery_names_mail_recipient_and_reason() {
        let expected = DeliveryFailure {
            message_id: "mail-1@portal".into(),
            recipient: "ana@exemplo.com.br".into(),
            reason: "550 5.1.1 <ana@exemplo.com.br>: User unknown".into(),
        };
        for original in ["message/rfc822", "text/rfc822-headers"] {
            let mail = parse(report("failed", original).as_bytes()).unwrap();
            assert_eq!(mail.failure.as_ref(), Some(&expected), "{original}");
        }
        assert_eq!(parse(report("delayed", "message/rfc822").as_bytes()).unwrap().failure, None);
    }

    #[test]
    fn damaged_messages_are_parsed_without_a_panic() {
        let whole = report("failed", "message/rfc822");
        for end in 0..whole.len() {
            let _ = parse(&whole.as_bytes()[..end]);
        }
        for bytes in [&b""[..], b"\0\xff\xfe", b"Content-Type: multipart/mixed\r\n\r\n--\r\n"] {
            let _ = parse(bytes);
        }
    }
}
