//! The database behind two verbs: [`Db::read`] and [`Db::write`].
//!
//! Each takes a closure of plain synchronous Rust that gets a [`Tx`] and runs on the database's own
//! threads, so no transaction ever waits for the network or a file, and no async thread for the disk.
//! `rusqlite` and `tokio_postgres` are named nowhere else.

use crate::db::sqlite::integrity;
pub mod dialect;
pub mod dump;
pub mod error;
pub mod json;
pub mod migrations;
pub mod postgres;
pub mod queue;
pub mod row;
pub mod sqlite;
pub mod transaction;

use std::{
    convert::Infallible,
    panic::AssertUnwindSafe,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, RecvTimeoutError, TrySendError};
use tokio::sync::{oneshot, watch};

pub use crate::db::queue::{DbStats, QueueDepth};
use crate::db::queue::{QueueStats, WorkQueue};
pub use crate::db::row::{Cell, Row, Rows};
pub use crate::db::transaction::Tx;
pub use error::Error;

use crate::{config::DatabaseServer, telemetry::request_id};

/// How many closures may wait for a thread before further ones are refused as [`Error::Busy`].
const QUEUE: usize = 1024;
/// What a closure may take: an answer that comes later is worth nothing, and a core is kept busy for it.
const READ_TIME: Duration = Duration::from_secs(5);
/// The same for writing, which deletes a client with all that is theirs in one go.
const WRITE_TIME: Duration = Duration::from_secs(30);

/// A handle to the database; clones share its threads, which end when the last handle is dropped.
#[derive(Clone, Debug)]
pub struct Db {
    readers: WorkQueue,
    writers: WorkQueue,
    failure: watch::Receiver<Option<String>>,
    ended: Shutdown,
}

/// Tells when the threads of a database have ended.
#[derive(Clone, Debug)]
pub struct Shutdown(Receiver<Infallible>);

impl Shutdown {
    /// Waits until they have, and the database is closed; `false` if that takes too long.
    #[must_use]
    pub fn wait(&self, at_most: Duration) -> bool {
        matches!(self.0.recv_timeout(at_most), Err(RecvTimeoutError::Disconnected))
    }
}

/// A closure on its way to a database thread. It is given a transaction, or the reason why there is none.
pub(crate) struct Job {
    work: Box<Work>,
    asked: Instant,
    waits: Arc<QueueStats>,
}

type Work = dyn FnOnce(Result<&mut Tx<'_>, Error>) -> Outcome + Send;

/// What a job leaves behind: whether to keep its changes, and how to answer once that is settled.
struct Outcome {
    keep: bool,
    answer: Box<dyn FnOnce(Result<(), Error>) + Send>,
}

impl Db {
    /// Opens (and if need be creates) the embedded database in `folder`, and brings it up to date.
    ///
    /// # Errors
    /// [`Error`] when the file cannot be opened, is damaged, or is newer than this program.
    pub fn sqlite(folder: &Path) -> Result<Self, Error> {
        let (db, read_jobs, write_jobs, life) = Self::queues();
        sqlite::open(&path(folder), &read_jobs, write_jobs, life)?;
        Ok(db)
    }

    /// Settles what a crash left of the embedded database, if there is one yet, and looks for damage, for a second at
    /// most. For whoever alone is about to serve the folder.
    ///
    /// # Errors
    /// [`Error::Damaged`]; [`Error::Unsynced`] while the disk still does not keep what it is given.
    pub fn recover(folder: &Path) -> Result<(), Error> {
        integrity::recover(&path(folder))
    }

    /// What is wrong with the embedded database's file, in the engine's own words; nothing if it is whole.
    ///
    /// # Errors
    /// [`Error::Damaged`] when the file cannot be read at all.
    pub fn integrity_errors(folder: &Path) -> Result<Vec<String>, Error> {
        integrity::integrity_check(&path(folder))
    }

    /// Writes the embedded database's file anew, without the bytes of what was deleted. Others may read meanwhile, and
    /// wait to write.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when others keep it busy.
    pub fn vacuum(folder: &Path) -> Result<(), Error> {
        sqlite::purge(&folder.join("portaria.db"))
    }

    /// Connects to a PostgreSQL server, and brings the database up to date.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when the server does not answer.
    pub fn postgres(server: &DatabaseServer) -> Result<Self, Error> {
        let (db, read_jobs, write_jobs, _) = Self::queues();
        postgres::open(server, &read_jobs, &write_jobs)?;
        Ok(db)
    }

    fn queues() -> (Self, Receiver<Job>, Receiver<Job>, sqlite::Lifecycle) {
        let (readers, read_jobs) = crossbeam_channel::bounded(QUEUE);
        let (writers, write_jobs) = crossbeam_channel::bounded(QUEUE);
        let (readers, writers) = (WorkQueue::new(readers), WorkQueue::new(writers));
        let (broken, is_broken) = watch::channel(None);
        let (alive, ended) = crossbeam_channel::bounded(0);
        let db = Self { readers, writers, failure: is_broken, ended: Shutdown(ended) };
        (db, read_jobs, write_jobs, sqlite::Lifecycle { broken, alive })
    }

    /// When the threads have ended, which they do when the last handle is dropped.
    #[must_use]
    pub fn ended(&self) -> Shutdown {
        self.ended.clone()
    }

    /// Why nothing can be written before the program is started anew.
    #[must_use]
    pub fn broken(&self) -> Option<String> {
        self.failure.borrow().clone()
    }

    /// Waits until nothing can be written any more; as a rule for ever.
    pub async fn wait_until_failed(&self) {
        let mut broken = self.failure.clone();
        if broken.wait_for(Option::is_some).await.is_err() {
            // Whoever could say so is gone.
            std::future::pending::<()>().await;
        }
    }

    /// Runs `f` against one consistent state of the data. A write inside it fails.
    ///
    /// # Errors
    /// What `f` returns; [`Error::Busy`] or [`Error::Unavailable`] when it could not run.
    pub async fn read<T, E, F>(&self, f: F) -> Result<T, E>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        submit(&self.readers, f).await
    }

    /// Runs `f` in a transaction, which is committed (and on disk) when this returns `Ok`, and leaves
    /// nothing behind when `f` fails.
    ///
    /// # Errors
    /// What `f` returns; [`Error`] when the transaction could not begin or commit.
    pub async fn write<T, E, F>(&self, f: F) -> Result<T, E>
    where
        F: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        submit(&self.writers, f).await
    }
}

