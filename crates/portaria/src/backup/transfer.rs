//! Transfer of a portal's data from one database and blob store to another, with verification of each row and byte.

use std::sync::Arc;

use tokio::runtime::Handle;

use crate::backup::{BackupError, Blob, BlobColumns, run_on_thread};
use crate::{
    app::App,
    blob::BlobStore,
    clock::Clock,
    config::Config,
    data_dir,
    db::{
        Cell,
        dump::{self, DumpReader, DumpWriter},
        migrations::find_applied,
    },
    fsck,
    schema::migrations::database_source,
    security::keys::{self, Keys},
};

/// Tables whose rows are not copied: the bytes of unfinished uploads and of transformed images are not copied either.
const SKIPPED_TABLES: [&str; 2] = ["uploads", "renditions"];

/// Result of a transfer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransferReport {
    /// Number of rows.
    pub rows: u64,
    /// Number of objects.
    pub files: u64,
    /// Total size of the objects.
    pub bytes: u64,
}

/// Copies all data to an empty database and store. Neither portal may be running. The source is not changed.
///
/// # Errors
/// See [`BackupError`]. After an interruption the transfer can be repeated; the bytes that arrived are kept.
pub async fn run(from: &Config, to: &Config, clock: &Clock) -> Result<TransferReport, BackupError> {
    let source = database_source(from).location;
    if run_on_thread(move || Ok(find_applied(&source)?)).await?.is_none() {
        let place = from.data_dir.display();
        let why =
            format!("there is no office to copy: the database is empty (data folder {place})");
        return Err(BackupError::Refused(why));
    }
    let mut locks = Vec::new();
    for folder in [&from.data_dir, &to.data_dir] {
        data_dir::make_private(folder).map_err(BackupError::refused)?;
        if locks.is_empty() || from.data_dir != to.data_dir {
            locks.push(data_dir::lock(folder).map_err(BackupError::refused)?);
        }
    }

    let target = database_source(to);
    if !run_on_thread(move || Ok(dump::is_empty(&target)?)).await? {
        let place = match &to.database {
            None => format!("move {} aside", to.data_dir.join("portaria.db*").display()),
            Some(_) => "empty the database".to_owned(),
        };
        let why = format!("there are data already where these should go: {place}");
        return Err(BackupError::Refused(why));
    }

    keep_secret(from, to)?;
    let (source, handle, source_config, target_config) =
        (database_source(from), Handle::current(), from.clone(), to.clone());

    let copied = run_on_thread(move || {
        let (old, new) = (open_store(&source_config)?, open_store(&target_config)?);
        // Partial files of an interrupted transfer.
        new.clear_staging().map_err(BackupError::Files)?;
        let mut reader = DumpReader::open(&source)?;
        let mut writer =
            DumpWriter::begin(&database_source(&target_config), &reader.migrations, None)?;
        let mut copied = TransferReport { rows: 0, files: 0, bytes: 0 };
        for table in reader.tables.clone() {
            writer.begin_table(&table)?;
            if SKIPPED_TABLES.contains(&table.name.as_str()) {
                continue;
            }
            let blob_columns = BlobColumns::find(&table);
            reader.rows(&table, |row| {
                if let Some(blob_columns) = &blob_columns {
                    let blob = blob_columns.read(row)?;
                    handle.block_on(copy_blob(&old, &new, &blob))?;
                    copied.files += 1;
                    copied.bytes += blob.size;
                }
                let cells: Vec<Cell<'_>> =
                    (0..table.columns.len()).map(|index| row.cell(index)).collect();
                copied.rows += 1;
                Ok::<_, BackupError>(writer.row(cells.into_iter())?)
            })?;
        }
        writer.commit()?;
        Ok(copied)
    })
    .await?;

    let app = App::open(to.clone(), clock.clone()).map_err(BackupError::refused)?;
    check(&app, &copied).await?;
    Ok(copied)
}

fn open_store(config: &Config) -> Result<BlobStore, BackupError> {
    BlobStore::open(
        &config.data_dir,
        config.min_free_space,
        config.bucket.as_ref(),
        keys::new_blob_name,
    )
    .map_err(BackupError::Files)
}

/// Copies one blob unless the destination has it, because several objects can share a blob.
async fn copy_blob(old: &BlobStore, new: &BlobStore, blob: &Blob) -> Result<(), BackupError> {
    if let Ok(existing) = new.checksum(&blob.name).await
        && (existing.size, &existing.sha256) == (blob.size, &blob.sha256)
    {
        return Ok(());
    }
    let opened = old.open_blob(&blob.name, 0, blob.size).await;
    let mut bytes = opened.map_err(|error| {
        BackupError::Files(format!("{}: {error}; run portaria fsck", blob.name))
    })?;
    let mut writer = new.create_named(blob.name.clone()).await.map_err(BackupError::store)?;
    loop {
        let chunk = bytes.next().await.map_err(BackupError::store)?;
        if chunk.is_empty() {
            break;
        }
        writer = writer.write(chunk).await.map_err(BackupError::store)?;
    }
    if !writer.matches(blob.size, &blob.sha256) {
        return Err(BackupError::Files(format!(
            "{} is not what was stored; run portaria fsck",
            blob.name
        )));
    }
    writer.commit().await.map(drop).map_err(BackupError::store)
}

/// Copies the portal's secret. Without it all sessions, MFA factors and hashes of the audit log would be invalid.
fn keep_secret(from: &Config, to: &Config) -> Result<(), BackupError> {
    let old = match from.portal_secret() {
        Some(secret) => secret.to_owned(),
        None => Keys::stored(&from.data_dir).map_err(BackupError::files)?,
    };
    match to.portal_secret() {
        Some(new) if new == old => Ok(()),
        Some(_) => {
            Err(BackupError::Refused("jwt_secret must be the one that was used until now".into()))
        }
        None => {
            crate::backup::restore::write_secret(&to.data_dir, &old).map_err(BackupError::files)
        }
    }
}

/// Verifies that the destination contains all copied objects with complete blobs.
async fn check(app: &Arc<App>, copied: &TransferReport) -> Result<(), BackupError> {
    let report = fsck::run(app).await?;
    if let Some(fault) = report.faults.into_iter().next() {
        return Err(BackupError::Damaged(fault.text));
    }
    if (report.files, report.bytes) == (copied.files, copied.bytes) {
        Ok(())
    } else {
        Err(BackupError::Damaged(format!("{} files arrived of {}", report.files, copied.files)))
    }
}
