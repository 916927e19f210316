//! Integrity checks of the embedded database's file, and its recovery after a crash
//! (`docs/decisions/0004-stop-writing-after-a-failed-fsync.md`,
//! `docs/decisions/0005-bounded-integrity-check-at-start.md`).

use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::FileExt,
    path::Path,
    time::{Duration, Instant},
};

use rusqlite::{Connection as Sqlite, ErrorCode, OpenFlags, types::ValueRef};

use crate::{Error, sqlite::connect};

/// Maximum duration of the check at start. It covers some hundred megabytes. [`crate::Db::integrity_errors`] checks larger
/// files.
const CHECK_BUDGET: Duration = Duration::from_secs(1);
/// Number of virtual machine instructions between two comparisons with the deadline.
const INSTRUCTIONS: i32 = 10_000;
/// Maximum number of messages of the check at start.
const MAX_REPORTED: usize = 5;

/// Recovers the write-ahead log after a crash, and checks the file for corruption. The caller holds the lock of the
/// folder.
///
/// [`Error::Corrupt`]; [`Error::SyncFailed`] if the disk still fails to sync.
pub(crate) fn recover(path: &Path) -> Result<(), Error> {
    if !path.exists() {
        return Ok(());
    }
    let mut connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    rewrite_wal(&connection, &path.with_extension("db-wal"))?;
    quick_check(&mut connection)
}

/// Rewrites the write-ahead log in place and syncs it. After a failed fsync the kernel marks pages as clean and shows
/// them to readers although they are not on the disk. Commits appended to them would be lost with them in a power
/// cut. Writing the same bytes again makes the kernel write the pages, and needs no additional space.
fn rewrite_wal(connection: &Sqlite, wal: &Path) -> Result<(), Error> {
    let sync_failed = |error: io::Error| Error::SyncFailed(format!("{}: {error}", wal.display()));
    // Keeps other connections from writing.
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let rewritten = match OpenOptions::new().read(true).write(true).open(wal) {
        Ok(file) => rewrite(&file).map_err(sync_failed),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(sync_failed(error)),
    };
    connection.execute_batch("ROLLBACK")?;
    rewritten
}

fn rewrite(file: &File) -> io::Result<()> {
    let mut bytes = vec![0; 1 << 20];
    let mut offset = 0;
    loop {
        let read = file.read_at(&mut bytes, offset)?;
        if read == 0 {
            return file.sync_all();
        }
        file.write_all_at(bytes.get(..read).unwrap_or_default(), offset)?;
        offset += read as u64;
    }
}

/// Checks the file until [`CHECK_BUDGET`] is used.
fn quick_check(connection: &mut Sqlite) -> Result<(), Error> {
    let deadline = Instant::now() + CHECK_BUDGET;
    connection.progress_handler(INSTRUCTIONS, Some(move || Instant::now() > deadline))?;
    match check_output(connection, &format!("PRAGMA quick_check({MAX_REPORTED})")) {
        Ok(messages) if messages.is_empty() => Ok(()),
        Ok(messages) => Err(Error::Corrupt(messages.join("; "))),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => {
            tracing::info!("database check at start skipped the rest of a large file");
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

/// See [`crate::Db::integrity_errors`]. Uses its own connection, because a large file takes longer than a request
/// may.
pub(crate) fn integrity_check(path: &Path) -> Result<Vec<String>, Error> {
    let connection = Sqlite::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut messages = check_output(&connection, "PRAGMA integrity_check")?;
    let mut check = connection.prepare("PRAGMA foreign_key_check")?;
    for table in check.query_map([], |row| row.get::<_, String>(0))? {
        messages.push(format!("a row of {} refers to nothing", table?));
    }
    // Without the tables of the search indexes, which contain no texts of their own.
    let mut tables = connection.prepare(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name",
    )?;
    for table in tables.query_map([], |row| row.get::<_, String>(0))? {
        let table = table?;
        if has_broken_text(&connection, &table)? {
            messages.push(format!("a text of {table} is none"));
        }
    }
    Ok(messages)
}

/// Returns whether a text column contains invalid UTF-8. The engine stores it, but rows with it cannot be read.
fn has_broken_text(connection: &Sqlite, table: &str) -> rusqlite::Result<bool> {
    let mut statement = connection.prepare(&format!("SELECT * FROM \"{table}\" NOT INDEXED"))?;
    let width = statement.column_count();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        for column in 0..width {
            if let ValueRef::Text(bytes) = row.get_ref(column)?
                && str::from_utf8(bytes).is_err()
            {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Returns the messages of a check of the engine, without `ok`.
fn check_output(connection: &Sqlite, check: &str) -> rusqlite::Result<Vec<String>> {
    let mut check = connection.prepare(check)?;
    let lines = check.query_map([], |row| row.get::<_, String>(0))?;
    lines.filter(|line| line.as_ref().map_or(true, |line| line != "ok")).collect()
}
