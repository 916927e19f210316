//! Creation of a snapshot: rows first, from one read transaction, then the blobs that the target lacks, then the
//! manifest.

use std::{
    collections::{BTreeSet, HashSet},
    io,
    sync::{Arc, Mutex},
    time::Instant,
};

use sha2::{Digest, Sha256};
use tokio::runtime::Handle;

use crate::backup::{
    BackupError, Blob, BlobColumns, Manifest, PAUSE_LEASE_PREFIX, Repository, for_each_parallel,
    manifest, row_stream, run_on_thread,
};
use crate::{
    app::App,
    blob::BlobStore,
    clock::format_timestamp,
    config::{BackupDestination, RetentionPolicy},
    data_dir::is_inside,
    db::dump::DumpReader,
    lease::{Lease, RenewedLease},
    schema::migrations::database_source,
    security::keys::{self, Keys},
};

/// Name of the lease that excludes a second writer of an S3 bucket. A folder has a lock file instead.
const WRITER_LEASE: &str = "backup writing";
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

fn create_snapshot(
    app: &App,
    handle: &Handle,
    to: &BackupDestination,
    keep: Option<RetentionPolicy>,
    check_stalled: &(dyn Fn() -> Result<(), BackupError> + Sync),
) -> Result<BackupReport, BackupError> {
    let (started, now) = (Instant::now(), app.clock.now());
    if matches!(to, BackupDestination::Folder(folder) if is_inside(folder, &app.config.data_dir)) {
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

    let secret = match app.config.portal_secret() {
        Some(_) => None,
        None => Some(Keys::stored(&app.config.data_dir).map_err(BackupError::files)?),
    };
    let manifest = Manifest {
        format: manifest::FORMAT,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        created_at: format_timestamp(now),
        migrations,
        secret,
        secret_mark: app.keys.fingerprint().to_owned(),
        rows,
        blobs,
        blob_bytes: referenced.iter().filter(is_intact).map(|blob| blob.size).sum(),
        broken: broken.into_iter().collect(),
    };

    check_stalled()?;
    let snapshot = repository.commit_snapshot(&manifest, now)?;
    if let Some(keep) = keep {
        repository.prune(keep, &app.config.time_zone, now)?;
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
