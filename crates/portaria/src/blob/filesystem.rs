//! The disk below the store: how much room it has, and what lies on it.

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

use crate::blob::blocking;

/// Where everything lies, and how many bytes are left to others.
#[derive(Debug)]
pub(crate) struct Disk {
    pub(crate) root: PathBuf,
    pub(crate) floor: u64,
    /// The root, while the store is filled and nothing of it counts yet: whoever had it open before the first byte is
    /// told of every byte that did not reach the disk.
    pub(crate) filling: Option<File>,
    /// Folders of blobs whose own names are on the disk for good.
    kept: Mutex<HashSet<PathBuf>>,
}

impl Disk {
    pub(crate) fn new(root: &Path, floor: u64) -> Self {
        Self { root: root.to_owned(), floor, filling: None, kept: Mutex::default() }
    }

    pub(crate) fn for_import(root: &Path, floor: u64) -> io::Result<Self> {
        Ok(Self { filling: Some(File::open(root)?), ..Self::new(root, floor) })
    }

    /// Refuses more bytes before the disk is full to the brim: the database needs room too, also to delete.
    ///
    /// # Errors
    /// [`io::ErrorKind::StorageFull`].
    pub(crate) fn has_free_space(&self) -> io::Result<()> {
        let disk = statvfs(&self.root)?;
        if disk.f_bavail.saturating_mul(disk.f_frsize) < self.floor {
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(())
    }

    /// Makes a folder of blobs whose name survives a power cut. Where it is there already, whoever made it may have
    /// died before that was so, or not be done yet: each process sees to it once.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(crate) fn fsync_dir(&self, folder: &Path) -> io::Result<()> {
        let kept = || self.kept.lock().expect("no holder of the lock panics");
        if kept().contains(folder) {
            return Ok(());
        }
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        if self.filling.is_some() {
            kept().insert(folder.to_owned());
            return Ok(());
        }
        for parent in folder.ancestors().skip(1).take_while(|parent| *parent != self.root) {
            sync_folder(parent)?;
        }
        kept().insert(folder.to_owned());
        Ok(())
    }

    pub(crate) async fn open(&self, key: &str) -> io::Result<File> {
        let path = self.root.join(key);
        blocking(move || File::open(path)).await
    }

    pub(crate) async fn remove(&self, key: &str) -> io::Result<()> {
        let path = self.root.join(key);
        blocking(move || match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        })
        .await
    }

    /// Of the files in a folder's folders, those that were written before a moment.
    pub(crate) async fn list_older_than(
        &self,
        folder: &str,
        moment: SystemTime,
    ) -> io::Result<Vec<String>> {
        let folder = self.root.join(folder);
        blocking(move || {
            let mut found = Vec::new();
            for folder in entries(&folder)? {
                for blob in entries(&folder?.path())? {
                    let blob = blob?;
                    match blob.metadata() {
                        Ok(known) if known.modified()? < moment => {
                            found.push(blob.file_name().to_string_lossy().into_owned());
                        }
                        // Unlinked since, or too young.
                        _ => {}
                    }
                }
            }
            Ok(found)
        })
        .await
    }
}

/// What lies in a folder; nothing if there is none.
fn entries(folder: &Path) -> io::Result<impl Iterator<Item = io::Result<fs::DirEntry>>> {
    match fs::read_dir(folder) {
        Ok(entries) => Ok(Some(entries).into_iter().flatten()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None.into_iter().flatten()),
        Err(error) => Err(error),
    }
}

pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    if folder.as_os_str().is_empty() {
        File::open(".")?.sync_all()
    } else {
        File::open(folder)?.sync_all()
    }
}
