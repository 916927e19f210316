//! The bytes of a resumable upload: a file that grows over several requests and outlives a restart.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read},
    os::unix::fs::{FileExt, OpenOptionsExt},
    sync::Arc,
};

use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::{CHUNK, Disk, Files, HEAD, Written, blob_path, blocking, create_folder, sync_folder};
use crate::keys;

/// Where parts lie in the data folder. Unlike `tmp` it is not emptied at start.
pub(super) const FOLDER: &str = "uploads";

/// An open part.
#[derive(Debug)]
pub struct Part {
    disk: Arc<Disk>,
    file: File,
    offset: u64,
}

impl Part {
    /// Adds bytes.
    ///
    /// # Errors
    /// When the disk refuses.
    pub async fn write(mut self, bytes: Bytes) -> io::Result<Self> {
        blocking(move || {
            self.disk.has_room()?;
            self.file.write_all_at(&bytes, self.offset)?;
            self.offset += bytes.len() as u64;
            Ok(self)
        })
        .await
    }

    /// Puts on the disk for good what was added so far.
    ///
    /// # Errors
    /// When the disk refuses.
    pub async fn sync(self) -> io::Result<Self> {
        blocking(move || self.file.sync_all().map(|()| self)).await
    }

    /// How many bytes there are so far.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

impl Files {
    /// Opens a part, or begins it, to add bytes behind the first `offset`. If it was made a blob that did not become
    /// a file, because a crash came between, it is a part again: whoever has the turn knows that there is no row.
    ///
    /// # Errors
    /// When the disk refuses, or no longer has that many bytes of it.
    pub async fn open_part(&self, name: &str, offset: u64) -> io::Result<Part> {
        let folder = self.0.root.join(FOLDER);
        let path = folder.join(name);
        let blob = blob_path(&self.0.root, name);
        let disk = Arc::clone(&self.0);
        blocking(move || {
            match fs::rename(blob, &path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let mut options = OpenOptions::new();
            options.write(true).create(offset == 0).truncate(false).mode(0o600);
            let file = options.open(path)?;
            if file.metadata()?.len() < offset {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            // What a crash left behind the last count was never acknowledged.
            file.set_len(offset)?;
            if offset == 0 {
                sync_folder(&folder)?;
            }
            Ok(Part { disk, file, offset })
        })
        .await
    }

    /// What is known of a whole part, and its first bytes.
    ///
    /// # Errors
    /// When the disk refuses.
    pub async fn examine_part(&self, name: &str) -> io::Result<(Written, Vec<u8>)> {
        let path = self.0.root.join(FOLDER).join(name);
        let blob = name.to_owned();
        blocking(move || {
            let mut file = File::open(path)?;
            let mut written = Written { blob, ..Written::default() };
            let (mut hash, mut head) = (Sha256::new(), Vec::new());
            let mut piece = vec![0; CHUNK];
            loop {
                let read = file.read(&mut piece)?;
                let bytes = piece.get(..read).unwrap_or_default();
                if bytes.is_empty() {
                    break;
                }
                hash.update(bytes);
                written.size += bytes.len() as u64;
                let wanted = HEAD.saturating_sub(head.len()).min(bytes.len());
                head.extend_from_slice(bytes.get(..wanted).unwrap_or_default());
            }
            written.sha256 = keys::hex(&hash.finalize());
            Ok((written, head))
        })
        .await
    }

    /// Makes a whole part the blob of that name.
    ///
    /// # Errors
    /// When the disk refuses.
    pub async fn keep_part(&self, name: &str) -> io::Result<()> {
        let path = self.0.root.join(FOLDER).join(name);
        let target = blob_path(&self.0.root, name);
        blocking(move || {
            File::open(&path)?.sync_all()?;
            let folder = target.parent().expect("a blob lies in a folder");
            create_folder(folder)?;
            fs::rename(&path, &target)?;
            sync_folder(folder)
        })
        .await
    }

    /// Makes a blob a part again, when it did not become a file.
    ///
    /// # Errors
    /// When the disk refuses.
    pub async fn return_part(&self, name: &str) -> io::Result<()> {
        let path = self.0.root.join(FOLDER).join(name);
        let blob = blob_path(&self.0.root, name);
        blocking(move || fs::rename(blob, path)).await
    }

    /// Unlinks a part; one that is gone already is no error.
    ///
    /// # Errors
    /// When the disk refuses.
    pub async fn remove_part(&self, name: &str) -> io::Result<()> {
        let path = self.0.root.join(FOLDER).join(name);
        blocking(move || match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        })
        .await
    }

    /// The names of all parts.
    ///
    /// # Errors
    /// When the disk refuses.
    pub async fn parts(&self) -> io::Result<Vec<String>> {
        let folder = self.0.root.join(FOLDER);
        blocking(move || {
            fs::read_dir(folder)?
                .map(|entry| entry.map(|entry| entry.file_name().to_string_lossy().into_owned()))
                .collect()
        })
        .await
    }
}
