//! Restore of a snapshot: builds the data beside the live data, verifies every byte, and only then replaces the live
//! data. Replaced data are moved aside and never deleted.

use std::{
    collections::{HashMap, HashSet},
    fs::{self, OpenOptions},
    io::{Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use anyhow::Context;
use bytes::Bytes;
use sea_query::{Expr, ExprTrait, Query};
use tokio::runtime::Handle;

use crate::backup::{
    BackupError, Blob, BlobColumns, Manifest, Repository, choose, for_each_parallel,
    row_stream::{self, RowSink, corrupt},
    run_on_thread,
};
use crate::{
    app::App,
    backup::swap,
    blob::BlobStore,
    clock::Clock,
    config::{BackupDestination, Config, S3Location},
    data_dir,
    db::{
        self, Cell,
        dump::{self, DumpSource, DumpWriter, Table},
    },
    fsck::{self, Fault, FaultKind},
    schema::migrations::{MIGRATIONS, database_source},
    security::keys::{self, Keys},
};

/// Tables whose rows are not restored: sessions may have been ended since the backup, and the bytes of unfinished
/// uploads and of transformed images are in no backup.
const SKIPPED_TABLES: [&str; 3] = ["sessions", "uploads", "renditions"];
/// Timeout for the engine to close the restored database.
const CLOSE_TIMEOUT: Duration = Duration::from_mins(1);
/// Prefix of the PostgreSQL schema to which replaced rows are moved.
const REPLACED_SCHEMA_PREFIX: &str = "replaced_";
/// Name of the temporary folder for rehearsals, in the data folder.
pub(super) const REHEARSAL_DIR: &str = "rehearsal";

/// Result of a restore.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreReport {
    /// Name of the snapshot.
    pub snapshot: String,
    /// Time at which the snapshot was made.
    pub created_at: String,
    /// Version of the program that made it.
    pub version: String,
    /// Number of restored blobs.
    pub files: u64,
    /// Total size of these blobs.
    pub bytes: u64,
    /// Number of rows.
    pub rows: u64,
    /// Number of blobs that were missing or damaged already when the snapshot was made.
    pub broken: u64,
    /// Location of the replaced data: a folder, or a schema of the database.
    pub aside: Option<String>,
    /// Whether the rows were written under another secret than the present one.
    pub other_secret: bool,
}

/// Options of a restore.
#[derive(Debug, Clone)]
pub struct RestoreOptions {
    /// The backup target.
    pub from: BackupDestination,
    /// Name of the snapshot; `None` for the newest.
    pub snapshot: Option<String>,
    /// Whether existing data may be moved aside.
    pub replace: bool,
}

/// Restores a snapshot into the configured data folder and database. The portal must not be running.
///
/// # Errors
/// See [`BackupError`]. The live data are unchanged then, except after a failed verification with PostgreSQL, which
/// follows the commit: the replaced rows are then in the schema that the error names.
pub async fn run(
    config: &Config,
    clock: &Clock,
    options: RestoreOptions,
) -> Result<RestoreReport, BackupError> {
    data_dir::make_private(&config.data_dir).map_err(BackupError::refused)?;
    let _lock = data_dir::lock(&config.data_dir).map_err(BackupError::refused)?;
    swap::recover(&config.data_dir).map_err(BackupError::refused)?;

    let source = database_source(config);
    let is_empty = run_on_thread(move || Ok(dump::is_empty(&source)?)).await?;
    if !options.replace && !is_empty {
        return Err(BackupError::Refused(
            "there are data already. With --replace they are moved aside, and nothing of them is deleted".into(),
        ));
    }

    let stamp = clock.now().strftime("%Y%m%dT%H%M%SZ").to_string();
    if config.database.is_none() {
        let disk = std::fs::File::open(&config.data_dir)
            .map_err(BackupError::io(&config.data_dir.display().to_string()))?;
        let staging = swap::stage(&config.data_dir).map_err(BackupError::refused)?;
        let built = build(config, clock, options, staging.clone(), config.bucket.clone()).await;
        let restored = match built {
            Ok(restored) => restored,
            Err(failure) => {
                // It can fill the disk, and holds the clients' data.
                if let Err(error) = swap::remove_dir(&staging) {
                    tracing::warn!(%error, "what a failed restore wrote could not be removed");
                }
                return Err(failure);
            }
        };
        let aside = swap::swap_in(&config.data_dir, &disk, &stamp).map_err(BackupError::refused)?;
        return Ok(RestoreReport {
            aside: aside.map(|path| path.display().to_string()),
            ..restored
        });
    }

    let aside = (!is_empty).then(|| format!("{REPLACED_SCHEMA_PREFIX}{}", stamp.to_lowercase()));
    let (manifest, snapshot) = import_snapshot(config, clock, options, aside.clone()).await?;

    let app = App::open(config.clone(), clock.clone()).map_err(BackupError::refused)?;
    if let Err(failure) = check(&app, &manifest).await {
        let hint = aside
            .map_or_else(String::new, |aside| format!("; what was there before is in {aside}"));
        return Err(BackupError::Refused(format!("{failure}{hint}")));
    }
    Ok(RestoreReport { aside, ..restore_report(manifest, snapshot, config) })
}

/// Rehearses a restore: restores a snapshot into a temporary folder, verifies it, and deletes the folder. The portal
/// may be running. The default is the newest snapshot whose date is not in the future.
///
/// # Errors
/// The error with which a restore would fail.
pub async fn verify_restore(
    config: &Config,
    clock: &Clock,
    options: RestoreOptions,
) -> Result<RestoreReport, BackupError> {
    let folder = config.data_dir.join(REHEARSAL_DIR);
    let options = match options.snapshot {
        Some(_) => options,
        None => choose_past(config, clock, options).await?,
    };
    swap::remove_dir(&folder).map_err(BackupError::refused)?;
    data_dir::make_private(&folder).map_err(BackupError::refused)?;
    let restored = build(config, clock, options, folder.clone(), None).await;
    swap::remove_dir(&folder).map_err(BackupError::refused)?;
    restored
}

async fn choose_past(
    config: &Config,
    clock: &Clock,
    options: RestoreOptions,
) -> Result<RestoreOptions, BackupError> {
    let (now, handle, config) = (clock.now(), Handle::current(), config.clone());
    run_on_thread(move || {
        let repository = Repository::open(&options.from, &config, &handle)?;
        let snapshot = Some(choose::newest_past(&repository, now)?);
        Ok(RestoreOptions { snapshot, ..options })
    })
    .await
}

/// Returns whether replaced data share the blob store with the live data, so that no blob may be deleted. With SQLite
/// and a folder, the replaced data have their own blobs.
///
/// # Errors
/// Database errors.
pub async fn has_replaced_data(app: &App) -> Result<bool, db::Error> {
    if app.config.database.is_none() {
        return Ok(app.config.bucket.is_some() && swap::has_backup_copy(&app.config.data_dir));
    }
    let mut schemas = Query::select();
    schemas.column("nspname").from("pg_namespace");
    schemas.and_where(
        Expr::col("nspname").like(format!("{}%", REPLACED_SCHEMA_PREFIX.replace('_', "\\_"))),
    );
    app.db.read(move |tx| Ok(!tx.rows(&schemas)?.is_empty())).await
}

/// Builds a data folder with SQLite and verifies it as `portaria fsck` does.
async fn build(
    config: &Config,
    clock: &Clock,
    options: RestoreOptions,
    folder: PathBuf,
    bucket: Option<S3Location>,
) -> Result<RestoreReport, BackupError> {
    let mut restored_config = config.clone();
    (restored_config.database, restored_config.data_dir, restored_config.bucket) =
        (None, folder, bucket);
    let (manifest, snapshot) = import_snapshot(&restored_config, clock, options, None).await?;
    let app = App::open(restored_config, clock.clone()).map_err(BackupError::refused)?;
    check(&app, &manifest).await?;
    let restored = restore_report(manifest, snapshot, &app.config);
    let ended = app.db.ended();
    drop(app);
    // The folder must not be moved while the database is open.
    if tokio::task::spawn_blocking(move || ended.wait(CLOSE_TIMEOUT)).await.unwrap_or(false) {
        Ok(restored)
    } else {
        Err(BackupError::Refused("the restored database is still in use".into()))
    }
}

/// Imports a snapshot: blobs first, then rows, then the secret. Returns the manifest and the snapshot's name.
async fn import_snapshot(
    config: &Config,
    clock: &Clock,
    options: RestoreOptions,
    aside: Option<String>,
) -> Result<(Manifest, String), BackupError> {
    let now = clock.now();
    let (handle, config) = (Handle::current(), config.clone());
    run_on_thread(move || {
        let repository = Repository::open(&options.from, &config, &handle)?;
        let snapshot = match options.snapshot {
            Some(name) => name,
            None => choose::newest(&repository, now)?,
        };
        let imported = import_from(&repository, &snapshot, &config, &handle, aside.as_deref());
        let manifest = imported
            .map_err(|failure| choose::name_whole_snapshots(&repository, &snapshot, failure))?;
        Ok((manifest, snapshot))
    })
    .await
}

fn import_from(
    repository: &Repository,
    snapshot: &str,
    config: &Config,
    handle: &Handle,
    aside: Option<&str>,
) -> Result<Manifest, BackupError> {
    let manifest = repository.manifest(snapshot)?;
    if let Some(newer) = MIGRATIONS.unknown(&manifest.migrations) {
        return Err(BackupError::Newer(format!("{}, migration {newer}", manifest.version)));
    }

    let (data_dir, bucket) = (&config.data_dir, config.bucket.as_ref());
    let files =
        BlobStore::open_for_import(data_dir, config.min_free_space, bucket, keys::new_blob_name)
            .map_err(BackupError::Files)?;
    // Partial files of an interrupted restore.
    files.clear_staging().map_err(BackupError::Files)?;

    let blobs = repository.blobs(&manifest)?;
    for_each_parallel(&blobs, |blob| import_blob(repository, &files, handle, blob))?;
    handle.block_on(files.sync_all()).map_err(BackupError::store)?;
    import_rows(repository, &manifest, &blobs, &database_source(config), aside)?;
    match &manifest.secret {
        Some(secret) => write_secret(data_dir, secret),
        // The backup was made with a configured secret. Without one now, the office gets a new secret.
        None => Keys::open(config.portal_secret(), data_dir, || Ok(true)).map(drop),
    }
    .map_err(BackupError::files)?;

    Ok(manifest)
}

/// Imports one blob unless the store has it.
fn import_blob(
    repository: &Repository,
    files: &BlobStore,
    handle: &Handle,
    blob: &Blob,
) -> Result<(), BackupError> {
    if let Ok(existing) = handle.block_on(files.checksum(&blob.name))
        && (existing.size, &existing.sha256) == (blob.size, &blob.sha256)
    {
        return Ok(());
    }

    let mut from = repository.open_blob(&blob.name)?;
    let mut writer =
        handle.block_on(files.create_named(blob.name.clone())).map_err(BackupError::store)?;
    loop {
        let mut chunk = vec![0; 1 << 18];
        let read = from.read(&mut chunk).map_err(corrupt)?;
        if read == 0 {
            break;
        }
        chunk.truncate(read);
        writer = handle.block_on(writer.write(Bytes::from(chunk))).map_err(BackupError::store)?;
    }

    if !writer.matches(blob.size, &blob.sha256) {
        return Err(BackupError::Damaged(format!("the file {} is not what was stored", blob.name)));
    }
    handle.block_on(writer.commit()).map(drop).map_err(BackupError::store)
}

fn import_rows(
    repository: &Repository,
    manifest: &Manifest,
    blobs: &[Blob],
    target: &DumpSource,
    aside: Option<&str>,
) -> Result<(), BackupError> {
    let tables = dump::tables(MIGRATIONS, &manifest.migrations)?;
    let mut importer = RowImporter {
        writer: DumpWriter::begin(target, &manifest.migrations, aside).map_err(|error| match error {
            db::Error::Busy => BackupError::Refused(
                "others are connected to the database: stop every node of the portal, and other programs".into(),
            ),
            other => BackupError::Database(other),
        })?,
        blobs: blobs.iter().map(|blob| (blob.name.as_str(), blob)).collect(),
        broken: manifest.broken.iter().map(String::as_str).collect(),
        blob_columns: None,
        is_skipped: false,
    };

    let sum = row_stream::read(repository.read_text(&manifest.rows), &tables, &mut importer)?;
    if sum != manifest.rows.sum {
        return Err(BackupError::Damaged("its rows are not what was written".into()));
    }
    Ok(importer.writer.commit()?)
}

/// Writes rows into the database, and compares each row of `objects` with the list of blobs.
struct RowImporter<'m> {
    writer: DumpWriter,
    blobs: HashMap<&'m str, &'m Blob>,
    broken: HashSet<&'m str>,
    blob_columns: Option<BlobColumns>,
    is_skipped: bool,
}

