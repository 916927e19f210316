//! The list of those whose data were erased, as a file in the data folder: a line for each, an id and nothing else.
//!
//! A restore turns the database back, and with it the table of the same; the file it only adds to ([`merge_list`]).
//! Whoever the file names and the database does not is erased anew when the portal starts.

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
use uuid::Uuid;

use crate::privacy::erasure::erase;
use crate::{
    app::App,
    backup::{FORMAT_MARKER, swap::ERASED},
    blob::Bucket,
    config::{BucketUrl, Target},
    db::{Error, Tx},
    policy::Caller,
};

/// Its name in the data folder, and beside the backups.
const FILE: &str = ERASED;

/// The ids in the list of a folder; none where there is no list.
///
/// # Errors
/// The disk's. A line that is no id is passed over: it may have been cut off.
pub fn read_tombstones(folder: &Path) -> io::Result<BTreeSet<Uuid>> {
    match fs::read_to_string(folder.join(FILE)) {
        Ok(text) => Ok(read(&text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeSet::new()),
        Err(error) => Err(error),
    }
}

/// Adds ids to the list of a folder. Nobody is ever taken off it.
///
/// # Errors
/// The disk's; the list is as it was then.
pub fn merge(folder: &Path, more: &BTreeSet<Uuid>) -> io::Result<()> {
    // Of two that add to it at once, of this program or of another node's, one waits for the other.
    let alone = File::open(folder)?;
    alone.lock()?;
    let before = read_tombstones(folder)?;
    if more.is_subset(&before) {
        return Ok(());
    }
    let path = folder.join(FILE);
    let new = path.with_extension("new");
    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
    file.write_all(to_lines(before.union(more)).as_bytes())?;
    file.sync_all()?;
    fs::rename(&new, &path)?;
    alone.sync_all()
}

/// The ids in the list beside the backups.
///
/// # Errors
/// Those of the disk or of the store.
pub async fn read_backup_tombstones(backups: &Target) -> io::Result<BTreeSet<Uuid>> {
    match backups {
        Target::Folder(folder) => read_tombstones(folder),
        Target::Bucket(url) => in_bucket(&Bucket::open(url).map_err(io::Error::other)?).await,
    }
}

/// Writes those whom the database names into the data folder's list, and into the one beside the backups, which may be
/// all that is left one day.
///
/// # Errors
/// The database's and the disk's.
pub async fn write(app: &Arc<App>) -> Result<(), Error> {
    let (ids, folder) = (app.db.read(known).await?, app.config.data_dir.clone());
    blocking(move || merge(&folder, &ids)).await?;
    if matches!(app.config.backup.to, Some(Target::Bucket(_))) {
        // Nobody waits for a store that may be away.
        let app = Arc::clone(app);
        tokio::spawn(async move { copy_to_backup(&app).await });
        return Ok(());
    }
    copy_to_backup(app).await
}

/// Writes those whom the database names into the list beside the backups.
///
/// # Errors
/// The database's. Should the place be away, the next night tries again.
pub async fn copy_to_backup(app: &Arc<App>) -> Result<(), Error> {
    let (ids, backups) = (app.db.read(known).await?, app.config.backup.to.clone());
    let merged = match backups {
        None => Ok(()),
        Some(Target::Folder(folder)) => {
            // A folder that is to hold backups one day must be empty until then.
            let is_one = move || {
                Ok(if folder.join(FORMAT_MARKER).exists() { merge(&folder, &ids) } else { Ok(()) })
            };
            blocking(is_one).await?
        }
        Some(Target::Bucket(url)) => merge_in_bucket(&url, &ids).await,
    };
    if let Err(error) = merged {
        tracing::warn!(%error, "the list of the erased could not be written beside the backups");
    }
    Ok(())
}

async fn merge_in_bucket(url: &BucketUrl, more: &BTreeSet<Uuid>) -> io::Result<()> {
    let bucket = Bucket::open(url).map_err(io::Error::other)?;
    let before = in_bucket(&bucket).await?;
    if more.is_subset(&before) || small(&bucket, FORMAT_MARKER).await?.is_none() {
        return Ok(());
    }
    bucket.put_bytes(FILE, to_lines(before.union(more)).into()).await
}

async fn in_bucket(bucket: &Bucket) -> io::Result<BTreeSet<Uuid>> {
    Ok(small(bucket, FILE)
        .await?
        .map(|bytes| read(&String::from_utf8_lossy(&bytes)))
        .unwrap_or_default())
}

/// What is under a key, if anything is.
async fn small(bucket: &Bucket, key: &str) -> io::Result<Option<Vec<u8>>> {
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

fn read(text: &str) -> BTreeSet<Uuid> {
    text.lines().filter_map(|line| Uuid::parse_str(line.trim()).ok()).collect()
}

fn to_lines<'a>(ids: impl Iterator<Item = &'a Uuid>) -> String {
    ids.fold(String::new(), |text, id| text + &id.to_string() + "\n")
}

/// Erases anew whom the data folder's list names and the database does not: it was brought back from a backup. How many
/// those were.
///
/// # Errors
/// The database's and the disk's.
pub async fn reapply_tombstones(app: &Arc<App>) -> Result<usize, Error> {
    let folder = app.config.data_dir.clone();
    let listed = blocking(move || read_tombstones(&folder)).await?;
    let known = app.db.read(known).await?;
    let back: Vec<Uuid> = listed.difference(&known).copied().collect();
    for person in &back {
        let (inner, person) = (Arc::clone(app), *person);
        app.db.write(move |tx| erase(tx, &inner, Caller::Service, person, false)).await?;
    }
    write(app).await?;
    Ok(back.len())
}

fn known(tx: &mut Tx<'_>) -> Result<BTreeSet<Uuid>, Error> {
    let rows = tx.rows(Query::select().column("person_id").from("erasures"))?;
    let mut ids = BTreeSet::new();
    for row in rows.iter() {
        ids.extend(Uuid::parse_str(row.text(0)?).ok());
    }
    Ok(ids)
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, Error> {
    let done = spawn_blocking(work).await.map_err(|error| Error::Internal(error.to_string()))?;
    done.map_err(|error| Error::Internal(format!("the list of the erased: {error}")))
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs};

    use uuid::Uuid;

    use crate::privacy::tombstones::{FILE, merge, read_tombstones};

    #[test]
    fn many_add_at_once() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for id in 0..32 {
                let folder = folder.path();
                scope.spawn(move || merge(folder, &BTreeSet::from([Uuid::from_u128(id)])));
            }
        });
        assert_eq!(read_tombstones(folder.path()).unwrap().len(), 32);
    }

    #[test]
    fn the_list_only_grows() {
        let folder = tempfile::tempdir().unwrap();
        let [one, two] = [1, 2].map(Uuid::from_u128);
        assert!(read_tombstones(folder.path()).unwrap().is_empty());
        merge(folder.path(), &BTreeSet::from([two])).unwrap();
        merge(folder.path(), &BTreeSet::from([one])).unwrap();
        assert_eq!(read_tombstones(folder.path()).unwrap(), BTreeSet::from([one, two]));
        // The last line of a crash is no id, and costs no other.
        let text = fs::read_to_string(folder.path().join(FILE)).unwrap();
        fs::write(folder.path().join(FILE), format!("{text}0000")).unwrap();
        assert_eq!(read_tombstones(folder.path()).unwrap(), BTreeSet::from([one, two]));
    }
}