fn path(folder: &Path) -> PathBuf {
    folder.join(sqlite::FILE)
}

async fn submit<T, E, F>(lane: &WorkQueue, f: F) -> Result<T, E>
where
    F: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    T: Send + 'static,
    E: From<Error> + Send + 'static,
{
    let (answer, answered) = oneshot::channel::<Result<Result<T, E>, Error>>();
    let request = request_id::current();
    let (waits, since) = (Arc::clone(&lane.waits), Instant::now());
    let job = Job::new(&lane.waits, move |tx| {
        waits.began(since.elapsed());
        let (result, undone, afterwards) = match tx {
            Ok(tx) => {
                let result = request_id::resume(request, || {
                    let done = f(&mut *tx)?;
                    tx.run_before_commit()?;
                    Ok(done)
                });
                (Ok(result), tx.undone, tx.take_afterwards())
            }
            Err(error) => (Err(error), false, Vec::new()),
        };
        let keep = matches!(result, Ok(Ok(_))) && !undone;
        Outcome {
            keep,
            // A caller who is gone no longer listens; the work stands all the same.
            answer: Box::new(move |settled| {
                if keep && settled.is_ok() {
                    for work in afterwards {
                        work();
                    }
                }
                drop(answer.send(settled.and(result)));
            }),
        }
    });
    match lane.jobs.try_send(job) {
        Ok(()) => {}
        Err(TrySendError::Full(_)) => return Err(Error::Busy.into()),
        Err(TrySendError::Disconnected(_)) => {
            return Err(Error::Unavailable("the threads are gone".into()).into());
        }
    }
    match answered.await {
        Ok(Ok(result)) => result,
        // Said here rather than on the thread: an error of ours is logged, and answered, under the request's id.
        Ok(Err(error)) => Err(error.into()),
        // The thread dropped the answer: the closure panicked and its changes were undone.
        Err(_) => Err(Error::Internal("a database closure panicked".into()).into()),
    }
}

impl Job {
    fn new(
        waits: &Arc<QueueStats>,
        work: impl FnOnce(Result<&mut Tx<'_>, Error>) -> Outcome + Send + 'static,
    ) -> Self {
        Self { work: Box::new(work), asked: Instant::now(), waits: Arc::clone(waits) }
    }

    /// The job, unless it waited too long and is refused.
    fn reject_if_late(self) -> Option<Self> {
        if self.waits.is_in_time(self.asked.elapsed()) {
            return Some(self);
        }
        self.reject(Error::Busy);
        None
    }

    /// Runs the closure; `None` if it panicked.
    fn run(self, tx: Result<&mut Tx<'_>, Error>) -> Option<Outcome> {
        std::panic::catch_unwind(AssertUnwindSafe(|| (self.work)(tx))).ok()
    }

    /// Answers that there is no transaction to be had.
    fn reject(self, error: Error) {
        if let Some(outcome) = self.run(Err(error)) {
            (outcome.answer)(Ok(()));
        }
    }
}
