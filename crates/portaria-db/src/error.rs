//! Errors of the database, common to SQLite and PostgreSQL.

/// A failed statement or transaction. Its texts go to the log and never to a client.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// A second row with the same key. Contains the constraint's name in the form of PostgreSQL
    /// (`folders_id_supabase_key`).
    #[error("unique constraint {0}")]
    Unique(String),
    /// A row refers to a missing row, or another row still refers to it. `SQLite` does not name the constraint.
    #[error("foreign key {0:?}")]
    ForeignKey(Option<String>),
    /// A column without a value that requires one. Contains the column's name.
    #[error("not null {0}")]
    NotNull(String),
    /// A value that a CHECK constraint refuses. Contains the constraint's name.
    #[error("check {0}")]
    Check(String),
    /// The queue is full or saturated, so the job did not begin.
    #[error("too many statements wait")]
    Busy,
    /// The server does not answer, the file is locked, or an I/O operation failed. A retry may succeed.
    #[error("database unavailable: {0}")]
    Unavailable(String),
    /// The disk is full: the database's, or that of a file which belongs to its content.
    #[error("disk full: {0}")]
    DiskFull(String),
    /// An fsync failed. No write is accepted until the next start
    /// (`docs/decisions/0004-stop-writing-after-a-failed-fsync.md`).
    #[error("the disk did not keep what was written: {0}")]
    SyncFailed(String),
    /// The database file is corrupt.
    #[error("the database is damaged: {0}")]
    Corrupt(String),
    /// A statement exceeded its time limit.
    #[error("a statement was cut off after its time")]
    TimedOut,
    /// Any other failure, such as a defect of the program.
    #[error("database: {0}")]
    Internal(String),
}

impl Error {
    /// Returns whether a retry may succeed.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Busy | Self::Unavailable(_) | Self::DiskFull(_) | Self::SyncFailed(_))
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::{ErrorCode, ffi};
        let rusqlite::Error::SqliteFailure(code, message) = &error else {
            return Self::Internal(error.to_string());
        };
        // "UNIQUE constraint failed: folders.id_supabase, folders.name"
        let columns = message
            .as_deref()
            .and_then(|text| text.split_once("failed: "))
            .map_or("", |(_, name)| name);
        match code.extended_code {
            ffi::SQLITE_CONSTRAINT_PRIMARYKEY => Self::Unique(format!("{}_pkey", table(columns))),
            ffi::SQLITE_CONSTRAINT_UNIQUE => {
                let names: Vec<&str> = columns
                    .split(", ")
                    .map(|name| name.rsplit('.').next().unwrap_or(name))
                    .collect();
                Self::Unique(format!("{}_{}_key", table(columns), names.join("_")))
            }
            ffi::SQLITE_CONSTRAINT_FOREIGNKEY => Self::ForeignKey(None),
            ffi::SQLITE_CONSTRAINT_NOTNULL => {
                Self::NotNull(columns.rsplit('.').next().unwrap_or(columns).to_owned())
            }
            ffi::SQLITE_CONSTRAINT_CHECK => Self::Check(columns.to_owned()),
            ffi::SQLITE_IOERR_FSYNC | ffi::SQLITE_IOERR_DIR_FSYNC => {
                Self::SyncFailed(error.to_string())
            }
            _ => match code.code {
                ErrorCode::OperationInterrupted => Self::TimedOut,
                ErrorCode::DiskFull => Self::DiskFull(error.to_string()),
                ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
                    Self::Corrupt(error.to_string())
                }
                ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::CannotOpen
                | ErrorCode::ReadOnly
                | ErrorCode::SystemIoFailure => Self::Unavailable(error.to_string()),
                _ => Self::Internal(error.to_string()),
            },
        }
    }
}

fn table(columns: &str) -> &str {
    columns.split('.').next().unwrap_or(columns)
}

impl From<::tokio_postgres::Error> for Error {
    fn from(error: ::tokio_postgres::Error) -> Self {
        use ::tokio_postgres::error::SqlState;
        let Some(db) = error.as_db_error() else {
            let cause = std::error::Error::source(&error);
            return if error.is_closed()
                || cause.is_some_and(<dyn std::error::Error>::is::<std::io::Error>)
            {
                let cause = cause.map(|cause| format!(": {cause}")).unwrap_or_default();
                Self::Unavailable(format!("{error}{cause}"))
            } else {
                Self::Internal(format!("{error:?}"))
            };
        };
        let constraint = db.constraint().unwrap_or_default().to_owned();
        match db.code() {
            &SqlState::UNIQUE_VIOLATION => Self::Unique(constraint),
            &SqlState::FOREIGN_KEY_VIOLATION => Self::ForeignKey(Some(constraint)),
            &SqlState::NOT_NULL_VIOLATION => {
                Self::NotNull(db.column().unwrap_or_default().to_owned())
            }
            &SqlState::CHECK_VIOLATION => Self::Check(constraint),
            &SqlState::QUERY_CANCELED => Self::TimedOut,
            &SqlState::DISK_FULL => Self::DiskFull(error.to_string()),
            code if matches!(code.code().get(..2), Some("08" | "53" | "57" | "40" | "55")) => {
                Self::Unavailable(error.to_string())
            }
            // The details are left out, because they quote the row.
            code => Self::Internal(format!("{}: {}", code.code(), db.message())),
        }
    }
}
