//! The PostgreSQL engine: a pool of threads, each with one connection and its prepared statements.
//!
//! A thread drives the asynchronous driver with its own runtime while it waits, so that `BEGIN` travels with the
//! first statement. With 1 ms of latency in each direction a list takes half the time that it takes through the
//! synchronous driver (`docs/decisions/0001-synchronous-transactions-on-database-threads.md`).

mod connections;
mod copy_in;
pub(crate) mod listen;
pub(crate) mod messages;
pub(crate) mod pipeline;
mod replica;
mod sql;
mod sync;
mod threads;
mod tls;
mod turn;
mod values;

use std::{
    fmt, future::Future, mem, path::PathBuf, pin::Pin, pin::pin, sync::Arc, thread, time::Duration,
};

use crossbeam_channel::Receiver;
use futures_util::{
    TryStreamExt,
    future::{join_all, join3, try_join_all},
};
use hashlink::LruCache;
use sea_query::Values;
use tokio::{runtime, task::yield_now, time::timeout};
use tokio_postgres::{Client, RowStream, Statement};

pub(crate) use crate::postgres::{copy_in::Copy, sql::StatementText};

use crate::{
    Error, Job, READ_TIMEOUT, Rows, Tx, WRITE_TIMEOUT,
    changes::triggers,
    migrations::{self, Migrations},
    postgres::{
        pipeline::Pipeline,
        replica::Replica,
        tls::Tls,
        turn::{Turn, Turns},
        values::{bound, cell, parameters},
    },
    transaction::Connection,
};

/// Maximum number of prepared statements per connection.
const PREPARED: usize = 256;
/// Timeout for opening a connection.
const CONNECT_TIME: Duration = Duration::from_secs(3);
/// Time beyond the statement timeout after which a silent connection counts as lost. The server ends slow statements
/// by itself.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(1);

/// A PostgreSQL server and a database on it.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresServer {
    /// The connection URL `postgres://user:password@host/database`, without the parameters of TLS.
    pub url: String,
    /// Whether the connection requires TLS with a verified certificate.
    pub tls: bool,
    /// Certificate authorities to trust in addition to the public ones.
    pub ca_file: Option<CaFile>,
}

/// Leaves out the URL, which contains a password.
impl fmt::Debug for PostgresServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresServer").field("tls", &self.tls).finish_non_exhaustive()
    }
}

/// A PEM file with certificate authorities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaFile {
    /// The file.
    pub path: PathBuf,
    /// The name of the operator's setting, for error messages.
    pub setting: &'static str,
}

/// Address and TLS settings of a server.
pub(crate) struct Target {
    config: tokio_postgres::Config,
    tls: Tls,
}

impl Target {
    /// Opens a connection, which a task of the current runtime drives.
    async fn connect(&self) -> Result<Client, Error> {
        let silent = |_| Error::Unavailable("the server does not answer".into());
        // The driver's connect timeout covers the socket only, not the handshake over it.
        let connected = timeout(CONNECT_TIME, self.config.connect(self.tls.clone())).await;
        let (client, connection) = connected.map_err(silent)??;
        // A lost connection shows as an error of the next statement.
        tokio::spawn(async move { drop(connection.await) });
        Ok(client)
    }
}

/// Returns the statements that prepare a connection. A statement is cut off after `time`.
fn settings(read_only: bool, time: Duration) -> String {
    let time = time.as_millis();
    let mut settings = format!(
        "SET synchronous_commit = on; SET TIME ZONE 'UTC'; SET statement_timeout = {time}; SET jit = off;"
    );
    if read_only {
        settings.push_str(
            "SET default_transaction_read_only = on; SET plan_cache_mode = force_generic_plan;",
        );
    }
    settings
}

