//! Access to the database, through [`Db::read`] and [`Db::write`].
//!
//! Both take a closure of synchronous Rust that receives a [`Tx`] and runs on a database thread. A closure cannot
//! await, so no transaction waits for the network or a file, and no async thread waits for the disk
//! (`docs/decisions/0001-synchronous-transactions-on-database-threads.md`). `rusqlite` and `tokio_postgres` are used
//! in this crate only. The program passes its migrations and the address of its server.
//!
//! Hand-written, because sqlx reached 0.38 to 0.63 times the throughput of these threads.

pub mod changes;
pub mod dialect;
pub mod dump;
pub mod json;
pub mod migrations;
pub mod regex;
pub mod word_index;

mod decimal;
mod error;
mod postgres;
mod queue;
mod row;
mod sqlite;
mod transaction;

use std::{
    convert::Infallible,
    panic::AssertUnwindSafe,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, RecvTimeoutError, TrySendError};
use tokio::{
    sync::{oneshot, watch},
    time::timeout,
};

pub use error::Error;
pub use postgres::{
    CaFile, PostgresServer,
    pipeline::{Counted, Pipeline, RowsOfBoth},
};
pub use queue::{DbStats, QueueDepth, ReplicaStats};
pub use row::{Cell, Row, Rows};
pub use sqlite::salvage;
pub use transaction::Tx;

use crate::{
    changes::{ChangeFeed, ChangeSender, RecordedTable, triggers},
    migrations::Migrations,
    queue::{QueueStats, WorkQueue},
    sqlite::integrity,
};

/// Maximum number of keys in one statement, to which callers split longer lists. SQLite accepts 32,766 parameters and
/// PostgreSQL 65,535.
pub const MAX_KEYS_PER_STATEMENT: usize = 500;

/// Maximum number of jobs that wait for a thread of one kind. Further jobs are refused with [`Error::Busy`].
const QUEUE_CAPACITY: usize = 1024;
/// Time limit for a read. A later answer has no use, and the query occupies a core.
const READ_TIMEOUT: Duration = Duration::from_secs(5);
/// Time limit for a write. The longest write deletes an account with all its rows.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// Time limit for the arrival of a notification.
const ARRIVAL_TIME: Duration = Duration::from_secs(3);

/// A handle to the database. Clones share its threads, which end when the last handle is dropped.
#[derive(Clone, Debug)]
pub struct Db {
    readers: WorkQueue,
    writers: WorkQueue,
    failure: watch::Receiver<Option<String>>,
    shutdown: Shutdown,
    context: fn() -> JobContext,
    changes: ChangeSender,
    /// The server of PostgreSQL, for the connection that listens to changes.
    server: Option<PostgresServer>,
    /// The connections to it that several reads share.
    pipeline: Option<Arc<Pipeline>>,
    /// The number of migrations of the program.
    version: usize,
}

/// The context of a caller, such as task-local values. It runs the job on the database thread.
pub type JobContext = Box<dyn FnOnce(&mut dyn FnMut()) + Send>;

/// Waits for the end of a database's threads.
#[derive(Clone, Debug)]
pub struct Shutdown(Receiver<Infallible>);

impl Shutdown {
    /// Waits until all threads have ended and the database is closed. Returns `false` after `at_most`.
    #[must_use]
    pub fn wait(&self, at_most: Duration) -> bool {
        matches!(self.0.recv_timeout(at_most), Err(RecvTimeoutError::Disconnected))
    }
}

/// A closure that waits for a database thread. It receives a transaction, or the reason for the lack of one.
pub(crate) struct Job {
    work: Box<Work>,
    queued_at: Instant,
    stats: Arc<QueueStats>,
}

