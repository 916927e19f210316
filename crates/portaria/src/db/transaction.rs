//! What a closure given to `read` or `write` can do.

use std::fmt;

use sea_query::{
    Expr, PostgresQueryBuilder, Query, QueryStatementWriter, SqliteQueryBuilder, Values,
};

use crate::db::{Error, Rows, dialect::Dialect, postgres::Session};

/// What a closure left to be done before its transaction is committed.
type Work = dyn FnOnce(&mut Tx<'_>) -> Result<(), Error>;
/// What a closure left to be done once its transaction is committed.
pub(crate) type Afterwards = dyn FnOnce() + Send;

/// An open transaction. Statements are built by sea-query; their text is the key of the cache of
/// prepared ones, so values must be bound, never written into the text.
pub struct Tx<'a> {
    pub(crate) connection: Connection<'a>,
    pub(crate) undone: bool,
    before_commit: Vec<Box<Work>>,
    after_commit: Vec<Box<Afterwards>>,
}

impl fmt::Debug for Tx<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tx").field("connection", &self.connection).finish_non_exhaustive()
    }
}

#[derive(Debug)]
pub(crate) enum Connection<'a> {
    Sqlite(&'a rusqlite::Connection),
    Postgres(&'a mut Session),
}

impl Tx<'_> {
    pub(crate) fn new(connection: Connection<'_>) -> Tx<'_> {
        Tx { connection, undone: false, before_commit: Vec::new(), after_commit: Vec::new() }
    }

    /// Lets nothing of this transaction stay, although the closure succeeds: a rehearsal.
    pub fn rollback(&mut self) {
        self.undone = true;
    }

    /// Does something after all else, right before the commit, if there is one. That is the place for what locks a row
    /// that many wait for: it is held no longer than it takes to commit, and since nobody locks anything after it,
    /// no two transactions wait for each other.
    pub fn last(&mut self, work: impl FnOnce(&mut Tx<'_>) -> Result<(), Error> + 'static) {
        self.before_commit.push(Box::new(work));
    }

    /// Does something once the changes are on the disk, and not at all if they are undone. Nothing in there waits: other
    /// transactions do.
    pub fn afterwards(&mut self, work: impl FnOnce() + Send + 'static) {
        self.after_commit.push(Box::new(work));
    }

    /// What was left for afterwards.
    pub(crate) fn take_afterwards(&mut self) -> Vec<Box<Afterwards>> {
        std::mem::take(&mut self.after_commit)
    }

    /// Does what was left for the end.
    pub(crate) fn run_before_commit(&mut self) -> Result<(), Error> {
        if self.undone {
            return Ok(());
        }
        std::mem::take(&mut self.before_commit).into_iter().try_for_each(|work| work(self))
    }

    /// Which SQL this database speaks, for what the builder cannot say portably.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        match self.connection {
            Connection::Sqlite(_) => Dialect::Sqlite,
            Connection::Postgres(_) => Dialect::Postgres,
        }
    }

    /// Runs a statement and counts the rows that it changed.
    pub fn execute(&mut self, statement: &impl QueryStatementWriter) -> Result<u64, Error> {
        let (sql, values) = self.build(statement);
        match &mut self.connection {
            Connection::Sqlite(connection) => crate::db::sqlite::execute(connection, &sql, &values),
            Connection::Postgres(session) => session.execute(&sql, &values),
        }
    }

    /// Runs a statement and takes all its rows.
    pub fn rows(&mut self, statement: &impl QueryStatementWriter) -> Result<Rows, Error> {
        let (sql, values) = self.build(statement);
        match &mut self.connection {
            Connection::Sqlite(connection) => crate::db::sqlite::rows(connection, &sql, &values),
            Connection::Postgres(session) => session.rows(&sql, &values),
        }
    }

    /// Inserts one row of ours: each column beside its value.
    pub fn insert<const N: usize>(
        &mut self,
        table: &'static str,
        values: [(&'static str, Expr); N],
    ) -> Result<(), Error> {
        let (columns, values): (Vec<_>, Vec<_>) = values.into_iter().unzip();
        self.execute(Query::insert().into_table(table).columns(columns).values_panic(values))
            .map(drop)
    }

    /// Runs SQL text of ours that holds no values: migrations.
    pub(crate) fn execute_batch(&mut self, sql: &str) -> Result<(), Error> {
        match &mut self.connection {
            Connection::Sqlite(connection) => Ok(connection.execute_batch(sql)?),
            Connection::Postgres(session) => session.batch(sql),
        }
    }

    fn build(&self, statement: &impl QueryStatementWriter) -> (String, Values) {
        match self.dialect() {
            Dialect::Sqlite => statement.build(SqliteQueryBuilder),
            Dialect::Postgres => statement.build(PostgresQueryBuilder),
        }
    }
}
