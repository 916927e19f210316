//! Tombstones: the ids of erased people, one per line, in the file `erased` of the data folder and of the backup
//! target.
//!
//! The table `erasures` contains the same ids. A restore replaces the table, but only adds to the file ([`merge`]). At
//! each start the portal erases the people again that the file contains and the table does not.

use std::{
    collections::BTreeSet,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
    sync::Arc,
};

use sea_query::Query;
use tokio::task::spawn_blocking;

use crate::privacy::erasure::erase;
use crate::{
    app::App,
    backup::{FORMAT_MARKER, swap::ERASED},
    blob::S3Bucket,
    config::{BackupDestination, S3Location},
    db::{Error, Tx},
    error::file_error,
    security::{caller::Caller, ids::UserId},
};

/// Name of the file in the data folder and in the backup target.
const FILE: &str = ERASED;
/// The file in the texts of errors.
const LIST: &str = "the list of the erased";

/// Reads the tombstones of a folder. Returns an empty set if the file does not exist.
///
/// # Errors
/// IO errors. A line that is no id is skipped, because a crash may have cut it off.
pub fn read_tombstones(folder: &Path) -> io::Result<BTreeSet<UserId>> {
    match fs::read_to_string(folder.join(FILE)) {
        Ok(text) => Ok(parse_ids(&text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeSet::new()),
        Err(error) => Err(error),
    }
}

/// Adds ids to the tombstones of a folder. No function removes any.
///
/// # Errors
/// IO errors; the file is unchanged then.
pub fn merge(folder: &Path, new_ids: &BTreeSet<UserId>) -> io::Result<()> {
    // Serializes concurrent writers of this and other processes.
    let lock = File::open(folder)?;
    lock.lock()?;
    let before = read_tombstones(folder)?;
    if new_ids.is_subset(&before) {
        return Ok(());
    }

    let path = folder.join(FILE);
    let new = path.with_extension("new");
    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
    file.write_all(to_lines(before.union(new_ids)).as_bytes())?;
    file.sync_all()?;
    fs::rename(&new, &path)?;
    lock.sync_all()
}

/// Reads the tombstones of a backup target.
///
/// # Errors
/// Errors of the file system or of the S3 bucket.
pub async fn read_backup_tombstones(backups: &BackupDestination) -> io::Result<BTreeSet<UserId>> {
    match backups {
        BackupDestination::Folder(folder) => read_tombstones(folder),
        BackupDestination::Bucket(url) => {
            read_in_bucket(&S3Bucket::open(url).map_err(io::Error::other)?).await
        }
    }
}

/// Writes the database's tombstones to the data folder and to the backup target, which may survive the data folder.
///
/// # Errors
/// Database and IO errors.
pub async fn write_tombstones(app: &Arc<App>) -> Result<(), Error> {
    let (ids, folder) = (app.db.read(erased_ids).await?, app.config.data_dir.clone());
    blocking(move || merge(&folder, &ids)).await?;
    if matches!(app.config.backup_to, Some(BackupDestination::Bucket(_))) {
        // The caller does not wait for a bucket that may be unreachable.
        let app = Arc::clone(app);
        tokio::spawn(async move { copy_to_backup(&app).await });
        return Ok(());
    }
    copy_to_backup(app).await
}

/// Writes the database's tombstones to the backup target.
///
/// # Errors
/// Database errors. If the target is unreachable, the next night tries again.
pub async fn copy_to_backup(app: &Arc<App>) -> Result<(), Error> {
    let (ids, backups) = (app.db.read(erased_ids).await?, app.config.backup_to.clone());
    let merged = match backups {
        None => Ok(()),
        Some(BackupDestination::Folder(folder)) => {
            // A folder without a backup must stay empty, because a backup refuses other files there.
            let merge_if_backup = move || {
                Ok(if folder.join(FORMAT_MARKER).exists() { merge(&folder, &ids) } else { Ok(()) })
            };
            blocking(merge_if_backup).await?
        }
        Some(BackupDestination::Bucket(url)) => merge_in_bucket(&url, &ids).await,
    };
    if let Err(error) = merged {
        let error = file_error(LIST, &error);
        tracing::warn!(%error, "erasure tombstones not written to the backup target");
    }
    Ok(())
}

async fn merge_in_bucket(url: &S3Location, new_ids: &BTreeSet<UserId>) -> io::Result<()> {
    let bucket = S3Bucket::open(url).map_err(io::Error::other)?;
    let before = read_in_bucket(&bucket).await?;
    if new_ids.is_subset(&before) || read_small(&bucket, FORMAT_MARKER).await?.is_none() {
        return Ok(());
    }
    bucket.put_bytes(FILE, to_lines(before.union(new_ids)).into()).await
}

async fn read_in_bucket(bucket: &S3Bucket) -> io::Result<BTreeSet<UserId>> {
    Ok(read_small(bucket, FILE)
        .await?
        .map(|bytes| parse_ids(&String::from_utf8_lossy(&bytes)))
        .unwrap_or_default())
}

/// Reads a whole object of a bucket. Returns `None` if it does not exist.
async fn read_small(bucket: &S3Bucket, key: &str) -> io::Result<Option<Vec<u8>>> {
    let mut reader = match bucket.open_all(key).await {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        reader => reader?,
    };
    let mut all = Vec::new();
    loop {
        let bytes = reader.next().await?;
        if bytes.is_empty() {
            return Ok(Some(all));
        }
        all.extend_from_slice(&bytes);
    }
}

fn parse_ids(text: &str) -> BTreeSet<UserId> {
    text.lines().filter_map(|line| line.trim().parse().ok()).collect()
}

fn to_lines<'a>(ids: impl Iterator<Item = &'a UserId>) -> String {
    ids.fold(String::new(), |text, id| text + &id.to_string() + "\n")
}