type Work = dyn FnOnce(Result<&mut Tx<'_>, Error>) -> Outcome + Send;

/// The result of a job: whether to keep its changes, and how to answer after the commit or rollback.
struct Outcome {
    keep: bool,
    answer: Box<dyn FnOnce(Result<(), Error>) + Send>,
}

impl Db {
    /// Opens the embedded database in `folder`, creates it if necessary, and applies missing migrations.
    ///
    /// [`Error`] when the file cannot be opened, is corrupt, or was last used by a newer version of the program.
    pub fn sqlite(folder: &Path, migrations: Migrations) -> Result<Self, Error> {
        let (db, read_jobs, write_jobs, life) = Self::queues();
        sqlite::open(&database_path(folder), migrations, &read_jobs, write_jobs, life)?;
        Ok(db)
    }

    /// Recovers the embedded database after a crash, and checks it for corruption for at most one second. Does
    /// nothing if there is no database. The caller holds the lock of the folder.
    ///
    /// [`Error::Corrupt`]; [`Error::SyncFailed`] if the disk still fails to sync.
    pub fn recover(folder: &Path) -> Result<(), Error> {
        integrity::recover(&database_path(folder))
    }

    /// Checks the whole file of the embedded database. Returns the engine's messages; none if the file is intact.
    ///
    /// [`Error::Corrupt`] when the file cannot be read at all.
    pub fn integrity_errors(folder: &Path) -> Result<Vec<String>, Error> {
        integrity::integrity_check(&database_path(folder))
    }

    /// Rewrites the file of the embedded database without the bytes of deleted rows (`VACUUM`). Other connections can
    /// read meanwhile, and wait to write. Returns false if other connections kept the write-ahead log busy: it holds the old
    /// bytes until they end.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn vacuum(folder: &Path) -> Result<bool, Error> {
        sqlite::vacuum(&database_path(folder))
    }

    /// Connects to a PostgreSQL server, and applies missing migrations. Reads of one statement use the streaming replica
    /// while it is current, if there is one.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the server does not answer. The replica may be absent.
    pub fn postgres(
        server: &PostgresServer,
        replica: Option<&PostgresServer>,
        migrations: Migrations,
    ) -> Result<Self, Error> {
        let (db, read_jobs, write_jobs, _) = Self::queues();
        let pipeline = postgres::open(server, replica, migrations, &read_jobs, &write_jobs)?;
        let pipeline = Some(Arc::new(pipeline));
        Ok(Self { server: Some(server.clone()), pipeline, version: migrations.0.len(), ..db })
    }

    /// Carries context from callers to the database threads. `capture` runs in the caller's task for each job.
    #[must_use]
    pub fn with_context(self, capture: fn() -> JobContext) -> Self {
        Self { context: capture, ..self }
    }

    fn queues() -> (Self, Receiver<Job>, Receiver<Job>, sqlite::Lifecycle) {
        let (readers, read_jobs) = crossbeam_channel::bounded(QUEUE_CAPACITY);
        let (writers, write_jobs) = crossbeam_channel::bounded(QUEUE_CAPACITY);
        let (readers, writers) = (WorkQueue::new(readers), WorkQueue::new(writers));
        let (broken, is_broken) = watch::channel(None);
        let (alive, ended) = crossbeam_channel::bounded(0);
        let changes = ChangeSender::default();
        let life = sqlite::Lifecycle { failure: broken, alive, changes: changes.clone() };
        let db = Self {
            readers,
            writers,
            failure: is_broken,
            shutdown: Shutdown(ended),
            context: || Box::new(|job| job()),
            changes,
            server: None,
            pipeline: None,
            version: 0,
        };
        (db, read_jobs, write_jobs, life)
    }

    /// A handle that waits for the end of the threads, which end when the last [`Db`] is dropped.
    #[must_use]
    pub fn ended(&self) -> Shutdown {
        self.shutdown.clone()
    }

    /// The reason why the writer stopped until the next start of the program; `None` while it works.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        self.failure.borrow().clone()
    }

    /// Waits until the writer stops because of a failed fsync. Usually waits forever.
    pub async fn wait_until_failed(&self) {
        let mut broken = self.failure.clone();
        if broken.wait_for(Option::is_some).await.is_err() {
            // The writer ended without a failure.
            std::future::pending::<()>().await;
        }
    }

    /// Starts the change feed of these tables, for one receiver. It contains every transaction that is committed after
    /// this returns, of all programs on PostgreSQL.
    pub async fn changes(&self, tables: Vec<RecordedTable>) -> Result<ChangeFeed, Error> {
        self.record_changes(&tables).await?;
        let mut feed = self.changes.subscribe();
        if let Some(server) = &self.server {
            postgres::listen::start(server, self.changes.clone(), tables).await?;
            // A pool of connections in transaction mode accepts LISTEN, and delivers nothing.
            self.publish(vec![String::new()]).await?;
            let arrival = timeout(ARRIVAL_TIME, feed.skip_to_message()).await;
            let missing =
                "notifications do not arrive; a pool of connections in transaction mode loses them";
            arrival.map_err(|_| Error::Unavailable(missing.into()))?;
        }
        Ok(feed)
    }

    /// Creates the triggers of the change feed, where they are missing. A migration removes them. Returns whether one was
    /// missing.
    pub async fn record_changes(&self, tables: &[RecordedTable]) -> Result<bool, Error> {
        if !self.is_shared() {
            let triggers = triggers::sqlite_triggers(tables);
            self.write(move |tx| tx.execute_batch(&triggers)).await?;
            return Ok(false);
        }
        let marker: Arc<str> = triggers::marker(tables, self.version).into();
        let mut was_missing = false;
        for sql in triggers::postgres_triggers(tables, &marker) {
            let marker = Arc::clone(&marker);
            let create = move |tx: &mut Tx<'_>| postgres::create_triggers(tx, &sql, &marker);
            if self.write(create).await? {
                break;
            }
            was_missing = true;
        }
        Ok(was_missing)
    }

    /// Returns whether the change feed receives changes at the moment. Otherwise a gap is its latest event.
    #[must_use]
    pub fn is_listening(&self) -> bool {
        self.changes.is_listening()
    }

    /// A number that changes when another process commits to the embedded database, such as a command of the program
    /// beside the server. Its changes are not part of the feed. `None` on PostgreSQL, where they are.
    pub async fn foreign_version(&self) -> Result<Option<i64>, Error> {
        if self.is_shared() {
            return Ok(None);
        }
        // All writes of this process go through one connection, whose own commits do not count.
        self.write(sqlite::data_version).await.map(Some)
    }

    /// Returns whether several nodes can share the database.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.server.is_some()
    }

    /// The connections for reads of one statement; `None` on the embedded database, where a statement costs no round trip.
    #[must_use]
    pub fn pipeline(&self) -> Option<&Arc<Pipeline>> {
        self.pipeline.as_ref()
    }

    /// Sends messages to the change feeds of all nodes of a shared database. They are not stored: a node that does not
    /// listen does not receive them.
    pub async fn publish(&self, messages: Vec<String>) -> Result<(), Error> {
        self.write(move |tx| postgres::messages::publish(tx, &messages)).await
    }

    /// Runs `f` against one consistent snapshot of the data. A write inside it fails.
    ///
    /// The error of `f`; [`Error::Busy`] or [`Error::Unavailable`] when it could not run.
    pub async fn read<T, E, F>(&self, f: F) -> Result<T, E>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        submit(&self.readers, (self.context)(), f).await
    }

    /// Runs `f` in a transaction. The transaction is committed and durable when this returns `Ok`, and rolled back
    /// when `f` fails.
    ///
    /// The error of `f`; [`Error`] when the transaction could not begin or commit.
    pub async fn write<T, E, F>(&self, f: F) -> Result<T, E>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        submit(&self.writers, (self.context)(), f).await
    }
}

