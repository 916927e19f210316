//! The embedded engine: a thread per reader, and one writer that commits what is queued as one group.

pub mod integrity;

use std::{
    cell::Cell as Slot,
    convert::Infallible,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Sender};
use rusqlite::{
    Connection as Sqlite, OpenFlags, ToSql,
    config::DbConfig,
    functions::FunctionFlags,
    types::{ToSqlOutput, ValueRef},
};
use sea_query::{Value, Values};
use tokio::sync::watch;

use crate::db::{
    Cell, Error, Job, Outcome, READ_TIME, Rows, Tx, WRITE_TIME, dialect, json, migrations,
    transaction::Connection,
};

/// The database's file in the data folder.
pub(crate) const FILE: &str = "portaria.db";
/// So many writes share one fsync at most, which bounds how long the first of them waits.
const GROUP: usize = 256;
/// Distinct statement texts kept prepared per connection.
const PREPARED: usize = 256;

/// The log of changes is written back to the database file when it has so many pages.
const CHECKPOINT: i32 = 1000;

/// After so many of its instructions the engine asks whether the time is over.
const INSTRUCTIONS: i32 = 10_000;

thread_local! {
    /// When the job of this thread must end.
    static DEADLINE: Slot<Option<Instant>> = const { Slot::new(None) };
    /// How many pages the log of changes has, since this thread's last commit.
    static LOGGED: Slot<i32> = const { Slot::new(0) };
}

fn is_over() -> bool {
    DEADLINE.get().is_some_and(|deadline| Instant::now() > deadline)
}

/// Runs a job within its time. What settles the job afterwards has all the time it needs.
fn run_within(time: Duration, job: Job, connection: &Sqlite) -> Option<Outcome> {
    DEADLINE.set(Some(Instant::now() + time));
    let outcome = job.run(Ok(&mut Tx::new(Connection::Sqlite(connection))));
    DEADLINE.set(None);
    outcome
}

/// What the threads tell the outside.
pub(crate) struct Lifecycle {
    /// Why nothing is written any more.
    pub(crate) broken: watch::Sender<Option<String>>,
    /// Dropped by the last thread to end.
    pub(crate) alive: Sender<Infallible>,
}

pub(crate) fn open(
    path: &Path,
    reads: &Receiver<Job>,
    writes: Receiver<Job>,
    life: Lifecycle,
) -> Result<(), Error> {
    let mut connection =
        connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
    // FULL, not NORMAL: a power cut under NORMAL loses commits that were already acknowledged.
    // What is deleted is overwritten with zeros, as far as that costs no page that is not written anyway.
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = FAST;",
    )?;
    // In place of the engine's own checkpoints, which keep to themselves that the disk failed them.
    connection.wal_hook(Some(|_: &mut _, pages| {
        LOGGED.set(pages);
        Ok(())
    }))?;
    connection.execute_batch("BEGIN IMMEDIATE")?;
    migrations::run(&mut Tx::new(Connection::Sqlite(&connection)))?;
    connection.execute_batch("COMMIT")?;

    let readers = thread::available_parallelism().map_or(2, |cores| cores.get().max(2));
    let (reading, read) = crossbeam_channel::bounded::<Infallible>(0);
    for _ in 0..readers {
        let reader = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let (jobs, reading) = (reads.clone(), reading.clone());
        spawn("db-read", move || {
            serve_reads(&reader, &jobs);
            drop(reader);
            drop(reading);
        })?;
    }
    drop(reading);
    spawn("db-write", move || {
        let Lifecycle { broken, alive } = life;
        if let Err(error) = serve_writes(&connection, &writes) {
            tracing::error!(%error, "nothing is written any more");
            broken.send_replace(Some(error.to_string()));
            writes.iter().for_each(|job| job.reject(error.clone()));
            // Closing it would write.
            std::mem::forget(connection);
        } else {
            // Whoever is the last to close the database clears the log of changes away, which readers may not.
            let _all_gone = read.recv();
            drop(connection);
        }
        drop(alive);
    })
}

