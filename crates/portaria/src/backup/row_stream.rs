//! The rows of a database as JSON lines, identical for SQLite and PostgreSQL: a header with the tables, then for each
//! table its name, its rows as arrays, and their number. See `docs/backup-format.md`, section 5.1.

use std::io::{self, BufRead};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::backup::{BackupError, manifest::TextSummary, repository::Chunker};
use crate::{
    db::{Cell, dump::Table},
    security::keys,
};

/// The first line of the stream.
#[derive(Serialize, Deserialize)]
struct Header {
    migrations: Vec<String>,
    tables: Vec<TableColumns>,
}

#[derive(Serialize, Deserialize, PartialEq, Eq)]
struct TableColumns {
    name: String,
    columns: Vec<String>,
}

/// The line before a table's rows.
#[derive(Serialize, Deserialize)]
struct TableStart {
    table: String,
}

/// The line after a table's rows.
#[derive(Serialize, Deserialize)]
struct TableEnd {
    rows: u64,
}

fn table_columns(table: &Table) -> TableColumns {
    let columns = table.columns.iter().map(|column| column.name.clone()).collect();
    TableColumns { name: table.name.clone(), columns }
}

/// Writes a row stream.
pub(crate) struct RowWriter<'c> {
    out: &'c mut Chunker,
    line: Vec<u8>,
    /// Number of rows of the current table.
    row_count: Option<u64>,
}

impl<'c> RowWriter<'c> {
    pub(crate) fn begin(out: &'c mut Chunker, migrations: &[String], tables: &[Table]) -> Self {
        let mut writer = Self { out, line: Vec::new(), row_count: None };
        let tables = tables.iter().map(table_columns).collect();
        writer.write_json(&Header { migrations: migrations.to_vec(), tables });
        writer
    }

    /// Starts a table.
    pub(crate) fn table(&mut self, table: &Table) {
        self.end();
        self.row_count = Some(0);
        self.write_json(&TableStart { table: table.name.clone() });
    }

    pub(crate) fn row<'a>(&mut self, cells: impl Iterator<Item = Cell<'a>>) {
        self.line.push(b'[');
        for (index, cell) in cells.enumerate() {
            if index > 0 {
                self.line.push(b',');
            }
            let written = match cell {
                Cell::Null => serde_json::to_writer(&mut self.line, &()),
                Cell::Bool(value) => serde_json::to_writer(&mut self.line, &value),
                Cell::Int(value) => serde_json::to_writer(&mut self.line, &value),
                Cell::Real(value) => serde_json::to_writer(&mut self.line, &value),
                Cell::Text(value) => serde_json::to_writer(&mut self.line, value),
            };
            written.expect("writing a value as JSON to memory does not fail");
        }
        self.line.push(b']');
        self.row_count = self.row_count.map(|rows| rows + 1);
        self.out.count();
        self.end_line();
    }

    /// Ends the current table, if there is one.
    pub(crate) fn end(&mut self) {
        if let Some(rows) = self.row_count.take() {
            self.write_json(&TableEnd { rows });
        }
    }

    fn write_json(&mut self, line: &impl Serialize) {
        serde_json::to_writer(&mut self.line, line)
            .expect("writing a line as JSON to memory does not fail");
        self.end_line();
    }

    fn end_line(&mut self) {
        self.line.push(b'\n');
        self.out.line(&self.line);
        self.line.clear();
    }
}

/// Receives the rows of a stream.
pub(crate) trait RowSink {
    /// Starts a table. The next rows belong to it.
    fn table(&mut self, table: &Table) -> Result<(), BackupError>;
    /// Receives a row with the values of all columns.
    fn row(&mut self, cells: &[Cell<'_>]) -> Result<(), BackupError>;
}

/// Reads a stream into `sink` and returns its counts and checksum, which the caller compares with the manifest.
pub(crate) fn read(
    from: impl BufRead,
    tables: &[Table],
    sink: &mut impl RowSink,
) -> Result<TextSummary, BackupError> {
    let mut reader = LineReader { from, line: Vec::new(), hash: Sha256::new(), size: 0 };
    let header: Header = reader.parse_next()?.ok_or_else(truncated)?;
    if header.tables != tables.iter().map(table_columns).collect::<Vec<_>>() {
        return Err(BackupError::Newer(
            "its tables are not the ones that its migrations make".into(),
        ));
    }

    let mut count = 0;
    for table in tables {
        let start: TableStart = reader.parse_next()?.ok_or_else(truncated)?;
        if start.table != table.name {
            return Err(truncated());
        }
        sink.table(table)?;

        let mut row_count = 0;
        while reader.next()? {
            if reader.line.first() != Some(&b'[') {
                break;
            }
            let values: Vec<Value> = reader.parse_current()?;
            let cells: Option<Vec<Cell<'_>>> = values.iter().map(to_cell).collect();
            let cells =
                cells.filter(|cells| cells.len() == table.columns.len()).ok_or_else(truncated)?;
            sink.row(&cells)?;
            row_count += 1;
        }

        let end: TableEnd = reader.parse_current()?;
        if end.rows != row_count {
            return Err(truncated());
        }
        count += row_count;
    }

    if reader.next()? {
        return Err(truncated());
    }
    Ok(TextSummary { count, size: reader.size, sha256: keys::hex(&reader.hash.finalize()) })
}

fn to_cell(value: &Value) -> Option<Cell<'_>> {
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

fn truncated() -> BackupError {
    BackupError::Damaged("its rows are not whole".into())
}

struct LineReader<R> {
    from: R,
    line: Vec<u8>,
    hash: Sha256,
    size: u64,
}

impl<R: BufRead> LineReader<R> {
    /// Reads the next line. Returns `false` at the end.
    fn next(&mut self) -> Result<bool, BackupError> {
        self.line.clear();
        let read = self.from.read_until(b'\n', &mut self.line);
        let read = read.map_err(corrupt)?;
        self.hash.update(&self.line);
        self.size += read as u64;
        Ok(read > 0)
    }

    /// Parses the current line.
    fn parse_current<T: for<'a> Deserialize<'a>>(&self) -> Result<T, BackupError> {
        serde_json::from_slice(&self.line).map_err(|_| truncated())
    }

    /// Reads and parses the next line. Returns `None` at the end.
    fn parse_next<T: for<'a> Deserialize<'a>>(&mut self) -> Result<Option<T>, BackupError> {
        if self.next()? { self.parse_current().map(Some) } else { Ok(None) }
    }
}

/// Converts an error of reading compressed or encrypted data: the data are damaged, or the target is unreachable.
pub(crate) fn corrupt(error: io::Error) -> BackupError {
    use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    match error.kind() {
        InvalidData | InvalidInput | UnexpectedEof => BackupError::Damaged(error.to_string()),
        _ => BackupError::io("the backup")(error),
    }
}
