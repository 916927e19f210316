//! A backup brought back: beside the live data, checked to the last byte, and only then in their place.

use std::{
    collections::{HashMap, HashSet},
    fs::{self, OpenOptions},
    io::{Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use sea_query::{Expr, ExprTrait, Query};
use tokio::runtime::Handle;

use crate::backup::{
    BackupError, Blob, BlobColumns, Manifest, Repository, database_source, for_each_parallel,
    on_a_thread,
    row_stream::{self, RowSink, corrupt},
};
use crate::{
    app::{self, App},
    backup::swap,
    blob::BlobStore,
    clock::Clock,
    config::{BucketUrl, Config, Target},
    db::{
        self, Cell,
        dump::{self, DumpSource, DumpWriter, Table},
    },
    fsck,
    security::keys::{self, Keys},
};

/// Tables whose rows stay behind: who was signed in then may have been shown the door since, and the bytes of uploads
/// under way are in no backup.
const LEFT_BEHIND: [&str; 2] = ["sessions", "uploads"];
/// How long the engine may take to close what it checked.
const CLOSING: Duration = Duration::from_mins(1);
/// How the schema's name begins that the old rows go to.
const ASIDE: &str = "replaced_";
/// Where a rehearsal is held, in the data folder.
const REHEARSAL: &str = "rehearsal";

/// What was brought back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// The snapshot.
    pub snapshot: String,
    /// When it was made.
    pub created_at: String,
    /// By which version of the program.
    pub version: String,
    /// Files, each as it was stored.
    pub files: u64,
    /// All of theirs together.
    pub bytes: u64,
    /// Rows of the database.
    pub rows: u64,
    /// Files that the portal had lost before it was backed up.
    pub broken: u64,
    /// Where the data are that were there before: a folder, or a schema of the database.
    pub aside: Option<String>,
    /// Whether the rows were written under another secret than the one in force.
    pub other_secret: bool,
}

/// What to bring back.
#[derive(Debug, Clone)]
pub struct RestoreOptions {
    /// Where the backups are.
    pub from: Target,
    /// The snapshot; `None` for the newest.
    pub snapshot: Option<String>,
    /// Whether live data may be moved aside.
    pub replace: bool,
}

/// Brings a backup back to where the settings say that the data are. The portal does not run meanwhile.
///
/// # Errors
/// [`Failure`]; the live data are as they were then. Only a fault that PostgreSQL's rows show when they are in place leaves
/// them aside.
pub async fn run(
    config: &Config,
    clock: &Clock,
    wanted: RestoreOptions,
) -> Result<Restored, BackupError> {
    app::make_private(&config.data_dir).map_err(BackupError::Refused)?;
    let _lock = app::lock(&config.data_dir).map_err(BackupError::Refused)?;
    swap::recover(&config.data_dir).map_err(BackupError::Refused)?;
    let asked = database_source(config);
    let is_empty = on_a_thread(move || Ok(dump::is_empty(&asked)?)).await?;
    if !wanted.replace && !is_empty {
        return Err(BackupError::Refused(
            "there are data already. With --replace they are moved aside, and nothing of them is deleted".into(),
        ));
    }
    let stamp = clock.now().strftime("%Y%m%dT%H%M%SZ").to_string();
    if config.database.is_none() {
        let disk = std::fs::File::open(&config.data_dir)
            .map_err(BackupError::at(&config.data_dir.display().to_string()))?;
        let new = swap::stage(&config.data_dir).map_err(BackupError::Refused)?;
        let restored = build(config, clock, wanted, new, config.bucket.clone()).await?;
        let aside = swap::swap_in(&config.data_dir, &disk, &stamp).map_err(BackupError::Refused)?;
        return Ok(Restored { aside: aside.map(|path| path.display().to_string()), ..restored });
    }
    let aside = (!is_empty).then(|| format!("{ASIDE}{}", stamp.to_lowercase()));
    let restored = fill(config, wanted, aside.clone()).await?;
    let app = App::open(config.clone(), clock.clone()).map_err(BackupError::Refused)?;
    if let Err(failure) = check(&app, &restored.0).await {
        let before = aside
            .map_or_else(String::new, |aside| format!("; what was there before is in {aside}"));
        return Err(BackupError::Refused(format!("{failure}{before}")));
    }
    Ok(Restored { aside, ..tell(restored, config) })
}

/// Brings the newest snapshot back into a folder of its own, checks everything, and removes it again. The portal goes on.
///
/// # Errors
/// [`Failure`]: what would have gone wrong.
pub async fn verify_restore(
    config: &Config,
    clock: &Clock,
    wanted: RestoreOptions,
) -> Result<Restored, BackupError> {
    let folder = config.data_dir.join(REHEARSAL);
    swap::clear(&folder).map_err(BackupError::Refused)?;
    app::make_private(&folder).map_err(BackupError::Refused)?;
    let restored = build(config, clock, wanted, folder.clone(), None).await;
    swap::clear(&folder).map_err(BackupError::Refused)?;
    restored
}

/// Whether data that a restore moved aside count on the blobs that the live data have, too: then none may be removed. With
/// the embedded database and a folder the blobs went with the rows.
///
/// # Errors
/// The database's.
pub async fn has_replaced_data(app: &App) -> Result<bool, db::Error> {
    if app.config.database.is_none() {
        return Ok(app.config.bucket.is_some() && swap::has_backup_copy(&app.config.data_dir));
    }
    let mut schemas = Query::select();
    schemas.column("nspname").from("pg_namespace");
    schemas.and_where(Expr::col("nspname").like(format!("{}%", ASIDE.replace('_', "\\_"))));
    app.db.read(move |tx| Ok(!tx.rows(&schemas)?.is_empty())).await
}

/// Builds a whole data folder with the embedded database, and checks it as `portaria fsck` does.
async fn build(
    config: &Config,
    clock: &Clock,
    wanted: RestoreOptions,
    folder: PathBuf,
    bucket: Option<BucketUrl>,
) -> Result<Restored, BackupError> {
    let mut own = config.clone();
    (own.database, own.data_dir, own.bucket) = (None, folder, bucket);
    let filled = fill(&own, wanted, None).await?;
    let app = App::open(own, clock.clone()).map_err(BackupError::Refused)?;
    check(&app, &filled.0).await?;
    let (restored, ended) = (tell(filled, &app.config), app.db.ended());
    drop(app);
    // Nothing may be moved while somebody has it open.
    if tokio::task::spawn_blocking(move || ended.wait(CLOSING)).await.unwrap_or(false) {
        Ok(restored)
    } else {
        Err(BackupError::Refused("the restored database is still in use".into()))
    }
}

/// Writes blobs, then rows, then the secret.
async fn fill(
    config: &Config,
    wanted: RestoreOptions,
    aside: Option<String>,
) -> Result<(Manifest, String), BackupError> {
    let (handle, config) = (Handle::current(), config.clone());
    on_a_thread(move || {
        let vault = Repository::open(&wanted.from, &config, &handle)?;
        let snapshot = match wanted.snapshot {
            Some(name) => name,
            None => vault
                .snapshots()?
                .pop()
                .ok_or_else(|| BackupError::NoSnapshot(wanted.from.to_string()))?,
        };
        let manifest = vault.manifest(&snapshot)?;
        if let Some(newer) = dump::unknown_migration(&manifest.migrations) {
            return Err(BackupError::Newer(format!("{}, migration {newer}", manifest.version)));
        }
        let (data_dir, bucket) = (&config.data_dir, config.bucket.as_ref());
        let files = BlobStore::open_for_import(data_dir, config.min_free_space, bucket)
            .map_err(BackupError::Files)?;
        // What a restore that was cut off left half written.
        files.clear().map_err(BackupError::Files)?;
        let blobs = vault.blobs(&manifest)?;
        for_each_parallel(&blobs, |blob| bring(&vault, &files, &handle, blob))?;
        handle.block_on(files.keep()).map_err(|error| refused(&error))?;
        rows(&vault, &manifest, &blobs, &database_source(&config), aside.as_deref())?;
        if let Some(secret) = &manifest.secret {
            keep_secret(data_dir, secret).map_err(BackupError::Files)?;
        }
        Ok((manifest, snapshot))
    })
    .await
}

/// Brings back one blob, unless it is there already.
fn bring(
    vault: &Repository,
    files: &BlobStore,
    handle: &Handle,
    blob: &Blob,
) -> Result<(), BackupError> {
    if let Ok(there) = handle.block_on(files.disk_usage(&blob.name))
        && (there.size, &there.sha256) == (blob.size, &blob.sha256)
    {
        return Ok(());
    }
    let mut from = vault.open_blob(&blob.name)?;
    let mut writer =
        handle.block_on(files.create_named(blob.name.clone())).map_err(|error| refused(&error))?;
    loop {
        let mut piece = vec![0; 1 << 18];
        let read = from.read(&mut piece).map_err(corrupt)?;
        if read == 0 {
            break;
        }
        piece.truncate(read);
        writer =
            handle.block_on(writer.write(Bytes::from(piece))).map_err(|error| refused(&error))?;
    }
    if !writer.is(blob.size, &blob.sha256) {
        return Err(BackupError::Damaged(format!("the file {} is not what was stored", blob.name)));
    }
    handle.block_on(writer.commit()).map(drop).map_err(|error| refused(&error))
}

fn refused(error: &std::io::Error) -> BackupError {
    match error.kind() {
        std::io::ErrorKind::StorageFull => BackupError::NoSpace("the portal's own disk".into()),
        _ => BackupError::Files(error.to_string()),
    }
}

fn rows(
    vault: &Repository,
    manifest: &Manifest,
    blobs: &[Blob],
    place: &DumpSource,
    aside: Option<&str>,
) -> Result<(), BackupError> {
    let tables = dump::tables(&manifest.migrations)?;
    let mut filling = Filling {
        writer: DumpWriter::begin(place, &manifest.migrations, aside).map_err(|error| match error {
            db::Error::Busy => BackupError::Refused(
                "others are connected to the database: stop every node of the portal, and other programs".into(),
            ),
            other => BackupError::Database(other),
        })?,
        blobs: blobs.iter().map(|blob| (blob.name.as_str(), blob)).collect(),
        broken: manifest.broken.iter().map(String::as_str).collect(),
        held: None,
        left_behind: false,
    };
    let found = row_stream::read(vault.read_text(&manifest.rows), &tables, &mut filling)?;
    if found != manifest.rows.sum {
        return Err(BackupError::Damaged("its rows are not what was written".into()));
    }
    Ok(filling.writer.commit()?)
}

/// Rows on their way into the database, each file's compared with the manifest.
struct Filling<'m> {
    writer: DumpWriter,
    blobs: HashMap<&'m str, &'m Blob>,
    broken: HashSet<&'m str>,
    held: Option<BlobColumns>,
    left_behind: bool,
}

