//! An office moved from one database and store to another: everything, checked row by row and byte by byte.

use std::{path::Path, sync::Arc};

use tokio::runtime::Handle;

use crate::backup::{BackupError, Blob, BlobColumns, database_source, on_a_thread};
use crate::{
    app::{self, App},
    blob::BlobStore,
    clock::Clock,
    config::Config,
    db::{
        Cell,
        dump::{self, DumpReader, DumpWriter},
    },
    fsck,
    security::keys::Keys,
};

/// Uploads under way: their bytes stay behind, and so do their rows.
const LEFT_BEHIND: &str = "uploads";

/// What was moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    /// Rows of the database.
    pub rows: u64,
    /// Stored files.
    pub files: u64,
    /// All of theirs together.
    pub bytes: u64,
}

/// Copies an office to an empty place. Neither portal runs meanwhile, and what is copied stays as it is.
///
/// # Errors
/// [`Failure`]; the new place is to be emptied then, the old one is as it was.
pub async fn run(from: &Config, to: &Config, clock: &Clock) -> Result<Copied, BackupError> {
    let mut locks = Vec::new();
    for folder in [&from.data_dir, &to.data_dir] {
        app::make_private(folder).map_err(BackupError::Refused)?;
        if locks.is_empty() || from.data_dir != to.data_dir {
            locks.push(app::lock(folder).map_err(BackupError::Refused)?);
        }
    }
    let target = database_source(to);
    if !on_a_thread(move || Ok(dump::is_empty(&target)?)).await? {
        return Err(BackupError::Refused("there are data already where these should go".into()));
    }
    keep_secret(from, to)?;
    let (source, handle, whence, whither) =
        (database_source(from), Handle::current(), from.clone(), to.clone());
    let copied = on_a_thread(move || {
        let (old, new) = (files(&whence)?, files(&whither)?);
        let mut reader = DumpReader::open(&source)?;
        let mut writer = DumpWriter::begin(&database_source(&whither), &reader.migrations, None)?;
        let mut copied = Copied { rows: 0, files: 0, bytes: 0 };
        for table in reader.tables.clone() {
            writer.table(&table)?;
            if table.name == LEFT_BEHIND {
                continue;
            }
            let held = BlobColumns::of(&table);
            reader.rows(&table, |row| {
                if let Some(held) = &held {
                    let blob = held.read(row)?;
                    handle.block_on(bring(&old, &new, &blob))?;
                    copied.files += 1;
                    copied.bytes += blob.size;
                }
                let cells: Vec<Cell<'_>> =
                    (0..table.columns.len()).map(|at| row.cell(at)).collect();
                copied.rows += 1;
                Ok::<_, BackupError>(writer.row(cells.into_iter())?)
            })?;
        }
        writer.commit()?;
        Ok(copied)
    })
    .await?;
    let app = App::open(to.clone(), clock.clone()).map_err(BackupError::Refused)?;
    check(&app, &copied).await?;
    Ok(copied)
}

fn files(config: &Config) -> Result<BlobStore, BackupError> {
    BlobStore::open(&config.data_dir, config.min_free_space, config.bucket.as_ref())
        .map_err(BackupError::Files)
}

/// Copies one blob, unless it is there already: copies of a file share one.
async fn bring(old: &BlobStore, new: &BlobStore, blob: &Blob) -> Result<(), BackupError> {
    let told = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::StorageFull => BackupError::Files("the disk is full".into()),
        _ => BackupError::Files(error.to_string()),
    };
    if let Ok(there) = new.disk_usage(&blob.name).await
        && (there.size, &there.sha256) == (blob.size, &blob.sha256)
    {
        return Ok(());
    }
    let mut bytes = old.open_blob(&blob.name, 0, blob.size).await.map_err(told)?;
    let mut writer = new.create_named(blob.name.clone()).await.map_err(told)?;
    loop {
        let piece = bytes.next().await.map_err(told)?;
        if piece.is_empty() {
            break;
        }
        writer = writer.write(piece).await.map_err(told)?;
    }
    if !writer.is(blob.size, &blob.sha256) {
        return Err(BackupError::Files(format!(
            "{} is not what was stored; run portaria fsck",
            blob.name
        )));
    }
    writer.commit().await.map(drop).map_err(told)
}

/// The secret goes along: without it nobody's session, second step or line of the log would stand.
fn keep_secret(from: &Config, to: &Config) -> Result<(), BackupError> {
    let old = match from.jwt_secret.as_deref() {
        Some(secret) => secret.to_owned(),
        None => stored(from)?,
    };
    match to.jwt_secret.as_deref() {
        Some(new) if new == old => Ok(()),
        Some(_) => {
            Err(BackupError::Refused("jwt_secret must be the one that was used until now".into()))
        }
        None => crate::backup::restore::keep_secret(&to.data_dir, &old).map_err(BackupError::Files),
    }
}

fn stored(config: &Config) -> Result<String, BackupError> {
    let folder: &Path = &config.data_dir;
    let stored = Keys::stored(None, folder).map_err(BackupError::Files)?;
    stored.ok_or_else(|| BackupError::Files(format!("{} holds no secret", folder.display())))
}

/// Whether all that was copied is there, whole.
async fn check(app: &Arc<App>, copied: &Copied) -> Result<(), BackupError> {
    let found = fsck::run(app).await?;
    if let Some(fault) = found.faults.first() {
        return Err(BackupError::Damaged(fault.clone()));
    }
    if (found.files, found.bytes) == (copied.files, copied.bytes) {
        Ok(())
    } else {
        Err(BackupError::Damaged(format!("{} files arrived of {}", found.files, copied.files)))
    }
}
