//! The rows of a database as lines of JSON, which both databases write alike and any program can read: first what tables
//! there are, then for each table its name, its rows as lists, and how many those were.

use std::io::{self, BufRead};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::backup::{BackupError, manifest::Sum, repository::Chunker};
use crate::{
    db::{Cell, dump::Table},
    security::keys,
};

/// The first line.
#[derive(Serialize, Deserialize)]
struct Head {
    migrations: Vec<String>,
    tables: Vec<Columns>,
}

#[derive(Serialize, Deserialize, PartialEq, Eq)]
struct Columns {
    name: String,
    columns: Vec<String>,
}

/// The line before a table's rows.
#[derive(Serialize, Deserialize)]
struct Begin {
    table: String,
}

/// The line after a table's rows.
#[derive(Serialize, Deserialize)]
struct End {
    rows: u64,
}

fn columns(table: &Table) -> Columns {
    let columns = table.columns.iter().map(|column| column.name.clone()).collect();
    Columns { name: table.name.clone(), columns }
}

/// Lines on their way out.
pub(crate) struct RowWriter<'c> {
    out: &'c mut Chunker,
    line: Vec<u8>,
    /// Rows of the table that is being written.
    here: Option<u64>,
}

impl<'c> RowWriter<'c> {
    pub(crate) fn begin(out: &'c mut Chunker, migrations: &[String], tables: &[Table]) -> Self {
        let mut writer = Self { out, line: Vec::new(), here: None };
        let tables = tables.iter().map(columns).collect();
        writer.say(&Head { migrations: migrations.to_vec(), tables });
        writer
    }

    /// Says of which table the next rows are.
    pub(crate) fn table(&mut self, table: &Table) {
        self.end();
        self.here = Some(0);
        self.say(&Begin { table: table.name.clone() });
    }

    pub(crate) fn row<'a>(&mut self, cells: impl Iterator<Item = Cell<'a>>) {
        self.line.push(b'[');
        for (place, cell) in cells.enumerate() {
            if place > 0 {
                self.line.push(b',');
            }
            let written = match cell {
                Cell::Null => serde_json::to_writer(&mut self.line, &()),
                Cell::Bool(value) => serde_json::to_writer(&mut self.line, &value),
                Cell::Int(value) => serde_json::to_writer(&mut self.line, &value),
                Cell::Real(value) => serde_json::to_writer(&mut self.line, &value),
                Cell::Text(value) => serde_json::to_writer(&mut self.line, value),
            };
            written.expect("a value can be written as JSON");
        }
        self.line.push(b']');
        self.here = self.here.map(|rows| rows + 1);
        self.out.count();
        self.send();
    }

    /// Says that there are no more rows of this table.
    pub(crate) fn end(&mut self) {
        if let Some(rows) = self.here.take() {
            self.say(&End { rows });
        }
    }

    fn say(&mut self, line: &impl Serialize) {
        serde_json::to_writer(&mut self.line, line).expect("a line can be written as JSON");
        self.send();
    }

    fn send(&mut self) {
        self.line.push(b'\n');
        self.out.line(&self.line);
        self.line.clear();
    }
}

/// Where rows go that are read.
pub(crate) trait RowSink {
    /// The next rows are this table's.
    fn table(&mut self, table: &Table) -> Result<(), BackupError>;
    /// A row: the values of all its columns.
    fn row(&mut self, cells: &[Cell<'_>]) -> Result<(), BackupError>;
}

/// Reads all lines into `sink` and says what they were. Whether that is what was written is for the caller to compare.
pub(crate) fn read(
    from: impl BufRead,
    tables: &[Table],
    sink: &mut impl RowSink,
) -> Result<Sum, BackupError> {
    let mut lines = Lines { from, line: Vec::new(), hash: Sha256::new(), size: 0 };
    let head: Head = lines.parse()?.ok_or_else(cut)?;
    if head.tables != tables.iter().map(columns).collect::<Vec<_>>() {
        return Err(BackupError::Newer(
            "its tables are not the ones that its migrations make".into(),
        ));
    }
    let mut count = 0;
    for table in tables {
        let begin: Begin = lines.parse()?.ok_or_else(cut)?;
        if begin.table != table.name {
            return Err(cut());
        }
        sink.table(table)?;
        let mut here = 0;
        while lines.next()? {
            if lines.line.first() != Some(&b'[') {
                break;
            }
            let values: Vec<Value> = lines.here()?;
            let cells: Option<Vec<Cell<'_>>> = values.iter().map(cell).collect();
            let cells = cells.filter(|cells| cells.len() == table.columns.len()).ok_or_else(cut)?;
            sink.row(&cells)?;
            here += 1;
        }
        let end: End = lines.here()?;
        if end.rows != here {
            return Err(cut());
        }
        count += here;
    }
    if lines.next()? {
        return Err(cut());
    }
    Ok(Sum { count, size: lines.size, sha256: keys::hex(&lines.hash.finalize()) })
}

fn cell(value: &Value) -> Option<Cell<'_>> {
    Some(match value {
        Value::Null => Cell::Null,
        Value::Bool(value) => Cell::Bool(*value),
        Value::Number(number) => number
            .as_i64()
            .map_or_else(|| number.as_f64().map(Cell::Real), |int| Some(Cell::Int(int)))?,
        Value::String(text) => Cell::Text(text),
        Value::Array(_) | Value::Object(_) => return None,
    })
}

fn cut() -> BackupError {
    BackupError::Damaged("its rows are not whole".into())
}

struct Lines<R> {
    from: R,
    line: Vec<u8>,
    hash: Sha256,
    size: u64,
}

impl<R: BufRead> Lines<R> {
    /// Goes to the next line; `false` at the end.
    fn next(&mut self) -> Result<bool, BackupError> {
        self.line.clear();
        let read = self.from.read_until(b'\n', &mut self.line);
        let read = read.map_err(corrupt)?;
        self.hash.update(&self.line);
        self.size += read as u64;
        Ok(read > 0)
    }

    /// The line that we are at.
    fn here<T: for<'a> Deserialize<'a>>(&self) -> Result<T, BackupError> {
        serde_json::from_slice(&self.line).map_err(|_| cut())
    }

    fn parse<T: for<'a> Deserialize<'a>>(&mut self) -> Result<Option<T>, BackupError> {
        if self.next()? { self.here().map(Some) } else { Ok(None) }
    }
}

/// What stops the reading of what was packed or encrypted: it is not what was written, or its place is away.
pub(crate) fn corrupt(error: io::Error) -> BackupError {
    use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    match error.kind() {
        InvalidData | InvalidInput | UnexpectedEof => BackupError::Damaged(error.to_string()),
        _ => BackupError::at("the backup")(error),
    }
}