impl RowSink for Filling<'_> {
    fn table(&mut self, table: &Table) -> Result<(), BackupError> {
        self.held = BlobColumns::of(table);
        self.left_behind = LEFT_BEHIND.contains(&table.name.as_str());
        Ok(self.writer.table(table)?)
    }

    fn row(&mut self, cells: &[Cell<'_>]) -> Result<(), BackupError> {
        if self.left_behind {
            return Ok(());
        }
        if let Some(held) = &self.held {
            let blob = held.of_cells(cells);
            let is_there = blob.is_some_and(|blob| {
                self.broken.contains(blob.name.as_str())
                    || self.blobs.get(blob.name.as_str()).is_some_and(|there| **there == blob)
            });
            if !is_there {
                return Err(BackupError::Damaged(
                    "its rows name a file that it does not hold".into(),
                ));
            }
        }
        Ok(self.writer.row(cells.iter().copied())?)
    }
}

/// Whether everything is as it should be, but for what was broken before.
async fn check(app: &Arc<App>, manifest: &Manifest) -> Result<(), BackupError> {
    let found = fsck::run(app).await?;
    let broken = manifest.broken.len();
    match found.faults.first() {
        Some(fault) if found.faults.len() > broken => Err(BackupError::Damaged(fault.clone())),
        _ => Ok(()),
    }
}

