//! The disk below the store: how much room it has, and what lies on it.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use rustix::fs::statvfs;

use super::{Files, blocking};
use crate::keys;

/// Where everything lies, and how many bytes are left to others.
#[derive(Debug)]
pub(super) struct Disk {
    pub(super) root: PathBuf,
    pub(super) floor: u64,
}

impl Disk {
    /// Refuses more bytes before the disk is full to the brim: the database needs room too, also to delete.
    ///
    /// # Errors
    /// [`io::ErrorKind::StorageFull`].
    pub(super) fn has_room(&self) -> io::Result<()> {
        let disk = statvfs(&self.root)?;
        if disk.f_bavail.saturating_mul(disk.f_frsize) < self.floor {
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(())
    }
}

impl Files {
    /// Of the blobs whose names begin with this byte, those that were written before a moment.
    ///
    /// # Errors
    /// When the disk refuses.
    pub async fn blobs_before(&self, first: u8, moment: SystemTime) -> io::Result<Vec<String>> {
        let folder = self.0.root.join("blobs").join(keys::hex(&[first]));
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
