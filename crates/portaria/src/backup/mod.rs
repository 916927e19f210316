//! Backups, made while the portal runs. A target contains the blobs of all snapshots once, the rows of the database in
//! content-defined chunks that snapshots share, and a manifest per snapshot. A manifest is written last, when all that
//! it refers to is durable. `docs/backup-format.md` specifies the files.
//!
//! The format is our own, because one snapshot must restore into SQLite and PostgreSQL alike, and a folder or an S3
//! bucket must hold it. `rustic_core`, the repository library nearest to it, is a whole backup product with a different
//! format and knows no database rows.

mod choose;
pub mod chunker;
pub mod create;
pub mod encryption;
pub mod error;
pub mod manifest;
pub mod repository;
pub mod restore;
pub mod row_stream;
pub mod status;
pub mod swap;
pub mod target;
pub mod transfer;

use std::{
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use tokio::sync::oneshot;

pub(crate) use crate::backup::repository::FORMAT_MARKER;
pub use crate::backup::repository::Repository;
pub use create::{BackupReport, run};
pub use error::BackupError;
pub use manifest::{Blob, Manifest};

use crate::{
    db::{self, Cell, dump::Table},
    lease,
};

/// Prefix of the lease that pauses garbage collection. The backup renews it while it runs.
const PAUSE_LEASE_PREFIX: &str = "backup pause ";
/// Number of files that are read or written in parallel, so that they share syncs and waiting times.
const PARALLEL_FILES: usize = 8;

/// Runs `work` on a thread for which the process does not wait at its end.
async fn run_on_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, BackupError> + Send + 'static,
) -> Result<T, BackupError> {
    let (done, finished) = oneshot::channel();
    let spawned = thread::Builder::new().name("backup".into()).spawn(move || {
        drop(done.send(work()));
    });
    spawned.map_err(|error| BackupError::Files(format!("cannot start a thread: {error}")))?;
    finished.await.map_err(|_| BackupError::Files("the thread panicked".into()))?
}

/// Applies `work` to all items, several in parallel. The first error stops the rest and is returned.
fn for_each_parallel<T: Sync>(
    items: &[T],
    work: impl Fn(&T) -> Result<(), BackupError> + Sync,
) -> Result<(), BackupError> {
    let (next, first_error) = (AtomicUsize::new(0), Mutex::new(None));
    thread::scope(|scope| {
        for _ in 0..PARALLEL_FILES.min(items.len()) {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(failure) = work(item) {
                        next.store(items.len(), Ordering::Relaxed);
                        let mut first_error =
                            first_error.lock().expect("no holder of the lock panics");
                        first_error.get_or_insert(failure);
                    }
                }
            });
        }
    });
    first_error.into_inner().expect("no holder of the lock panics").map_or(Ok(()), Err)
}

/// Indices of the columns of the table `objects` that describe a blob.
struct BlobColumns {
    blob: usize,
    size: usize,
    sha256: usize,
}

impl BlobColumns {
    fn find(table: &Table) -> Option<Self> {
        let index = |name: &str| table.columns.iter().position(|column| column.name == name);
        let blob_columns =
            || Some(Self { blob: index("blob")?, size: index("size")?, sha256: index("sha256")? });
        if table.name == "objects" { blob_columns() } else { None }
    }

    fn read(&self, row: db::Row<'_>) -> Result<Blob, BackupError> {
        Ok(Blob {
            name: row.text(self.blob)?.to_owned(),
            size: row.int(self.size)?.unsigned_abs(),
            sha256: row.text(self.sha256)?.to_owned(),
        })
    }

    fn of_cells(&self, cells: &[Cell<'_>]) -> Option<Blob> {
        match (cells.get(self.blob)?, cells.get(self.size)?, cells.get(self.sha256)?) {
            (Cell::Text(name), Cell::Int(size), Cell::Text(sha256)) => Some(Blob {
                name: (*name).to_owned(),
                size: size.unsigned_abs(),
                sha256: (*sha256).to_owned(),
            }),
            _ => None,
        }
    }
}

/// Returns the condition that no backup is running, for statements that delete blobs.
#[must_use]
pub fn no_backup_running(now: jiff::Timestamp) -> sea_query::Expr {
    lease::no_active_lease(PAUSE_LEASE_PREFIX, now)
}

/// Deletes the leases of backups that a crash interrupted.
///
/// # Errors
/// Database errors.
pub fn delete_expired_leases(tx: &mut db::Tx<'_>, now: jiff::Timestamp) -> Result<(), db::Error> {
    lease::delete_expired(tx, PAUSE_LEASE_PREFIX, now)
}
