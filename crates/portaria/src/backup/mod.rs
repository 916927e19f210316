//! Backups: what they hold, and how one is made while the portal goes on.
//!
//! A backup folder holds the blobs of all its snapshots once, and for each snapshot every row of the database and a
//! manifest. A snapshot appears under its name when all of it is on the disk and was read back, or not at all.

pub mod copy;
mod folder;
mod lines;
mod manifest;
pub mod restore;
mod seal;
pub mod status;

use std::{
    collections::BTreeMap,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use sha2::{Digest, Sha256};
use tokio::{runtime::Handle, sync::oneshot};

pub use folder::Folder;
pub(crate) use folder::MARK;
pub use manifest::{Blob, Manifest};

use crate::{
    app::App,
    clock::stamp,
    config::{Config, Keep},
    db::{
        self, Cell,
        whole::{Place, Reader, Table},
    },
    files::Files,
    keys::{self, Keys},
    turn::{self, Turn},
};

/// Why a backup was not made, or not brought back.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The disk that the backup goes to, or that it is brought back to, is full.
    #[error("there is no room left at {}", .0.display())]
    NoRoom(PathBuf),
    /// A folder or file of the backup cannot be read or written.
    #[error("{path}: {1}", path = .0.display())]
    Unreachable(PathBuf, io::Error),
    /// Somebody else is writing into the same folder.
    #[error("another backup is being written to {}", .0.display())]
    Busy(PathBuf),
    /// There is something else in the folder.
    #[error("{} is no backup, and not empty either", .0.display())]
    NotABackup(PathBuf),
    /// The backup is encrypted.
    #[error("the backup is encrypted: give its key (backup_key)")]
    NeedsKey,
    /// The backup is encrypted with another key.
    #[error("the backup is encrypted with another key than backup_key")]
    WrongKey,
    /// A key was given for a folder that holds backups without one.
    #[error("{} holds backups that are not encrypted: choose an empty folder for encrypted ones", .0.display())]
    NotEncrypted(PathBuf),
    /// The folder holds no snapshot, or none of that name.
    #[error("there is no such snapshot in {}", .0.display())]
    NoSnapshot(PathBuf),
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
    HeldUp,
    /// What stands in the way at the place that the data are brought back to.
    #[error("{0}")]
    Refused(String),
}

impl Failure {
    /// By which the dashboard knows what to say.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoRoom(_) => "no_room",
            Self::Unreachable(..) | Self::NotABackup(_) | Self::NoSnapshot(_) => "unreachable",
            Self::Busy(_) => "busy",
            Self::NeedsKey | Self::WrongKey | Self::NotEncrypted(_) => "key",
            Self::Damaged(_) | Self::Newer(_) => "damaged",
            Self::Database(_) => "database",
            Self::Files(_) => "files",
            Self::HeldUp => "held_up",
            Self::Refused(_) => "refused",
        }
    }

    fn at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |error| match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::NoRoom(path.to_owned())
            }
            _ => Self::Unreachable(path.to_owned(), error),
        }
    }
}

/// A backup that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
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
    /// Bytes that were not in the folder before.
    pub new_bytes: u64,
    /// How many snapshots the folder holds now.
    pub snapshots: u64,
    /// Files that the portal itself no longer has as they were stored, by the names of their blobs.
    pub broken: Vec<String>,
    /// How long it took.
    pub seconds: u64,
}

/// For so long the sweep is asked not to unlink anything; renewed while the backup goes on.
const PAUSE: &str = "backup pause ";

/// Makes a backup, and drops the snapshots that `keep` no longer wants. On a thread of its own, which a process that
/// ends does not wait for: what it leaves behind is put right by the next one.
///
/// # Errors
/// [`Failure`]; the folder's earlier snapshots are as they were.
pub async fn run(app: &Arc<App>, to: &Path, keep: Option<Keep>) -> Result<Made, Failure> {
    let (inner, to, handle) = (Arc::clone(app), to.to_owned(), Handle::current());
    // Before the snapshot is taken: nothing that it names is unlinked from here on.
    let name = format!("{PAUSE}{}", keys::new_blob_name());
    let pause = Turn::begin(app, name).await?.keep();
    let lost = pause.lost();
    let made = on_a_thread(move || {
        let held_up = || if lost() { Err(Failure::HeldUp) } else { Ok(()) };
        make(&inner, &handle, &to, keep, &held_up)
    });
    let made = made.await;
    if let Some(turn) = pause.give_back().await {
        turn.end().await?;
    }
    made
}

/// Runs `work` on a thread that nobody waits for when the process ends.
async fn on_a_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let (done, finished) = oneshot::channel();
    let spawned = std::thread::Builder::new().name("backup".into()).spawn(move || {
        drop(done.send(work()));
    });
    spawned.map_err(|error| Failure::Files(format!("cannot start a thread: {error}")))?;
    finished.await.map_err(|_| Failure::Files("the thread panicked".into()))?
}

/// Where the portal's database is.
#[must_use]
pub fn place(config: &Config) -> Place {
    match &config.database {
        None => Place::Sqlite(config.data_dir.clone()),
        Some(server) => Place::Postgres(server.clone()),
    }
}

