//! Executes a plan: one statement for the rows, and one per to-many embed for all of its parents.
//!
//! The number of statements depends on the depth of the query, not on the number of rows
//! (docs/decisions/0003-embeds-and-stable-order.md).

use std::collections::{BTreeSet, HashMap, hash_map::Entry};

use axum::body::Body;

use crate::api::answer_memory::CHUNK_BYTES;
use crate::db::{Cell, Error, Rows, Tx};
use crate::{
    api::rest::{
        RestError,
        answer_budget::AnswerBudget,
        planner::{
            limits::MAX_ROWS,
            plan::{OutputField, OutputShape, Plan, ToManyEmbed},
        },
        response::{content_negotiation::ResponseFormat, csv, json::RowSerializer},
    },
    schema::value::write_text,
};

/// Maximum number of parent keys in one statement; more keys are split over several statements.
const MAX_KEYS_PER_STATEMENT: usize = 500;

/// The rows of an answer, already serialized in the format that the caller accepts.
#[derive(Debug)]
pub(crate) struct QueryResult {
    format: ResponseFormat,
    budget: AnswerBudget,
    /// The serialized rows, each preceded by one separator byte.
    parts: Vec<Vec<u8>>,
    /// The header record of a CSV answer.
    header: Vec<u8>,
    /// Number of rows.
    rows: usize,
    /// Number of rows without limit and offset, if a count was requested.
    pub(crate) total: Option<u64>,
}

impl QueryResult {
    pub(crate) fn new(format: ResponseFormat, budget: AnswerBudget) -> Self {
        Self { format, budget, parts: Vec::new(), header: Vec::new(), rows: 0, total: None }
    }

    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    /// Assembles the body of the answer. Returns it with its length in bytes.
    ///
    /// # Errors
    /// PGRST116 if the caller accepts a single object and there are no or several rows.
    pub(crate) fn into_body(mut self) -> Result<(Body, usize), RestError> {
        if self.parts.is_empty() {
            self.parts.push(Vec::new());
        }
        let first = self.parts.first_mut().expect("a part was added");
        match self.format {
            ResponseFormat::Object { .. } if self.rows != 1 => {
                return Err(RestError::not_single(self.rows));
            }
            ResponseFormat::Object { .. } => *first = first.split_off(1),
            ResponseFormat::Csv if self.rows == 0 => first.push(b'\n'),
            ResponseFormat::Csv => {
                self.header.append(first);
                *first = self.header;
            }
            ResponseFormat::Array { .. } => {
                match first.first_mut() {
                    Some(separator) => *separator = b'[',
                    None => first.push(b'['),
                }
                self.parts.last_mut().expect("a part was added").push(b']');
            }
        }
        let length = self.parts.iter().map(Vec::len).sum();
        Ok((self.budget.into_body(self.parts), length))
    }

    fn push(&mut self, write: impl FnOnce(&mut Vec<u8>), expected: usize) -> Result<(), RestError> {
        if self.parts.last().is_none_or(|part| part.len() >= CHUNK_BYTES) {
            self.parts.push(Vec::new());
        }
        let Some(part) = self.parts.last_mut() else { return Ok(()) };
        let start = part.len();
        part.push(if self.format == ResponseFormat::Csv { b'\n' } else { b',' });
        write(part);
        let added = part.len() - start;
        if start == 0 {
            // The first row is an estimate of the length of the others: one allocation instead of repeated doubling.
            part.reserve(added.saturating_mul(expected).min(CHUNK_BYTES));
        }
        self.rows += 1;
        self.budget.extend(added)
    }
}

