//! A SQLite file that is filled as a whole. It gets its name when all rows are in it, so an interrupted process leaves no
//! database.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, OpenFlags};

use crate::{
    Error,
    sqlite::{FILE, connect},
};

/// Name of the file while it is filled.
const PARTIAL: &str = "portaria.db.partial";

/// Creates the file in a folder without a database. Replaces what an interrupted process left.
///
/// # Errors
/// [`Error::Unique`] if there is a database, and errors of the disk.
pub(crate) fn create(folder: &Path) -> Result<(Connection, PathBuf), Error> {
    if folder.join(FILE).exists() {
        return Err(Error::Unique("the database is not empty".into()));
    }
    let path = folder.join(PARTIAL);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(unavailable(&error)),
        _ => {}
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    Ok((connect(&path, flags)?, path))
}

/// Syncs the closed file to the disk, and gives it its name.
///
/// # Errors
/// Errors of the disk.
pub(crate) fn publish(path: &Path) -> Result<(), Error> {
    let complete = path.with_file_name(FILE);
    let publish = || -> io::Result<()> {
        File::open(path)?.sync_all()?;
        fs::rename(path, &complete)?;
        File::open(complete.parent().unwrap_or(&complete))?.sync_all()
    };
    publish().map_err(|error| unavailable(&error))
}

fn unavailable(error: &io::Error) -> Error {
    Error::Unavailable(error.to_string())
}
