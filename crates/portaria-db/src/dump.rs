//! Reads all rows from one snapshot of a database, and writes them into an empty one. The format is the same for both
//! engines, so a dump of one can be loaded into the other.
//!
//! The list of tables comes from the migrations, which run on an empty database in memory. A new table is therefore
//! never left out, and other tables in a PostgreSQL database are never read.

use std::path::PathBuf;

use rusqlite::{Connection as Sqlite, OpenFlags, types::ValueRef};
use sea_query::{Query, Values};

use crate::{
    Cell, Error, PostgresServer, Row, Rows, Tx,
    migrations::{self, Migrations},
    postgres::{Copy, Session},
    sqlite::{self, new_file, salvage},
    transaction::Connection,
};

/// Number of rows per fetch.
const FETCH_ROWS: usize = 500;

/// A database that is read or filled as a whole.
#[derive(Debug, Clone)]
pub struct DumpSource {
    /// The place of the database.
    pub location: DumpLocation,
    /// The migrations of the program.
    pub migrations: Migrations,
}

/// The place of a database.
#[derive(Debug, Clone)]
pub enum DumpLocation {
    /// The embedded database in a data folder.
    Sqlite(PathBuf),
    /// A PostgreSQL server.
    Postgres(PostgresServer),
}

/// A table as the migrations create it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// The name.
    pub name: String,
    /// The columns in order.
    pub columns: Vec<Column>,
    /// The columns of the primary key. Rows are read in this order, which is the same on both databases.
    key: Vec<String>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The name.
    pub name: String,
    /// The type of the values.
    pub kind: ColumnType,
}

/// The type of a column. The migrations use no other types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variant names are sufficient")]
pub enum ColumnType {
    Text,
    Int,
    Bool,
}

impl Table {
    fn names(&self) -> String {
        let names: Vec<&str> = self.columns.iter().map(|column| column.name.as_str()).collect();
        names.join(", ")
    }
}

/// Returns the tables of a database after the migrations `names`, ordered by name.
///
/// # Errors
/// [`Error::Internal`] when a migration is unknown, or uses a type that is not a [`ColumnType`].
pub fn tables(migrations: Migrations, names: &[String]) -> Result<Vec<Table>, Error> {
    let memory = Sqlite::open_in_memory()?;
    migrations.run_selected(&mut Tx::new(Connection::Sqlite(&memory)), names)?;
    let tables = memory
        .prepare(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' \
             AND name NOT IN ('migrations', 'sqlite_schema') ORDER BY name",
        )?
        .query_map([], |row| row.get(0))?
        .collect::<Result<Vec<String>, _>>()?;
    tables.into_iter().map(|name| describe(&memory, name)).collect()
}

