//! Partial uploads: the bytes of resumable uploads, which arrive in several requests and survive a restart.
//!
//! On the disk a partial upload is a file that grows. Objects of an S3 bucket cannot grow, so there it is one object
//! per segment, named by its offset; the segments are joined when the upload is complete. S3's own multipart uploads do
//! not fit: their parts have a minimum size of 5 MiB, while a client may send fewer bytes per request.

use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::{FileExt, OpenOptionsExt},
    path::PathBuf,
    sync::Arc,
};

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt, stream};

use crate::{
    BlobDigest, BlobReader, BlobStore, Disk, S3Bucket, StagedFileGuard, StoredBlob, blob_key,
    blocking, create_staged, fsync_dir,
};

/// Folder of partial uploads in the data folder and in the S3 bucket. Unlike `tmp` it is not cleared at start.
pub(crate) const FOLDER: &str = "uploads";

/// A partial upload, open for appending.
#[derive(Debug)]
pub struct PartialUpload {
    disk: Arc<Disk>,
    file: File,
    offset: u64,
    /// The S3 bucket that receives the bytes, if there is one.
    remote: Option<RemotePart>,
}

/// Destination of a partial upload in an S3 bucket. The local file holds the bytes that are not stored there yet.
#[derive(Debug)]
struct RemotePart {
    bucket: Arc<S3Bucket>,
    name: String,
    sent: u64,
    _spool: StagedFileGuard,
}

impl PartialUpload {
    /// Appends bytes.
    ///
    /// # Errors
    /// [`io::ErrorKind::StorageFull`], or an error of the disk.
    pub async fn write(mut self, bytes: Bytes) -> io::Result<Self> {
        blocking(move || {
            self.disk.ensure_free_space()?;
            let sent = self.remote.as_ref().map_or(0, |remote| remote.sent);
            self.file.write_all_at(&bytes, self.offset - sent)?;
            self.offset += bytes.len() as u64;
            Ok(self)
        })
        .await
    }

    /// Makes the bytes appended so far durable.
    ///
    /// # Errors
    /// An error of the store.
    pub async fn sync(mut self) -> io::Result<Self> {
        let Some(remote) = &mut self.remote else {
            return blocking(move || self.file.sync_all().map(|()| self)).await;
        };
        let size = self.offset - remote.sent;
        if size > 0 {
            let mut bytes = BlobReader::file(self.file.try_clone()?).range(0, size);
            remote.bucket.put(&segment_key(&remote.name, remote.sent), size, &mut bytes).await?;
            remote.sent = self.offset;
            self.file.set_len(0)?;
        }
        Ok(self)
    }

    /// Returns the number of bytes so far.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

impl BlobStore {
    /// Opens a partial upload for appending at `offset`; at 0 it creates one. Bytes beyond the offset are discarded.
    ///
    /// If a crash occurred after [`BlobStore::publish`], the blob becomes a partial upload again. The caller must hold
    /// the upload's lock, so no object can refer to the blob.
    ///
    /// # Errors
    /// [`io::ErrorKind::UnexpectedEof`] if the store has fewer than `offset` bytes; an error of the store.
    pub async fn open_part(&self, name: &str, offset: u64) -> io::Result<PartialUpload> {
        let disk = Arc::clone(&self.disk);
        if let Some(bucket) = &self.bucket {
            truncate(bucket, name, offset).await?;
            let (file, spooled) = blocking({
                let (disk, staged_name) = (Arc::clone(&disk), (self.new_name)());
                move || create_staged(&disk, &staged_name)
            })
            .await?;
            let (bucket, name) = (Arc::clone(bucket), name.to_owned());
            let remote = Some(RemotePart { bucket, name, sent: offset, _spool: spooled });
            return Ok(PartialUpload { disk, file, offset, remote });
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
            // Bytes beyond the recorded offset were never acknowledged.
            file.set_len(offset)?;
            if offset == 0 {
                fsync_dir(&disk.root.join(FOLDER))?;
            }
            Ok(PartialUpload { disk, file, offset, remote: None })
        })
        .await
    }