/// Executes a plan, including its count if `count` is set and its to-many embeds, and appends the rows to a result.
///
/// # Errors
/// `answer_too_large` or 53200, as soon as the rows read or written exceed the budget.
pub(crate) fn execute(
    tx: &mut Tx<'_>,
    plan: &Plan,
    count: bool,
    found: &mut QueryResult,
) -> Result<(), RestError> {
    if count {
        let rows = tx.rows(&plan.count)?;
        let row = rows.first().ok_or_else(|| Error::Internal("a count without a row".into()))?;
        found.total = Some(row.int(0)?.unsigned_abs());
    }
    let stripped = found.format.strips_nulls();
    let rows = tx.rows_within(&plan.statement, |bytes| found.budget.hold(bytes))?;
    let children =
        load_children(tx, &rows, &plan.shape, &plan.to_many, stripped, &mut found.budget)?;
    let render = RowSerializer { children: &children, stripped };
    for row in rows.iter() {
        if found.format == ResponseFormat::Csv {
            found.push(|out| csv::write_record(&plan.shape, &render, row, out), rows.len())?;
        } else {
            found.push(|out| render.write_object(&plan.shape, row, out), rows.len())?;
        }
    }
    if found.format == ResponseFormat::Csv {
        found.header = csv::header(&plan.shape);
    }
    found.budget.release_all_but_answer();
    Ok(())
}

/// For each to-many embed, the array of each parent's rows, by the parent's key.
pub(crate) type ChildArrays = Vec<HashMap<String, ChildArray>>;

/// The embedded rows of one parent.
#[derive(Debug, Default)]
pub(crate) struct ChildArray {
    /// A JSON array.
    pub(crate) json: Vec<u8>,
    rows: usize,
}

fn memory(children: &ChildArrays) -> usize {
    children.iter().flat_map(HashMap::values).map(|array| array.json.len()).sum()
}

fn load_children(
    tx: &mut Tx<'_>,
    rows: &Rows,
    shape: &OutputShape,
    many: &[ToManyEmbed],
    stripped: bool,
    budget: &mut AnswerBudget,
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
        let mut arrays: HashMap<String, ChildArray> = HashMap::new();
        let mut total = 0;
        for keys in keys.chunks(MAX_KEYS_PER_STATEMENT) {
            let found = tx.rows_within(&many.statement(keys), |bytes| budget.hold(bytes))?;
            total += found.len();
            many.check_rows(total)?;
            let nested = load_children(tx, &found, &many.shape, &many.nested, stripped, budget)?;
            let render = RowSerializer { children: &nested, stripped };
            for row in found.iter() {
                let array = arrays.entry(row.text(0)?.to_owned()).or_default();
                if many.is_bounded && array.rows == MAX_ROWS {
                    continue;
                }
                array.rows += 1;
                let before = array.json.len();
                array.json.push(if before == 0 { b'[' } else { b',' });
                render.write_object(&many.shape, row, &mut array.json);
                budget.hold(array.json.len() - before)?;
            }
            budget.release(found.memory() + memory(&nested));
        }
        budget.hold(arrays.len())?;
        for array in arrays.values_mut() {
            array.json.push(b']');
        }
        if many.is_count {
            // GROUP BY returns no group for a parent without rows; its count is 0.
            for key in keys {
                if let Entry::Vacant(entry) = arrays.entry(key.to_owned()) {
                    let zero = zero_count(&many.shape);
                    budget.hold(zero.json.len())?;
                    entry.insert(zero);
                }
            }
        }
        all.push(arrays);
    }
    Ok(all)
}

fn zero_count(shape: &OutputShape) -> ChildArray {
    let key = match shape.first() {
        Some(OutputField::Cell { key, .. }) => key.as_str(),
        _ => "count",
    };
    let mut json = b"[{".to_vec();
    write_text(key, &mut json);
    json.extend_from_slice(b":0}]");
    ChildArray { json, rows: 1 }
}

/// Finds the cell that holds a row's key for the to-many embed with this number, also inside to-one embeds.
fn parent_cell(shape: &OutputShape, number: usize) -> Option<usize> {
    shape.iter().find_map(|field| match field {
        OutputField::ToMany { parent, many, .. } if *many == number => Some(*parent),
        OutputField::ToOne { shape, .. } => parent_cell(shape, number),
        _ => None,
    })
}
