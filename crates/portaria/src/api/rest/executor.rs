//! Executes a plan: one statement for the rows, and one per to-many embed for all of its parents.
//!
//! The number of statements depends on the depth of the query, not on the number of rows
//! (docs/decisions/0003-embeds-and-stable-order.md).

use std::{
    collections::{BTreeSet, HashMap, hash_map::Entry},
    sync::Arc,
};

use axum::body::Body;

use crate::api::answer_memory::CHUNK_BYTES;
use crate::db::{
    Cell, Counted, Error, MAX_KEYS_PER_STATEMENT, Pipeline, Row, Rows, RowsOfBoth, Tx,
};
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
    schema::value::{write_json, write_text},
};

/// Memory of an array besides its JSON, in bytes.
const ARRAY_OVERHEAD: usize = 64;

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

    /// Appends the rows of a plan, with the rows of its to-many embeds.
    ///
    /// # Errors
    /// Like [`execute`].
    pub(crate) fn append(
        &mut self,
        shape: &OutputShape,
        rows: &Rows,
        children: &Children,
    ) -> Result<(), RestError> {
        let render = RowSerializer { children, stripped: self.format.strips_nulls() };
        let is_csv = self.format == ResponseFormat::Csv;
        for row in rows.iter() {
            if is_csv {
                self.push(|out| csv::write_record(shape, &render, row, out), rows.len())?;
            } else {
                self.push(|out| render.write_object(shape, row, out), rows.len())?;
            }
        }
        if is_csv {
            self.header = csv::header(shape);
        }
        self.budget.release_all_but_answer();
        Ok(())
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
/// `answer_too_large` or 53200, as soon as the rows read or written exceed the budget, and the errors of casts of values
/// inside JSON.
pub(crate) fn execute(
    tx: &mut Tx<'_>,
    plan: &Plan,
    count: bool,
    found: &mut QueryResult,
) -> Result<(), RestError> {
    if count {
        tx.plan_with_values()?;
        let rows = tx.rows(&plan.count)?;
        let row = rows.first().ok_or_else(|| Error::Internal("a count without a row".into()))?;
        let total = row.int(0)?.unsigned_abs();
        found.total = Some(total);
        if plan.is_row_count {
            let rows = total.saturating_sub(plan.offset).min(plan.limit.unwrap_or(u64::MAX));
            found.rows = usize::try_from(rows).unwrap_or(usize::MAX);
            return Ok(());
        }
    }
    let rows = tx.rows_within(&plan.statement, |bytes| found.budget.hold(bytes))?;
    plan.check_casts(&rows)?;
    let (stripped, budget) = (found.format.strips_nulls(), &mut found.budget);
    let children = load_children(tx, &rows, &plan.shape, &plan.to_many, stripped, budget)?;
    found.append(&plan.shape, &rows, &children)
}

/// Reads the rows of a plan without to-many embeds by one statement with those of the caller's session, into an empty
/// result. Returns both.
/// Once the session is confirmed, [`QueryResult::append`] completes the result.
///
/// # Errors
/// The database's error, of either statement.
pub(crate) async fn execute_with_session(
    pipeline: &Arc<Pipeline>,
    session: &Counted<'_>,
    plan: &Plan,
    empty: impl Fn() -> QueryResult,
) -> Result<RowsOfBoth<QueryResult, RestError>, Error> {
    let list = Counted { statement: &plan.statement, columns: plan.columns };
    let hold = |found: &mut QueryResult, bytes| found.budget.hold(bytes);
    pipeline.rows_of_both(session, &list, empty, hold).await
}

/// For each to-many embed, the rows of each parent, by the parent's key.
pub(crate) type Children = Vec<HashMap<String, ChildRows>>;

/// The embedded rows of one parent.
#[derive(Debug)]
pub(crate) struct ChildRows {
    /// JSON arrays: one of objects, or one of values per field of a spread embed.
    pub(crate) arrays: Vec<Vec<u8>>,
    rows: usize,
}

impl ChildRows {
    fn new(many: &ToManyEmbed) -> Self {
        let arrays = if many.is_spread { many.shape.len() } else { 1 };
        Self { arrays: vec![Vec::new(); arrays], rows: 0 }
    }

    /// Appends a row.
    fn push(&mut self, many: &ToManyEmbed, render: &RowSerializer<'_>, row: Row<'_>) {
        let separator = if self.rows == 0 { b'[' } else { b',' };
        self.rows += 1;
        for (place, array) in self.arrays.iter_mut().enumerate() {
            array.push(separator);
            match many.shape.get(place).filter(|_| many.is_spread) {
                Some(field) => render.write_value(field, row, array),
                None => render.write_object(&many.shape, row, array),
            }
        }
    }

    /// Ends the arrays.
    fn finish(&mut self) {
        self.arrays.iter_mut().for_each(|array| array.push(b']'));
    }

    /// Memory, in bytes.
    fn memory(&self) -> usize {
        let overhead = self.arrays.len() * ARRAY_OVERHEAD;
        overhead + self.arrays.iter().map(Vec::len).sum::<usize>()
    }
}

fn memory(children: &Children) -> usize {
    children.iter().flat_map(HashMap::values).map(ChildRows::memory).sum()
}

fn load_children(
    tx: &mut Tx<'_>,
    rows: &Rows,
    shape: &OutputShape,
    many: &[ToManyEmbed],
    stripped: bool,
    budget: &mut AnswerBudget,
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
        let mut children: HashMap<String, ChildRows> = HashMap::new();
        let mut total = 0;
        for keys in keys.chunks(MAX_KEYS_PER_STATEMENT) {
            let found = tx.rows_within(&many.statement(keys), |bytes| budget.hold(bytes))?;
            total += found.len();
            many.check_rows(total)?;
            many.shape.iter().try_for_each(|field| field.check_casts(&found))?;
            let nested = load_children(tx, &found, &many.shape, &many.nested, stripped, budget)?;
            let render = RowSerializer { children: &nested, stripped };
            for row in found.iter() {
                let key = row.text(0)?.to_owned();
                let (before, of_parent) = match children.entry(key) {
                    Entry::Occupied(known) => (known.get().memory(), known.into_mut()),
                    Entry::Vacant(vacant) => (0, vacant.insert(ChildRows::new(many))),
                };
                if many.is_bounded && of_parent.rows == MAX_ROWS {
                    continue;
                }
                of_parent.push(many, &render, row);
                budget.hold(of_parent.memory() - before)?;
            }
            budget.release(found.memory() + memory(&nested));
        }
        for of_parent in children.values_mut() {
            budget.hold(of_parent.arrays.len())?;
            of_parent.finish();
        }
        if let Some(counts) = &many.empty_group {
            // GROUP BY returns no group for a parent without rows.
            for key in keys {
                if let Entry::Vacant(entry) = children.entry(key.to_owned()) {
                    let empty = empty_group(&many.shape, counts, stripped);
                    budget.hold(empty.memory())?;
                    entry.insert(empty);
                }
            }
        }
        all.push(children);
    }
    Ok(all)
}

/// Returns the aggregates of no rows: 0 for a count, otherwise null.
fn empty_group(shape: &OutputShape, counts: &[usize], stripped: bool) -> ChildRows {
    let mut json = b"[{".to_vec();
    for field in shape {
        let OutputField::Cell { key, cell, kind, cast, .. } = field else { continue };
        let value = if counts.contains(cell) { Cell::Int(0) } else { Cell::Null };
        if stripped && value == Cell::Null {
            continue;
        }
        if json.len() > 2 {
            json.push(b',');
        }
        write_text(key, &mut json);
        json.push(b':');
        match cast {
            Some(cast) => cast.write(*kind, value, &mut json),
            None => write_json(*kind, value, &mut json),
        }
    }
    json.extend_from_slice(b"}]");
    ChildRows { arrays: vec![json], rows: 1 }
}

/// Finds the cell that holds a row's key for the to-many embed with this number, also inside to-one embeds.
fn parent_cell(shape: &OutputShape, number: usize) -> Option<usize> {
    shape.iter().find_map(|field| match field {
        OutputField::ToMany { parent, many, .. } if *many == number => Some(*parent),
        OutputField::ToOne { shape, .. } => parent_cell(shape, number),
        _ => None,
    })
}