/// See [`super::Db::purge`]. On a connection of its own, as above.
pub(crate) fn purge(path: &Path) -> Result<(), Error> {
    let connection = Sqlite::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.execute_batch("PRAGMA busy_timeout = 5000; PRAGMA synchronous = FULL; VACUUM;")?;
    // What the log of changes holds goes into the file, and then from the log, unless somebody still reads there.
    let busy: i64 =
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if busy == 0 { Ok(()) } else { Err(Error::Unavailable("the database is busy".into())) }
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<(), Error> {
    let spawned = thread::Builder::new().name(name.into()).spawn(run);
    spawned.map(drop).map_err(|error| Error::Internal(format!("cannot start a thread: {error}")))
}

pub(crate) fn connect(path: &Path, flags: OpenFlags) -> Result<Sqlite, Error> {
    let mut connection = Sqlite::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.progress_handler(INSTRUCTIONS, Some(is_over))?;
    connection.execute_batch(
        "PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 5000; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 34359738368;",
    )?;
    connection.set_prepared_statement_cache_capacity(PREPARED);
    // Otherwise each new value of a parameter has a prepared statement planned anew, a seventh of a request.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function(dialect::ILIKE, 2, flags, |call| {
        let text = call.get_raw(0).as_str_or_null()?;
        let pattern = call.get_raw(1).as_str_or_null()?;
        Ok(text.zip(pattern).map(|(text, pattern)| dialect::ilike(text, pattern)))
    })?;
    connection.create_scalar_function(dialect::JSON_TEXT, 2, flags, |call| {
        let json = call.get_raw(0).as_str_or_null()?;
        let path = call.get_raw(1).as_str_or_null()?;
        Ok(json.zip(path).and_then(|(json, path)| json::text_at(json, path)))
    })?;
    Ok(connection)
}

/// Runs what opens or closes a transaction. Several of these go with every request, so they stay prepared.
fn command(connection: &Sqlite, sql: &str) -> Result<(), Error> {
    connection.prepare_cached(sql)?.execute([])?;
    Ok(())
}

fn serve_reads(connection: &Sqlite, jobs: &Receiver<Job>) {
    for job in jobs.iter().filter_map(Job::reject_if_late) {
        // One read transaction per closure: all its statements see the same state.
        if let Err(error) = command(connection, "BEGIN") {
            job.reject(error);
            continue;
        }
        let outcome = run_within(READ_TIME, job, connection);
        let ended = command(connection, "ROLLBACK");
        if let Some(outcome) = outcome {
            (outcome.answer)(ended);
        }
    }
}

/// Ends when nobody has anything to write any more.
///
/// # Errors
/// [`Error::Unsynced`], after which nothing may be written before a restart has settled what there is (`sound.rs`): pages
/// that a sync failed for count as written from then on, so the next one would succeed without them.
fn serve_writes(connection: &Sqlite, jobs: &Receiver<Job>) -> Result<(), Error> {
    while let Ok(first) = jobs.recv() {
        let Some(first) = first.reject_if_late() else { continue };
        if let Err(error) = command(connection, "BEGIN IMMEDIATE") {
            // Those behind it have waited, too, for whoever holds the file.
            for job in std::iter::once(first).chain(jobs.try_iter()) {
                job.reject(error.clone());
            }
            continue;
        }
        let mut answers = Vec::new();
        for job in std::iter::once(first)
            .chain(jobs.try_iter().filter_map(Job::reject_if_late))
            .take(GROUP)
        {
            answers.extend(write_one(connection, job));
            if connection.is_autocommit() {
                // The group is undone. Another job would be committed by itself, and told that it was not.
                break;
            }
        }
        let committed = if connection.is_autocommit() {
            Err(Error::Unavailable("undone along with a change that was cut off".into()))
        } else {
            command(connection, "COMMIT")
        };
        if committed.is_err() {
            // SQLite may have rolled back by itself already.
            drop(connection.execute_batch("ROLLBACK"));
        }
        for answer in answers {
            answer(committed.clone());
        }
        if let Err(error @ Error::SyncFailed(_)) = committed {
            return Err(error);
        }
        match checkpoint(connection) {
            Err(error @ Error::SyncFailed(_)) => return Err(error),
            Err(error) => tracing::warn!(%error, "the log of changes cannot be written back yet"),
            Ok(()) => {}
        }
    }
    Ok(())
}

/// Writes back to the database file what gathered in the log of changes, once that is long, as far as readers allow.
fn checkpoint(connection: &Sqlite) -> Result<(), Error> {
    if LOGGED.get() < CHECKPOINT {
        return Ok(());
    }
    LOGGED.set(0);
    Ok(connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?)
}

type Answer = Box<dyn FnOnce(Result<(), Error>) + Send>;

/// Runs one job inside the group's transaction, so that its failure undoes nothing but its own changes.
fn write_one(connection: &Sqlite, job: Job) -> Option<Answer> {
    if let Err(error) = command(connection, "SAVEPOINT job") {
        job.reject(error);
        return None;
    }
    let outcome = run_within(WRITE_TIME, job, connection);
    if connection.is_autocommit() {
        // Cut off in the middle of a change, SQLite undoes the whole transaction, not the job alone.
        let outcome = outcome?;
        if outcome.keep {
            return Some(outcome.answer);
        }
        (outcome.answer)(Ok(()));
        return None;
    }
    let undone = match &outcome {
        Some(outcome) if outcome.keep => Ok(()),
        _ => command(connection, "ROLLBACK TO job"),
    };
    let ended = undone.and_then(|()| command(connection, "RELEASE job"));
    let outcome = outcome?;
    match ended {
        Ok(()) => Some(outcome.answer),
        Err(error) => {
            (outcome.answer)(Err(error));
            None
        }
    }
}

