//! Backup targets: a folder or an S3 bucket that holds the files of a backup. A file appears complete under its name,
//! or not at all. A folder achieves this by sync and rename, a bucket by itself.

use std::{
    collections::BTreeSet,
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io::{self, Read, Seek},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::Mutex,
};

use bytes::Bytes;
use rustix::fs::statvfs;
use tokio::runtime::Handle;

use crate::backup::{BackupError, for_each_parallel};
use crate::{
    blob::{BlobReader, S3Bucket},
    config::BackupDestination,
    security::keys,
};

const LOCK_FILE: &str = "lock";
const TMP_DIR: &str = "tmp";
/// Files that a target without a marker may contain: leftovers of a crash during initialization, the tombstones, and
/// the folder of the file system's own tools.
const ALLOWED_WITHOUT_MARKER: [&str; 5] =
    [LOCK_FILE, TMP_DIR, crate::backup::repository::KEY, "lost+found", crate::backup::swap::ERASED];

/// A backup target. Its methods block while they wait for a bucket, so they must not run on threads of the async
/// runtime.
pub(crate) struct BackupTarget {
    /// Display name.
    pub(crate) name: String,
    backend: Backend,
    /// Folder of files in progress.
    staging_dir: PathBuf,
    /// Number of bytes of the disk that stay free.
    min_free: u64,
}

enum Backend {
    Folder {
        root: PathBuf,
        /// Folders with changed entries that are not synced yet.
        unsynced_dirs: Mutex<BTreeSet<PathBuf>>,
        /// Lock file, held while the target is open for writing.
        _lock: Option<File>,
    },
    Bucket {
        bucket: Box<S3Bucket>,
        handle: Handle,
    },
}

/// A file in progress. It is deleted when dropped before its publication.
pub(crate) struct StagedFile {
    pub(crate) file: File,
    path: Option<PathBuf>,
}

impl Drop for StagedFile {
    fn drop(&mut self) {
        if let Some(path) = self.path.take() {
            drop(fs::remove_file(path));
        }
    }
}

impl BackupTarget {
    /// Opens a target for reading. Files in progress for a bucket are staged in `data_dir`.
    pub(crate) fn open(
        to: &BackupDestination,
        data_dir: &Path,
        handle: &Handle,
    ) -> Result<Self, BackupError> {
        let name = to.to_string();
        let (backend, staging_dir) = match to {
            BackupDestination::Folder(root) => {
                let backend = Backend::Folder {
                    root: root.clone(),
                    unsynced_dirs: Mutex::default(),
                    _lock: None,
                };
                (backend, root.join(TMP_DIR))
            }
            BackupDestination::Bucket(url) => {
                let bucket = Box::new(S3Bucket::open(url).map_err(BackupError::Refused)?);
                (Backend::Bucket { bucket, handle: handle.clone() }, data_dir.join(TMP_DIR))
            }
        };
        Ok(Self { name, backend, staging_dir, min_free: 0 })
    }

    /// Opens a target for writing, and creates its folder. `marker` is the file that identifies a backup.
    ///
    /// # Errors
    /// [`BackupError::NotABackup`] if the target contains other files and no marker, [`BackupError::Busy`] if another
    /// process writes to the folder, and errors of the target.
    pub(crate) fn open_to_write(
        to: &BackupDestination,
        marker: &str,
        data_dir: &Path,
        min_free: u64,
        handle: &Handle,
    ) -> Result<Self, BackupError> {
        let mut target = Self { min_free, ..Self::open(to, data_dir, handle)? };
        let at = |error| BackupError::io(&to.to_string())(error);
        match &mut target.backend {
            Backend::Folder { root, _lock, .. } => {
                DirBuilder::new().recursive(true).mode(0o700).create(&*root).map_err(at)?;
                let mut existing = fs::read_dir(&*root).map_err(at)?;
                let has_others = existing.any(|entry| {
                    entry.map_or(true, |entry| {
                        !ALLOWED_WITHOUT_MARKER.map(Into::into).contains(&entry.file_name())
                    })
                });
                // After the list: another process may begin the backup meanwhile, with the marker first.
                if has_others && !root.join(marker).exists() {
                    return Err(BackupError::NotABackup(target.name));
                }

                let lock = File::create(root.join(LOCK_FILE)).map_err(at)?;
                match lock.try_lock() {
                    Ok(()) => *_lock = Some(lock),
                    Err(TryLockError::WouldBlock) => return Err(BackupError::Busy(target.name)),
                    Err(TryLockError::Error(error)) => return Err(at(error)),
                }

                create_private_dir(&target.staging_dir).map_err(at)?;
                for leftover in fs::read_dir(&target.staging_dir).map_err(at)? {
                    fs::remove_file(leftover.map_err(at)?.path()).map_err(at)?;
                }
            }
            // The caller holds a lease that excludes other writers; see `super::run`.
            Backend::Bucket { bucket, handle } => {
                let existing = handle
                    .block_on(bucket.list_some(ALLOWED_WITHOUT_MARKER.len() + 1))
                    .map_err(at)?;
                if !existing.is_empty()
                    && target.read(marker)?.is_none()
                    && existing.iter().any(|name| !ALLOWED_WITHOUT_MARKER.contains(&name.as_str()))
                {
                    return Err(BackupError::NotABackup(target.name));
                }
            }
        }
        Ok(target)
    }

