//! Transactions: the operations of a closure that runs in [`crate::Db::read`] or [`crate::Db::write`].

use std::fmt;

use sea_query::{
    Expr, PostgresQueryBuilder, Query, QueryStatementWriter, SelectStatement, SqliteQueryBuilder,
    Values,
};

use crate::{
    Error, Rows, changes,
    dialect::Dialect,
    postgres::{Session, StatementText},
};

/// Work that runs right before the commit.
type Work = dyn FnOnce(&mut Tx<'_>) -> Result<(), Error>;
/// Work that runs after the commit.
pub(crate) type AfterCommit = dyn FnOnce() + Send;

/// An open transaction. Statements are built by sea-query. Their text is the key of the cache of prepared statements,
/// so values other than a limit must be bound and never be part of the text.
pub struct Tx<'a> {
    pub(crate) connection: Connection<'a>,
    pub(crate) is_rolled_back: bool,
    before_commit: Vec<Box<Work>>,
    after_commit: Vec<Box<AfterCommit>>,
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
        Tx {
            connection,
            is_rolled_back: false,
            before_commit: Vec::new(),
            after_commit: Vec::new(),
        }
    }

    /// Rolls the transaction back although the closure succeeds, for rehearsals.
    pub fn rollback(&mut self) {
        self.is_rolled_back = true;
    }

    /// Registers work that runs after the closure, right before the commit, if there is one. Locks on contended rows
    /// belong here: they are held for the shortest time, since nothing is locked after them, they cause no deadlock, and
    /// on PostgreSQL the transactions of this process take turns with them.
    pub fn before_commit(&mut self, work: impl FnOnce(&mut Tx<'_>) -> Result<(), Error> + 'static) {
        self.before_commit.push(Box::new(work));
    }

    /// Registers work that runs after the commit, and not after a rollback. It must not block, because other
    /// transactions wait meanwhile.
    pub fn after_commit(&mut self, work: impl FnOnce() + Send + 'static) {
        self.after_commit.push(Box::new(work));
    }

    /// Takes the work that runs after the commit.
    pub(crate) fn take_after_commit(&mut self) -> Vec<Box<AfterCommit>> {
        std::mem::take(&mut self.after_commit)
    }

    /// Runs the work that was registered with [`Self::before_commit`].
    pub(crate) fn run_before_commit(&mut self) -> Result<(), Error> {
        if self.is_rolled_back || self.before_commit.is_empty() {
            return Ok(());
        }
        if let Connection::Postgres(session) = &mut self.connection {
            session.take_turn();
        }
        std::mem::take(&mut self.before_commit).into_iter().try_for_each(|work| work(self))
    }

    /// The SQL dialect, for expressions that the builder cannot render portably.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        match self.connection {
            Connection::Sqlite(_) => Dialect::Sqlite,
            Connection::Postgres(_) => Dialect::Postgres,
        }
    }

    /// Runs a statement and returns the number of rows that it changed.
    pub fn execute(&mut self, statement: &impl QueryStatementWriter) -> Result<u64, Error> {
        let (sql, values) = self.build(statement);
        match &mut self.connection {
            Connection::Sqlite(connection) => crate::sqlite::execute(connection, &sql, &values),
            Connection::Postgres(session) => session.execute(&sql, &values),
        }
    }

    /// Runs a statement without a wait for its answer. On PostgreSQL it is sent together with the next statement or the
    /// commit, which also returns its error.
    pub fn execute_deferred(&mut self, statement: &impl QueryStatementWriter) -> Result<(), Error> {
        let (sql, values) = self.build(statement);
        match &mut self.connection {
            Connection::Sqlite(connection) => {
                crate::sqlite::execute(connection, &sql, &values).map(drop)
            }
            Connection::Postgres(session) => session.execute_deferred(&sql, values),
        }
    }

    /// Plans the following statements for their values, which pays for statements that read many rows. SQLite always plans
    /// without values.
    ///
    /// # Errors
    /// When the connection is lost.
    pub fn plan_with_values(&mut self) -> Result<(), Error> {
        match &mut self.connection {
            Connection::Sqlite(_) => Ok(()),
            Connection::Postgres(session) => session.plan_with_values(),
        }
    }

    /// Runs a statement and returns all its rows.
    pub fn rows(&mut self, statement: &impl QueryStatementWriter) -> Result<Rows, Error> {
        self.rows_within(statement, |_| Ok(()))
    }

    /// Locks the selected rows in their order until the end of the transaction, without reading them. On `SQLite` a write
    /// transaction has the whole database.
    pub fn lock_rows(&mut self, mut selection: SelectStatement) -> Result<(), Error> {
        if self.dialect() == Dialect::Sqlite {
            return Ok(());
        }
        selection.lock_exclusive();
        let mut count = sea_query::Query::select();
        count.expr(sea_query::Expr::cust("count(*)")).from_subquery(selection, "locked");
        self.rows(&count).map(drop)
    }

    /// Runs several statements that change nothing, in their order, and returns the rows of each. On PostgreSQL they take
    /// one round trip.
    pub fn rows_of_each(&mut self, statements: &[SelectStatement]) -> Result<Vec<Rows>, Error> {
        let queries: Vec<_> = statements.iter().map(|statement| self.build(statement)).collect();
        match &mut self.connection {
            Connection::Sqlite(connection) => {
                let rows = |(sql, values): &(String, Values)| {
                    crate::sqlite::rows_within(connection, sql, values, |_| Ok(()))
                };
                queries.iter().map(rows).collect()
            }
            Connection::Postgres(session) => session.rows_of_each(&queries),
        }
    }

    /// Runs a statement and returns all its rows. `hold` receives the memory of each row, in bytes. If it fails, the
    /// other rows are not read.
    ///
    /// The error of `hold`; [`Error`] of the statement.
    pub fn rows_within<E: From<Error>>(
        &mut self,
        statement: &impl QueryStatementWriter,
        hold: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Rows, E> {
        let (sql, values) = self.build(statement);
        match &mut self.connection {
            Connection::Sqlite(connection) => {
                crate::sqlite::rows_within(connection, &sql, &values, hold)
            }
            Connection::Postgres(session) => session.rows_within(&sql, &values, hold),
        }
    }

    /// Inserts one row, given as pairs of column and value.
    pub fn insert<const N: usize>(
        &mut self,
        table: &'static str,
        values: [(&'static str, Expr); N],
    ) -> Result<(), Error> {
        let (columns, values): (Vec<_>, Vec<_>) = values.into_iter().unzip();
        self.execute(Query::insert().into_table(table).columns(columns).values_panic(values))
            .map(drop)
    }

    /// Runs `f` in a savepoint. If `f` fails, only its changes are rolled back, and the transaction can continue.
    pub fn savepoint<T, E: From<Error>>(
        &mut self,
        f: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        self.execute_batch("SAVEPOINT step")?;
        let mark = changes::mark();
        let result = f(self);
        if result.is_err() {
            changes::rollback_to(mark);
        }
        let end = if result.is_ok() { "RELEASE step" } else { "ROLLBACK TO step; RELEASE step" };
        self.execute_batch(end)?;
        result
    }

    /// Runs SQL text without values, such as migrations.
    pub(crate) fn execute_batch(&mut self, sql: &str) -> Result<(), Error> {
        match &mut self.connection {
            Connection::Sqlite(connection) => Ok(connection.execute_batch(sql)?),
            Connection::Postgres(session) => session.execute_batch(sql),
        }
    }

    fn build(&self, statement: &impl QueryStatementWriter) -> (String, Values) {
        match self.dialect() {
            Dialect::Sqlite => statement.build(SqliteQueryBuilder),
            Dialect::Postgres => {
                let mut sql = StatementText::default();
                statement.build_collect_into(PostgresQueryBuilder, &mut sql);
                sql.into_parts()
            }
        }
    }
}