fn describe(memory: &Sqlite, name: String) -> Result<Table, Error> {
    let mut statement =
        memory.prepare("SELECT name, type, pk FROM pragma_table_info(?1) ORDER BY cid")?;
    let info = statement
        .query_map([&name], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<Result<Vec<(String, String, i64)>, _>>()?;
    let mut key: Vec<(i64, String)> = info
        .iter()
        .filter(|(_, _, position)| *position > 0)
        .map(|(column, _, position)| (*position, column.clone()))
        .collect();
    key.sort();
    let columns = info.into_iter().map(|(column, kind, _)| {
        let kind = match kind.as_str() {
            "TEXT" => ColumnType::Text,
            "BIGINT" => ColumnType::Int,
            "BOOLEAN" => ColumnType::Bool,
            other => return Err(Error::Internal(format!("{name}.{column} is of type {other}"))),
        };
        Ok(Column { name: column, kind })
    });
    let columns = columns.collect::<Result<_, _>>()?;
    Ok(Table { columns, key: key.into_iter().map(|(_, column)| column).collect(), name })
}

/// Reads one snapshot of a database. Writers are not blocked meanwhile.
#[derive(Debug)]
pub struct DumpReader {
    source: Source,
    /// The migrations that were applied to the database.
    pub migrations: Vec<String>,
    /// The tables.
    pub tables: Vec<Table>,
}

#[derive(Debug)]
enum Source {
    Sqlite(Sqlite),
    Postgres(Box<Session>),
}

impl DumpReader {
    /// Opens a snapshot of a database.
    ///
    /// # Errors
    /// When it cannot be read, or was last used by a newer program.
    pub fn open(database: &DumpSource) -> Result<Self, Error> {
        let mut source = match &database.location {
            DumpLocation::Sqlite(folder) => {
                let path = folder.join(sqlite::FILE);
                let connection = sqlite::connect(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
                connection.execute_batch("BEGIN")?;
                Source::Sqlite(connection)
            }
            DumpLocation::Postgres(server) => {
                let mut session = Session::connect_without_timeouts(server, true)?;
                session.batch("BEGIN ISOLATION LEVEL REPEATABLE READ")?;
                Source::Postgres(Box::new(session))
            }
        };

        // The first statement fixes the snapshot.
        let applied = match &mut source {
            Source::Sqlite(connection) => {
                migrations::applied(&mut Tx::new(Connection::Sqlite(connection)))
            }
            Source::Postgres(session) => {
                migrations::applied(&mut Tx::new(Connection::Postgres(session)))
            }
        };
        let migrations = applied?;
        let tables = tables(database.migrations, &migrations)?;
        Ok(Self { source, migrations, tables })
    }

    /// Passes all rows of a table to `visit`, in the order of the primary key.
    ///
    /// Errors of the database and of `visit`.
    pub fn rows<E: From<Error>>(
        &mut self,
        table: &Table,
        mut visit: impl FnMut(Row<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let select = format!(
            "SELECT {} FROM {} ORDER BY {}",
            table.names(),
            table.name,
            table.key.join(", ")
        );
        let mut visit_page = |page: &Rows| page.iter().try_for_each(&mut visit);
        match &mut self.source {
            Source::Sqlite(connection) => {
                let mut statement = connection.prepare(&select).map_err(Error::from)?;
                let mut found = statement.query([]).map_err(Error::from)?;
                loop {
                    let mut page = Rows::new(table.columns.len());
                    while page.len() < FETCH_ROWS {
                        let Some(row) = found.next().map_err(Error::from)? else { break };
                        for (index, column) in table.columns.iter().enumerate() {
                            let value = row.get_ref(index).map_err(Error::from)?;
                            page.push(match (sqlite::values::cell(value)?, column.kind) {
                                (Cell::Int(value), ColumnType::Bool) => Cell::Bool(value != 0),
                                (other, _) => other,
                            });
                        }
                    }
                    if page.is_empty() {
                        return Ok(());
                    }
                    visit_page(&page)?;
                }
            }
            Source::Postgres(session) => {
                let cursor = format!("all_{}", table.name);
                session.batch(&format!("DECLARE {cursor} NO SCROLL CURSOR FOR {select}"))?;
                let next = format!("FETCH {FETCH_ROWS} FROM {cursor}");
                loop {
                    let page = session.rows(&next, &Values(Vec::new()))?;
                    if page.is_empty() {
                        return Ok(session.batch(&format!("CLOSE {cursor}"))?);
                    }
                    visit_page(&page)?;
                }
            }
        }
    }
}

/// Fills an empty database. All rows become visible with [`DumpWriter::commit`], and none before.
#[derive(Debug)]
pub struct DumpWriter(Target);

#[derive(Debug)]
enum Target {
    Sqlite { connection: Sqlite, path: PathBuf, insert: String },
    Postgres { session: Box<Session>, copy: Option<Copy>, keys: Vec<ForeignKey> },
}

/// A foreign key that is dropped while rows are loaded, because they arrive in any order.
#[derive(Debug)]
struct ForeignKey {
    table: String,
    name: String,
    definition: String,
}

/// Returns whether a database contains no tables.
///
/// When the database cannot be read.
pub fn is_empty(database: &DumpSource) -> Result<bool, Error> {
    match &database.location {
        DumpLocation::Sqlite(folder) => Ok(!folder.join(sqlite::FILE).exists()),
        DumpLocation::Postgres(server) => {
            let mut session = Session::connect_without_timeouts(server, true)?;
            Ok(count(&mut session, TABLES)? == 0)
        }
    }
}

/// Number of tables of the schema. Extensions of a server often have views there.
const TABLES: &str = "SELECT count(*) FROM information_schema.tables \
    WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'";

fn count(session: &mut Session, sql: &str) -> Result<i64, Error> {
    session.rows(sql, &Values(Vec::new()))?.first().map_or(Ok(0), |row| row.int(0))
}

impl DumpWriter {
    /// Begins to fill a database with the schema of the migrations `names`. Existing tables are moved to a schema named
    /// `aside`, if one is given (PostgreSQL only).
    ///
    /// [`Error::Busy`] when the tables would be moved while other connections exist; [`Error::Unique`] when there are
    /// tables and `aside` is `None`.
    pub fn begin(
        database: &DumpSource,
        names: &[String],
        aside: Option<&str>,
    ) -> Result<Self, Error> {
        let migrations = database.migrations;
        let tables = tables(migrations, names)?;
        let target = match &database.location {
            DumpLocation::Sqlite(folder) => {
                let (connection, path) = new_file::create(folder)?;
                // No other process opens this file, and it is discarded after a crash.
                connection.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN; PRAGMA defer_foreign_keys = ON;")?;
                let mut tx = Tx::new(Connection::Sqlite(&connection));
                prepare(&mut tx, migrations, names, &tables)?;
                Target::Sqlite { connection, path, insert: String::new() }
            }
            DumpLocation::Postgres(server) => {
                let mut session = Session::connect_without_timeouts(server, false)?;
                session.batch("BEGIN")?;
                migrations::lock(&mut session)?;
                empty_schema(&mut session, aside)?;
                prepare(
                    &mut Tx::new(Connection::Postgres(&mut session)),
                    migrations,
                    names,
                    &tables,
                )?;
                let keys = drop_foreign_keys(&mut session)?;
                Target::Postgres { session: Box::new(session), copy: None, keys }
            }
        };
        Ok(Self(target))
    }

    /// Sets the table of the next rows. Each table is set once.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn begin_table(&mut self, table: &Table) -> Result<(), Error> {
        match &mut self.0 {
            Target::Sqlite { insert, .. } => {
                let placeholders = vec!["?"; table.columns.len()].join(", ");
                *insert = format!(
                    "INSERT INTO {} ({}) VALUES ({placeholders})",
                    table.name,
                    table.names()
                );
            }
            Target::Postgres { session, copy, .. } => {
                if let Some(copy) = copy.take() {
                    session.end_copy(copy)?;
                }
                let into = format!("COPY {} ({}) FROM STDIN", table.name, table.names());
                *copy = Some(session.begin_copy(&into)?);
            }
        }
        Ok(())
    }

    /// Adds a row, given as the values of all columns in order.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn row<'a>(&mut self, cells: impl Iterator<Item = Cell<'a>>) -> Result<(), Error> {
        match &mut self.0 {
            Target::Sqlite { connection, insert, .. } => {
                let values = cells.map(|cell| match cell {
                    Cell::Null => ValueRef::Null,
                    Cell::Bool(value) => ValueRef::Integer(value.into()),
                    Cell::Int(value) => ValueRef::Integer(value),
                    Cell::Real(value) => ValueRef::Real(value),
                    Cell::Text(value) => ValueRef::Text(value.as_bytes()),
                });
                let values = values.map(rusqlite::types::ToSqlOutput::Borrowed);
                connection.prepare_cached(insert)?.execute(rusqlite::params_from_iter(values))?;
                Ok(())
            }
            Target::Postgres { session, copy, .. } => {
                let copy = copy.as_mut().expect("`table` is called before `row`");
                session.copy_row(copy, cells)
            }
        }
    }

    /// Clears references to missing rows, and deletes the rows whose reference is required. `SQLite` only.
    pub(crate) fn drop_dangling_rows(&mut self) -> Result<(), Error> {
        match &self.0 {
            Target::Sqlite { connection, .. } => salvage::drop_dangling_rows(connection),
            Target::Postgres { .. } => Ok(()),
        }
    }

    /// Commits all rows and syncs them to disk.
    ///
    /// Errors of the database, such as a violated foreign key or a full disk.
    pub fn commit(self) -> Result<(), Error> {
        match self.0 {
            Target::Sqlite { connection, path, .. } => {
                connection.execute_batch("COMMIT")?;
                drop(connection);
                new_file::publish(&path)
            }
            Target::Postgres { mut session, copy, keys } => {
                if let Some(copy) = copy {
                    session.end_copy(copy)?;
                }
                for ForeignKey { table, name, definition } in keys {
                    session.batch(&format!(
                        "ALTER TABLE {table} ADD CONSTRAINT {name} {definition}"
                    ))?;
                }
                session.batch("COMMIT")
            }
        }
    }
}

/// Creates the tables, and deletes the rows that migrations insert.
fn prepare(
    tx: &mut Tx<'_>,
    migrations: Migrations,
    names: &[String],
    tables: &[Table],
) -> Result<(), Error> {
    migrations.run_selected(tx, names)?;
    for table in tables {
        tx.execute(Query::delete().from_table(sea_query::Alias::new(&table.name)))?;
    }
    Ok(())
}

/// Ensures that the schema is empty.
fn empty_schema(session: &mut Session, aside: Option<&str>) -> Result<(), Error> {
    if count(session, TABLES)? == 0 {
        return Ok(());
    }
    let Some(aside) = aside else { return Err(Error::Unique("the database is not empty".into())) };
    // Processes of the server itself, such as autovacuum, read the database, too.
    let other_connections = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
        AND pid <> pg_backend_pid() AND backend_type = 'client backend'";
    if count(session, other_connections)? > 0 {
        return Err(Error::Busy);
    }
    let schema = session.rows("SELECT quote_ident(current_schema()::text)", &Values(Vec::new()))?;
    let schema = schema.first().map(|row| row.text(0).map(str::to_owned)).transpose()?;
    let schema = schema.ok_or_else(|| Error::Internal("the search path names no schema".into()))?;
    session.batch(&format!("ALTER SCHEMA {schema} RENAME TO {aside}; CREATE SCHEMA {schema}"))
}

/// Drops the foreign keys, which [`DumpWriter::commit`] adds again. They would require rows in a certain order.
fn drop_foreign_keys(session: &mut Session) -> Result<Vec<ForeignKey>, Error> {
    let found = session.rows(
        "SELECT quote_ident(c.relname::text), quote_ident(k.conname::text), pg_get_constraintdef(k.oid) \
         FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid \
         JOIN pg_namespace n ON n.oid = k.connamespace \
         WHERE k.contype = 'f' AND n.nspname = current_schema() ORDER BY 1, 2",
        &Values(Vec::new()),
    )?;
    let text = |row: Row<'_>, column| row.text(column).map(str::to_owned);
    let to_key = |row| {
        Ok(ForeignKey { table: text(row, 0)?, name: text(row, 1)?, definition: text(row, 2)? })
    };
    let keys = found.iter().map(to_key).collect::<Result<Vec<ForeignKey>, Error>>()?;
    for ForeignKey { table, name, .. } in &keys {
        session.batch(&format!("ALTER TABLE {table} DROP CONSTRAINT {name}"))?;
    }
    Ok(keys)
}
