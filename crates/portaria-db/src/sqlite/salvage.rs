//! Reads the rows that are left of a damaged database file, row by row, around the damaged pages.

use std::path::Path;

use rusqlite::{Connection as Sqlite, OpenFlags, ToSql};

use crate::{
    Cell, Error,
    dump::{self, ColumnType, DumpLocation, DumpSource, DumpWriter, Table},
    migrations::{self, Migrations},
    sqlite,
    transaction::{Connection, Tx},
};

/// Maximum number of ranges of row ids that are tried in a table.
const MAX_RANGES: u32 = 4096;
/// The largest row id that is looked for if the largest one cannot be read.
const MAX_ROW_ID: i64 = 1 << 32;

/// The rows of a table that are left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SalvagedTable {
    /// The name.
    pub name: String,
    /// Number of rows that can be read.
    pub rows: u64,
    /// Whether all of its rows can be read.
    pub is_complete: bool,
}

/// Reads every row that can be read from the database in a data folder. Changes nothing.
///
/// # Errors
/// When not even the list of migrations can be read, or it is of a newer program.
pub fn survey(folder: &Path, migrations: Migrations) -> Result<Vec<SalvagedTable>, Error> {
    let (damaged, tables) = open(folder, migrations)?;
    tables.iter().map(|table| read_rows(&damaged, table, &mut |_| Ok(()))).collect()
}

/// Copies every row that can be read to a new database in the folder `to`. Rows that refer to lost ones are left out, or
/// lose the reference.
///
/// # Errors
/// See [`survey`]; errors of the new database.
pub fn recover(
    folder: &Path,
    to: &Path,
    migrations: Migrations,
) -> Result<Vec<SalvagedTable>, Error> {
    let (damaged, tables) = open(folder, migrations)?;
    let names = applied(&damaged)?;
    let target = DumpSource { location: DumpLocation::Sqlite(to.to_owned()), migrations };
    let mut writer = DumpWriter::begin(&target, &names, None)?;
    let mut found = Vec::new();
    for table in &tables {
        writer.begin_table(table)?;
        found.push(read_rows(&damaged, table, &mut |cells| {
            match writer.row(cells.iter().copied()) {
                // The row was found twice, or is damaged in itself.
                Err(Error::Unique(_) | Error::NotNull(_) | Error::Check(_)) => Ok(()),
                written => written,
            }
        })?);
    }
    writer.drop_dangling_rows()?;
    writer.commit()?;
    Ok(found)
}

/// Opens the damaged file, and returns the tables that it should have.
fn open(folder: &Path, migrations: Migrations) -> Result<(Sqlite, Vec<Table>), Error> {
    let path = folder.join(sqlite::FILE);
    let damaged = Sqlite::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    // Rows of pages whose cells are out of order can be read nevertheless.
    damaged.execute_batch("PRAGMA cell_size_check = OFF; PRAGMA trusted_schema = OFF")?;
    let tables = dump::tables(migrations, &applied(&damaged)?)?;
    Ok((damaged, tables))
}

fn applied(damaged: &Sqlite) -> Result<Vec<String>, Error> {
    migrations::applied(&mut Tx::new(Connection::Sqlite(damaged)))
}

/// Passes the rows of a table to `visit`, in no particular order.
fn read_rows(
    damaged: &Sqlite,
    table: &Table,
    visit: &mut dyn FnMut(&[Cell<'_>]) -> Result<(), Error>,
) -> Result<SalvagedTable, Error> {
    let largest = format!("SELECT coalesce(max(rowid), 0) FROM {}", table.name);
    let largest = damaged.query_row(&largest, [], |row| row.get(0)).unwrap_or(MAX_ROW_ID);
    let mut reader =
        Reader { damaged, table, visit, rows: 0, is_complete: true, ranges_left: MAX_RANGES };
    reader.read_range(0, largest)?;
    let Reader { rows, is_complete, .. } = reader;
    Ok(SalvagedTable { name: table.name.clone(), rows, is_complete })
}

struct Reader<'a> {
    damaged: &'a Sqlite,
    table: &'a Table,
    visit: &'a mut dyn FnMut(&[Cell<'_>]) -> Result<(), Error>,
    rows: u64,
    is_complete: bool,
    ranges_left: u32,
}

