//! The parts of a message: the written text and the attached files.

use std::{borrow::Cow, collections::BTreeSet};

use mail_parser::{
    ContentType, GetHeader, HeaderName, Message, MessagePart, MimeHeaders, PartType,
    decoders::{
        base64::base64_decode, charsets::map::charset_decoder,
        quoted_printable::quoted_printable_decode,
    },
};

use crate::{
    incoming::{Attachment, printable},
    plain_text::received_html_to_text,
};

/// Size below which a picture of the HTML is part of a signature, in bytes.
const MAX_SIGNATURE_PICTURE: usize = 20 * 1024;

/// The transfer encoding of a part (RFC 2045, section 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TransferEncoding {
    Identity,
    Base64,
    QuotedPrintable,
}

impl TransferEncoding {
    fn of(message: &Message<'_>, part: &MessagePart<'_>) -> Self {
        let field = part.headers.header(HeaderName::ContentTransferEncoding);
        let value = field.and_then(|field| {
            message.raw_message.get(field.offset_start as usize..field.offset_end as usize)
        });
        let value = value.unwrap_or_default().trim_ascii();
        if value.eq_ignore_ascii_case(b"base64") {
            Self::Base64
        } else if value.eq_ignore_ascii_case(b"quoted-printable") {
            Self::QuotedPrintable
        } else {
            Self::Identity
        }
    }
}

/// Returns whether a message within the message is encoded, which RFC 2046, section 5.2.1, forbids. Its end is not found,
/// because it is not decoded.
pub(super) fn has_encoded_message(message: &Message<'_>) -> bool {
    let mut messages = vec![message];
    while let Some(message) = messages.pop() {
        for part in &message.parts {
            let is_message = matches!(part.body, PartType::Message(_))
                || part.is_content_type("message", "rfc822")
                || part.is_content_type("message", "global");
            if is_message && TransferEncoding::of(message, part) != TransferEncoding::Identity {
                return true;
            }
            if let PartType::Message(inner) = &part.body {
                messages.push(inner);
            }
        }
    }
    false
}

/// Returns the content of a part without its transfer encoding, in the character set of the sender. A content that is
/// not of its encoding is returned as it is.
pub(super) fn decoded<'a>(message: &'a Message<'_>, part: &MessagePart<'_>) -> Cow<'a, [u8]> {
    let raw = message.raw_message.get(part.offset_body as usize..part.offset_end as usize);
    let raw = raw.unwrap_or_default();
    let content = match TransferEncoding::of(message, part) {
        TransferEncoding::Identity => None,
        TransferEncoding::Base64 => base64_decode(raw),
        TransferEncoding::QuotedPrintable => quoted_printable_decode(raw),
    };
    content.map_or(Cow::Borrowed(raw), Cow::Owned)
}

/// Returns the text of a part.
fn text_of(message: &Message<'_>, part: &MessagePart<'_>) -> String {
    let charset = part.content_type().and_then(|kind| kind.attribute("charset"));
    let content = decoded(message, part);
    match charset.and_then(|charset| charset_decoder(charset.as_bytes())) {
        Some(decode) => decode(&content),
        None => String::from_utf8_lossy(&content).into_owned(),
    }
}

/// Returns the text that the sender wrote, with the quoted text. Mail programs divide a text that surrounds pictures.
pub(super) fn body_text(message: &Message<'_>) -> String {
    let text = joined_text(message, &message.text_body);
    if text.is_empty() { joined_text(message, &message.html_body) } else { text }
}

fn joined_text(message: &Message<'_>, ids: &[u32]) -> String {
    let parts = ids.iter().filter_map(|id| message.part(*id)).enumerate();
    let parts = parts.filter(|(at, part)| *at == 0 || !is_named_text(part));
    let texts = parts.filter_map(|(_, part)| match part.body {
        PartType::Html(_) => Some(received_html_to_text(&text_of(message, part))),
        PartType::Text(_) => Some(text_of(message, part).trim_end().to_owned()),
        _ => None,
    });
    texts.filter(|text| !text.trim().is_empty()).collect::<Vec<_>>().join("\n")
}

/// Whether a part is a text file. Some mail programs attach text files inline.
fn is_named_text(part: &MessagePart<'_>) -> bool {
    matches!(part.body, PartType::Text(_) | PartType::Html(_)) && part.attachment_name().is_some()
}

/// Returns the attached files.
pub(super) fn attachments(message: &Message<'_>) -> Vec<Attachment> {
    let inline = message.text_body.iter().skip(1).chain(message.html_body.iter().skip(1));
    let inline = inline.filter(|id| message.part(**id).is_some_and(is_named_text));
    let ids: BTreeSet<u32> = message.attachments.iter().chain(inline).copied().collect();
    let signature = signature_pictures(message);
    let ids = ids.into_iter().filter(|id| !signature.contains(id));
    let files = ids.filter_map(|id| message.part(id)).filter_map(|part| {
        let name = file_name(part)?;
        Some(Attachment { name, bytes: decoded(message, part).into_owned() })
    });
    files.collect()
}

/// Returns the small pictures that belong to the HTML: those of signatures. Larger ones are pasted photos.
fn signature_pictures(message: &Message<'_>) -> Vec<u32> {
    let mut html: Option<String> = None;
    let related = message.parts.iter().filter(|part| part.is_content_type("multipart", "related"));
    let children = related.filter_map(MessagePart::sub_parts).flatten();
    children
        .copied()
        .filter(|id| {
            let Some(part) = message.part(*id) else { return false };
            let is_picture = part.content_type().is_some_and(|kind| kind.ctype() == "image");
            let content_id = part.content_id().unwrap_or_default().trim_matches(['<', '>', ' ']);
            if !is_picture || content_id.is_empty() {
                return false;
            }
            let html = html.get_or_insert_with(|| html_source(message));
            html.contains(&format!("cid:{content_id}"))
                && decoded(message, part).len() < MAX_SIGNATURE_PICTURE
        })
        .collect()
}

fn html_source(message: &Message<'_>) -> String {
    let html = message.html_bodies().filter(|part| matches!(part.body, PartType::Html(_)));
    html.map(|part| text_of(message, part)).collect()
}

/// Returns the name of an attached file: the one that the sender gave, or one that says its type. `None` for parts that
/// are no files, such as another form of the text.
fn file_name(part: &MessagePart<'_>) -> Option<String> {
    let given = part.attachment_name().map(|name| printable(name.trim()));
    if let Some(name) = given.filter(|name| !name.is_empty()) {
        return Some(name);
    }
    let is_attached = part.content_disposition().is_some_and(ContentType::is_attachment);
    let kind = part.content_type();
    let subtype = kind.and_then(ContentType::subtype).unwrap_or_default();
    let name = match (kind.map_or("text", ContentType::ctype), subtype) {
        ("message", "rfc822" | "global") => "mensagem.eml".to_owned(),
        ("text" | "message", _) if !is_attached => return None,
        ("image", _) => format!("imagem.{}", extension(subtype)),
        ("text", "" | "plain") => "anexo.txt".to_owned(),
        _ => format!("anexo.{}", extension(subtype)),
    };
    Some(name)
}

/// Returns the extension of the files of a type.
fn extension(subtype: &str) -> &str {
    match subtype {
        "jpeg" => "jpg",
        "mpeg" => "mp3",
        subtype
            if subtype.len() <= 4 && subtype.bytes().all(|byte| byte.is_ascii_alphanumeric()) =>
        {
            subtype
        }
        _ => "bin",
    }
}
