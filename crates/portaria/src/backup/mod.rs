//! Backups: what they hold, and how one is made while the portal goes on.
//!
//! A backup holds the blobs of all its snapshots once, the rows of the database in pieces that snapshots share, and for
//! each snapshot a manifest. It appears under its name when all that it counts on is there for good, or not at all.

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
    config::{Config, RetentionPolicy, Target},
    db::{
        self, Cell,
        dump::{DumpReader, DumpSource, Table},
    },
    lease::{self, Lease, RenewedLease},
    security::keys::{self, Keys},
};

/// Why a backup was not made, or not brought back.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The disk that the backup goes to, or that it is brought back to, is full.
    #[error("there is no room left at {0}")]
    NoSpace(String),
    /// A folder or file of the backup cannot be read or written.
    #[error("{0}: {1}")]
    Io(String, io::Error),
    /// Somebody else is writing to the same place.
    #[error("another backup is being written to {0}")]
    Busy(String),
    /// There is something else.
    #[error("{0} is no backup, and not empty either")]
    NotABackup(String),
    /// The backup is encrypted.
    #[error("the backup is encrypted: give its key (backup_key)")]
    NeedsKey,
    /// The backup is encrypted with another key.
    #[error("the backup is encrypted with another key than backup_key")]
    WrongKey,
    /// A key was given for a place that holds backups without one.
    #[error("{0} holds backups that are not encrypted: choose an empty place for encrypted ones")]
    NotEncrypted(String),
    /// There is no snapshot, or none of that name.
    #[error("there is no such snapshot in {0}")]
    NoSnapshot(String),
    /// What is there is not what was written.
    #[error("the backup is damaged: {0}")]
    Damaged(String),
    /// A newer program wrote it.
    #[error("the backup was made by a newer version of this program ({0})")]
    Newer(String),
    /// The database, of either side.
    #[error("{0}")]
    Database(#[from] db::Error),
    /// The portal's own files.
    #[error("a file of the portal: {0}")]
    Files(String),
    /// The backup was held up so long that the sweep of deleted files had to go on.
    #[error("the backup was held up for too long, and files may have been deleted under its hands")]
    Stalled,
    /// What stands in the way at the place that the data are brought back to.
    #[error("{0}")]
    Refused(String),
}

impl BackupError {
    /// By which the dashboard knows what to say.
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

    fn at(place: &str) -> impl FnOnce(io::Error) -> Self {
        move |error| match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::NoSpace(place.to_owned())
            }
            _ => Self::Io(place.to_owned(), error),
        }
    }
}

/// A backup that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupReport {
    /// The snapshot's name.
    pub snapshot: String,
    /// Files in it.
    pub files: u64,
    /// All of theirs together.
    pub bytes: u64,
    /// Rows of the database.
    pub rows: u64,
    /// What they take as text.
    pub row_bytes: u64,
    /// Bytes of files that were not there before.
    pub new_bytes: u64,
    /// How many snapshots there are now.
    pub snapshots: u64,
    /// Files that the portal itself no longer has as they were stored, by the names of their blobs.
    pub broken: Vec<String>,
    /// How long it took.
    pub seconds: u64,
}

/// For so long the sweep is asked not to unlink anything; renewed while the backup goes on.
const PAUSE: &str = "backup pause ";
/// Who writes into a bucket; a folder has a lock for that.
const WRITING: &str = "backup writing";
/// So many files are on their way at once: they share the disk's syncs, and wait for its answers together.
const AT_ONCE: usize = 8;

