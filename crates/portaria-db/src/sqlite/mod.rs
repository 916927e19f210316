//! The embedded engine: several reader threads, and one writer thread that commits all queued jobs as one group.

mod functions;
pub(crate) mod integrity;
pub(crate) mod new_file;
pub mod salvage;
pub(crate) mod values;

use std::{
    cell::Cell as Slot,
    convert::Infallible,
    path::Path,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Sender};
use rusqlite::{Connection as Sqlite, OpenFlags, Statement, StatementStatus, config::DbConfig};
use sea_query::{Expr, Query, Values};
use tokio::sync::watch;

use crate::{
    Error, Job, Outcome, READ_TIMEOUT, Rows, Tx, WRITE_TIMEOUT,
    changes::{self, ChangeSender},
    migrations::Migrations,
    sqlite::values::{Bound, cell},
    transaction::Connection,
};

/// Name of the database file in the data folder.
pub(crate) const FILE: &str = "portaria.db";
/// Maximum number of writes that share one fsync. It bounds the latency of the first of them.
const MAX_GROUP_SIZE: usize = 256;
/// Maximum number of prepared statements per connection.
const PREPARED: usize = 256;

/// Number of pages in the write-ahead log after which it is written back to the database file.
const CHECKPOINT_PAGES: i32 = 1000;

/// Number of virtual machine instructions between two comparisons with the deadline.
const DEADLINE_INTERVAL: i32 = 10_000;

thread_local! {
    /// Deadline of this thread's job.
    static DEADLINE: Slot<Option<Instant>> = const { Slot::new(None) };
    /// Number of virtual machine instructions of this thread's job so far.
    static INSTRUCTIONS: Slot<u64> = const { Slot::new(0) };
    /// Number of pages in the write-ahead log after this thread's last commit.
    static WAL_PAGES: Slot<i32> = const { Slot::new(0) };
}

fn is_past_deadline() -> bool {
    DEADLINE.get().is_some_and(|deadline| Instant::now() > deadline)
}

/// The look at the clock of the functions whose time grows with the text, because one statement of few instructions may
/// call them often.
///
/// # Errors
/// The error of an interrupted statement, after the deadline.
fn check_deadline() -> rusqlite::Result<()> {
    if is_past_deadline() {
        let interrupted = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_INTERRUPT);
        return Err(rusqlite::Error::SqliteFailure(interrupted, None));
    }
    Ok(())
}

/// Runs a job with a time limit. The limit does not apply to the commit or rollback.
fn run_within(time: Duration, job: Job, connection: &Sqlite) -> Option<Outcome> {
    let stats = Arc::clone(&job.stats);
    DEADLINE.set(Some(Instant::now() + time));
    let outcome = job.run(Ok(&mut Tx::new(Connection::Sqlite(connection))));
    DEADLINE.set(None);
    stats.record_instructions(INSTRUCTIONS.take());
    outcome
}

/// Signals of the threads to the owner of the database.
pub(crate) struct Lifecycle {
    /// The reason why the writer stopped.
    pub(crate) failure: watch::Sender<Option<String>>,
    /// Dropped by the last thread to end.
    pub(crate) alive: Sender<Infallible>,
    /// The change feed.
    pub(crate) changes: ChangeSender,
}

