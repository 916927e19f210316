//! Rows of a statement, copied out of the driver: the text of all values in one buffer, and a small cell per value.
//!
//! Hand-written, because one buffer per result replaces one allocation per value.

use std::str::FromStr;

use crate::Error;

/// Initial capacity in rows. Most statements return at most a page of rows.
const INITIAL_ROWS: usize = 20;
const INITIAL_CELL_BYTES: usize = 24;

/// Rows in memory, in the same form for both databases.
#[derive(Debug, Default)]
pub struct Rows {
    width: usize,
    text: String,
    cells: Vec<Stored>,
}

#[derive(Debug, Clone, Copy)]
enum Stored {
    Null,
    Bool(bool),
    Int(i64),
    Real(f64),
    Text { start: usize, end: usize },
}

/// One value. `SQLite` has no booleans, so a BOOLEAN column is [`Cell::Int`] 0 or 1 there.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(missing_docs, reason = "the variant names are sufficient")]
pub enum Cell<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Real(f64),
    Text(&'a str),
}

/// One row of [`Rows`]. The typed getters are for statements of the program itself, whose columns are known. A
/// mismatch is [`Error::Internal`].
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    rows: &'a Rows,
    first: usize,
}

impl Rows {
    pub(crate) fn new(width: usize) -> Self {
        let cells = width * INITIAL_ROWS;
        let text = String::with_capacity(cells * INITIAL_CELL_BYTES);
        Self { width, text, cells: Vec::with_capacity(cells) }
    }

    /// Number of columns.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    pub(crate) fn push(&mut self, cell: Cell<'_>) {
        let stored = match cell {
            Cell::Null => Stored::Null,
            Cell::Bool(value) => Stored::Bool(value),
            Cell::Int(value) => Stored::Int(value),
            Cell::Real(value) => Stored::Real(value),
            Cell::Text(value) => {
                let start = self.text.len();
                self.text.push_str(value);
                Stored::Text { start, end: self.text.len() }
            }
        };
        self.cells.push(stored);
    }

    /// Memory of the rows, in bytes.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.text.len() + self.cells.len() * size_of::<Stored>()
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cells.len().checked_div(self.width).unwrap_or(0)
    }

    /// Returns whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The rows in order.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Row<'_>> {
        (0..self.len()).map(|row| Row { rows: self, first: row * self.width })
    }

    /// The first row, if any.
    #[must_use]
    pub fn first(&self) -> Option<Row<'_>> {
        self.iter().next()
    }
}

impl<'a> Row<'a> {
    /// The value of a column by its index from 0; [`Cell::Null`] beyond the last.
    #[must_use]
    pub fn cell(&self, column: usize) -> Cell<'a> {
        match self.rows.cells.get(self.first + column) {
            None | Some(Stored::Null) => Cell::Null,
            Some(Stored::Bool(value)) => Cell::Bool(*value),
            Some(Stored::Int(value)) => Cell::Int(*value),
            Some(Stored::Real(value)) => Cell::Real(*value),
            Some(Stored::Text { start, end }) => {
                Cell::Text(self.rows.text.get(*start..*end).unwrap_or_default())
            }
        }
    }

    /// A text column, or `None` for NULL.
    pub fn opt_text(&self, column: usize) -> Result<Option<&'a str>, Error> {
        match self.cell(column) {
            Cell::Null => Ok(None),
            Cell::Text(text) => Ok(Some(text)),
            other => Err(mismatch(column, "text", other)),
        }
    }

    /// A text column that is never NULL.
    pub fn text(&self, column: usize) -> Result<&'a str, Error> {
        self.opt_text(column)?.ok_or_else(|| mismatch(column, "text", Cell::Null))
    }

    /// A text column in the form of a type, such as an id.
    pub fn parse<T: FromStr>(&self, column: usize) -> Result<T, Error> {
        self.opt_parse(column)?.ok_or_else(|| mismatch(column, "text", Cell::Null))
    }

    /// A text column in the form of a type, or `None` for NULL.
    pub fn opt_parse<T: FromStr>(&self, column: usize) -> Result<Option<T>, Error> {
        let parse = |text: &str| text.parse().map_err(|_| unexpected(column));
        self.opt_text(column)?.map(parse).transpose()
    }

    /// A number column that is never NULL.
    pub fn int(&self, column: usize) -> Result<i64, Error> {
        match self.cell(column) {
            Cell::Int(value) => Ok(value),
            other => Err(mismatch(column, "number", other)),
        }
    }

    /// A number column, or `None` for NULL.
    pub fn opt_int(&self, column: usize) -> Result<Option<i64>, Error> {
        if self.cell(column) == Cell::Null { Ok(None) } else { self.int(column).map(Some) }
    }

    /// A BOOLEAN column that is never NULL.
    pub fn bool(&self, column: usize) -> Result<bool, Error> {
        match self.cell(column) {
            Cell::Bool(value) => Ok(value),
            Cell::Int(value) => Ok(value != 0),
            other => Err(mismatch(column, "boolean", other)),
        }
    }
}

fn unexpected(column: usize) -> Error {
    Error::Internal(format!("column {column}: met a text of another form"))
}

fn mismatch(column: usize, expected: &str, found: Cell<'_>) -> Error {
    let found = match found {
        Cell::Null => "nothing",
        Cell::Bool(_) => "a boolean",
        Cell::Int(_) | Cell::Real(_) => "a number",
        Cell::Text(_) => "text",
    };
    Error::Internal(format!("column {column}: expected {expected}, met {found}"))
}
