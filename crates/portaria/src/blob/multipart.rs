//! The bytes of a resumable upload, which come over several requests and outlive a restart: a file that grows, or in a
//! bucket, where nothing grows, one object for each piece that was put there for good.

use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::{FileExt, OpenOptionsExt},
    path::PathBuf,
    sync::Arc,
};

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};

use crate::blob::{
    BlobStore, Bucket, Digesting, Disk, Reader, StoredBlob, Unfinished, blob_key, blocking, spool,
    sync_folder,
};
use crate::security::keys;

/// Where parts lie in the data folder, and in a bucket. Unlike `tmp` it is not emptied at start.
pub(crate) const FOLDER: &str = "uploads";

/// An open part.
#[derive(Debug)]
pub struct PartialUpload {
    disk: Arc<Disk>,
    file: File,
    offset: u64,
    /// Where the bytes of a part in a bucket go.
    way: Option<Way>,
}

/// The way into a bucket: the file holds what is still to be sent.
#[derive(Debug)]
struct Way {
    bucket: Arc<Bucket>,
    name: String,
    sent: u64,
    _spool: Unfinished,
}

impl PartialUpload {
    /// Adds bytes.
    ///
    /// # Errors
    /// When the disk refuses.
    pub async fn write(mut self, bytes: Bytes) -> io::Result<Self> {
        blocking(move || {
            self.disk.has_free_space()?;
            let sent = self.way.as_ref().map_or(0, |way| way.sent);
            self.file.write_all_at(&bytes, self.offset - sent)?;
            self.offset += bytes.len() as u64;
            Ok(self)
        })
        .await
    }

    /// Puts into the store for good what was added so far.
    ///
    /// # Errors
    /// When the store refuses.
    pub async fn sync(mut self) -> io::Result<Self> {
        let Some(way) = &mut self.way else {
            return blocking(move || self.file.sync_all().map(|()| self)).await;
        };
        let size = self.offset - way.sent;
        if size > 0 {
            let mut bytes = Reader::file(self.file.try_clone()?).range(0, size);
            way.bucket.put(&piece_key(&way.name, way.sent), size, &mut bytes).await?;
            way.sent = self.offset;
            self.file.set_len(0)?;
        }
        Ok(self)
    }

