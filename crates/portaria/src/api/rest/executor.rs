//! Runs a plan, and its to-many embeds once for all parents.

use std::collections::{BTreeSet, HashMap};

use crate::db::{Cell, Error, Rows, Tx};
use crate::{
    api::rest::{
        RestError,
        planner::{OutputField, OutputShape, Plan, ToManyEmbed},
        response::{content_negotiation::ResponseFormat, csv, json::Render},
    },
    schema::value::write_text,
};

/// More keys than these go to the database in several statements.
const KEYS_AT_ONCE: usize = 500;

/// The rows of an answer, each already written in the form that the caller wants.
#[derive(Debug, Default)]
pub(crate) struct QueryResult {
    /// Each row with one byte before it, which separates it from the last.
    text: Vec<u8>,
    ends: Vec<usize>,
    /// The first line of a CSV answer.
    header: Vec<u8>,
    /// The rows without limit and offset, if they were to be counted.
    pub(crate) total: Option<u64>,
}

impl QueryResult {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The body of the answer.
    pub(crate) fn into_body(mut self, form: ResponseFormat) -> Result<Vec<u8>, RestError> {
        match form {
            ResponseFormat::Object { .. } if self.len() != 1 => {
                Err(RestError::not_single(self.len()))
            }
            ResponseFormat::Object { .. } => Ok(self.text.split_off(1)),
            ResponseFormat::Csv if self.text.is_empty() => Ok(b"\n".to_vec()),
            ResponseFormat::Csv => {
                self.header.append(&mut self.text);
                Ok(self.header)
            }
            ResponseFormat::Array { .. } => {
                match self.text.first_mut() {
                    Some(first) => *first = b'[',
                    None => self.text.push(b'['),
                }
                self.text.push(b']');
                Ok(self.text)
            }
        }
    }

    /// Adds the rows of another answer behind these.
    pub(crate) fn append(&mut self, mut other: Self) {
        let before = self.text.len();
        self.text.append(&mut other.text);
        self.ends.extend(other.ends.iter().map(|end| before + end));
        self.header = other.header;
    }

    fn push(&mut self, separator: u8, write: impl FnOnce(&mut Vec<u8>)) {
        self.text.push(separator);
        write(&mut self.text);
        self.ends.push(self.text.len());
    }
}

/// Runs a plan whole.
pub(crate) fn execute(
    tx: &mut Tx<'_>,
    plan: &Plan,
    count: bool,
    form: ResponseFormat,
) -> Result<QueryResult, RestError> {
    let mut found = QueryResult::default();
    if count {
        let rows = tx.rows(&plan.count)?;
        let row = rows.first().ok_or_else(|| Error::Internal("a count without a row".into()))?;
        found.total = Some(row.int(0)?.unsigned_abs());
    }
    let stripped = form.is_stripped();
    let rows = tx.rows(&plan.statement)?;
    let children = load_children(tx, &rows, &plan.shape, &plan.many, stripped)?;
    let render = Render { children: &children, stripped };
    for row in rows.iter() {
        if found.len() == 1 {
            // The first row tells about how long the others are.
            found.text.reserve(found.text.len() * rows.len());
        }
        if form == ResponseFormat::Csv {
            found.push(b'\n', |out| csv::write_record(&plan.shape, &render, row, out));
        } else {
            found.push(b',', |out| render.object(&plan.shape, row, out));
        }
    }
    if form == ResponseFormat::Csv {
        found.header = csv::header(&plan.shape);
    }
    Ok(found)
}

/// For each to-many embed, the JSON array of each parent's rows.
pub(crate) type Children = Vec<HashMap<String, Vec<u8>>>;

fn load_children(
    tx: &mut Tx<'_>,
    rows: &Rows,
    shape: &OutputShape,
    many: &[ToManyEmbed],
    stripped: bool,
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
            let nested = load_children(tx, &found, &many.shape, &many.nested, stripped)?;
            let render = Render { children: &nested, stripped };
            for row in found.iter() {
                let array = arrays.entry(row.text(0)?.to_owned()).or_default();
                array.push(if array.is_empty() { b'[' } else { b',' });
                render.object(&many.shape, row, array);
            }
        }
        for array in arrays.values_mut() {
            array.push(b']');
        }
        if many.counts {
            // A parent without rows has no group: its count is 0, not absent.
            for key in keys {
                arrays.entry(key.to_owned()).or_insert_with(|| zero_count(&many.shape));
            }
        }
        all.push(arrays);
    }
    Ok(all)
}

fn zero_count(shape: &OutputShape) -> Vec<u8> {
    let key = match shape.first() {
        Some(OutputField::Cell { key, .. }) => key.as_str(),
        _ => "count",
    };
    let mut array = b"[{".to_vec();
    write_text(key, &mut array);
    array.extend_from_slice(b":0}]");
    array
}

/// The cell in which a row holds its key for the to-many embed of that number, however deep it was asked for.
fn parent_cell(shape: &OutputShape, number: usize) -> Option<usize> {
    shape.iter().find_map(|slot| match slot {
        OutputField::Many { parent, many, .. } if *many == number => Some(*parent),
        OutputField::One { shape, .. } => parent_cell(shape, number),
        _ => None,
    })
}