    /// Reads a complete partial upload and returns its size and SHA-256 with its first bytes.
    ///
    /// # Errors
    /// An error of the store.
    pub async fn inspect(&self, name: &str) -> io::Result<(StoredBlob, Vec<u8>)> {
        let mut digest = BlobDigest::new(name.to_owned());
        let mut reader = match &self.bucket {
            Some(bucket) => segments(bucket, name).await?.0,
            None => BlobReader::file(self.disk.open(&format!("{FOLDER}/{name}")).await?),
        };
        loop {
            let chunk = reader.next().await?;
            if chunk.is_empty() {
                return Ok(digest.end());
            }
            digest = blocking(move || {
                digest.add(&chunk);
                Ok(digest)
            })
            .await?;
        }
    }

    /// Publishes a complete partial upload as the blob of that name. In an S3 bucket its segments stay until
    /// [`BlobStore::remove_part`].
    ///
    /// # Errors
    /// An error of the store.
    pub async fn publish(&self, name: &str) -> io::Result<()> {
        if let Some(bucket) = &self.bucket {
            let (mut bytes, size) = segments(bucket, name).await?;
            return bucket.put(&blob_key(name), size, &mut bytes).await;
        }
        let (path, target) = (self.part_path(name), self.blob_path(name));
        let disk = Arc::clone(&self.disk);
        blocking(move || {
            File::open(&path)?.sync_all()?;
            let folder = target.parent().expect("a blob's path has a parent folder");
            disk.create_durable_dir(folder)?;
            fs::rename(&path, &target)?;
            fsync_dir(folder)
        })
        .await
    }

    /// Reverts [`BlobStore::publish`], after the object's row was not inserted.
    ///
    /// # Errors
    /// An error of the store.
    pub async fn unpublish(&self, name: &str) -> io::Result<()> {
        if let Some(bucket) = &self.bucket {
            return bucket.remove(&blob_key(name)).await;
        }
        let (path, blob) = (self.part_path(name), self.blob_path(name));
        blocking(move || fs::rename(blob, path)).await
    }

    /// Removes a partial upload. A missing one is not an error.
    ///
    /// # Errors
    /// An error of the store.
    pub async fn remove_part(&self, name: &str) -> io::Result<()> {
        match &self.bucket {
            Some(bucket) => truncate(bucket, name, 0).await,
            None => self.disk.remove(&format!("{FOLDER}/{name}")).await,
        }
    }

    /// Lists the names of all partial uploads.
    ///
    /// # Errors
    /// An error of the store.
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

/// Key of a segment. The offset has leading zeros, so that keys sort by offset.
fn segment_key(name: &str, offset: u64) -> String {
    format!("{FOLDER}/{name}/{offset:020}")
}

/// Removes the segments beyond the first `offset` bytes, which were never acknowledged.
///
/// # Errors
/// [`io::ErrorKind::UnexpectedEof`] unless the remaining segments have `offset` bytes without a gap.
async fn truncate(bucket: &S3Bucket, name: &str, offset: u64) -> io::Result<()> {
    let mut present = 0;
    for (segment, size) in bucket.list(&format!("{FOLDER}/{name}")).await? {
        let start: u64 = segment.parse().map_err(io::Error::other)?;
        if start >= offset {
            bucket.remove(&segment_key(name, start)).await?;
        } else if start == present {
            present += size;
        }
    }
    if present == offset { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

/// Opens all segments of a partial upload as one stream. Returns it with the number of bytes.
async fn segments(bucket: &Arc<S3Bucket>, name: &str) -> io::Result<(BlobReader, u64)> {
    let segments = bucket.list(&format!("{FOLDER}/{name}")).await?;
    let size = segments.iter().map(|(_, size)| size).sum();
    let (bucket, folder) = (Arc::clone(bucket), format!("{FOLDER}/{name}"));
    let bytes = stream::iter(segments)
        .then(move |(segment, _)| {
            let (bucket, key) = (Arc::clone(&bucket), format!("{folder}/{segment}"));
            async move { bucket.read_all(&key).await }
        })
        .try_flatten();
    Ok((BlobReader::remote(bytes.boxed()), size))
}