/// Makes a backup, and drops the snapshots that `keep` no longer wants. On a thread of its own, which a process that
/// ends does not wait for: what it leaves behind is put right by the next one.
///
/// # Errors
/// [`Failure`]; earlier snapshots are as they were.
pub async fn run(
    app: &Arc<App>,
    to: &Target,
    keep: Option<RetentionPolicy>,
) -> Result<BackupReport, BackupError> {
    let (inner, target, handle) = (Arc::clone(app), to.clone(), Handle::current());
    let mut kept = Vec::new();
    if matches!(to, Target::Bucket(_)) {
        let turn = Lease::acquire_if_due(app, WRITING, app.clock.now()).await?;
        kept.push(turn.ok_or_else(|| BackupError::Busy(to.to_string()))?.auto_renew());
    }
    // Before the snapshot is taken: nothing that it names is unlinked from here on.
    let name = format!("{PAUSE}{}", keys::new_blob_name());
    kept.push(Lease::acquire(app, name).await?.auto_renew());
    let lost: Vec<_> = kept.iter().map(RenewedLease::lost).collect();
    let made = on_a_thread(move || {
        let held_up =
            || if lost.iter().any(|lost| lost()) { Err(BackupError::Stalled) } else { Ok(()) };
        make(&inner, &handle, &target, keep, &held_up)
    });
    let made = made.await;
    for turn in kept {
        if let Some(turn) = turn.release().await {
            turn.end().await?;
        }
    }
    made
}

/// Runs `work` on a thread that nobody waits for when the process ends.
async fn on_a_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, BackupError> + Send + 'static,
) -> Result<T, BackupError> {
    let (done, finished) = oneshot::channel();
    let spawned = thread::Builder::new().name("backup".into()).spawn(move || {
        drop(done.send(work()));
    });
    spawned.map_err(|error| BackupError::Files(format!("cannot start a thread: {error}")))?;
    finished.await.map_err(|_| BackupError::Files("the thread panicked".into()))?
}

/// Where the portal's database is.
#[must_use]
pub fn database_source(config: &Config) -> DumpSource {
    match &config.database {
        None => DumpSource::Sqlite(config.data_dir.clone()),
        Some(server) => DumpSource::Postgres(server.clone()),
    }
}

/// Whether a folder lies in another, however either is written. It need not be there yet.
fn is_inside(folder: &Path, other: &Path) -> Result<bool, BackupError> {
    let absolute =
        path::absolute(folder).map_err(BackupError::at(&folder.display().to_string()))?;
    let there = absolute.ancestors().find_map(|part| part.canonicalize().ok());
    let other = other.canonicalize().map_err(BackupError::at(&other.display().to_string()))?;
    Ok(there.is_some_and(|there| there.starts_with(other)))
}