fn database_path(folder: &Path) -> PathBuf {
    folder.join(sqlite::FILE)
}

async fn submit<T, E, F>(queue: &WorkQueue, context: JobContext, f: F) -> Result<T, E>
where
    F: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    T: Send + 'static,
    E: From<Error> + Send + 'static,
{
    let (answer, answered) = oneshot::channel::<Result<Result<T, E>, Error>>();
    let (waits, queued_at) = (Arc::clone(&queue.stats), Instant::now());
    let job = Job::new(&queue.stats, move |tx| {
        waits.record_start(queued_at.elapsed());
        let (result, undone, afterwards) = match tx {
            Ok(tx) => {
                let result = run_in(context, || {
                    let done = f(&mut *tx)?;
                    tx.run_before_commit()?;
                    Ok(done)
                });
                (Ok(result), tx.is_rolled_back, tx.take_after_commit())
            }
            Err(error) => (Err(error), false, Vec::new()),
        };
        let keep = matches!(result, Ok(Ok(_))) && !undone;
        Outcome {
            keep,
            // If the caller is gone, the answer is dropped and the changes are kept.
            answer: Box::new(move |committed| {
                if keep && committed.is_ok() {
                    for work in afterwards {
                        work();
                    }
                }
                drop(answer.send(committed.and(result)));
            }),
        }
    });

    match queue.jobs.try_send(job) {
        Ok(()) => {}
        Err(TrySendError::Full(_)) => return Err(Error::Busy.into()),
        Err(TrySendError::Disconnected(_)) => {
            return Err(Error::Unavailable("the threads are gone".into()).into());
        }
    }

    match answered.await {
        Ok(Ok(result)) => result,
        // Converted here and not on the thread, because the conversion needs the caller's context.
        Ok(Err(error)) => Err(error.into()),
        // The thread dropped the answer: the closure panicked and its changes were undone.
        Err(_) => Err(Error::Internal("a database closure panicked".into()).into()),
    }
}

/// Runs `work` within a caller's context.
fn run_in<T>(context: JobContext, work: impl FnOnce() -> T) -> T {
    let (mut work, mut result) = (Some(work), None);
    context(&mut || result = work.take().map(|work| work()));
    result.expect("the context runs the job once")
}

impl Job {
    fn new(
        waits: &Arc<QueueStats>,
        work: impl FnOnce(Result<&mut Tx<'_>, Error>) -> Outcome + Send + 'static,
    ) -> Self {
        Self { work: Box::new(work), queued_at: Instant::now(), stats: Arc::clone(waits) }
    }

    /// Returns the job, or refuses it if it waited too long.
    fn reject_if_late(self) -> Option<Self> {
        if self.stats.is_in_time(self.queued_at.elapsed()) {
            return Some(self);
        }
        self.reject(Error::Busy);
        None
    }

    /// Runs the closure. Returns `None` if it panicked.
    fn run(self, tx: Result<&mut Tx<'_>, Error>) -> Option<Outcome> {
        let (stats, begun) = (Arc::clone(&self.stats), Instant::now());
        let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| (self.work)(tx))).ok();
        stats.record_duration(begun.elapsed());
        outcome
    }

    /// Refuses the job with `error`.
    fn reject(self, error: Error) {
        if let Some(outcome) = self.run(Err(error)) {
            (outcome.answer)(Ok(()));
        }
    }
}
