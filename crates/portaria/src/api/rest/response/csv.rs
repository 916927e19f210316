//! Rows as CSV, in the way that PostgreSQL writes a record: NULL is nothing, the empty text is `""`.

use crate::{
    api::rest::{
        planner::{OutputField, OutputShape},
        response::json::Render,
    },
    schema::value::database_text,
};
use crate::{
    db::{Cell, Row},
    schema::ColumnType,
};

/// The line of keys.
pub(crate) fn header(shape: &OutputShape) -> Vec<u8> {
    let keys: Vec<&str> = flat(shape).map(|(slot, _)| slot.key()).collect();
    keys.join(",").into_bytes()
}

/// One row, without the end of its line.
pub(crate) fn write_record(
    shape: &OutputShape,
    render: &Render<'_>,
    row: Row<'_>,
    out: &mut Vec<u8>,
) {
    for (number, (slot, present)) in flat(shape).enumerate() {
        if number > 0 {
            out.push(b',');
        }
        if present.is_some_and(|cell| row.cell(cell) == Cell::Null) {
            continue;
        }
        let text = match slot {
            // In a record a boolean is one letter.
            OutputField::Cell { cell, kind: ColumnType::Bool, field: None, cast: None, .. } => {
                database_text(ColumnType::Bool, row.cell(*cell)).map(|text| text[..1].to_owned())
            }
            OutputField::Cell { cell, kind, field: None, cast: None, .. } => {
                database_text(*kind, row.cell(*cell))
            }
            slot => {
                let mut json = Vec::new();
                render.value(slot, Some(row), &mut json);
                match serde_json::from_slice(&json) {
                    Ok(serde_json::Value::Null) | Err(_) => None,
                    Ok(serde_json::Value::String(text)) => Some(text),
                    Ok(value) => Some(value.to_string()),
                }
            }
        };
        if let Some(text) = text {
            write_field(&text, out);
        }
    }
}

/// The slots with those of spread embeds among them, each with the cell that tells whether it is there.
fn flat(shape: &OutputShape) -> Box<dyn Iterator<Item = (&OutputField, Option<usize>)> + '_> {
    Box::new(shape.iter().flat_map(|slot| match slot {
        OutputField::One { key: None, present, shape } => {
            Box::new(flat(shape).map(move |(slot, inner)| (slot, inner.or(Some(*present)))))
                as Box<dyn Iterator<Item = _>>
        }
        slot => Box::new(std::iter::once((slot, None))),
    }))
}

fn write_field(text: &str, out: &mut Vec<u8>) {
    let plain = |c: char| !(matches!(c, '"' | '\\' | '(' | ')' | ',') || c.is_whitespace());
    if !text.is_empty() && text.chars().all(plain) {
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
    fn fields_are_quoted_as_a_record_is() {
        for (text, expected) in [
            ("a", "a"),
            ("", "\"\""),
            ("a b", "\"a b\""),
            ("a\"b\\", "\"a\"\"b\\\\\""),
            ("ção", "ção"),
        ] {
            let mut out = Vec::new();
            write_field(text, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }
}
