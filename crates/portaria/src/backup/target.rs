//! Where the files of a backup lie: in a folder, or in a bucket. Under its name each is there whole, or not at all.

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
    blob::{Bucket, Reader},
    config::Target,
    security::keys,
};

const LOCK: &str = "lock";
const TMP: &str = "tmp";
/// What may be in a folder that is no backup yet: a crash may have come between, and disks have a folder of their own.
const BEFORE: [&str; 5] =
    [LOCK, TMP, crate::backup::repository::KEY, "lost+found", crate::backup::swap::ERASED];

/// The place. Its methods wait for a bucket's answers, so they are for threads of their own.
pub(crate) struct BackupTarget {
    /// What people call it.
    pub(crate) name: String,
    kind: Kind,
    /// Where files lie on their way in.
    spool: PathBuf,
    /// So many bytes of the disk stay free.
    floor: u64,
}

enum Kind {
    Folder {
        root: PathBuf,
        /// Folders with new names in them, which are to be synced before anything counts on those.
        touched: Mutex<BTreeSet<PathBuf>>,
        /// Held while somebody writes.
        _lock: Option<File>,
    },
    Bucket {
        bucket: Box<Bucket>,
        handle: Handle,
    },
}

/// A file on its way in. Dropped, it leaves nothing behind.
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
    /// A place to read from; what is on its way into a bucket lies in `data_dir` until it is there.
    pub(crate) fn open(to: &Target, data_dir: &Path, handle: &Handle) -> Result<Self, BackupError> {
        let name = to.to_string();
        let (kind, spool) = match to {
            Target::Folder(root) => {
                let kind =
                    Kind::Folder { root: root.clone(), touched: Mutex::default(), _lock: None };
                (kind, root.join(TMP))
            }
            Target::Bucket(url) => {
                let bucket = Box::new(Bucket::open(url).map_err(BackupError::Refused)?);
                (Kind::Bucket { bucket, handle: handle.clone() }, data_dir.join(TMP))
            }
        };
        Ok(Self { name, kind, spool, floor: 0 })
    }

    /// A place to write to, which is made if need be. `mark` is what says that it is a backup.
    pub(crate) fn open_to_write(
        to: &Target,
        mark: &str,
        data_dir: &Path,
        floor: u64,
        handle: &Handle,
    ) -> Result<Self, BackupError> {
        let mut shelf = Self { floor, ..Self::open(to, data_dir, handle)? };
        let at = |error| BackupError::at(&to.to_string())(error);
        match &mut shelf.kind {
            Kind::Folder { root, _lock, .. } => {
                DirBuilder::new().recursive(true).mode(0o700).create(&*root).map_err(at)?;
                let is_ours = root.join(mark).exists();
                let mut there = fs::read_dir(&*root).map_err(at)?;
                if !is_ours
                    && there.any(|entry| {
                        entry.map_or(true, |entry| {
                            !BEFORE.map(Into::into).contains(&entry.file_name())
                        })
                    })
                {
                    return Err(BackupError::NotABackup(shelf.name));
                }
                let lock = File::create(root.join(LOCK)).map_err(at)?;
                match lock.try_lock() {
                    Ok(()) => *_lock = Some(lock),
                    Err(TryLockError::WouldBlock) => return Err(BackupError::Busy(shelf.name)),
                    Err(TryLockError::Error(error)) => return Err(at(error)),
                }
                make(&shelf.spool).map_err(at)?;
                for left in fs::read_dir(&shelf.spool).map_err(at)? {
                    fs::remove_file(left.map_err(at)?.path()).map_err(at)?;
                }
            }
            // Who writes has the turn; see `super::run`.
            Kind::Bucket { bucket, handle } => {
                let there = handle.block_on(bucket.some(BEFORE.len() + 1)).map_err(at)?;
                if !there.is_empty()
                    && shelf.read(mark)?.is_none()
                    && there.iter().any(|name| !BEFORE.contains(&name.as_str()))
                {
                    return Err(BackupError::NotABackup(shelf.name));
                }
            }
        }
        Ok(shelf)
    }

    /// Opens the file of that name, if there is one.
    pub(crate) fn read(&self, key: &str) -> Result<Option<Box<dyn Read + Send>>, BackupError> {
        let opened: io::Result<Box<dyn Read + Send>> = match &self.kind {
            Kind::Folder { root, .. } => {
                File::open(root.join(key)).map(|file| Box::new(file) as Box<dyn Read + Send>)
            }
            Kind::Bucket { bucket, handle } => handle.block_on(bucket.open_all(key)).map(|bytes| {
                let remote = Remote { bytes, held: Bytes::new(), handle: handle.clone() };
                Box::new(remote) as Box<dyn Read + Send>
            }),
        };
        match opened {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.io_error(error)),
        }
    }

    /// The names of the files in a folder and in those below, and how long they are.
    pub(crate) fn list(&self, folder: &str) -> Result<Vec<(String, u64)>, BackupError> {
        let mut found = match &self.kind {
            Kind::Folder { root, .. } => {
                let mut found = Vec::new();
                list(&root.join(folder), &mut found).map(|()| found)
            }
            Kind::Bucket { bucket, handle } => handle.block_on(bucket.list(folder)),
        }
        .map_err(|error| self.io_error(error))?;
        found.sort();
        Ok(found)
    }

    /// Begins a file.
    pub(crate) fn stage(&self) -> Result<StagedFile, BackupError> {
        self.has_room()?;
        let path = self.spool.join(keys::new_blob_name());
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true).mode(0o600);
        let file = options.open(&path).map_err(|error| self.io_error(error))?;
        Ok(StagedFile { file, path: Some(path) })
    }

    /// Gives a file its name, in place of what had it. In a folder the name is there for good after [`Shelf::settle`].
    pub(crate) fn publish(&self, mut spool: StagedFile, key: &str) -> Result<(), BackupError> {
        let mut keep = || -> io::Result<()> {
            match &self.kind {
                Kind::Folder { root, touched, .. } => {
                    spool.file.sync_all()?;
                    let target = root.join(key);
                    let parent = target.parent().expect("a file lies in a folder").to_owned();
                    if parent != *root {
                        make(&parent)?;
                    }
                    if let Some(path) = &spool.path {
                        fs::rename(path, &target)?;
                    }
                    spool.path = None;
                    touched.lock().expect("no holder of the lock panics").insert(parent);
                    Ok(())
                }
                Kind::Bucket { bucket, handle } => {
                    spool.file.rewind()?;
                    handle.block_on(bucket.put_file(key, spool.file.try_clone()?))
                }
            }
        };
        keep().map_err(|error| self.io_error(error))
    }

    /// Returns when all names are there for good.
    pub(crate) fn sync(&self) -> Result<(), BackupError> {
        let Kind::Folder { touched, root, .. } = &self.kind else { return Ok(()) };
        let touched = std::mem::take(&mut *touched.lock().expect("no holder of the lock panics"));
        let around: BTreeSet<&Path> = touched
            .iter()
            .flat_map(|folder| folder.ancestors())
            .filter(|folder| folder.starts_with(root))
            .collect();
        for_each_parallel(&Vec::from_iter(around), |folder| {
            sync(folder).map_err(|error| self.io_error(error))
        })
    }

    /// Removes a file. The name is gone for good after [`Shelf::settle`].
    pub(crate) fn remove(&self, key: &str) -> Result<(), BackupError> {
        let removed = match &self.kind {
            Kind::Folder { root, touched, .. } => {
                let path = root.join(key);
                let parent = path.parent().expect("a file lies in a folder").to_owned();
                touched.lock().expect("no holder of the lock panics").insert(parent);
                fs::remove_file(path)
            }
            Kind::Bucket { bucket, handle } => handle.block_on(bucket.remove(key)),
        };
        removed.map_err(|error| self.io_error(error))
    }

    /// What went wrong here.
    pub(crate) fn io_error(&self, error: io::Error) -> BackupError {
        BackupError::at(&self.name)(error)
    }

    /// The disk is never filled to the brim: it may be the portal's own.
    fn has_room(&self) -> Result<(), BackupError> {
        let disk = statvfs(&self.spool).map_err(|error| self.io_error(error.into()))?;
        if disk.f_bavail.saturating_mul(disk.f_frsize) < self.floor {
            return Err(BackupError::NoSpace(self.name.clone()));
        }
        Ok(())
    }
}

/// The bytes of a file in a bucket.
struct Remote {
    bytes: Reader,
    held: Bytes,
    handle: Handle,
}

impl Read for Remote {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.held.is_empty() {
            self.held = self.handle.block_on(self.bytes.next())?;
        }
        let some = self.held.split_to(self.held.len().min(into.len()));
        into.get_mut(..some.len()).expect("it is no longer").copy_from_slice(&some);
        Ok(some.len())
    }
}

fn list(folder: &Path, found: &mut Vec<(String, u64)>) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let known = entry.metadata()?;
        if known.is_dir() {
            list(&entry.path(), found)?;
        } else {
            found.push((entry.file_name().to_string_lossy().into_owned(), known.len()));
        }
    }
    Ok(())
}

fn make(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
