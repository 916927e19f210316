//! The fields of a message's header. The parser keeps them as they are written, and only the ones that are needed are
//! parsed, up to a size.

use mail_parser::{HeaderName, HeaderValue, Message, MessageParser, parsers::MessageStream};

use crate::incoming::{address_in, addresses, limits, printable};

/// Maximum size of a field, in bytes. Larger ones are ignored.
const MAX_FIELD_BYTES: usize = 64 * 1024;
/// Maximum number of fields of a name. More are ignored.
const MAX_REPEATED: usize = 10;

/// Parses a message up to the limits. Parts are not decoded, because what an encoded message contains would exceed the
/// limits unseen.
pub(super) fn parse_message(bytes: &[u8]) -> Option<Message<'_>> {
    if limits::are_exceeded(bytes) { None } else { parser().parse(bytes) }
}

/// Parses the header of a message.
pub(super) fn parse_header(bytes: &[u8]) -> Option<Message<'_>> {
    if limits::are_exceeded(bytes) { None } else { parser().parse_headers(bytes) }
}

fn parser() -> MessageParser {
    MessageParser::new()
        .header_content_type(HeaderName::ContentType)
        .header_content_type(HeaderName::ContentDisposition)
        .ignore_header(HeaderName::ContentTransferEncoding)
}

/// The Message-ID without angle brackets, if there is one.
pub(super) fn message_id(message: &Message<'_>) -> Option<String> {
    let field = raw_fields(message, "Message-ID").last()?;
    MessageStream::new(field).parse_id().as_text().map(printable)
}

/// The address of the sender, if there is one.
pub(super) fn sender(message: &Message<'_>) -> Option<String> {
    let field = raw_fields(message, "From").last()?;
    match MessageStream::new(field).parse_address() {
        HeaderValue::Address(list) => addresses(&list).next(),
        _ => None,
    }
}

pub(super) fn subject(message: &Message<'_>) -> String {
    let field = raw_fields(message, "Subject").last().unwrap_or_default();
    MessageStream::new(field).parse_unstructured().as_text().map(printable).unwrap_or_default()
}

/// The addresses in the fields of a name that contain a list of addresses.
pub(super) fn address_lists(message: &Message<'_>, name: &str) -> Vec<String> {
    let fields = raw_fields(message, name);
    fields
        .flat_map(|field| match MessageStream::new(field).parse_address() {
            HeaderValue::Address(list) => addresses(&list).collect(),
            _ => Vec::new(),
        })
        .collect()
}

/// The addresses in the fields of a name that contain one address.
pub(super) fn plain_addresses(message: &Message<'_>, name: &str) -> Vec<String> {
    raw_fields(message, name).map(|field| address_in(&String::from_utf8_lossy(field))).collect()
}

/// The values of the fields of a name, as they are written.
fn raw_fields<'a>(message: &'a Message<'_>, name: &str) -> impl Iterator<Item = &'a [u8]> {
    let named =
        message.headers().iter().filter(move |given| given.name().eq_ignore_ascii_case(name));
    let values = named.filter_map(|given| {
        message.raw_message.get(given.offset_start as usize..given.offset_end as usize)
    });
    values.filter(|value| value.len() <= MAX_FIELD_BYTES).take(MAX_REPEATED)
}
