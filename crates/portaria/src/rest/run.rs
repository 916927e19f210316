//! Runs a plan and writes its rows as JSON.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use super::{
    RestError,
    plan::{Many, Plan, Shape, Slot},
    value::{write_json, write_text},
};
use crate::{
    catalog::Kind,
    db::{Cell, Error, Row, Rows, Tx},
};

/// More keys than these go to the database in several statements.
const KEYS_AT_ONCE: usize = 500;

/// The rows of an answer, each already JSON.
#[derive(Debug, Default)]
pub(super) struct Found {
    json: Vec<u8>,
    ends: Vec<usize>,
    /// The rows without limit and offset, if they were to be counted.
    pub(super) total: Option<u64>,
}

impl Found {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The rows as a JSON array.
    pub(super) fn into_array(mut self) -> Vec<u8> {
        if self.json.is_empty() {
            self.json.push(b'[');
        }
        self.json.push(b']');
        self.json
    }

    /// The only row as an object.
    pub(super) fn into_single(self) -> Result<Vec<u8>, RestError> {
        if self.len() != 1 {
            return Err(RestError::not_single(self.len()));
        }
        // What stands behind the opening bracket is the row.
        Ok(self.json.get(1..).unwrap_or_default().to_vec())
    }

    /// Adds the rows of another answer behind these.
    pub(super) fn append(&mut self, other: Self) {
        let mut start = 1;
        for end in other.ends {
            self.push(|out| out.extend_from_slice(other.json.get(start..end).unwrap_or_default()));
            start = end + 1;
        }
    }

    fn push(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        self.json.push(if self.json.is_empty() { b'[' } else { b',' });
        write(&mut self.json);
        self.ends.push(self.json.len());
    }
}

/// Runs a plan whole.
pub(super) fn run(tx: &mut Tx<'_>, plan: &Plan, count: bool) -> Result<Found, RestError> {
    let mut found = Found::default();
    if count {
        let rows = tx.rows(&plan.count)?;
        let row = rows.first().ok_or_else(|| Error::Internal("a count without a row".into()))?;
        found.total = Some(row.int(0)?.unsigned_abs());
    }
    let rows = tx.rows(&plan.statement)?;
    let children = children(tx, &rows, &plan.shape, &plan.many)?;
    for row in rows.iter() {
        found.push(|out| write_object(&plan.shape, &children, row, out));
    }
    Ok(found)
}

/// For each to-many embed, the JSON array of each parent's rows.
type Children = Vec<HashMap<String, Vec<u8>>>;

fn children(
    tx: &mut Tx<'_>,
    rows: &Rows,
    shape: &Shape,
    many: &[Many],
) -> Result<Children, RestError> {
    let mut all = Vec::with_capacity(many.len());
    for (number, many) in many.iter().enumerate() {
        let cell = parent_cell(shape, number);
        let keys: BTreeSet<&str> = cell
            .into_iter()
            .flat_map(|cell| {
                rows.iter().filter_map(move |row| {
                    if let Cell::Text(key) = row.cell(cell) { Some(key) } else { None }
                })
            })
            .collect();
        let keys: Vec<&str> = keys.into_iter().collect();
        let mut arrays: HashMap<String, Vec<u8>> = HashMap::new();
        for keys in keys.chunks(KEYS_AT_ONCE) {
            let found = tx.rows(&many.statement(keys))?;
            let nested = children(tx, &found, &many.shape, &many.nested)?;
            for row in found.iter() {
                let array = arrays.entry(row.text(0)?.to_owned()).or_default();
                array.push(if array.is_empty() { b'[' } else { b',' });
                write_object(&many.shape, &nested, row, array);
            }
        }
        for array in arrays.values_mut() {
            array.push(b']');
        }
        if many.counts {
            // A parent without rows has no group: its count is 0, not absent.
            for key in keys {
                arrays.entry(key.to_owned()).or_insert_with(|| zero(&many.shape));
            }
        }
        all.push(arrays);
    }
    Ok(all)
}

fn zero(shape: &Shape) -> Vec<u8> {
    let key = match shape.first() {
        Some(Slot::Cell { key, .. }) => key.as_str(),
        _ => "count",
    };
    let mut array = b"[{".to_vec();
    write_text(key, &mut array);
    array.extend_from_slice(b":0}]");
    array
}

/// The cell in which a row holds its key for the to-many embed of that number, however deep it was asked for.
fn parent_cell(shape: &Shape, number: usize) -> Option<usize> {
    shape.iter().find_map(|slot| match slot {
        Slot::Many { parent, many, .. } if *many == number => Some(*parent),
        Slot::One { shape, .. } => parent_cell(shape, number),
        _ => None,
    })
}

fn write_object(shape: &Shape, children: &Children, row: Row<'_>, out: &mut Vec<u8>) {
    out.push(b'{');
    let start = out.len();
    write_slots(shape, children, Some(row), out, start);
    out.push(b'}');
}

/// Without a row (a spread embed that matched nothing) every value is null.
fn write_slots(
    shape: &Shape,
    children: &Children,
    row: Option<Row<'_>>,
    out: &mut Vec<u8>,
    start: usize,
) {
    for slot in shape {
        if let Slot::One { key: None, present, shape } = slot {
            let inner = row.filter(|row| row.cell(*present) != Cell::Null);
            write_slots(shape, children, inner, out, start);
            continue;
        }
        if out.len() > start {
            out.push(b',');
        }
        let key = match slot {
            Slot::Cell { key, .. } | Slot::Many { key, .. } => key,
            Slot::One { key, .. } => key.as_deref().unwrap_or_default(),
        };
        write_text(key, out);
        out.push(b':');
        let Some(row) = row else {
            out.extend_from_slice(b"null");
            continue;
        };
        match slot {
            Slot::Cell { cell, kind, field: None, .. } => write_json(*kind, row.cell(*cell), out),
            Slot::Cell { cell, field: Some(field), .. } => {
                write_inside(row.cell(*cell), field, out);
            }
            Slot::One { present, .. } if row.cell(*present) == Cell::Null => {
                out.extend_from_slice(b"null");
            }
            Slot::One { shape, .. } => write_object(shape, children, row, out),
            Slot::Many { parent, many, .. } => {
                let array = match row.cell(*parent) {
                    Cell::Text(key) => children.get(*many).and_then(|arrays| arrays.get(key)),
                    _ => None,
                };
                out.extend_from_slice(array.map_or(b"[]", |array| array.as_slice()));
            }
        }
    }
}

/// A place inside a JSON column. Followed here rather than in SQL, where the two databases differ in spacing.
fn write_inside(cell: Cell<'_>, field: &query::Field, out: &mut Vec<u8>) {
    let whole: Value = match cell {
        Cell::Text(text) => serde_json::from_str(text).unwrap_or(Value::Null),
        _ => Value::Null,
    };
    let place = field.path.iter().try_fold(&whole, |value, step| match step {
        query::Step::Key(key) => value.get(key),
        query::Step::Index(index) => {
            let array = value.as_array()?;
            let index = if *index < 0 {
                array.len().checked_add_signed(isize::try_from(*index).ok()?)?
            } else {
                usize::try_from(*index).ok()?
            };
            array.get(index)
        }
    });
    match place {
        None | Some(Value::Null) => out.extend_from_slice(b"null"),
        Some(Value::String(text)) if field.as_text => write_text(text, out),
        Some(value) if field.as_text => write_text(&value.to_string(), out),
        Some(value) => write_json(Kind::Json, Cell::Text(&value.to_string()), out),
    }
}