impl RowSink for RowImporter<'_> {
    fn table(&mut self, table: &Table) -> Result<(), BackupError> {
        self.blob_columns = BlobColumns::find(table);
        self.is_skipped = SKIPPED_TABLES.contains(&table.name.as_str());
        Ok(self.writer.begin_table(table)?)
    }

    fn row(&mut self, cells: &[Cell<'_>]) -> Result<(), BackupError> {
        if self.is_skipped {
            return Ok(());
        }
        if let Some(blob_columns) = &self.blob_columns {
            let blob = blob_columns.of_cells(cells);
            let is_listed = blob.is_some_and(|blob| {
                self.broken.contains(blob.name.as_str())
                    || self.blobs.get(blob.name.as_str()).is_some_and(|listed| **listed == blob)
            });
            if !is_listed {
                return Err(BackupError::Damaged(
                    "its rows name a file that it does not hold".into(),
                ));
            }
        }
        Ok(self.writer.row(cells.iter().copied())?)
    }
}

/// Verifies the restored data. Tolerates the faults that the portal had when the snapshot was made: its broken blobs, and
/// rows that name a file without an object.
async fn check(app: &Arc<App>, manifest: &Manifest) -> Result<(), BackupError> {
    let report = fsck::run(app).await?;
    let is_new = |fault: &Fault| match &fault.kind {
        FaultKind::Database => true,
        FaultKind::Blob(name) => !manifest.broken.contains(name),
        FaultKind::Reference => false,
    };
    match report.faults.into_iter().find(is_new) {
        Some(fault) => Err(BackupError::Damaged(fault.text)),
        None => Ok(()),
    }
}

/// Writes the portal's secret to the data folder. Renames a different existing secret.
pub(crate) fn write_secret(data_dir: &Path, secret: &str) -> anyhow::Result<()> {
    let path = data_dir.join(keys::SECRET_FILE);
    let location = || path.display().to_string();
    match fs::read_to_string(&path) {
        Ok(existing) if existing == secret => return Ok(()),
        Ok(existing) => {
            let mark = Keys::from_secret(&existing).fingerprint().to_owned();
            let replaced_path = data_dir.join(format!(
                "{}.replaced-{}",
                keys::SECRET_FILE,
                mark.get(..8).unwrap_or_default()
            ));
            fs::rename(&path, replaced_path).with_context(location)?;
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(error).with_context(location),
    }

    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
    let mut file = file.with_context(location)?;
    file.write_all(secret.as_bytes()).and_then(|()| file.sync_all()).with_context(location)
}

fn restore_report(manifest: Manifest, snapshot: String, config: &Config) -> RestoreReport {
    let secret = config.portal_secret().or(manifest.secret.as_deref());
    let mark = secret.map(|secret| Keys::from_secret(secret).fingerprint().to_owned());
    RestoreReport {
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