pub(crate) fn execute(connection: &Sqlite, sql: &str, values: &Values) -> Result<u64, Error> {
    let mut statement = connection.prepare_cached(sql)?;
    let changed = statement.execute(rusqlite::params_from_iter(values.iter().map(Bound)))?;
    Ok(changed as u64)
}

pub(crate) fn rows(connection: &Sqlite, sql: &str, values: &Values) -> Result<Rows, Error> {
    let mut statement = connection.prepare_cached(sql)?;
    let width = statement.column_count();
    let mut found = statement.query(rusqlite::params_from_iter(values.iter().map(Bound)))?;
    let mut rows = Rows::new(width);
    while let Some(row) = found.next()? {
        for column in 0..width {
            rows.push(cell(row.get_ref(column)?)?);
        }
    }
    Ok(rows)
}

pub(crate) fn cell(value: ValueRef<'_>) -> Result<Cell<'_>, Error> {
    Ok(match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(value) => Cell::Int(value),
        ValueRef::Real(value) => Cell::Real(value),
        ValueRef::Text(_) => {
            Cell::Text(value.as_str().map_err(|error| Error::Internal(error.to_string()))?)
        }
        ValueRef::Blob(_) => return Err(Error::Internal("a blob in a column of text".into())),
    })
}

/// A value of the statement builder, as a parameter of this driver.
struct Bound<'a>(&'a Value);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Value::Bool(Some(value)) => ValueRef::Integer((*value).into()),
            Value::Int(Some(value)) => ValueRef::Integer((*value).into()),
            Value::BigInt(Some(value)) => ValueRef::Integer(*value),
            Value::BigUnsigned(Some(value)) => {
                ValueRef::Integer(i64::try_from(*value).unwrap_or(i64::MAX))
            }
            Value::Double(Some(value)) => ValueRef::Real(*value),
            Value::String(Some(value)) => ValueRef::Text(value.as_bytes()),
            Value::Bool(None)
            | Value::Int(None)
            | Value::BigInt(None)
            | Value::BigUnsigned(None)
            | Value::Double(None)
            | Value::String(None) => ValueRef::Null,
            other => {
                return Err(rusqlite::Error::ToSqlConversionFailure(
                    format!("no column holds {other:?}").into(),
                ));
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, path::Path, sync::Arc, time::Instant};

    use crossbeam_channel::{Sender, unbounded};
    use rusqlite::OpenFlags;

    use crate::db::sqlite::{DEADLINE, connect, serve_writes};
    use crate::db::{Error, Job, Outcome, Tx};

    type Told = Sender<(&'static str, Result<(), Error>)>;

    fn job(
        name: &'static str,
        told: &Told,
        work: impl FnOnce(&mut Tx<'_>) -> Result<(), Error> + Send + 'static,
    ) -> Job {
        let told = told.clone();
        Job::new(&Arc::default(), move |tx| {
            let result = tx.and_then(work);
            let keep = result.is_ok();
            let answer = move |settled: Result<(), Error>| {
                told.send((name, settled.and(result))).unwrap();
            };
            Outcome { keep, answer: Box::new(answer) }
        })
    }

    #[test]
    fn a_change_that_is_cut_off_takes_along_only_what_is_told_so() {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let connection = connect(Path::new(":memory:"), flags).unwrap();
        connection.execute_batch("CREATE TABLE kept (n)").unwrap();
        let (jobs, queue) = unbounded();
        let (told, answers) = unbounded();
        jobs.send(job("before", &told, |tx| tx.execute_batch("INSERT INTO kept VALUES (1)")))
            .unwrap();
        let endless = |tx: &mut Tx<'_>| {
            DEADLINE.set(Some(Instant::now()));
            tx.execute_batch("INSERT INTO kept WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n")
        };
        jobs.send(job("endless", &told, endless)).unwrap();
        jobs.send(job("after", &told, |tx| tx.execute_batch("INSERT INTO kept VALUES (2)")))
            .unwrap();
        drop(jobs);
        serve_writes(&connection, &queue).unwrap();

        let answers: BTreeMap<_, _> = answers.try_iter().collect();
        assert!(matches!(answers["before"], Err(Error::Unavailable(_))), "{answers:?}");
        assert!(matches!(answers["endless"], Err(Error::TimedOut)), "{answers:?}");
        assert!(answers["after"].is_ok(), "{answers:?}");
        let kept: i64 =
            connection.query_row("SELECT sum(n) FROM kept", [], |row| row.get(0)).unwrap();
        assert_eq!(kept, 2);
    }
}
