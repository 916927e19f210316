//! Errors of backups and restores.

use std::io;

use crate::{blob, db};

/// An error of a backup or a restore.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The disk of the target, or of the restored data, is full.
    #[error("disk full: there is no room left at {0}")]
    NoSpace(String),
    /// A folder or file of the target cannot be read or written.
    #[error("{0}: {1}")]
    Io(String, io::Error),
    /// Another process writes to the same target.
    #[error("another backup is being written to {0}")]
    Busy(String),
    /// The target contains files that are no backup.
    #[error("{0} is no backup, and not empty either")]
    NotABackup(String),
    /// The backup is encrypted, and no key is configured.
    #[error("the backup is encrypted: give its key (backup_key)")]
    NeedsKey,
    /// The backup is encrypted with another key.
    #[error("the backup is encrypted with another key than backup_key")]
    WrongKey,
    /// A key is configured, but the target contains backups without encryption.
    #[error("{0} holds backups that are not encrypted: choose an empty place for encrypted ones")]
    NotEncrypted(String),
    /// The target contains no snapshot, or none with this name.
    #[error("there is no such snapshot in {0}")]
    NoSnapshot(String),
    /// The content differs from what was written.
    #[error("the backup is damaged: {0}")]
    Damaged(String),
    /// A newer version of the program wrote the backup.
    #[error("the backup was made by a newer version of this program ({0})")]
    Newer(String),
    /// An error of the source or the restored database.
    #[error(transparent)]
    Database(#[from] db::Error),
    /// An error of the portal's own files.
    #[error("a file of the portal: {0}")]
    Files(String),
    /// The lease expired during the backup, so garbage collection may have deleted blobs.
    #[error("the backup was held up for too long, and files may have been deleted under its hands")]
    Stalled,
    /// The operation is not permitted in the present state of source or destination.
    #[error("{0}")]
    Refused(String),
}

impl BackupError {
    /// Returns the error code that the dashboard receives.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoSpace(_) | Self::Database(db::Error::DiskFull(_)) => "no_room",
            Self::Io(..) | Self::NotABackup(_) | Self::NoSnapshot(_) => "unreachable",
            Self::Busy(_) => "busy",
            Self::NeedsKey | Self::WrongKey | Self::NotEncrypted(_) => "key",
            Self::Damaged(_) | Self::Newer(_) => "damaged",
            Self::Database(_) => "database",
            Self::Files(_) => "files",
            Self::Stalled => "held_up",
            Self::Refused(_) => "refused",
        }
    }

    /// Returns a conversion for IO errors at `location`, which distinguishes a full disk.
    pub(crate) fn io(location: &str) -> impl FnOnce(io::Error) -> Self {
        move |error| {
            if blob::is_disk_full(&error) {
                Self::NoSpace(location.to_owned())
            } else {
                Self::Io(location.to_owned(), error)
            }
        }
    }

    /// Converts an error of the portal's own files, and distinguishes a full disk.
    #[expect(clippy::needless_pass_by_value, reason = "the signature that map_err expects")]
    pub(crate) fn store(error: io::Error) -> Self {
        if blob::is_disk_full(&error) {
            Self::NoSpace("the portal's own disk".into())
        } else {
            Self::Files(error.to_string())
        }
    }

    /// Returns [`BackupError::Files`] with the error and its causes as one sentence.
    #[expect(clippy::needless_pass_by_value, reason = "the signature that map_err expects")]
    pub(crate) fn files(error: anyhow::Error) -> Self {
        Self::Files(format!("{error:#}"))
    }

    /// Returns [`BackupError::Refused`] with the error and its causes as one sentence.
    #[expect(clippy::needless_pass_by_value, reason = "the signature that map_err expects")]
    pub(crate) fn refused(error: anyhow::Error) -> Self {
        Self::Refused(format!("{error:#}"))
    }
}