    /// How many bytes there are so far.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

impl BlobStore {
    /// Opens a part, or begins it, to add bytes behind the first `offset`. If it was made a blob that did not become
    /// a file, because a crash came between, it is a part again: whoever has the turn knows that there is no row.
    ///
    /// # Errors
    /// When the store refuses, or no longer has that many bytes of it.
    pub async fn open_part(&self, name: &str, offset: u64) -> io::Result<PartialUpload> {
        let disk = Arc::clone(&self.disk);
        if let Some(bucket) = &self.bucket {
            cut(bucket, name, offset).await?;
            let (file, spooled) = blocking({
                let disk = Arc::clone(&disk);
                move || spool(&disk, &keys::new_blob_name())
            })
            .await?;
            let (bucket, name) = (Arc::clone(bucket), name.to_owned());
            let way = Some(Way { bucket, name, sent: offset, _spool: spooled });
            return Ok(PartialUpload { disk, file, offset, way });
        }
        let (path, blob) = (self.part_path(name), self.blob_path(name));
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
                sync_folder(&disk.root.join(FOLDER))?;
            }
            Ok(PartialUpload { disk, file, offset, way: None })
        })
        .await
    }

    /// What is known of a whole part, and its first bytes.
    ///
    /// # Errors
    /// When the store refuses.
    pub async fn inspect(&self, name: &str) -> io::Result<(StoredBlob, Vec<u8>)> {
        let mut digest = Digesting::new(name.to_owned());
        let mut reader = match &self.bucket {
            Some(bucket) => pieces(bucket, name).await?.0,
            None => Reader::file(self.disk.open(&format!("{FOLDER}/{name}")).await?),
        };
        loop {
            let piece = reader.next().await?;
            if piece.is_empty() {
                return Ok(digest.end());
            }
            digest = blocking(move || {
                digest.add(&piece);
                Ok(digest)
            })
            .await?;
        }
    }

    /// Makes a whole part the blob of that name. In a bucket its pieces stay, until [`Files::remove_part`].
    ///
    /// # Errors
    /// When the store refuses.
    pub async fn publish(&self, name: &str) -> io::Result<()> {
        if let Some(bucket) = &self.bucket {
            let (mut bytes, size) = pieces(bucket, name).await?;
            return bucket.put(&blob_key(name), size, &mut bytes).await;
        }
        let (path, target) = (self.part_path(name), self.blob_path(name));
        let disk = Arc::clone(&self.disk);
        blocking(move || {
            File::open(&path)?.sync_all()?;
            let folder = target.parent().expect("a blob lies in a folder");
            disk.fsync_dir(folder)?;
            fs::rename(&path, &target)?;
            sync_folder(folder)
        })
        .await
    }

    /// Makes a blob a part again, when it did not become a file.
    ///
    /// # Errors
    /// When the store refuses.
    pub async fn unpublish(&self, name: &str) -> io::Result<()> {
        if let Some(bucket) = &self.bucket {
            return bucket.remove(&blob_key(name)).await;
        }
        let (path, blob) = (self.part_path(name), self.blob_path(name));
        blocking(move || fs::rename(blob, path)).await
    }

    /// Removes a part; one that is gone already is no error.
    ///
    /// # Errors
    /// When the store refuses.
    pub async fn remove_part(&self, name: &str) -> io::Result<()> {
        match &self.bucket {
            Some(bucket) => cut(bucket, name, 0).await,
            None => self.disk.remove(&format!("{FOLDER}/{name}")).await,
        }
    }

    /// The names of all parts.
    ///
    /// # Errors
    /// When the store refuses.
    pub async fn parts(&self) -> io::Result<Vec<String>> {
        if let Some(bucket) = &self.bucket {
            return bucket.folders(FOLDER).await;
        }
        let folder = self.disk.root.join(FOLDER);
        blocking(move || {
            fs::read_dir(folder)?
                .map(|entry| entry.map(|entry| entry.file_name().to_string_lossy().into_owned()))
                .collect()
        })
        .await
    }

    fn part_path(&self, name: &str) -> PathBuf {
        self.disk.root.join(FOLDER).join(name)
    }

    fn blob_path(&self, name: &str) -> PathBuf {
        self.disk.root.join(blob_key(name))
    }
}

/// Of as many digits as a size can have, so that names sort as numbers do.
fn piece_key(name: &str, offset: u64) -> String {
    format!("{FOLDER}/{name}/{offset:020}")
}

/// Removes the pieces behind the first `offset` bytes: they were never acknowledged.
async fn cut(bucket: &Bucket, name: &str, offset: u64) -> io::Result<()> {
    let mut there = 0;
    for (piece, size) in bucket.list(&format!("{FOLDER}/{name}")).await? {
        let begins: u64 = piece.parse().map_err(io::Error::other)?;
        if begins >= offset {
            bucket.remove(&piece_key(name, begins)).await?;
        } else if begins == there {
            there += size;
        }
    }
    if there == offset { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// All pieces of a part, one behind the other, and how many bytes they are.
async fn pieces(bucket: &Arc<Bucket>, name: &str) -> io::Result<(Reader, u64)> {
    let pieces = bucket.list(&format!("{FOLDER}/{name}")).await?;
    let size = pieces.iter().map(|(_, size)| size).sum();
    let (bucket, folder) = (Arc::clone(bucket), format!("{FOLDER}/{name}"));
    let bytes = stream::iter(pieces)
        .then(move |(piece, _)| {
            let (bucket, key) = (Arc::clone(&bucket), format!("{folder}/{piece}"));
            async move { bucket.read_all(&key).await }
        })
        .try_flatten();
    Ok((Reader::remote(bytes.boxed()), size))
}
