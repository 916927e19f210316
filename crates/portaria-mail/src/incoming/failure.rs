//! Reports of failed deliveries (RFC 3464).

use mail_parser::{Message, MessagePart, MimeHeaders, PartType};

use crate::incoming::{DeliveryFailure, address_in, fields, parts, printable};

/// Reads a report of the type `multipart/report; report-type=delivery-status`.
pub(super) fn delivery_failure(message: &Message<'_>) -> Option<DeliveryFailure> {
    let kind = message.content_type()?;
    let is_report = kind.ctype().eq_ignore_ascii_case("multipart")
        && kind.subtype().is_some_and(|subtype| subtype.eq_ignore_ascii_case("report"));
    if !is_report {
        return None;
    }
    let has_type = |part: &MessagePart<'_>, wanted: &str| {
        let kind = part.content_type();
        kind.and_then(|kind| kind.subtype()).is_some_and(|given| given.eq_ignore_ascii_case(wanted))
    };
    let status = message.parts.iter().find(|part| has_type(part, "delivery-status"))?;
    let status = String::from_utf8_lossy(&parts::decoded(message, status)).into_owned();
    let message_id = message.parts.iter().find_map(|part| match &part.body {
        PartType::Message(original) => fields::message_id(original),
        _ if has_type(part, "rfc822-headers") => {
            let content = parts::decoded(message, part);
            fields::message_id(&fields::parse_header(&content)?)
        }
        _ => None,
    })?;
    // Each recipient is a block of fields behind an empty line.
    let normalized = status.replace("\r\n", "\n");
    normalized.split("\n\n").find_map(|block| {
        let action = field(block, "action")?;
        let named = ["final-recipient", "original-recipient"].into_iter();
        let mut recipients: Vec<String> = named
            .filter_map(|name| field(block, name))
            .map(|text| address_in(text.rsplit(';').next().unwrap_or_default()))
            .collect();
        recipients.dedup();
        if recipients.is_empty() {
            return None;
        }
        let reason = field(block, "diagnostic-code").map(|code| match code.split_once(';') {
            Some((_, reply)) => reply.trim().to_owned(),
            None => code,
        });
        let reason = reason.or_else(|| field(block, "status")).unwrap_or_default();
        let failure = DeliveryFailure {
            message_id: message_id.clone(),
            recipients,
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
