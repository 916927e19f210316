//! The local disk below the blob store: free space, durable folders, and files.

use std::{
    collections::HashSet,
    fs::{self, File},
    io,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    sync::Mutex,
    time::SystemTime,
};

use rustix::fs::statvfs;

use crate::{blocking, page_cache};

/// The data folder, and the number of bytes of its disk that the store does not use.
#[derive(Debug)]
pub(crate) struct Disk {
    pub(crate) root: PathBuf,
    pub(crate) reserved_bytes: u64,
    /// The root, during an import. It is opened before the first write, because `syncfs` reports only write errors that
    /// occurred since its file was opened.
    pub(crate) import_root: Option<File>,
    /// Folders of blobs that this process has made durable.
    durable: Mutex<HashSet<PathBuf>>,
}

impl Disk {
    pub(crate) fn new(root: &Path, floor: u64) -> Self {
        Self {
            root: root.to_owned(),
            reserved_bytes: floor,
            import_root: None,
            durable: Mutex::default(),
        }
    }

    /// Opens the data folder for an import.
    pub(crate) fn for_import(root: &Path, floor: u64) -> io::Result<Self> {
        Ok(Self { import_root: Some(File::open(root)?), ..Self::new(root, floor) })
    }

    /// Checks that more than the reserved space is free. The database needs that space, also for deletions.
    ///
    /// # Errors
    /// [`io::ErrorKind::StorageFull`].
    pub(crate) fn ensure_free_space(&self) -> io::Result<()> {
        let disk = statvfs(&self.root)?;
        if disk.f_bavail.saturating_mul(disk.f_frsize) < self.reserved_bytes {
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(())
    }

    /// Creates a folder of blobs, if it is missing, and makes its name durable. Each process syncs each folder once,
    /// also an existing one, because the process that created it may not have synced it.
    ///
    /// # Errors
    /// An error of the disk.
    pub(crate) fn create_durable_dir(&self, folder: &Path) -> io::Result<()> {
        let durable = || self.durable.lock().expect("no thread panics while it holds the lock");
        if durable().contains(folder) {
            return Ok(());
        }
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        if self.import_root.is_some() {
            durable().insert(folder.to_owned());
            return Ok(());
        }
        for parent in folder.ancestors().skip(1).take_while(|parent| *parent != self.root) {
            fsync_dir(parent)?;
        }
        durable().insert(folder.to_owned());
        Ok(())
    }

    /// Opens a file for reading.
    pub(crate) async fn open(&self, key: &str) -> io::Result<File> {
        let path = self.root.join(key);
        match page_cache::open(&path) {
            Some(file) => Ok(file),
            None => blocking(move || File::open(path)).await,
        }
    }

    /// Removes a file. A missing file is not an error.
    pub(crate) async fn remove(&self, key: &str) -> io::Result<()> {
        let path = self.root.join(key);
        blocking(move || match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        })
        .await
    }

    /// Lists the files in the subfolders of `folder` that were written before `moment`.
    pub(crate) async fn list_older_than(
        &self,
        folder: &str,
        moment: SystemTime,
    ) -> io::Result<Vec<String>> {
        let folder = self.root.join(folder);
        blocking(move || {
            let mut names = Vec::new();
            for folder in entries(&folder)? {
                for blob in entries(&folder?.path())? {
                    let blob = blob?;
                    match blob.metadata() {
                        Ok(metadata) if metadata.modified()? < moment => {
                            names.push(blob.file_name().to_string_lossy().into_owned());
                        }
                        // Unlinked since the folder was read, or younger.
                        _ => {}
                    }
                }
            }
            Ok(names)
        })
        .await
    }
}

/// Reads a folder's entries. A missing folder has none.
fn entries(folder: &Path) -> io::Result<impl Iterator<Item = io::Result<fs::DirEntry>>> {
    match fs::read_dir(folder) {
        Ok(entries) => Ok(Some(entries).into_iter().flatten()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None.into_iter().flatten()),
        Err(error) => Err(error),
    }
}

/// Syncs a folder, which makes the names in it durable.
pub(crate) fn fsync_dir(folder: &Path) -> io::Result<()> {
    if folder.as_os_str().is_empty() {
        File::open(".")?.sync_all()
    } else {
        File::open(folder)?.sync_all()
    }
}