pub(crate) fn open(
    path: &Path,
    migrations: Migrations,
    reads: &Receiver<Job>,
    writes: Receiver<Job>,
    life: Lifecycle,
) -> Result<(), Error> {
    let mut connection =
        connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
    // FULL, because a power cut under NORMAL loses acknowledged commits. secure_delete = FAST overwrites deleted
    // content with zeros where that causes no additional write.
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = FAST;",
    )?;
    // Replaces the engine's automatic checkpoints, which hide failures of the disk.
    connection.wal_hook(Some(|_: &mut _, pages| {
        WAL_PAGES.set(pages);
        Ok(())
    }))?;

    connection.execute_batch("BEGIN IMMEDIATE")?;
    migrations.run(&mut Tx::new(Connection::Sqlite(&connection)))?;
    connection.execute_batch("COMMIT")?;

    let readers = thread::available_parallelism().map_or(2, |cores| cores.get().max(2));
    let (reader_alive, readers_ended) = crossbeam_channel::bounded::<Infallible>(0);
    for _ in 0..readers {
        let reader = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let (jobs, reader_alive) = (reads.clone(), reader_alive.clone());
        spawn("db-read", move || {
            serve_reads(&reader, &jobs);
            drop(reader);
            drop(reader_alive);
        })?;
    }
    drop(reader_alive);
    spawn("db-write", move || {
        let Lifecycle { failure: broken, alive, changes } = life;
        if let Err(error) = serve_writes(&connection, &writes, &changes) {
            tracing::error!(%error, "database writer stopped after failed fsync; restart required");
            broken.send_replace(Some(error.to_string()));
            writes.iter().for_each(|job| job.reject(error.clone()));
            // Closing the connection would write.
            std::mem::forget(connection);
        } else {
            // The last connection to close removes the write-ahead log, which readers cannot.
            let _all_readers_ended = readers_ended.recv();
            drop(connection);
        }
        drop(alive);
    })
}

/// See [`crate::Db::vacuum`]. Uses its own connection, because it takes longer than a job may.
pub(crate) fn vacuum(path: &Path) -> Result<bool, Error> {
    /// Number of attempts to truncate the write-ahead log. Each waits for the other connections as long as a statement does.
    const ATTEMPTS: usize = 12;
    let connection = Sqlite::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.execute_batch("PRAGMA busy_timeout = 5000; PRAGMA synchronous = FULL; VACUUM;")?;
    rebuild_search_indexes(&connection)?;
    // Moves the content of the write-ahead log into the file and truncates the log, unless a reader still uses it.
    for _ in 0..ATTEMPTS {
        let busy: i64 =
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        if busy == 0 {
            return Ok(true);
        }
        thread::sleep(Duration::from_millis(200));
    }
    Ok(false)
}

