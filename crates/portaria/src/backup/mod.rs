//! Backups, made while the portal runs. A target contains the blobs of all snapshots once, the rows of the database in
//! content-defined chunks that snapshots share, and a manifest per snapshot. A manifest is written last, when all that
//! it refers to is durable. `docs/backup-format.md` specifies the files.
//!
//! The format is our own, because one snapshot must restore into SQLite and PostgreSQL alike, and a folder or an S3
//! bucket must hold it. `rustic_core`, the repository library nearest to it, is a whole backup product with a different
//! format and knows no database rows.

pub mod chunker;
pub mod encryption;
pub mod manifest;
pub mod repository;
pub mod restore;
pub mod row_stream;
pub mod status;
pub mod swap;
pub mod target;
pub mod transfer;

use std::{
    collections::{BTreeSet, HashSet},
    io,
    path::{self, Path},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Instant,
};

use sha2::{Digest, Sha256};
use tokio::{runtime::Handle, sync::oneshot};

pub(crate) use crate::backup::repository::FORMAT_MARKER;
pub use crate::backup::repository::Repository;
pub use manifest::{Blob, Manifest};

use crate::{
    app::App,
    blob::BlobStore,
    clock::format_timestamp,
    config::{BackupDestination, Config, RetentionPolicy},
    db::{
        self, Cell,
        dump::{DumpLocation, DumpReader, DumpSource, Table},
    },
    lease::{self, Lease, RenewedLease},
    migrations::MIGRATIONS,
    security::keys::{self, Keys},
};

/// An error of a backup or a restore.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The disk of the target, or of the restored data, is full.
    #[error("there is no room left at {0}")]
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
    #[error("{0}")]
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
            Self::NoSpace(_) => "no_room",
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

    fn io(location: &str) -> impl FnOnce(io::Error) -> Self {
        move |error| match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::NoSpace(location.to_owned())
            }
            _ => Self::Io(location.to_owned(), error),
        }
    }
}

/// Result of a successful backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupReport {
    /// Name of the snapshot.
    pub snapshot: String,
    /// Number of blobs in the snapshot.
    pub files: u64,
    /// Total size of these blobs.
    pub bytes: u64,
    /// Number of rows.
    pub rows: u64,
    /// Size of the rows as text.
    pub row_bytes: u64,
    /// Size of the blobs that the target lacked before.
    pub new_bytes: u64,
    /// Number of snapshots in the target.
    pub snapshots: u64,
    /// Names of blobs that are missing or damaged in the portal's own store.
    pub broken: Vec<String>,
    /// Duration in seconds.
    pub seconds: u64,
}

/// Prefix of the lease that pauses garbage collection. The backup renews it while it runs.
const PAUSE_LEASE_PREFIX: &str = "backup pause ";
/// Name of the lease that excludes a second writer of an S3 bucket. A folder has a lock file instead.
const WRITER_LEASE: &str = "backup writing";
/// Number of files that are read or written in parallel, so that they share syncs and waiting times.
const PARALLEL_FILES: usize = 8;

/// Makes a backup, and prunes snapshots by `keep`. The work runs on a thread of its own, for which the process does not
/// wait at its end: the next backup reuses or removes the files of an interrupted one.
///
/// # Errors
/// See [`BackupError`]. Earlier snapshots are unchanged then.
pub async fn run(
    app: &Arc<App>,
    to: &BackupDestination,
    keep: Option<RetentionPolicy>,
) -> Result<BackupReport, BackupError> {
    let (app_clone, target, handle) = (Arc::clone(app), to.clone(), Handle::current());
    let mut leases = Vec::new();
    if matches!(to, BackupDestination::Bucket(_)) {
        let lease = Lease::acquire_if_due(app, WRITER_LEASE, app.clock.now()).await?;
        leases.push(lease.ok_or_else(|| BackupError::Busy(to.to_string()))?.auto_renew());
    }
    // Acquired before the database is read, so that no referenced blob is deleted from here on.
    let name = format!("{PAUSE_LEASE_PREFIX}{}", keys::new_blob_name());
    leases.push(Lease::acquire(app, name).await?.auto_renew());
    let lost_checks: Vec<_> = leases.iter().map(RenewedLease::lost).collect();
    let result = run_on_thread(move || {
        let check_stalled = || {
            if lost_checks.iter().any(|is_lost| is_lost()) {
                Err(BackupError::Stalled)
            } else {
                Ok(())
            }
        };
        create_snapshot(&app_clone, &handle, &target, keep, &check_stalled)
    });
    let result = result.await;
    for lease in leases {
        if let Some(lease) = lease.release().await {
            lease.delete().await?;
        }
    }
    result
}

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

/// Returns the location of the portal's database.
#[must_use]
pub fn database_source(config: &Config) -> DumpSource {
    let location = match &config.database {
        None => DumpLocation::Sqlite(config.data_dir.clone()),
        Some(server) => DumpLocation::Postgres(server.clone()),
    };
    DumpSource { location, migrations: MIGRATIONS }
}