impl Reader<'_> {
    /// Reads the rows whose row ids are from `low` to `high`: forward to the first damaged page, then backward to the last
    /// one, and then each half of what is between them.
    fn read_range(&mut self, low: i64, high: i64) -> Result<(), Error> {
        if low > high || self.ranges_left == 0 {
            return Ok(());
        }
        self.ranges_left -= 1;
        let mut last = low - 1;
        if self.read_in_order("ASC", low, high, &mut last)? {
            return Ok(());
        }
        self.is_complete = false;
        let low = last + 1;
        let mut first = high + 1;
        if self.read_in_order("DESC", low, high, &mut first)? {
            return Ok(());
        }
        let high = first - 1;
        if low >= high {
            return Ok(());
        }
        let middle = i64::midpoint(low, high);
        self.read_range(low, middle)?;
        self.read_range(middle + 1, high)
    }

    /// Returns whether the end of the range was reached. `last` becomes the id of the last row that was read.
    fn read_in_order(
        &mut self,
        order: &str,
        low: i64,
        high: i64,
        last: &mut i64,
    ) -> Result<bool, Error> {
        let Table { name, columns, .. } = self.table;
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        let select = format!(
            "SELECT rowid, {} FROM {name} NOT INDEXED WHERE rowid BETWEEN ?1 AND ?2 ORDER BY rowid {order}",
            names.join(", ")
        );
        let Ok(mut statement) = self.damaged.prepare(&select) else { return Ok(false) };
        let parameters: [&dyn ToSql; 2] = [&low, &high];
        let Ok(mut rows) = statement.query(&parameters[..]) else { return Ok(false) };
        loop {
            match rows.next() {
                Ok(None) => return Ok(true),
                Err(_) => return Ok(false),
                Ok(Some(row)) => {
                    let Ok(id) = row.get::<_, i64>(0) else { return Ok(false) };
                    *last = id;
                    let cells = columns.iter().enumerate().map(|(index, column)| {
                        let value = row.get_ref(index + 1).ok()?;
                        match (sqlite::values::cell(value).ok()?, column.kind) {
                            (Cell::Int(value), ColumnType::Bool) => Some(Cell::Bool(value != 0)),
                            (other, _) => Some(other),
                        }
                    });
                    // A value of invalid UTF-8 makes the row unreadable, and not the rest.
                    match cells.collect::<Option<Vec<Cell<'_>>>>() {
                        Some(cells) => {
                            (self.visit)(&cells)?;
                            self.rows += 1;
                        }
                        None => self.is_complete = false,
                    }
                }
            }
        }
    }
}

/// Clears references to missing rows, and deletes the rows whose reference is required, until all references are whole.
pub(crate) fn drop_dangling_rows(connection: &Sqlite) -> Result<(), Error> {
    loop {
        let mut check = connection.prepare(
            "SELECT c.\"table\", c.rowid, f.\"from\", n.\"notnull\" FROM pragma_foreign_key_check() c \
             JOIN pragma_foreign_key_list(c.\"table\") f ON f.id = c.fkid \
             JOIN pragma_table_info(c.\"table\") n ON n.name = f.\"from\"",
        )?;
        let found =
            check.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
        let found: Vec<(String, i64, String, bool)> = found.collect::<Result<_, _>>()?;
        if found.is_empty() {
            return Ok(());
        }
        for (table, id, column, is_required) in found {
            let repair = if is_required {
                format!("DELETE FROM {table} WHERE rowid = ?1")
            } else {
                format!("UPDATE {table} SET {column} = NULL WHERE rowid = ?1")
            };
            connection.execute(&repair, [id])?;
        }
    }
}
