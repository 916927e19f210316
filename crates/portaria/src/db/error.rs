//! What can go wrong in the database, in words common to both.

/// A failed statement or transaction. None of its texts may reach a caller.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// A second row with the same key: the constraint's name as PostgreSQL would give it (`folders_id_supabase_key`).
    #[error("unique constraint {0}")]
    Unique(String),
    /// A row refers to none, or is still referred to. `SQLite` does not tell by which key.
    #[error("foreign key {0:?}")]
    ForeignKey(Option<String>),
    /// A column that must have a value got none.
    #[error("not null {0}")]
    NotNull(String),
    /// A value outside of what the column takes: the constraint's name.
    #[error("check {0}")]
    Check(String),
    /// So much waits already that this was not begun.
    #[error("too many statements wait")]
    Busy,
    /// The server is away, the file is locked, the disk refuses. To try again may help.
    #[error("database unavailable: {0}")]
    Unavailable(String),
    /// No room is left on the disk.
    #[error("no room: {0}")]
    DiskFull(String),
    /// The disk took bytes and did not confirm that it keeps them. Nothing more is written until it is known what it kept.
    #[error("the disk did not keep what was written: {0}")]
    SyncFailed(String),
    /// The file is not what was written.
    #[error("the database is damaged: {0}")]
    Corrupt(String),
    /// A statement that took longer than any answer is worth.
    #[error("a statement was cut off after its time")]
    TimedOut,
    /// Anything else: a defect of ours, or damage.
    #[error("database: {0}")]
    Internal(String),
}

impl Error {
    /// Whether to try again may help.
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
        let named = message
            .as_deref()
            .and_then(|text| text.split_once("failed: "))
            .map_or("", |(_, name)| name);
        match code.extended_code {
            ffi::SQLITE_CONSTRAINT_PRIMARYKEY => Self::Unique(format!("{}_pkey", table(named))),
            ffi::SQLITE_CONSTRAINT_UNIQUE => {
                let columns: Vec<&str> =
                    named.split(", ").map(|name| name.rsplit('.').next().unwrap_or(name)).collect();
                Self::Unique(format!("{}_{}_key", table(named), columns.join("_")))
            }
            ffi::SQLITE_CONSTRAINT_FOREIGNKEY => Self::ForeignKey(None),
            ffi::SQLITE_CONSTRAINT_NOTNULL => {
                Self::NotNull(named.rsplit('.').next().unwrap_or(named).to_owned())
            }
            ffi::SQLITE_CONSTRAINT_CHECK => Self::Check(named.to_owned()),
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

fn table(named: &str) -> &str {
    named.split('.').next().unwrap_or(named)
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
            // Without its details, which quote the row.
            code => Self::Internal(format!("{}: {}", code.code(), db.message())),
        }
    }
}