fn make(
    app: &App,
    handle: &Handle,
    to: &Target,
    keep: Option<RetentionPolicy>,
    held_up: &(dyn Fn() -> Result<(), BackupError> + Sync),
) -> Result<BackupReport, BackupError> {
    let (began, now) = (Instant::now(), app.clock.now());
    if matches!(to, Target::Folder(folder) if is_inside(folder, &app.config.data_dir)?) {
        return Err(BackupError::Refused(
            "a backup must not lie in the data folder that it is of".into(),
        ));
    }
    let vault = Repository::open_or_init(to, &app.config, handle)?;
    let mut reader = DumpReader::open(&database_source(&app.config))?;
    let migrations = reader.migrations.clone();
    let (wanted, rows) = vault.text(|cutter| {
        let (mut wanted, mut seen) = (Vec::new(), HashSet::new());
        let mut lines = row_stream::RowWriter::begin(cutter, &reader.migrations, &reader.tables);
        for table in reader.tables.clone() {
            lines.table(&table);
            let held = BlobColumns::of(&table);
            reader.rows(&table, |row| {
                if let Some(held) = &held {
                    let blob = held.read(row)?;
                    if seen.insert(blob.name.clone()) {
                        wanted.push(blob);
                    }
                }
                lines.row((0..table.columns.len()).map(|place| row.cell(place)));
                Ok::<_, BackupError>(())
            })?;
            held_up()?;
        }
        lines.end();
        Ok(wanted)
    })?;
    // From here on the database keeps nothing for us.
    drop(reader);

    let new: Vec<&Blob> = wanted.iter().filter(|blob| !vault.contains(blob)).collect();
    let lost = Mutex::new(BTreeSet::new());
    for_each_parallel(&new, |blob| {
        held_up()?;
        if !copy(&app.files, handle, &vault, blob)? {
            lost.lock().expect("no holder of the lock panics").insert(blob.name.clone());
        }
        Ok(())
    })?;
    let broken = lost.into_inner().expect("no holder of the lock panics");
    let is_whole = |blob: &&Blob| !broken.contains(&blob.name);
    let new_bytes = new.iter().copied().filter(is_whole).map(|blob| blob.size).sum();
    let ((), blobs) = vault.text(|cutter| {
        for blob in wanted.iter().filter(is_whole) {
            let line = serde_json::to_string(blob).expect("a blob can be written as JSON");
            cutter.line(format!("{line}\n").as_bytes());
            cutter.count();
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
        blob_bytes: wanted.iter().filter(is_whole).map(|blob| blob.size).sum(),
        broken: broken.into_iter().collect(),
    };
    held_up()?;
    let snapshot = vault.commit_snapshot(&manifest, now)?;
    if let Some(keep) = keep {
        vault.prune(keep, &app.config.time_zone)?;
    }
    Ok(BackupReport {
        snapshot,
        files: manifest.blobs.sum.count,
        bytes: manifest.blob_bytes,
        rows: manifest.rows.sum.count,
        row_bytes: manifest.rows.sum.size,
        new_bytes,
        snapshots: vault.snapshots()?.len() as u64,
        broken: manifest.broken,
        seconds: began.elapsed().as_secs(),
    })
}

/// Does `work` for each item, for several at once. The first that fails stops the others.
fn for_each_parallel<T: Sync>(
    items: &[T],
    work: impl Fn(&T) -> Result<(), BackupError> + Sync,
) -> Result<(), BackupError> {
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(None));
    thread::scope(|scope| {
        for _ in 0..AT_ONCE.min(items.len()) {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(failure) = work(item) {
                        next.store(items.len(), Ordering::Relaxed);
                        let mut failed = failed.lock().expect("no holder of the lock panics");
                        failed.get_or_insert(failure);
                    }
                }
            });
        }
    });
    failed.into_inner().expect("no holder of the lock panics").map_or(Ok(()), Err)
}

/// Copies one blob; `false` when the portal no longer has it as it was stored. That is no reason to keep nothing of
/// all the others.
fn copy(
    files: &BlobStore,
    handle: &Handle,
    vault: &Repository,
    blob: &Blob,
) -> Result<bool, BackupError> {
    let mut reader = match handle.block_on(files.open_blob(&blob.name, 0, blob.size)) {
        Ok(reader) => reader,
        Err(error) => return lost(&error),
    };
    vault.add_blob(&blob.name, |out| {
        let mut hash = Sha256::new();
        loop {
            let bytes = match handle.block_on(reader.next()) {
                Ok(bytes) => bytes,
                Err(error) => return lost(&error),
            };
            if bytes.is_empty() {
                return Ok(keys::hex(&hash.finalize()) == blob.sha256);
            }
            hash.update(&bytes);
            out.write_all(&bytes).map_err(BackupError::at(vault.name()))?;
        }
    })
}

/// Whether a blob is lost, or its store only away.
fn lost(error: &io::Error) -> Result<bool, BackupError> {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof => Ok(false),
        _ => Err(BackupError::Files(error.to_string())),
    }
}

/// Which columns of the table of files tell of their blobs.
struct BlobColumns {
    blob: usize,
    size: usize,
    sha256: usize,
}

impl BlobColumns {
    fn of(table: &Table) -> Option<Self> {
        let place = |name: &str| table.columns.iter().position(|column| column.name == name);
        let held =
            || Some(Self { blob: place("blob")?, size: place("size")?, sha256: place("sha256")? });
        if table.name == "objects" { held() } else { None }
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

/// The condition under which no backup is being made, for what would take files from under its hands.
#[must_use]
pub fn no_backup_running(now: jiff::Timestamp) -> sea_query::Expr {
    lease::no_active_lease(PAUSE, now)
}

/// Forgets the backups that a crash cut off.
///
/// # Errors
/// The database's.
pub fn forget(tx: &mut db::Tx<'_>, now: jiff::Timestamp) -> Result<(), db::Error> {
    lease::delete_expired(tx, PAUSE, now)
}