/// One connection with its prepared statements.
pub(crate) struct Session {
    /// Drives the connection while this thread waits for an answer, and at no other time.
    runtime: runtime::Runtime,
    client: Arc<Client>,
    /// Timeout for any answer.
    answer_timeout: Duration,
    /// Set when an answer timed out or was not read to its end: the rest of it would be taken for that of the next
    /// statement.
    is_lost: bool,
    prepared: LruCache<String, Statement>,
    /// The statement that opens the transaction. It is sent with the first statement, which saves a round trip.
    begin: Option<&'static str>,
    /// Statements to be sent with the next one.
    deferred: Vec<(Statement, Values)>,
    /// Whether the transaction may have changed a row.
    has_written: bool,
    /// The turns of the writers; `None` for a connection that is not one of them.
    turns: Option<Arc<Turns>>,
    /// The turn of the transaction.
    turn: Option<Turn>,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

pub(crate) fn open(
    server: &PostgresServer,
    replica: Option<&PostgresServer>,
    migrations: Migrations,
    reads: &Receiver<Job>,
    writes: &Receiver<Job>,
) -> Result<Pipeline, Error> {
    let target = Arc::new(target(server)?);
    // A thread that drives one runtime cannot block on another.
    let migrated = thread::scope(|scope| scope.spawn(|| migrate(&target, migrations)).join());
    migrated.map_err(|_| Error::Internal("the migration panicked".into()))??;
    threads::start(&target, reads, writes)?;
    let replica = replica
        .map(|replica| Replica::start(Arc::clone(&target), Arc::new(self::target(replica)?)))
        .transpose()?;
    Ok(Pipeline::new(target, replica))
}

fn target(server: &PostgresServer) -> Result<Target, Error> {
    let mut config: tokio_postgres::Config = server.url.parse()?;
    config.connect_timeout(CONNECT_TIME).ssl_mode(tls::ssl_mode(server));
    Ok(Target { config, tls: tls::connector(server)? })
}

fn migrate(target: &Target, migrations: Migrations) -> Result<(), Error> {
    let mut session = Session::connect(target, false)?;
    session.answer_timeout = Duration::MAX;
    session.batch("SET statement_timeout = 0")?;
    session.batch("BEGIN")?;
    migrations::lock(&mut session)?;
    migrations.run(&mut Tx::new(Connection::Postgres(&mut session)))?;
    session.batch("COMMIT")?;
    let fsync = session.rows("SELECT current_setting('fsync')", &Values(Vec::new()))?;
    if fsync.first().map(|row| row.text(0)).transpose()? == Some("off") {
        tracing::warn!("PostgreSQL runs with fsync = off, a power cut loses committed data");
    }
    Ok(())
}

/// Creates some triggers of the change feed, unless all are present in a form that serves. Returns whether they were.
/// Each table has its own transaction: one with the locks of several could deadlock with a write.
pub(crate) fn create_triggers(tx: &mut Tx<'_>, sql: &str, marker: &str) -> Result<bool, Error> {
    tx.execute_batch("SET LOCAL lock_timeout = '1s'")?;
    tx.execute_batch(migrations::LOCK)?;
    let present = "(SELECT prosrc FROM pg_proc WHERE oid = to_regproc('portaria_change_triggers'))";
    let rows = tx.rows(sea_query::Query::select().expr(sea_query::Expr::cust(present)))?;
    let present = rows.first().map(|row| row.opt_text(0)).transpose()?.flatten();
    let present = present.and_then(|source| source.split('\'').nth(1));
    if present.is_some_and(|present| triggers::serve(present, marker)) {
        return Ok(true);
    }
    tx.execute_batch(sql)?;
    Ok(false)
}

impl Session {
    fn connect(target: &Target, read_only: bool) -> Result<Self, Error> {
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime
            .map_err(|error| Error::Internal(format!("cannot start a connection: {error}")))?;
        let client = Arc::new(runtime.block_on(target.connect())?);
        let time = if read_only { READ_TIMEOUT } else { WRITE_TIMEOUT };
        let (answer_timeout, prepared) = (time + SILENCE_TIMEOUT, LruCache::new(PREPARED));
        let mut session = Self {
            runtime,
            client,
            answer_timeout,
            is_lost: false,
            prepared,
            begin: None,
            deferred: Vec::new(),
            has_written: false,
            turns: None,
            turn: None,
        };
        session.batch(&settings(read_only, time))?;
        Ok(session)
    }