/// Returns whether a folder, which need not exist yet, is within another one. Resolves symbolic links.
fn is_inside(folder: &Path, other: &Path) -> Result<bool, BackupError> {
    let absolute =
        path::absolute(folder).map_err(BackupError::io(&folder.display().to_string()))?;
    let existing = absolute.ancestors().find_map(|part| part.canonicalize().ok());
    let other = other.canonicalize().map_err(BackupError::io(&other.display().to_string()))?;
    Ok(existing.is_some_and(|existing| existing.starts_with(other)))
}

fn create_snapshot(
    app: &App,
    handle: &Handle,
    to: &BackupDestination,
    keep: Option<RetentionPolicy>,
    check_stalled: &(dyn Fn() -> Result<(), BackupError> + Sync),
) -> Result<BackupReport, BackupError> {
    let (started, now) = (Instant::now(), app.clock.now());
    if matches!(to, BackupDestination::Folder(folder) if is_inside(folder, &app.config.data_dir)?) {
        return Err(BackupError::Refused(
            "a backup must not lie in the data folder that it is of".into(),
        ));
    }

    let repository = Repository::open_or_init(to, &app.config, handle)?;

    let mut reader = DumpReader::open(&database_source(&app.config))?;
    let migrations = reader.migrations.clone();
    let (referenced, rows) = repository.store_text(|chunker| {
        let (mut referenced, mut seen) = (Vec::new(), HashSet::new());
        let mut writer = row_stream::RowWriter::begin(chunker, &reader.migrations, &reader.tables);
        for table in reader.tables.clone() {
            writer.table(&table);
            let blob_columns = BlobColumns::find(&table);
            reader.rows(&table, |row| {
                if let Some(blob_columns) = &blob_columns {
                    let blob = blob_columns.read(row)?;
                    if seen.insert(blob.name.clone()) {
                        referenced.push(blob);
                    }
                }
                writer.row((0..table.columns.len()).map(|index| row.cell(index)));
                Ok::<_, BackupError>(())
            })?;
            check_stalled()?;
        }
        writer.end();
        Ok(referenced)
    })?;
    // Ends the read transaction before the long copying of blobs.
    drop(reader);

    let new_blobs: Vec<&Blob> =
        referenced.iter().filter(|blob| !repository.contains(blob)).collect();
    let missing = Mutex::new(BTreeSet::new());
    for_each_parallel(&new_blobs, |blob| {
        check_stalled()?;
        if !copy_blob(&app.files, handle, &repository, blob)? {
            missing.lock().expect("no holder of the lock panics").insert(blob.name.clone());
        }
        Ok(())
    })?;

    let broken = missing.into_inner().expect("no holder of the lock panics");
    let is_intact = |blob: &&Blob| !broken.contains(&blob.name);
    let new_bytes = new_blobs.iter().copied().filter(is_intact).map(|blob| blob.size).sum();

    let ((), blobs) = repository.store_text(|chunker| {
        for blob in referenced.iter().filter(is_intact) {
            let line = serde_json::to_string(blob).expect("a blob can be written as JSON");
            chunker.line(format!("{line}\n").as_bytes());
            chunker.count();
        }
        Ok(())
    })?;

    let secret = Keys::stored(app.config.jwt_secret.as_deref(), &app.config.data_dir);
    let manifest = Manifest {
        format: manifest::FORMAT,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        created_at: format_timestamp(now),
        migrations,
        secret: secret.map_err(BackupError::Files)?,
        secret_mark: app.keys.fingerprint().to_owned(),
        rows,
        blobs,
        blob_bytes: referenced.iter().filter(is_intact).map(|blob| blob.size).sum(),
        broken: broken.into_iter().collect(),
    };

    check_stalled()?;
    let snapshot = repository.commit_snapshot(&manifest, now)?;
    if let Some(keep) = keep {
        repository.prune(keep, &app.config.time_zone)?;
    }

    Ok(BackupReport {
        snapshot,
        files: manifest.blobs.sum.count,
        bytes: manifest.blob_bytes,
        rows: manifest.rows.sum.count,
        row_bytes: manifest.rows.sum.size,
        new_bytes,
        snapshots: repository.snapshots()?.len() as u64,
        broken: manifest.broken,
        seconds: started.elapsed().as_secs(),
    })
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

/// Copies one blob. Returns `false` if it is missing or damaged in the portal's store; the backup continues without it.
fn copy_blob(
    files: &BlobStore,
    handle: &Handle,
    repository: &Repository,
    blob: &Blob,
) -> Result<bool, BackupError> {
    let mut reader = match handle.block_on(files.open_blob(&blob.name, 0, blob.size)) {
        Ok(reader) => reader,
        Err(error) => return missing_or_error(&error),
    };
    repository.add_blob(&blob.name, |out| {
        let mut hash = Sha256::new();
        loop {
            let bytes = match handle.block_on(reader.next()) {
                Ok(bytes) => bytes,
                Err(error) => return missing_or_error(&error),
            };
            if bytes.is_empty() {
                return Ok(keys::hex(&hash.finalize()) == blob.sha256);
            }
            hash.update(&bytes);
            out.write_all(&bytes).map_err(BackupError::io(repository.name()))?;
        }
    })
}

/// Distinguishes a missing blob (`false`) from a store that cannot be read (an error).
fn missing_or_error(error: &io::Error) -> Result<bool, BackupError> {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof => Ok(false),
        _ => Err(BackupError::Files(error.to_string())),
    }
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
