//! Limits on a received message, which anyone can send. They bound the time, the memory and the recursion of the parser.

/// Maximum number of occurrences of `Content-Type`. Each level of nested messages and multiparts has one, and the parser
/// may search the rest of the message for the end of each multipart.
const MAX_CONTENT_TYPES: usize = 200;
/// Maximum size of a `Content-Type` or `Content-Disposition` field, in bytes. The parser compares its parameters with
/// each other.
const MAX_PARAMETER_BYTES: usize = 16 * 1024;
/// Maximum number of runs of hyphens. Each part begins behind one.
const MAX_DELIMITERS: usize = 100_000;
/// Maximum number of lines that may be header fields.
const MAX_FIELDS: usize = 1_000_000;

/// Returns whether a message exceeds the limits and must not be parsed.
pub(super) fn are_exceeded(bytes: &[u8]) -> bool {
    ends_of_name(bytes, b"content-type").nth(MAX_CONTENT_TYPES).is_some()
        || has_large_field(bytes, b"content-type")
        || has_large_field(bytes, b"content-disposition")
        || bytes
            .split(|byte| *byte != b'-')
            .filter(|run| run.len() > 1)
            .nth(MAX_DELIMITERS)
            .is_some()
        || bytes
            .split(|byte| *byte == b'\n')
            .filter(|line| line.contains(&b':'))
            .nth(MAX_FIELDS)
            .is_some()
}

/// Returns the positions behind the occurrences of a name, whose first letter it has only once. The parser ignores case
/// and white space in names.
fn ends_of_name(bytes: &[u8], name: &'static [u8]) -> impl Iterator<Item = usize> {
    let mut matched = 0;
    bytes.iter().enumerate().filter_map(move |(at, byte)| {
        if byte.is_ascii_whitespace() {
            return None;
        }
        let byte = Some(byte.to_ascii_lowercase());
        let continues = name.get(matched).copied() == byte;
        matched = if continues { matched + 1 } else { usize::from(name.first().copied() == byte) };
        (matched == name.len()).then_some(at + 1)
    })
}

fn has_large_field(bytes: &[u8], name: &'static [u8]) -> bool {
    let mut checked = 0;
    ends_of_name(bytes, name).any(|start| {
        let field = bytes.get(start..).unwrap_or_default().trim_ascii_start();
        if start < checked || field.first() != Some(&b':') {
            return false;
        }
        // A line that begins with white space continues the field.
        let end =
            field.windows(2).position(|pair| pair[0] == b'\n' && !matches!(pair[1], b' ' | b'\t'));
        let length = end.unwrap_or(field.len());
        checked = start + length;
        length > MAX_PARAMETER_BYTES
    })
}