fn make(
    app: &App,
    handle: &Handle,
    to: &Path,
    keep: Option<Keep>,
    held_up: &dyn Fn() -> Result<(), Failure>,
) -> Result<Made, Failure> {
    let (began, now) = (Instant::now(), app.clock.now());
    if to.starts_with(&app.config.data_dir) {
        return Err(Failure::Refused(
            "a backup must not lie in the data folder that it is of".into(),
        ));
    }
    let folder =
        Folder::for_writing(to, app.config.backup.key.as_ref(), app.config.min_free_space)?;
    let draft = folder.begin(now)?;
    let mut wanted = BTreeMap::new();
    let mut reader = Reader::open(&place(&app.config))?;
    let mut lines = lines::Writer::begin(draft.rows()?, &reader.migrations, &reader.tables)?;
    for table in reader.tables.clone() {
        lines.table(&table)?;
        let held = Held::of(&table);
        reader.rows(&table, |row| {
            if let Some(held) = &held {
                let blob = held.read(row)?;
                wanted.insert(blob.name.clone(), blob);
            }
            lines.row((0..table.columns.len()).map(|place| row.cell(place)))
        })?;
        held_up()?;
    }
    let migrations = reader.migrations.clone();
    // From here on the database keeps nothing for us.
    drop(reader);
    let (rows, file) = lines.end()?;
    file.finish()?;

    let (mut blobs, mut broken, mut new_bytes) = (Vec::new(), Vec::new(), 0);
    for blob in wanted.into_values() {
        held_up()?;
        if folder.has(&blob) {
            blobs.push(blob);
        } else if copy(&app.files, handle, &folder, &blob)? {
            new_bytes += blob.size;
            blobs.push(blob);
        } else {
            broken.push(blob.name);
        }
    }
    let secret = Keys::stored(app.config.jwt_secret.as_deref(), &app.config.data_dir);
    let manifest = Manifest {
        format: manifest::FORMAT,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        created_at: stamp(now),
        migrations,
        secret: secret.map_err(Failure::Files)?,
        secret_mark: app.keys.mark().to_owned(),
        rows,
        blobs,
        broken,
    };
    draft.write(&manifest)?;
    draft.read_back(&manifest)?;
    held_up()?;
    let snapshot = draft.commit()?;
    if let Some(keep) = keep {
        folder.prune(keep, &app.config.time_zone)?;
    }
    Ok(Made {
        snapshot,
        files: manifest.blobs.len() as u64,
        bytes: manifest.blobs.iter().map(|blob| blob.size).sum(),
        rows: manifest.rows.count,
        row_bytes: manifest.rows.size,
        new_bytes,
        snapshots: folder.snapshots()?.len() as u64,
        broken: manifest.broken,
        seconds: began.elapsed().as_secs(),
    })
}

/// Copies one blob; `false` when the portal no longer has it as it was stored. That is no reason to keep nothing of
/// all the others.
fn copy(files: &Files, handle: &Handle, folder: &Folder, blob: &Blob) -> Result<bool, Failure> {
    let mut reader = match handle.block_on(files.open_blob(&blob.name, 0, blob.size)) {
        Ok(reader) => reader,
        Err(error) => return lost(&error),
    };
    let mut writer = folder.put(&blob.name)?;
    let mut hash = Sha256::new();
    loop {
        let bytes = match handle.block_on(reader.next()) {
            Ok(bytes) => bytes,
            Err(error) => return lost(&error),
        };
        if bytes.is_empty() {
            break;
        }
        hash.update(&bytes);
        writer.write_all(&bytes).map_err(Failure::at(folder.path()))?;
    }
    if keys::hex(&hash.finalize()) != blob.sha256 {
        return Ok(false);
    }
    writer.finish()?;
    Ok(true)
}

/// Whether a blob is lost, or its store only away.
fn lost(error: &io::Error) -> Result<bool, Failure> {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof => Ok(false),
        _ => Err(Failure::Files(error.to_string())),
    }
}

/// Which columns of the table of files tell of their blobs.
struct Held {
    blob: usize,
    size: usize,
    sha256: usize,
}

impl Held {
    fn of(table: &Table) -> Option<Self> {
        let place = |name: &str| table.columns.iter().position(|column| column.name == name);
        let held =
            || Some(Self { blob: place("blob")?, size: place("size")?, sha256: place("sha256")? });
        if table.name == "objects" { held() } else { None }
    }

    fn read(&self, row: db::Row<'_>) -> Result<Blob, Failure> {
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
pub fn none_is_made(now: jiff::Timestamp) -> sea_query::Expr {
    turn::none_is_held(PAUSE, now)
}

/// Forgets the backups that a crash cut off.
///
/// # Errors
/// The database's.
pub fn forget(tx: &mut db::Tx<'_>, now: jiff::Timestamp) -> Result<(), db::Error> {
    turn::forget(tx, PAUSE, now)
}

/// Reads everything of a stream into its SHA-256 and its length.
fn digest(mut from: impl Read) -> io::Result<(u64, String)> {
    let (mut hash, mut size, mut piece) = (Sha256::new(), 0, vec![0; 1 << 18]);
    loop {
        let read = from.read(&mut piece)?;
        if read == 0 {
            return Ok((size, keys::hex(&hash.finalize())));
        }
        hash.update(piece.get(..read).unwrap_or_default());
        size += read as u64;
    }
}
