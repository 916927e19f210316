//! Everything in a database: read from one state of it, and written into an empty one. The same for both engines, so
//! that what was read from one can be written into the other.
//!
//! Which tables there are is asked of the migrations, which are run on an empty database in memory for it: a new table
//! cannot be forgotten, and what else a PostgreSQL database may hold is not ours.

use std::{fs::File, path::PathBuf};

use rusqlite::{Connection as Sqlite, OpenFlags, types::ValueRef};
use sea_query::{Query, Values};

use crate::config::DatabaseServer;
use crate::db::{
    Cell, Error, Row, Rows, Tx, migrations,
    postgres::{Copy, Session},
    sqlite,
    transaction::Connection,
};

/// Rows that are fetched at once.
const PAGE: usize = 500;

/// Where a database is.
#[derive(Debug, Clone)]
pub enum DumpSource {
    /// The embedded one, by the folder that it lies in.
    Sqlite(PathBuf),
    /// A server's.
    Postgres(DatabaseServer),
}

/// A table as the migrations make it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Its columns in order.
    pub columns: Vec<Column>,
    /// The columns of its key, by which rows are read in an order that both databases agree on.
    key: Vec<String>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: Kind,
}

/// What a column holds: the migrations use no other types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Kind {
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

/// The first of these migrations that this program does not know: a newer one made them.
#[must_use]
pub fn unknown_migration(migrations: &[String]) -> Option<&String> {
    migrations.iter().find(|name| !migrations::names().any(|known| known == *name))
}

/// The tables of a database that has seen these migrations, by name.
///
/// # Errors
/// [`Error::Internal`] when a migration is unknown, or uses a type that is not among [`Kind`].
pub fn tables(migrations: &[String]) -> Result<Vec<Table>, Error> {
    let memory = Sqlite::open_in_memory()?;
    migrations::run_these(&mut Tx::new(Connection::Sqlite(&memory)), migrations)?;
    let names = memory
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'migrations' ORDER BY name")?
        .query_map([], |row| row.get(0))?
        .collect::<Result<Vec<String>, _>>()?;
    names.into_iter().map(|name| describe(&memory, name)).collect()
}

