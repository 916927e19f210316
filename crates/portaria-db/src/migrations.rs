//! Migrations of the database. The program passes their list.

use rusqlite::OpenFlags;
use sea_query::{Query, Values};

use crate::{
    Error, Tx, changes::triggers, dialect::Dialect, dump::DumpLocation, postgres::Session, sqlite,
    transaction::Connection,
};

/// All migrations of a program, in order: pairs of name and change. A migration that was part of a release is never
/// edited.
#[derive(Debug, Clone, Copy)]
pub struct Migrations(pub &'static [(&'static str, Change)]);

/// The change that a migration makes, in the transaction that records its name.
#[derive(Debug, Clone, Copy)]
pub enum Change {
    /// Portable SQL.
    Sql(&'static str),
    /// SQL that differs between the databases.
    SqlOf {
        /// For `SQLite`.
        sqlite: &'static str,
        /// For PostgreSQL.
        postgres: &'static str,
    },
    /// A change of rows that SQL cannot express.
    Rows(fn(&mut Tx<'_>) -> Result<(), Error>),
}

impl Migrations {
    /// Returns the first of `names` that the program does not know, which is evidence of a newer version.
    #[must_use]
    pub fn unknown(self, names: &[String]) -> Option<&String> {
        names.iter().find(|name| !self.contains(name))
    }

    fn contains(self, name: &str) -> bool {
        self.0.iter().any(|(ours, _)| *ours == name)
    }

    /// Returns the names of the migrations that `applied` does not contain, in order.
    #[must_use]
    pub fn missing(self, applied: &[String]) -> Vec<&'static str> {
        let names = self.0.iter().map(|(name, _)| *name);
        names.filter(|name| !applied.iter().any(|applied| applied == name)).collect()
    }

    /// Applies the missing migrations, inside the caller's transaction.
    pub(crate) fn run(self, tx: &mut Tx<'_>) -> Result<(), Error> {
        let all: Vec<String> = self.0.iter().map(|(name, _)| (*name).to_owned()).collect();
        for name in self.run_selected(tx, &all)? {
            tracing::info!(migration = name, "migration applied");
        }
        Ok(())
    }

    /// Applies those of the `wanted` migrations that are missing, and returns their names. A subset creates the schema
    /// of an older version of the program.
    pub(crate) fn run_selected(
        self,
        tx: &mut Tx<'_>,
        wanted: &[String],
    ) -> Result<Vec<&'static str>, Error> {
        tx.execute_batch("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY)")?;
        let done = applied(tx)?;
        if let Some(newer) = self.unknown(&done).or_else(|| self.unknown(wanted)) {
            return Err(Error::Internal(format!(
                "the database was last used by a newer version of this program (migration {newer})"
            )));
        }
        let mut missing = Vec::new();
        for (name, change) in self.0 {
            let is = |other: &String| other == name;
            if wanted.iter().any(is) && !done.iter().any(is) {
                if missing.is_empty() && tx.dialect() == Dialect::Postgres {
                    tx.execute_batch(triggers::DROP_POSTGRES_TRIGGERS)?;
                }
                match change {
                    Change::Sql(sql) => tx.execute_batch(&tx.dialect().migration(sql))?,
                    Change::SqlOf { sqlite, postgres } => {
                        let is_sqlite = tx.dialect() == Dialect::Sqlite;
                        tx.execute_batch(if is_sqlite { sqlite } else { postgres })?;
                    }
                    Change::Rows(change) => change(tx)?,
                }
                tx.insert("migrations", [("name", (*name).into())])?;
                missing.push(*name);
            }
        }
        Ok(missing)
    }
}

/// Takes the advisory lock for changes of the schema.
pub(crate) const LOCK: &str = "SELECT pg_advisory_xact_lock(7305803)";

/// Takes the advisory lock for migrations, so that two nodes that start at once do not both migrate.
pub(crate) fn lock(session: &mut Session) -> Result<(), Error> {
    session.batch(LOCK)
}

/// Returns the names of the migrations that were applied to a database.
///
/// # Errors
/// Database errors.
pub fn applied(tx: &mut Tx<'_>) -> Result<Vec<String>, Error> {
    let mut query = Query::select();
    query.column("name").from("migrations").order_by("name", sea_query::Order::Asc);
    tx.rows(&query)?.iter().map(|row| row.text(0).map(str::to_owned)).collect()
}

/// Returns the names of the migrations that were applied to a database; `None` if the program never used it. Creates
/// nothing.
///
/// # Errors
/// When the database cannot be read.
pub fn find_applied(database: &DumpLocation) -> Result<Option<Vec<String>>, Error> {
    match database {
        DumpLocation::Sqlite(folder) => {
            let path = folder.join(sqlite::FILE);
            if !path.exists() {
                return Ok(None);
            }
            let connection = sqlite::connect(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
            let table = "SELECT 1 FROM sqlite_schema WHERE name = 'migrations'";
            if !connection.prepare(table)?.exists([])? {
                return Ok(None);
            }
            applied(&mut Tx::new(Connection::Sqlite(&connection))).map(Some)
        }
        DumpLocation::Postgres(server) => {
            let mut session = Session::connect_without_timeouts(server, true)?;
            let table = "SELECT 1 WHERE to_regclass('migrations') IS NOT NULL";
            if session.rows(table, &Values(Vec::new()))?.is_empty() {
                return Ok(None);
            }
            applied(&mut Tx::new(Connection::Postgres(&mut session))).map(Some)
        }
    }
}