/// The secret that the rows were written under. Another one that lies there is kept beside it.
pub(crate) fn keep_secret(data_dir: &Path, secret: &str) -> Result<(), String> {
    let path = data_dir.join(keys::SECRET);
    let told = |error: std::io::Error| format!("{}: {error}", path.display());
    match fs::read_to_string(&path) {
        Ok(there) if there == secret => return Ok(()),
        Ok(there) => {
            let mark = Keys::from_secret(&there).fingerprint().to_owned();
            let beside = data_dir.join(format!(
                "{}.replaced-{}",
                keys::SECRET,
                mark.get(..8).unwrap_or_default()
            ));
            fs::rename(&path, beside).map_err(told)?;
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(told(error)),
    }
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
    let mut file = file.map_err(told)?;
    file.write_all(secret.as_bytes()).and_then(|()| file.sync_all()).map_err(told)
}

fn tell((manifest, snapshot): (Manifest, String), config: &Config) -> Restored {
    let secret = config.jwt_secret.as_deref().or(manifest.secret.as_deref());
    let mark = secret.map(|secret| Keys::from_secret(secret).fingerprint().to_owned());
    Restored {
        snapshot,
        created_at: manifest.created_at,
        version: manifest.version,
        files: manifest.blobs.sum.count,
        bytes: manifest.blob_bytes,
        rows: manifest.rows.sum.count,
        broken: manifest.broken.len() as u64,
        aside: None,
        other_secret: mark.as_deref() != Some(manifest.secret_mark.as_str()),
    }
}
