//! Serializes rows as CSV in the quoting of PostgreSQL's composite values: NULL is empty, an empty text is `""`.
//!
//! PostgREST answers CSV in this form. CSV crates quote by RFC 4180, which does not quote white space, parentheses and
//! backslashes, so the writer is our own.

use std::borrow::Cow;

use crate::{
    api::rest::{
        planner::plan::{OutputField, OutputShape},
        response::json::RowSerializer,
    },
    schema::value::database_text,
};
use crate::{db::Row, schema::ColumnType};

/// Builds the header record.
pub(crate) fn header(shape: &OutputShape) -> Vec<u8> {
    let mut out = Vec::new();
    for (number, output) in shape.iter().enumerate() {
        if number > 0 {
            out.push(b',');
        }
        write_field(output.key(), &mut out);
    }
    out
}

/// Writes one row, without a line end.
pub(crate) fn write_record(
    shape: &OutputShape,
    render: &RowSerializer<'_>,
    row: Row<'_>,
    out: &mut Vec<u8>,
) {
    for (number, output) in shape.iter().enumerate() {
        if number > 0 {
            out.push(b',');
        }
        let text = match output {
            // PostgreSQL writes a boolean in a composite value as `t` or `f`.
            OutputField::Cell { cell, kind: ColumnType::Bool, field: None, cast: None, .. } => {
                database_text(ColumnType::Bool, row.cell(*cell)).map(|text| text[..1].to_owned())
            }
            OutputField::Cell { cell, kind, field: None, cast: None, .. } => {
                database_text(*kind, row.cell(*cell))
            }
            output => {
                let mut json = Vec::new();
                render.write_value(output, row, &mut json);
                match serde_json::from_slice(&json) {
                    Ok(text) => Some(text),
                    Err(_) => String::from_utf8(json).ok().filter(|json| json != "null"),
                }
            }
        };
        if let Some(text) = text {
            write_field(&text, out);
        }
    }
}

/// Writes a field. An apostrophe precedes a text that a spreadsheet would evaluate as a formula (OWASP: CSV injection),
/// as in the exports of the web app (`web/src/lib/csv.ts`).
fn write_field(text: &str, out: &mut Vec<u8>) {
    let is_formula =
        text.trim_start().starts_with(['=', '+', '-', '@']) || text.starts_with(['\t', '\r', '\n']);
    let text = if is_formula { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) };
    let is_plain = |c: char| !(matches!(c, '"' | '\\' | '(' | ')' | ',') || c.is_whitespace());
    if !text.is_empty() && text.chars().all(is_plain) {
        return out.extend_from_slice(text.as_bytes());
    }
    out.push(b'"');
    for c in text.chars() {
        if matches!(c, '"' | '\\') {
            out.push(c as u8);
        }
        out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use crate::api::rest::response::csv::write_field;

    #[test]
    fn field_is_quoted_like_a_postgresql_record() {
        for (text, expected) in [
            ("a", "a"),
            ("", "\"\""),
            ("a b", "\"a b\""),
            ("a\"b\\", "\"a\"\"b\\\\\""),
            ("ção", "ção"),
            ("=1", "'=1"),
            ("\u{a0}-1", "\"'\u{a0}-1\""),
            ("\rx", "\"'\rx\""),
            ("a=1", "a=1"),
        ] {
            let mut out = Vec::new();
            write_field(text, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }
}
