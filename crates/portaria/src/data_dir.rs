//! The data folder: its lock, its permissions, and the names that a restore uses in it.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use rustix::fs::{FsWord, NFS_SUPER_MAGIC};

/// Name of the lock file by which a process claims the data folder.
pub(crate) const LOCK_FILE: &str = "lock";
/// Prefix of the folder of restored data that are complete. The time of the restore follows.
pub(crate) const READY_PREFIX: &str = "restored-";
/// Names of the folders in the data folder that hold the office's files.
pub(crate) const OWN_FOLDERS: [&str; 3] = ["blobs", "tmp", "uploads"];
/// Name of the folder from which restored data move to the data folder.
pub(crate) const INCOMING_DIR: &str = "moving-in";

/// Magic numbers of network file systems (`linux/magic.h`): NFS, three generations of SMB, AFS. Locks and fsync are
/// not reliable on them.
const NETWORK_FILE_SYSTEMS: [FsWord; 5] =
    [NFS_SUPER_MAGIC, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x5346_414F];

/// Locks the data folder, so that only one process serves it. The kernel releases the lock when the process ends, for
/// whatever reason.
///
/// # Errors
/// A sentence for the operator.
pub fn lock(data_dir: &Path) -> anyhow::Result<File> {
    let path = data_dir.join(LOCK_FILE);
    let file = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::WouldBlock) => {
            bail!("another portaria already serves {}", data_dir.display())
        }
        Err(fs::TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("cannot lock {}", path.display()))
        }
    }
}

/// Returns whether a folder is another one, or lies within it. Resolves symbolic links. Neither need exist yet.
pub(crate) fn is_inside(folder: &Path, other: &Path) -> bool {
    resolve(folder).starts_with(resolve(other))
}

/// Returns the absolute path, without links in the part that exists.
fn resolve(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let real = path.ancestors().find_map(|part| Some((part, part.canonicalize().ok()?)));
    let Some((part, real)) = real else { return path };
    path.strip_prefix(part).map_or(real.clone(), |rest| real.join(rest))
}

/// Creates the data folder with mode 0700, and refuses a folder that other users can read or that lies on a network
/// file system.
///
/// # Errors
/// A sentence for the operator.
pub fn make_private(folder: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
    let shown = folder.display();
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .with_context(|| format!("cannot create the data folder {shown}"))?;
    // The entry of a new folder must survive a power cut, so its parent is synced too. A parent that cannot be opened
    // cannot contain a folder that was created here.
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty());
    if let Ok(parent) = fs::File::open(parent.unwrap_or(Path::new("."))) {
        parent.sync_all().with_context(|| format!("cannot keep {shown}"))?;
    }
    let stat = rustix::fs::statfs(folder)
        .map_err(io::Error::from)
        .with_context(|| format!("cannot read {shown}"))?;
    if NETWORK_FILE_SYSTEMS.contains(&stat.f_type) {
        bail!(
            "the data folder {shown} lies on another machine: a database and a lock need a disk of this one"
        );
    }
    let mode =
        fs::metadata(folder).with_context(|| format!("cannot read {shown}"))?.permissions().mode();
    if mode & 0o077 != 0 {
        bail!("the data folder {shown} can be read by others: run chmod 700 {shown}");
    }
    Ok(())
}

/// Returns whether a restore was interrupted while it replaced the content of the data folder (`backup/swap.rs`).
#[must_use]
pub fn is_restore_interrupted(data_dir: &Path) -> bool {
    matches!(ready_stamp(data_dir), Ok(Some(_))) || data_dir.join(INCOMING_DIR).is_dir()
}

/// Returns the time in the name of the folder of restored data, if there is one.
pub(crate) fn ready_stamp(data_dir: &Path) -> io::Result<Option<String>> {
    match entry_names(data_dir) {
        Ok(entry_names) => Ok(entry_names
            .iter()
            .find_map(|name| name.strip_prefix(READY_PREFIX).map(str::to_owned))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the names of a folder's entries.
pub(crate) fn entry_names(folder: &Path) -> io::Result<Vec<String>> {
    fs::read_dir(folder)?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect()
}
