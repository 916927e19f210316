//! Whether the embedded database's file is sound, and what is done about a process that died with it.

use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::FileExt,
    path::Path,
    time::{Duration, Instant},
};

use rusqlite::{Connection as Sqlite, ErrorCode, OpenFlags, types::ValueRef};

use crate::db::{Error, sqlite::connect};

/// What a start spends on looking for damage at most. It is enough for some hundred megabytes; what is larger is looked
/// through by `portaria fsck`.
const CHECK_BUDGET: Duration = Duration::from_secs(1);
/// Instructions of the engine between two looks at the clock.
const INSTRUCTIONS: i32 = 10_000;
/// Damages that are told.
const MAX_REPORTED: usize = 5;

/// Settles what the last process left behind, and looks for damage. For whoever alone is about to serve the folder.
///
/// # Errors
/// [`Error::Damaged`]; [`Error::Unsynced`] while the disk still does not keep what it is given.
pub(crate) fn recover(path: &Path) -> Result<(), Error> {
    if !path.exists() {
        return Ok(());
    }
    let mut connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    settle(&connection, &path.with_extension("db-wal"))?;
    quick_check(&mut connection)
}

/// Has the disk keep what can be read of the log of changes. Where a sync failed before, that need not be what the disk
/// has: the system counts such pages as written, and shows them to us. Commits that are added behind them would be lost
/// with them in a power cut. Writing the same bytes again makes the system bring them to the disk, and take no room.
fn settle(connection: &Sqlite, log: &Path) -> Result<(), Error> {
    let refused = |error: io::Error| Error::SyncFailed(format!("{}: {error}", log.display()));
    // Nobody else writes meanwhile.
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let settled = match OpenOptions::new().read(true).write(true).open(log) {
        Ok(file) => rewrite(&file).map_err(refused),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(refused(error)),
    };
    connection.execute_batch("ROLLBACK")?;
    settled
}

fn rewrite(file: &File) -> io::Result<()> {
    let mut bytes = vec![0; 1 << 20];
    let mut at = 0;
    loop {
        let read = file.read_at(&mut bytes, at)?;
        if read == 0 {
            return file.sync_all();
        }
        file.write_all_at(bytes.get(..read).unwrap_or_default(), at)?;
        at += read as u64;
    }
}

/// Looks for damage for a while.
fn quick_check(connection: &mut Sqlite) -> Result<(), Error> {
    let end = Instant::now() + CHECK_BUDGET;
    connection.progress_handler(INSTRUCTIONS, Some(move || Instant::now() > end))?;
    match check_output(connection, &format!("PRAGMA quick_check({MAX_REPORTED})")) {
        Ok(faults) if faults.is_empty() => Ok(()),
        Ok(faults) => Err(Error::Corrupt(faults.join("; "))),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => {
            tracing::info!("the database is too large to be looked through at start");
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

/// See [`super::Db::faults`]. On a connection of its own, for a large file takes longer than any request may.
pub(crate) fn integrity_check(path: &Path) -> Result<Vec<String>, Error> {
    let connection = Sqlite::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut faults = check_output(&connection, "PRAGMA integrity_check")?;
    let mut check = connection.prepare("PRAGMA foreign_key_check")?;
    for table in check.query_map([], |row| row.get::<_, String>(0))? {
        faults.push(format!("a row of {} refers to nothing", table?));
    }
    let mut tables =
        connection.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")?;
    for table in tables.query_map([], |row| row.get::<_, String>(0))? {
        let table = table?;
        if has_broken_text(&connection, &table)? {
            faults.push(format!("a text of {table} is none"));
        }
    }
    Ok(faults)
}

/// The engine hands out whatever bytes a text has, and whoever reads the row is refused.
fn has_broken_text(connection: &Sqlite, table: &str) -> rusqlite::Result<bool> {
    let mut all = connection.prepare(&format!("SELECT * FROM \"{table}\" NOT INDEXED"))?;
    let width = all.column_count();
    let mut rows = all.query([])?;
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

/// What a check of the engine says, but for its word that all is well.
fn check_output(connection: &Sqlite, check: &str) -> rusqlite::Result<Vec<String>> {
    let mut check = connection.prepare(check)?;
    let lines = check.query_map([], |row| row.get::<_, String>(0))?;
    lines.filter(|line| line.as_ref().map_or(true, |line| line != "ok")).collect()
}
