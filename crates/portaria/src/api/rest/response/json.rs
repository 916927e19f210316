//! Rows as JSON, by the shape that the planner drew.

use serde_json::Value;

use crate::{
    api::rest::{
        executor::Children,
        planner::{OutputField, OutputShape},
    },
    schema::value::{write_json, write_text},
};
use crate::{
    db::{Cell, Row, json},
    schema::ColumnType,
};

/// Writes rows whose to-many embeds were read before.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Render<'a> {
    pub(crate) children: &'a Children,
    /// Keys without a value are left out.
    pub(crate) stripped: bool,
}

impl Render<'_> {
    /// A row as an object.
    pub(crate) fn object(&self, shape: &OutputShape, row: Row<'_>, out: &mut Vec<u8>) {
        out.push(b'{');
        let start = out.len();
        self.slots(shape, Some(row), out, start);
        out.push(b'}');
    }

    /// Without a row (a spread embed that matched nothing) every value is null.
    fn slots(&self, shape: &OutputShape, row: Option<Row<'_>>, out: &mut Vec<u8>, start: usize) {
        for slot in shape {
            if let OutputField::One { key: None, present, shape } = slot {
                let inner = row.filter(|row| row.cell(*present) != Cell::Null);
                self.slots(shape, inner, out, start);
                continue;
            }
            let before = out.len();
            if before > start {
                out.push(b',');
            }
            write_text(slot.key(), out);
            out.push(b':');
            let value = out.len();
            self.value(slot, row, out);
            if self.stripped && out.get(value..) == Some(b"null") {
                out.truncate(before);
            }
        }
    }

    /// The value of one key.
    pub(crate) fn value(&self, slot: &OutputField, row: Option<Row<'_>>, out: &mut Vec<u8>) {
        let Some(row) = row else { return out.extend_from_slice(b"null") };
        match slot {
            OutputField::Cell { cell, kind, field, cast, .. } => {
                let inside;
                let (mut kind, mut cell) = (*kind, row.cell(*cell));
                if let Some(field) = field {
                    inside = place(cell, field);
                    (kind, cell) = match &inside {
                        None => (kind, Cell::Null),
                        Some((kind, text)) => (*kind, Cell::Text(text)),
                    };
                }
                match cast {
                    Some(cast) => cast.write(kind, cell, out),
                    None if self.stripped && kind == ColumnType::Json => write_stripped(cell, out),
                    None => write_json(kind, cell, out),
                }
            }
            OutputField::One { present, .. } if row.cell(*present) == Cell::Null => {
                out.extend_from_slice(b"null");
            }
            OutputField::One { shape, .. } => self.object(shape, row, out),
            OutputField::Many { parent, many, .. } => {
                let array = match row.cell(*parent) {
                    Cell::Text(key) => self.children.get(*many).and_then(|arrays| arrays.get(key)),
                    _ => None,
                };
                out.extend_from_slice(array.map_or(b"[]", |array| array.as_slice()));
            }
        }
    }
}

/// A place inside a JSON column, as text or as JSON. Followed here rather than in SQL, where the two
/// databases differ in spacing.
fn place(cell: Cell<'_>, field: &query::Field) -> Option<(ColumnType, String)> {
    let Cell::Text(text) = cell else { return None };
    let whole: Value = serde_json::from_str(text).ok()?;
    let value = json::place(&whole, &field.path)?;
    if field.as_text {
        return json::text(value).map(|text| (ColumnType::Text(usize::MAX), text));
    }
    Some((ColumnType::Json, value.to_string()))
}

/// A JSON column without the keys that hold null, however deep.
fn write_stripped(cell: Cell<'_>, out: &mut Vec<u8>) {
    let Cell::Text(text) = cell else { return out.extend_from_slice(b"null") };
    let mut value: Value = serde_json::from_str(text).unwrap_or(Value::Null);
    strip(&mut value);
    out.extend_from_slice(value.to_string().as_bytes());
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|_, value| !value.is_null());
            map.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}