fn describe(memory: &Sqlite, name: String) -> Result<Table, Error> {
    let mut asked =
        memory.prepare("SELECT name, type, pk FROM pragma_table_info(?1) ORDER BY cid")?;
    let described = asked
        .query_map([&name], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<Result<Vec<(String, String, i64)>, _>>()?;
    let mut key: Vec<(i64, String)> = described
        .iter()
        .filter(|(_, _, place)| *place > 0)
        .map(|(column, _, place)| (*place, column.clone()))
        .collect();
    key.sort();
    let columns = described.into_iter().map(|(column, kind, _)| {
        let kind = match kind.as_str() {
            "TEXT" => Kind::Text,
            "BIGINT" => Kind::Int,
            "BOOLEAN" => Kind::Bool,
            other => return Err(Error::Internal(format!("{name}.{column} is of type {other}"))),
        };
        Ok(Column { name: column, kind })
    });
    let columns = columns.collect::<Result<_, _>>()?;
    Ok(Table { columns, key: key.into_iter().map(|(_, column)| column).collect(), name })
}

/// One state of a database, for as long as it takes to read it. Nobody is kept from writing meanwhile.
#[derive(Debug)]
pub struct DumpReader {
    source: Source,
    /// The migrations that the database has seen.
    pub migrations: Vec<String>,
    /// Its tables.
    pub tables: Vec<Table>,
}

#[derive(Debug)]
enum Source {
    Sqlite(Sqlite),
    Postgres(Box<Session>),
}

impl DumpReader {
    /// Looks at a database as it is now.
    ///
    /// # Errors
    /// When it cannot be read, or was last used by a newer program.
    pub fn open(place: &DumpSource) -> Result<Self, Error> {
        let mut source = match place {
            DumpSource::Sqlite(folder) => {
                let path = folder.join(sqlite::FILE);
                let connection = sqlite::connect(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
                connection.execute_batch("BEGIN")?;
                Source::Sqlite(connection)
            }
            DumpSource::Postgres(server) => {
                let mut session = Session::patient(server, true)?;
                session.batch("BEGIN ISOLATION LEVEL REPEATABLE READ")?;
                Source::Postgres(Box::new(session))
            }
        };
        // The first statement decides which state it is.
        let done = match &mut source {
            Source::Sqlite(connection) => {
                migrations::done(&mut Tx::new(Connection::Sqlite(connection)))
            }
            Source::Postgres(session) => {
                migrations::done(&mut Tx::new(Connection::Postgres(session)))
            }
        };
        let migrations = done?;
        let tables = tables(&migrations)?;
        Ok(Self { source, migrations, tables })
    }

    /// Shows all rows of a table, in the order of its key.
    ///
    /// # Errors
    /// The database's, and what `see` returns.
    pub fn rows<E: From<Error>>(
        &mut self,
        table: &Table,
        mut see: impl FnMut(Row<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let all = format!(
            "SELECT {} FROM {} ORDER BY {}",
            table.names(),
            table.name,
            table.key.join(", ")
        );
        let mut see_page = |page: &Rows| page.iter().try_for_each(&mut see);
        match &mut self.source {
            Source::Sqlite(connection) => {
                let mut statement = connection.prepare(&all).map_err(Error::from)?;
                let mut found = statement.query([]).map_err(Error::from)?;
                loop {
                    let mut page = Rows::new(table.columns.len());
                    while page.len() < PAGE {
                        let Some(row) = found.next().map_err(Error::from)? else { break };
                        for (place, column) in table.columns.iter().enumerate() {
                            let value = row.get_ref(place).map_err(Error::from)?;
                            page.push(match (sqlite::cell(value)?, column.kind) {
                                (Cell::Int(value), Kind::Bool) => Cell::Bool(value != 0),
                                (other, _) => other,
                            });
                        }
                    }
                    if page.is_empty() {
                        return Ok(());
                    }
                    see_page(&page)?;
                }
            }
            Source::Postgres(session) => {
                let cursor = format!("all_{}", table.name);
                session.batch(&format!("DECLARE {cursor} NO SCROLL CURSOR FOR {all}"))?;
                let next = format!("FETCH {PAGE} FROM {cursor}");
                loop {
                    let page = session.rows(&next, &Values(Vec::new()))?;
                    if page.is_empty() {
                        return Ok(session.batch(&format!("CLOSE {cursor}"))?);
                    }
                    see_page(&page)?;
                }
            }
        }
    }
}

/// An empty database that is being filled: all of it is there after [`Writer::commit`], and nothing before.
#[derive(Debug)]
pub struct DumpWriter(Target);

#[derive(Debug)]
enum Target {
    Sqlite { connection: Sqlite, path: PathBuf, insert: String },
    Postgres { session: Box<Session>, copy: Option<Copy>, keys: Vec<Key> },
}

/// A foreign key that is taken away while rows come in any order.
#[derive(Debug)]
struct Key {
    table: String,
    name: String,
    definition: String,
}

/// Whether a database holds nothing at all.
///
/// # Errors
/// When it cannot be asked.
pub fn is_empty(place: &DumpSource) -> Result<bool, Error> {
    match place {
        DumpSource::Sqlite(folder) => Ok(!folder.join(sqlite::FILE).exists()),
        DumpSource::Postgres(server) => {
            let mut session = Session::patient(server, true)?;
            Ok(count(
                &mut session,
                "SELECT count(*) FROM information_schema.tables WHERE table_schema = current_schema()",
            )? == 0)
        }
    }
}

fn count(session: &mut Session, sql: &str) -> Result<i64, Error> {
    session.rows(sql, &Values(Vec::new()))?.first().map_or(Ok(0), |row| row.int(0))
}

impl DumpWriter {
    /// Begins to fill a database that has seen these migrations and nothing else. What is there already is moved to a
    /// schema of the name `aside`, if one is given (PostgreSQL only).
    ///
    /// # Errors
    /// [`Error::Busy`] when others are at work in a database whose tables are to be moved; [`Error::Unique`] when there
    /// are tables and none may be moved.
    pub fn begin(
        place: &DumpSource,
        migrations: &[String],
        aside: Option<&str>,
    ) -> Result<Self, Error> {
        let tables = tables(migrations)?;
        let target = match place {
            DumpSource::Sqlite(folder) => {
                let path = folder.join(sqlite::FILE);
                let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
                let connection = sqlite::connect(&path, flags)?;
                // Nobody else sees this file, and what a crash leaves of it is of no use.
                connection.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN; PRAGMA defer_foreign_keys = ON;")?;
                let mut tx = Tx::new(Connection::Sqlite(&connection));
                prepare(&mut tx, migrations, &tables)?;
                Target::Sqlite { connection, path, insert: String::new() }
            }
            DumpSource::Postgres(server) => {
                let mut session = Session::patient(server, false)?;
                session.batch("BEGIN")?;
                migrations::lock(&mut session)?;
                make_room(&mut session, aside)?;
                prepare(&mut Tx::new(Connection::Postgres(&mut session)), migrations, &tables)?;
                let keys = take_keys(&mut session)?;
                Target::Postgres { session: Box::new(session), copy: None, keys }
            }
        };
        Ok(Self(target))
    }

    /// Says of which table the next rows are. Each table comes once.
    ///
    /// # Errors
    /// The database's.
    pub fn table(&mut self, table: &Table) -> Result<(), Error> {
        match &mut self.0 {
            Target::Sqlite { insert, .. } => {
                let places = vec!["?"; table.columns.len()].join(", ");
                *insert =
                    format!("INSERT INTO {} ({}) VALUES ({places})", table.name, table.names());
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

    /// Adds a row: the values of all columns, in order.
    ///
    /// # Errors
    /// The database's.
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
                let copy = copy.as_mut().expect("a row comes after its table's name");
                session.copy_row(copy, cells)
            }
        }
    }

    /// Keeps everything, on the disk.
    ///
    /// # Errors
    /// The database's: a row that refers to nothing, a disk that is full.
    pub fn commit(self) -> Result<(), Error> {
        match self.0 {
            Target::Sqlite { connection, path, .. } => {
                connection.execute_batch("COMMIT")?;
                drop(connection);
                let synced = File::open(path).and_then(|file| file.sync_all());
                synced.map_err(|error| Error::Unavailable(error.to_string()))
            }
            Target::Postgres { mut session, copy, keys } => {
                if let Some(copy) = copy {
                    session.end_copy(copy)?;
                }
                for Key { table, name, definition } in keys {
                    session.batch(&format!(
                        "ALTER TABLE {table} ADD CONSTRAINT {name} {definition}"
                    ))?;
                }
                session.batch("COMMIT")
            }
        }
    }
}

/// Makes the tables, and takes out what the migrations put into them.
fn prepare(tx: &mut Tx<'_>, migrations: &[String], tables: &[Table]) -> Result<(), Error> {
    migrations::run_these(tx, migrations)?;
    for table in tables {
        tx.execute(Query::delete().from_table(sea_query::Alias::new(&table.name)))?;
    }
    Ok(())
}

/// Sees to it that the schema is empty.
fn make_room(session: &mut Session, aside: Option<&str>) -> Result<(), Error> {
    let tables =
        "SELECT count(*) FROM information_schema.tables WHERE table_schema = current_schema()";
    if count(session, tables)? == 0 {
        return Ok(());
    }
    let Some(aside) = aside else { return Err(Error::Unique("the database is not empty".into())) };
    let others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
    if count(session, others)? > 0 {
        return Err(Error::Busy);
    }
    let schema = session.rows("SELECT quote_ident(current_schema()::text)", &Values(Vec::new()))?;
    let schema = schema.first().map(|row| row.text(0).map(str::to_owned)).transpose()?;
    let schema = schema.ok_or_else(|| Error::Internal("the search path names no schema".into()))?;
    session.batch(&format!("ALTER SCHEMA {schema} RENAME TO {aside}; CREATE SCHEMA {schema}"))
}

/// Drops the foreign keys, to be made again once all rows are there: they would ask for rows in an order.
fn take_keys(session: &mut Session) -> Result<Vec<Key>, Error> {
    let found = session.rows(
        "SELECT quote_ident(c.relname::text), quote_ident(k.conname::text), pg_get_constraintdef(k.oid) \
         FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid \
         JOIN pg_namespace n ON n.oid = k.connamespace \
         WHERE k.contype = 'f' AND n.nspname = current_schema() ORDER BY 1, 2",
        &Values(Vec::new()),
    )?;
    let text = |row: Row<'_>, column| row.text(column).map(str::to_owned);
    let read =
        |row| Ok(Key { table: text(row, 0)?, name: text(row, 1)?, definition: text(row, 2)? });
    let keys = found.iter().map(read).collect::<Result<Vec<Key>, Error>>()?;
    for Key { table, name, .. } in &keys {
        session.batch(&format!("ALTER TABLE {table} DROP CONSTRAINT {name}"))?;
    }
    Ok(keys)
}