    /// Opens a connection outside the pool, without timeouts, for migrations, dumps and restores.
    pub(crate) fn connect_without_timeouts(
        server: &PostgresServer,
        read_only: bool,
    ) -> Result<Self, Error> {
        let mut session = Self::connect(&target(server)?, read_only)?;
        session.answer_timeout = Duration::MAX;
        session.batch("SET statement_timeout = 0")?;
        Ok(session)
    }

    /// Returns whether the connection is open, as far as is known without a statement.
    fn is_open(&self) -> bool {
        self.runtime.block_on(yield_now());
        !self.is_lost && !self.client.is_closed()
    }

    /// Waits until the other transactions that took their turn have ended, for a limited time.
    pub(crate) fn take_turn(&mut self) {
        if self.turn.is_none() {
            self.turn = self.turns.as_ref().and_then(Turns::take);
        }
    }

    /// Commits. Does nothing if no statement opened the transaction.
    fn commit(&mut self) -> Result<(), Error> {
        let turn = self.turn.take();
        if self.deferred.is_empty() && self.begin.take().is_some() {
            return Ok(());
        }
        let committed = self.batch("COMMIT");
        drop(turn);
        committed
    }

    /// Rolls back. Does nothing if no statement opened the transaction.
    fn roll_back(&mut self) -> Result<(), Error> {
        let turn = self.turn.take();
        self.deferred.clear();
        let ended = if self.begin.take().is_some() { Ok(()) } else { self.batch("ROLLBACK") };
        drop(turn);
        ended
    }

    /// Ends a read without waiting for the answer, which arrives before that of the next statement. A lost connection
    /// shows as an error of that one. Does nothing if no statement opened the transaction.
    fn end_read(&mut self) {
        if self.begin.take().is_some() || self.is_lost {
            return;
        }
        let client = Arc::clone(&self.client);
        drop(self.runtime.spawn(async move { client.batch_execute("ROLLBACK").await }));
        // The first turn passes the statement to the connection, the second one to the socket.
        self.runtime.block_on(async {
            yield_now().await;
            yield_now().await;
        });
    }