    /// Opens a file. Returns `None` if it does not exist.
    pub(crate) fn read(&self, key: &str) -> Result<Option<Box<dyn Read + Send>>, BackupError> {
        let opened: io::Result<Box<dyn Read + Send>> = match &self.backend {
            Backend::Folder { root, .. } => {
                File::open(root.join(key)).map(|file| Box::new(file) as Box<dyn Read + Send>)
            }
            Backend::Bucket { bucket, handle } => {
                handle.block_on(bucket.open_all(key)).map(|bytes| {
                    let reader =
                        BucketReader { bytes, buffer: Bytes::new(), handle: handle.clone() };
                    Box::new(reader) as Box<dyn Read + Send>
                })
            }
        };
        match opened {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.io_error(error)),
        }
    }

    /// Returns the names and sizes of all files below a folder, in order.
    pub(crate) fn list(&self, folder: &str) -> Result<Vec<(String, u64)>, BackupError> {
        let mut found = match &self.backend {
            Backend::Folder { root, .. } => {
                let mut found = Vec::new();
                list_dir(&root.join(folder), &mut found).map(|()| found)
            }
            Backend::Bucket { bucket, handle } => handle.block_on(bucket.list(folder)),
        }
        .map_err(|error| self.io_error(error))?;
        found.sort();
        Ok(found)
    }

    /// Starts a file.
    pub(crate) fn stage(&self) -> Result<StagedFile, BackupError> {
        self.check_free_space()?;
        let path = self.staging_dir.join(keys::new_blob_name());
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true).mode(0o600);
        let file = options.open(&path).map_err(|error| self.io_error(error))?;
        Ok(StagedFile { file, path: Some(path) })
    }

    /// Gives a file its name and replaces an existing file. In a folder the name is durable after
    /// [`BackupTarget::sync`].
    pub(crate) fn publish(&self, mut staged: StagedFile, key: &str) -> Result<(), BackupError> {
        let mut publish = || -> io::Result<()> {
            match &self.backend {
                Backend::Folder { root, unsynced_dirs, .. } => {
                    staged.file.sync_all()?;
                    let destination = root.join(key);
                    let parent =
                        destination.parent().expect("a file has a parent folder").to_owned();
                    if parent != *root {
                        create_private_dir(&parent)?;
                    }
                    if let Some(path) = &staged.path {
                        fs::rename(path, &destination)?;
                    }
                    staged.path = None;
                    unsynced_dirs.lock().expect("no holder of the lock panics").insert(parent);
                    Ok(())
                }
                Backend::Bucket { bucket, handle } => {
                    staged.file.rewind()?;
                    handle.block_on(bucket.put_file(key, staged.file.try_clone()?))
                }
            }
        };
        publish().map_err(|error| self.io_error(error))
    }

    /// Makes all published and removed names durable.
    pub(crate) fn sync(&self) -> Result<(), BackupError> {
        let Backend::Folder { unsynced_dirs, root, .. } = &self.backend else { return Ok(()) };
        let unsynced_dirs =
            std::mem::take(&mut *unsynced_dirs.lock().expect("no holder of the lock panics"));
        let dirs: BTreeSet<&Path> = unsynced_dirs
            .iter()
            .flat_map(|folder| folder.ancestors())
            .filter(|folder| folder.starts_with(root))
            .collect();
        for_each_parallel(&Vec::from_iter(dirs), |folder| {
            sync_dir(folder).map_err(|error| self.io_error(error))
        })
    }

    /// Removes a file. The removal is durable after [`BackupTarget::sync`].
    pub(crate) fn remove(&self, key: &str) -> Result<(), BackupError> {
        let removed = match &self.backend {
            Backend::Folder { root, unsynced_dirs, .. } => {
                let path = root.join(key);
                let parent = path.parent().expect("a file has a parent folder").to_owned();
                unsynced_dirs.lock().expect("no holder of the lock panics").insert(parent);
                fs::remove_file(path)
            }
            Backend::Bucket { bucket, handle } => handle.block_on(bucket.remove(key)),
        };
        removed.map_err(|error| self.io_error(error))
    }

    /// Converts an IO error of this target.
    pub(crate) fn io_error(&self, error: io::Error) -> BackupError {
        BackupError::io(&self.name)(error)
    }

    /// Checks that enough of the disk stays free, because the portal's own data may be on it.
    fn check_free_space(&self) -> Result<(), BackupError> {
        let disk = statvfs(&self.staging_dir).map_err(|error| self.io_error(error.into()))?;
        if disk.f_bavail.saturating_mul(disk.f_frsize) < self.min_free {
            return Err(BackupError::NoSpace(self.name.clone()));
        }
        Ok(())
    }
}

/// Reads a file of a bucket.
struct BucketReader {
    bytes: BlobReader,
    buffer: Bytes,
    handle: Handle,
}

impl Read for BucketReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.buffer.is_empty() {
            self.buffer = self.handle.block_on(self.bytes.next())?;
        }
        let chunk = self.buffer.split_to(self.buffer.len().min(into.len()));
        into.get_mut(..chunk.len())
            .expect("the chunk is not longer than the buffer")
            .copy_from_slice(&chunk);
        Ok(chunk.len())
    }
}

fn list_dir(folder: &Path, found: &mut Vec<(String, u64)>) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let metadata = entry.metadata()?;
        if metadata.is_dir() {
            list_dir(&entry.path(), found)?;
        } else {
            found.push((entry.file_name().to_string_lossy().into_owned(), metadata.len()));
        }
    }
    Ok(())
}

fn create_private_dir(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

fn sync_dir(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
