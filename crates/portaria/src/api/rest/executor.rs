//! Executes a plan: one statement for the rows, and one per to-many embed for all of its parents.
//!
//! The number of statements depends on the depth of the query, not on the number of rows
//! (docs/decisions/0003-embeds-and-stable-order.md).

use std::collections::{BTreeSet, HashMap};

use crate::db::{Cell, Error, Rows, Tx};
use crate::{
    api::rest::{
        RestError,
        planner::{OutputField, OutputShape, Plan, ToManyEmbed},
        response::{content_negotiation::ResponseFormat, csv, json::RowSerializer},
    },
    schema::value::write_text,
};

/// Maximum number of parent keys in one statement; more keys are split over several statements.
const MAX_KEYS_PER_STATEMENT: usize = 500;

/// The rows of an answer, already serialized in the format that the caller accepts.
#[derive(Debug, Default)]
pub(crate) struct QueryResult {
    /// The serialized rows, each preceded by one separator byte.
    text: Vec<u8>,
    /// Offset in `text` behind each row. Bytes.
    ends: Vec<usize>,
    /// The header record of a CSV answer.
    header: Vec<u8>,
    /// Number of rows without limit and offset, if a count was requested.
    pub(crate) total: Option<u64>,
}

impl QueryResult {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Assembles the body of the answer.
    ///
    /// # Errors
    /// PGRST116 if the caller accepts a single object and there are no or several rows.
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

    /// Appends the rows of another result.
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

/// Executes a plan, including its count if `count` is set and its to-many embeds.
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
    let stripped = form.strips_nulls();
    let rows = tx.rows(&plan.statement)?;
    let children = load_children(tx, &rows, &plan.shape, &plan.to_many, stripped)?;
    let render = RowSerializer { children: &children, stripped };
    for row in rows.iter() {
        if found.len() == 1 {
            // The first row is an estimate of the length of the others: one allocation instead of repeated doubling.
            found.text.reserve(found.text.len() * rows.len());
        }
        if form == ResponseFormat::Csv {
            found.push(b'\n', |out| csv::write_record(&plan.shape, &render, row, out));
        } else {
            found.push(b',', |out| render.write_object(&plan.shape, row, out));
        }
    }
    if form == ResponseFormat::Csv {
        found.header = csv::header(&plan.shape);
    }
    Ok(found)
}

/// For each to-many embed, the JSON array of each parent's rows, by the parent's key.
pub(crate) type ChildArrays = Vec<HashMap<String, Vec<u8>>>;

fn load_children(
    tx: &mut Tx<'_>,
    rows: &Rows,
    shape: &OutputShape,
    many: &[ToManyEmbed],
    stripped: bool,
) -> Result<ChildArrays, RestError> {
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
        for keys in keys.chunks(MAX_KEYS_PER_STATEMENT) {
            let found = tx.rows(&many.statement(keys))?;
            let nested = load_children(tx, &found, &many.shape, &many.nested, stripped)?;
            let render = RowSerializer { children: &nested, stripped };
            for row in found.iter() {
                let array = arrays.entry(row.text(0)?.to_owned()).or_default();
                array.push(if array.is_empty() { b'[' } else { b',' });
                render.write_object(&many.shape, row, array);
            }
        }
        for array in arrays.values_mut() {
            array.push(b']');
        }
        if many.is_count {
            // GROUP BY returns no group for a parent without rows; its count is 0.
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

/// Finds the cell that holds a row's key for the to-many embed with this number, also inside to-one embeds.
fn parent_cell(shape: &OutputShape, number: usize) -> Option<usize> {
    shape.iter().find_map(|field| match field {
        OutputField::ToMany { parent, many, .. } if *many == number => Some(*parent),
        OutputField::ToOne { shape, .. } => parent_cell(shape, number),
        _ => None,
    })
}