/// Erases the people again that a restored backup brought back: those in the data folder's tombstones but not in the
/// database's. Returns their number.
///
/// # Errors
/// Database and IO errors.
pub async fn reapply_tombstones(app: &Arc<App>) -> Result<usize, Error> {
    let folder = app.config.data_dir.clone();
    let listed = blocking(move || read_tombstones(&folder)).await?;
    let erased = app.db.read(erased_ids).await?;
    let restored: Vec<UserId> = listed.difference(&erased).copied().collect();
    for person in &restored {
        let person = *person;
        app.write(move |tx, app| erase(tx, app, Caller::Service, person, false)).await?;
    }
    write_tombstones(app).await?;
    Ok(restored.len())
}

fn erased_ids(tx: &mut Tx<'_>) -> Result<BTreeSet<UserId>, Error> {
    let rows = tx.rows(Query::select().column("person_id").from("erasures"))?;
    let mut ids = BTreeSet::new();
    for row in rows.iter() {
        ids.extend(row.text(0)?.parse::<UserId>().ok());
    }
    Ok(ids)
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, Error> {
    let done = spawn_blocking(work).await.map_err(|error| Error::Internal(error.to_string()))?;
    done.map_err(|error| file_error(LIST, &error))
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs};

    use uuid::Uuid;

    use crate::privacy::tombstones::{FILE, merge, read_tombstones};
    use crate::security::ids::UserId;

    #[test]
    fn merge_is_safe_in_parallel() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for id in 0..32 {
                let folder = folder.path();
                scope.spawn(move || merge(folder, &BTreeSet::from([UserId(Uuid::from_u128(id))])));
            }
        });
        assert_eq!(read_tombstones(folder.path()).unwrap().len(), 32);
    }

    #[test]
    fn merge_only_adds_ids() {
        let folder = tempfile::tempdir().unwrap();
        let [one, two] = [1, 2].map(|id| UserId(Uuid::from_u128(id)));
        assert!(read_tombstones(folder.path()).unwrap().is_empty());
        merge(folder.path(), &BTreeSet::from([two])).unwrap();
        merge(folder.path(), &BTreeSet::from([one])).unwrap();
        assert_eq!(read_tombstones(folder.path()).unwrap(), BTreeSet::from([one, two]));
        // A line that a crash cut off does not affect the others.
        let text = fs::read_to_string(folder.path().join(FILE)).unwrap();
        fs::write(folder.path().join(FILE), format!("{text}0000")).unwrap();
        assert_eq!(read_tombstones(folder.path()).unwrap(), BTreeSet::from([one, two]));
    }
}
