//! Moves the files of the folder `inbox_dir` to the inbox, such as the pages that a scanner writes there.
//!
//! A file is taken when it has not changed between two looks at the folder, because programs write files in pieces. No
//! clock matters: that of a scanner or of another machine may be wrong. The file is removed from the folder after its row
//! was written; a file that cannot be accepted is moved to a subfolder.

use std::{
    collections::HashMap,
    ffi::OsString,
    fs::Metadata,
    io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use tokio::{
    fs::{self, File, OpenOptions},
    time::sleep,
};

use crate::{
    app::App,
    db,
    inbox::{add::Origin, intake},
    stored_files::intake::IntakeError,
};

/// Interval between looks at the folder.
const POLL_INTERVAL: Duration = Duration::from_secs(5);
/// The subfolder of files that cannot be accepted.
pub const REFUSED_FOLDER: &str = "recusados";

/// Watches the folder until the process stops. Returns at once if no folder is set.
pub(crate) async fn run(app: Arc<App>) {
    let Some(folder) = app.config.inbox_dir.clone() else { return };
    let mut seen = SeenFiles::new();
    loop {
        if let Err(error) = take_files(&app, &folder, &mut seen).await {
            tracing::warn!(%error, "the folder of the inbox could not be read, will retry");
        }
        sleep(POLL_INTERVAL).await;
    }
}

/// The files of the last look, each with its version.
pub type SeenFiles = HashMap<OsString, FileVersion>;
/// Inode, size and time of the last change, which change with the content of a path.
pub type FileVersion = (u64, u64, [i64; 2]);

/// Takes the files that have not changed since `seen`, which then contains the files of this look.
///
/// # Errors
/// Errors of the folder, the store and the database. Files that were not taken stay in the folder; one that cannot be
/// opened or removed does not hold up the others.
pub async fn take_files(app: &Arc<App>, folder: &Path, seen: &mut SeenFiles) -> io::Result<()> {
    let before = std::mem::take(seen);
    let mut entries = fs::read_dir(folder).await?;
    while let Some(entry) = entries.next_entry().await? {
        // The metadata are those of the entry itself: a link is no file.
        let metadata = entry.metadata().await?;
        let name = entry.file_name();
        if name.as_encoded_bytes().starts_with(b".") || !metadata.is_file() {
            continue;
        }
        seen.insert(name.clone(), version(&metadata));
        if before.get(&name) != Some(&version(&metadata)) {
            continue;
        }
        let name = name.to_string_lossy();
        let content = match open(&entry.path()).await {
            Ok(content) => content,
            Err(error) => {
                tracing::warn!(%error, "a file in the folder of the inbox could not be opened, will retry");
                continue;
            }
        };
        let taken = take_file(app, content, &name, &metadata).await;
        // Another file may have its name by now, or it was continued. The next look takes it.
        let present = fs::symlink_metadata(entry.path()).await;
        if present.is_ok_and(|present| version(&present) != version(&metadata)) {
            continue;
        }
        let removed = match taken {
            Ok(()) => fs::remove_file(entry.path()).await,
            Err(IntakeError::Refused(reason)) => {
                tracing::warn!(reason, "a file in the folder of the inbox was not accepted");
                put_aside(folder, &entry.path(), &name).await
            }
            Err(IntakeError::Source(error)) => {
                tracing::warn!(%error, "a file in the folder of the inbox could not be read, will retry");
                continue;
            }
            Err(IntakeError::Store(error)) => return Err(error),
            Err(IntakeError::Database(error)) => return Err(io::Error::other(error)),
        };
        if let Err(error) = removed {
            tracing::warn!(%error, "a file in the folder of the inbox could not be removed, will retry");
        }
    }
    Ok(())
}

async fn open(path: &Path) -> io::Result<File> {
    let flags = rustix::fs::OFlags::NOFOLLOW.bits();
    OpenOptions::new().read(true).custom_flags(flags.cast_signed()).open(path).await
}

fn version(metadata: &Metadata) -> FileVersion {
    (metadata.ino(), metadata.size(), [metadata.mtime(), metadata.mtime_nsec()])
}

async fn take_file(
    app: &Arc<App>,
    content: File,
    name: &str,
    metadata: &Metadata,
) -> Result<(), IntakeError> {
    // The same file has the same key if it could not be removed the last time.
    let (inode, size, [mtime, nanoseconds]) = version(metadata);
    let id = format!("{name} {inode} {size} {mtime}.{nanoseconds}");
    let key = format!("folder{}", app.keys.reply_address().hmac_hex(&id));
    let file = intake::receive(app, &key, name, content).await?;
    let write = move |tx: &mut db::Tx<'_>, app: &Arc<App>| {
        let result = intake::insert(tx, app, Origin::Folder, &[file]);
        if result.is_err() {
            tx.rollback();
        }
        Ok::<_, db::Error>(result)
    };
    app.write(write).await?
}

/// Moves a file that cannot be accepted to the subfolder.
async fn put_aside(folder: &Path, path: &Path, name: &str) -> io::Result<()> {
    let target = free_name(&folder.join(REFUSED_FOLDER), name).await?;
    fs::rename(path, target).await
}

/// Returns a path in a folder that is not taken, and creates the folder.
async fn free_name(folder: &Path, name: &str) -> io::Result<PathBuf> {
    fs::create_dir_all(folder).await?;
    let mut path = folder.join(name);
    for number in 2.. {
        if !fs::try_exists(&path).await? {
            break;
        }
        path = folder.join(format!("{number} {name}"));
    }
    Ok(path)
}