    /// Waits for an answer. Sends the statement that opens the transaction and the deferred ones first, if there are
    /// any.
    fn wait<T>(
        &mut self,
        work: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, Error> {
        let silent = || Error::Unavailable("the server fell silent".into());
        // The ROLLBACK after a timeout must not wait again.
        if self.is_lost {
            return Err(silent());
        }
        let (begin, deferred) = (self.begin.take(), mem::take(&mut self.deferred));
        let client = &self.client;
        let begin = async {
            let Some(begin) = begin else { return Ok(()) };
            client.batch_execute(begin).await
        };
        let deferred = deferred.iter().map(|(statement, values)| async move {
            client.execute(statement, &parameters(&bound(values))).await
        });
        let work = async {
            // All are sent in this order, without a wait for the answers.
            let (opened, deferred, answer) = join3(begin, join_all(deferred), work).await;
            opened?;
            deferred.into_iter().collect::<Result<Vec<_>, _>>()?;
            Ok(answer?)
        };
        let answered = self.runtime.block_on(async { timeout(self.answer_timeout, work).await });
        answered.unwrap_or_else(|_| {
            self.is_lost = true;
            Err(silent())
        })
    }

    pub(crate) fn batch(&mut self, sql: &str) -> Result<(), Error> {
        let client = Arc::clone(&self.client);
        self.wait(client.batch_execute(sql))
    }

    /// Runs SQL text that may change rows or tables.
    pub(crate) fn execute_batch(&mut self, sql: &str) -> Result<(), Error> {
        self.has_written = true;
        self.batch(sql)
    }

    pub(crate) fn execute(&mut self, sql: &str, values: &Values) -> Result<u64, Error> {
        self.has_written = true;
        let statement = self.prepare(sql)?;
        let client = Arc::clone(&self.client);
        let bound = bound(values);
        let parameters = parameters(&bound);
        self.wait(client.execute(&statement, &parameters))
    }

    /// Sends a statement together with the next one, which returns its error.
    pub(crate) fn execute_deferred(&mut self, sql: &str, values: Values) -> Result<(), Error> {
        self.has_written = true;
        let statement = self.prepare(sql)?;
        self.deferred.push((statement, values));
        Ok(())
    }

    /// Makes the planner of the following statements of the transaction see the values. Takes no round trip.
    pub(crate) fn plan_with_values(&mut self) -> Result<(), Error> {
        let sql = "SELECT set_config('plan_cache_mode', 'force_custom_plan', TRUE)";
        let statement = self.prepare(sql)?;
        self.deferred.push((statement, Values(Vec::new())));
        Ok(())
    }

    pub(crate) fn rows(&mut self, sql: &str, values: &Values) -> Result<Rows, Error> {
        self.rows_within(sql, values, |_| Ok(()))
    }

    /// Sends several `SELECT` statements at once and returns the rows of each.
    pub(crate) fn rows_of_each(
        &mut self,
        queries: &[(String, Values)],
    ) -> Result<Vec<Rows>, Error> {
        let prepared = queries.iter().map(|(sql, _)| self.prepare(sql));
        let prepared = prepared.collect::<Result<Vec<_>, _>>()?;
        let client = Arc::clone(&self.client);
        let queries = prepared.iter().zip(queries).map(|(statement, (_, values))| {
            let client = &client;
            async move {
                let stream = client.query_raw(statement, parameters(&bound(values))).await?;
                collect(pin!(stream), statement.columns().len(), |_| Ok(())).await
            }
        });
        let rows = self.wait(try_join_all(queries.collect::<Vec<_>>()))?;
        rows.into_iter().collect()
    }

    pub(crate) fn rows_within<E: From<Error>>(
        &mut self,
        sql: &str,
        values: &Values,
        hold: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Rows, E> {
        // Other statements return rows that they changed.
        self.has_written |= !sql.starts_with("SELECT");
        let statement = self.prepare(sql)?;
        let client = Arc::clone(&self.client);
        let bound = bound(values);
        let parameters = parameters(&bound);
        let answer = async {
            let stream = client.query_raw(&statement, parameters).await?;
            collect(pin!(stream), statement.columns().len(), hold).await
        };
        let rows = self.wait(answer)?;
        // The server ends the statement when it cannot send the other rows.
        self.is_lost |= rows.is_err();
        rows
    }

    fn prepare(&mut self, sql: &str) -> Result<Statement, Error> {
        if let Some(statement) = self.prepared.get(sql) {
            return Ok(statement.clone());
        }
        let client = Arc::clone(&self.client);
        let statement = self.wait(client.prepare(sql))?;
        self.prepared.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}

/// Collects the rows of a statement until `hold` refuses the memory of one. The inner error is that of `hold`.
async fn collect<E: From<Error>>(
    mut stream: Pin<&mut RowStream>,
    width: usize,
    mut hold: impl FnMut(usize) -> Result<(), E>,
) -> Result<Result<Rows, E>, tokio_postgres::Error> {
    let mut rows = Rows::new(width);
    while let Some(row) = stream.try_next().await? {
        let before = rows.memory();
        for (column, described) in row.columns().iter().enumerate() {
            match cell(&row, column, described.type_()) {
                Ok(cell) => rows.push(cell),
                Err(error) => return Ok(Err(error.into())),
            }
        }
        if let Err(refusal) = hold(rows.memory() - before) {
            return Ok(Err(refusal));
        }
    }
    Ok(Ok(rows))
}