/// Builds the full-text indexes again. They refer to rows by `rowid`, which VACUUM may change in a table without a
/// numeric key (<https://www.sqlite.org/lang_vacuum.html>).
fn rebuild_search_indexes(connection: &Sqlite) -> Result<(), Error> {
    let mut indexes = connection
        .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'virtual'")?;
    for name in indexes.query_map([], |row| row.get::<_, String>(0))? {
        let name = name?;
        connection.execute(&format!("INSERT INTO {name} ({name}) VALUES ('rebuild')"), [])?;
    }
    Ok(())
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<(), Error> {
    let spawned = thread::Builder::new().name(name.into()).spawn(run);
    spawned.map(drop).map_err(|error| Error::Internal(format!("cannot start a thread: {error}")))
}

pub(crate) fn connect(path: &Path, flags: OpenFlags) -> Result<Sqlite, Error> {
    let mut connection = Sqlite::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.progress_handler(DEADLINE_INTERVAL, Some(is_past_deadline))?;
    connection.execute_batch(
        "PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 5000; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 34359738368;",
    )?;
    connection.set_prepared_statement_cache_capacity(PREPARED);
    // Without it, each new value of a parameter plans a prepared statement again, which costs a seventh of a request.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    functions::register(&connection)?;
    Ok(connection)
}

/// Runs a statement that begins or ends a transaction. They stay prepared, because several are part of every request.
fn command(connection: &Sqlite, sql: &str) -> Result<(), Error> {
    connection.prepare_cached(sql)?.execute([])?;
    Ok(())
}

fn serve_reads(connection: &Sqlite, jobs: &Receiver<Job>) {
    for job in jobs.iter().filter_map(Job::reject_if_late) {
        // One transaction per job: all its statements read the same snapshot.
        if let Err(error) = command(connection, "BEGIN") {
            job.reject(error);
            continue;
        }
        let outcome = run_within(READ_TIMEOUT, job, connection);
        let ended = command(connection, "ROLLBACK");
        if let Some(outcome) = outcome {
            (outcome.answer)(ended);
        }
    }
}

/// Runs write jobs until all senders are dropped.
///
/// [`Error::SyncFailed`]. Nothing may be written until a restart has rewritten the write-ahead log (`integrity.rs`):
/// the kernel marks pages of a failed sync as clean, so the next sync would succeed without them.
fn serve_writes(
    connection: &Sqlite,
    jobs: &Receiver<Job>,
    feed: &ChangeSender,
) -> Result<(), Error> {
    while let Ok(first) = jobs.recv() {
        let Some(first) = first.reject_if_late() else { continue };
        if let Err(error) = command(connection, "BEGIN IMMEDIATE") {
            // Jobs behind it have waited for the same lock.
            for job in std::iter::once(first).chain(jobs.try_iter()) {
                job.reject(error.clone());
            }
            continue;
        }

        let mut answers = Vec::new();
        for job in std::iter::once(first)
            .chain(jobs.try_iter().filter_map(Job::reject_if_late))
            .take(MAX_GROUP_SIZE)
        {
            answers.extend(write_one(connection, job));
            if connection.is_autocommit() {
                // The group was rolled back. A further job would be committed on its own, and then be reported as
                // failed.
                break;
            }
        }

        let committed = if connection.is_autocommit() {
            Err(Error::Unavailable("undone along with a change that was cut off".into()))
        } else {
            command(connection, "COMMIT")
        };
        if committed.is_err() {
            // SQLite may have rolled back already.
            drop(connection.execute_batch("ROLLBACK"));
        }
        let changes = changes::take().filter(|_| committed.is_ok());
        if let Some(changes) = changes {
            feed.send(changes);
        }

        for answer in answers {
            answer(committed.clone());
        }
        if let Err(error @ Error::SyncFailed(_)) = committed {
            return Err(error);
        }

        match checkpoint(connection) {
            Err(error @ Error::SyncFailed(_)) => return Err(error),
            Err(error) => tracing::warn!(%error, "wal checkpoint deferred"),
            Ok(()) => {}
        }
    }
    Ok(())
}

/// Writes the write-ahead log back to the database file once it is long, as far as readers allow.
fn checkpoint(connection: &Sqlite) -> Result<(), Error> {
    if WAL_PAGES.get() < CHECKPOINT_PAGES {
        return Ok(());
    }
    WAL_PAGES.set(0);
    Ok(connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?)
}

type Answer = Box<dyn FnOnce(Result<(), Error>) + Send>;

/// Runs one job inside the group's transaction, within a savepoint, so that its failure undoes its own changes only.
fn write_one(connection: &Sqlite, job: Job) -> Option<Answer> {
    if let Err(error) = command(connection, "SAVEPOINT job") {
        job.reject(error);
        return None;
    }
    let mark = changes::mark();
    let outcome = run_within(WRITE_TIMEOUT, job, connection);
    if connection.is_autocommit() {
        // When SQLite interrupts a statement that writes, it rolls back the whole transaction.
        let outcome = outcome?;
        if outcome.keep {
            return Some(outcome.answer);
        }
        (outcome.answer)(Ok(()));
        return None;
    }
    let rolled_back = match &outcome {
        Some(outcome) if outcome.keep => Ok(()),
        _ => {
            changes::rollback_to(mark);
            command(connection, "ROLLBACK TO job")
        }
    };
    let ended = rolled_back.and_then(|()| command(connection, "RELEASE job"));
    let outcome = outcome?;
    match ended {
        Ok(()) => Some(outcome.answer),
        Err(error) => {
            (outcome.answer)(Err(error));
            None
        }
    }
}

/// See [`crate::Db::foreign_version`].
pub(crate) fn data_version(tx: &mut Tx<'_>) -> Result<i64, Error> {
    let version = Expr::cust("(SELECT data_version FROM pragma_data_version)");
    let rows = tx.rows(Query::select().expr(version))?;
    rows.first().ok_or_else(|| Error::Internal("no version of the data".into()))?.int(0)
}

pub(crate) fn execute(connection: &Sqlite, sql: &str, values: &Values) -> Result<u64, Error> {
    let mut statement = connection.prepare_cached(sql)?;
    let changed = statement.execute(rusqlite::params_from_iter(values.iter().map(Bound)));
    count_instructions(&statement);
    Ok(changed? as u64)
}

fn count_instructions(statement: &Statement<'_>) {
    let count = statement.reset_status(StatementStatus::VmStep);
    INSTRUCTIONS.set(INSTRUCTIONS.get() + u64::try_from(count).unwrap_or(0));
}

pub(crate) fn rows_within<E: From<Error>>(
    connection: &Sqlite,
    sql: &str,
    values: &Values,
    mut hold: impl FnMut(usize) -> Result<(), E>,
) -> Result<Rows, E> {
    let mut statement = connection.prepare_cached(sql).map_err(Error::from)?;
    let width = statement.column_count();
    let values = rusqlite::params_from_iter(values.iter().map(Bound));
    let mut cursor = statement.query(values).map_err(Error::from)?;
    let mut rows = Rows::new(width);
    while let Some(row) = cursor.next().map_err(Error::from)? {
        let before = rows.memory();
        for column in 0..width {
            rows.push(cell(row.get_ref(column).map_err(Error::from)?)?);
        }
        hold(rows.memory() - before)?;
    }
    drop(cursor);
    count_instructions(&statement);
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, path::Path, sync::Arc, time::Instant};

    use crossbeam_channel::{Sender, unbounded};
    use rusqlite::OpenFlags;

    use crate::sqlite::{DEADLINE, connect, serve_writes};
    use crate::{Error, Job, Outcome, Tx, changes::ChangeSender};

    type Answers = Sender<(&'static str, Result<(), Error>)>;

    fn job(
        name: &'static str,
        sender: &Answers,
        work: impl FnOnce(&mut Tx<'_>) -> Result<(), Error> + Send + 'static,
    ) -> Job {
        let sender = sender.clone();
        Job::new(&Arc::default(), move |tx| {
            let result = tx.and_then(work);
            let keep = result.is_ok();
            let answer = move |committed: Result<(), Error>| {
                sender.send((name, committed.and(result))).unwrap();
            };
            Outcome { keep, answer: Box::new(answer) }
        })
    }

    #[test]
    fn interrupted_job_fails_its_group_and_no_later_job() {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let connection = connect(Path::new(":memory:"), flags).unwrap();
        connection.execute_batch("CREATE TABLE kept (n)").unwrap();
        let (jobs, queue) = unbounded();
        let (sender, answers) = unbounded();
        jobs.send(job("before", &sender, |tx| tx.execute_batch("INSERT INTO kept VALUES (1)")))
            .unwrap();
        let endless = |tx: &mut Tx<'_>| {
            DEADLINE.set(Some(Instant::now()));
            tx.execute_batch("INSERT INTO kept WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n")
        };
        jobs.send(job("endless", &sender, endless)).unwrap();
        jobs.send(job("after", &sender, |tx| tx.execute_batch("INSERT INTO kept VALUES (2)")))
            .unwrap();
        drop(jobs);
        serve_writes(&connection, &queue, &ChangeSender::default()).unwrap();

        let answers: BTreeMap<_, _> = answers.try_iter().collect();
        assert!(matches!(answers["before"], Err(Error::Unavailable(_))), "{answers:?}");
        assert!(matches!(answers["endless"], Err(Error::TimedOut)), "{answers:?}");
        assert!(answers["after"].is_ok(), "{answers:?}");
        let kept: i64 =
            connection.query_row("SELECT sum(n) FROM kept", [], |row| row.get(0)).unwrap();
        assert_eq!(kept, 2);
    }
}
