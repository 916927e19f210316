//! The blob store: bytes under random names, in the data folder or in an S3 bucket. Acknowledged blobs survive a power
//! cut.
//!
//! Incoming bytes are staged in a local file, hashed while they are written, and published when they are complete
//! (`docs/decisions/0009-uploads-are-staged-on-the-local-disk.md`).
//!
//! The folder store is written by hand beside `object_store`, because the order of its syncs is part of the durability
//! guarantee and `crates/portaria/tests/faults/fsync_order.rs` checks it. `object_store` serves S3 buckets.

mod filesystem;
mod page_cache;
mod partial_upload;
mod reader;
mod s3;

use std::{
    fmt::Write as _,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use rustix::fs::syncfs;
use sha2::{Digest, Sha256};
use tokio::task::spawn_blocking;

pub use partial_upload::PartialUpload;
pub use reader::BlobReader;
pub use s3::{S3Bucket, S3Location};

use crate::filesystem::{Disk, fsync_dir};

/// Maximum size of one read from the disk. Bytes.
const CHUNK: usize = 1 << 20;
/// Number of leading bytes from which a file's type is detected.
pub const HEAD_BYTES: usize = 8192;

/// The blob store. Blobs are in the S3 bucket if there is one, otherwise on the disk; staged bytes are always on the
/// disk.
#[derive(Debug, Clone)]
pub struct BlobStore {
    disk: Arc<Disk>,
    bucket: Option<Arc<S3Bucket>>,
    new_name: fn() -> String,
}

/// A blob that is being written. Its bytes are removed if it is dropped before [`BlobWriter::commit`].
#[derive(Debug)]
pub struct BlobWriter {
    disk: Arc<Disk>,
    bucket: Option<Arc<S3Bucket>>,
    file: File,
    unfinished: StagedFileGuard,
    digest: BlobDigest,
}

/// Name, size and checksum of a complete blob.
#[derive(Debug, Clone, Default)]
pub struct StoredBlob {
    /// Random name.
    pub blob: String,
    /// Size in bytes.
    pub size: u64,
    /// SHA-256 in hexadecimal.
    pub sha256: String,
}

/// Headers of the bucket's response to a presigned URL.
#[derive(Debug, Clone, Default)]
pub struct PresignedHeaders {
    /// `Content-Type`.
    pub content_type: Option<String>,
    /// `Content-Disposition`.
    pub content_disposition: Option<String>,
    /// `Content-Encoding`.
    pub content_encoding: Option<String>,
    /// `Cache-Control`.
    pub cache_control: Option<String>,
}

impl PresignedHeaders {
    /// The parameters of `GetObject` that set the headers.
    fn query(&self) -> Vec<(&'static str, String)> {
        let parameters = [
            ("response-cache-control", &self.cache_control),
            ("response-content-disposition", &self.content_disposition),
            ("response-content-encoding", &self.content_encoding),
            ("response-content-type", &self.content_type),
        ];
        let set = parameters.into_iter().filter_map(|(name, value)| Some((name, value.clone()?)));
        set.collect()
    }
}

/// Computes size, SHA-256 and first bytes of a blob while it is written or read.
#[derive(Debug)]
struct BlobDigest {
    blob: String,
    size: u64,
    hash: Sha256,
    head: Vec<u8>,
}

impl BlobDigest {
    fn new(blob: String) -> Self {
        Self { blob, size: 0, hash: Sha256::new(), head: Vec::new() }
    }

    fn add(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
        self.size += bytes.len() as u64;
        let missing = HEAD_BYTES.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(bytes.get(..missing).unwrap_or_default());
    }

    /// Returns the result and the first bytes.
    fn end(self) -> (StoredBlob, Vec<u8>) {
        let sha256 = hex(&self.hash.finalize());
        (StoredBlob { blob: self.blob, size: self.size, sha256 }, self.head)
    }
}

/// Guard that removes a staged file when it is dropped, unless its path was taken out.
#[derive(Debug)]
struct StagedFileGuard(Option<PathBuf>);

impl Drop for StagedFileGuard {
    fn drop(&mut self) {
        if let Some(path) = self.0.take() {
            drop(fs::remove_file(path));
        }
    }
}

impl BlobStore {
    /// Opens the store in the data folder, with its blobs in `bucket` if there is one. The store refuses to use the
    /// last `floor` bytes of the disk. `new_name` returns a random name: at least 128 bits, in lower-case hexadecimal.
    /// The S3 bucket is not contacted yet.
    ///
    /// # Errors
    /// A message for the operator.
    pub fn open(
        data_dir: &Path,
        floor: u64,
        bucket: Option<&S3Location>,
        new_name: fn() -> String,
    ) -> Result<Self, String> {
        let prepare = || -> io::Result<()> {
            for folder in ["blobs", "tmp", partial_upload::FOLDER] {
                fs::DirBuilder::new().recursive(true).mode(0o700).create(data_dir.join(folder))?;
            }
            fsync_dir(data_dir)
        };
        prepare().map_err(|error| format!("cannot prepare {}: {error}", data_dir.display()))?;
        let bucket = bucket.map(S3Bucket::open).transpose()?.map(Arc::new);
        Ok(Self { disk: Arc::new(Disk::new(data_dir, floor)), bucket, new_name })
    }

    /// Opens a store for an import by this process alone. Blobs are durable only after [`BlobStore::sync_all`], which syncs
    /// the file system once instead of five times per file.
    ///
    /// # Errors
    /// A message for the operator.
    pub fn open_for_import(
        data_dir: &Path,
        floor: u64,
        bucket: Option<&S3Location>,
        new_name: fn() -> String,
    ) -> Result<Self, String> {
        let Self { bucket, .. } = Self::open(data_dir, floor, bucket, new_name)?;
        let disk = Disk::for_import(data_dir, floor)
            .map_err(|error| format!("cannot open {}: {error}", data_dir.display()))?;
        Ok(Self { disk: Arc::new(disk), bucket, new_name })
    }

    /// Makes all imported blobs durable.
    ///
    /// # Errors
    /// A write error of the disk. The import failed as a whole then.
    pub async fn sync_all(&self) -> io::Result<()> {
        let disk = Arc::clone(&self.disk);
        blocking(move || disk.import_root.as_ref().map_or(Ok(()), |root| Ok(syncfs(root)?))).await
    }

    /// Removes staged files that a crash left. The process must be the only one that uses this data folder, because the
    /// files of other processes are in the same folder.
    ///
    /// # Errors
    /// A message for the operator.
    pub fn clear_staging(&self) -> Result<(), String> {
        let folder = self.disk.root.join("tmp");
        let clear = || fs::read_dir(&folder)?.try_for_each(|entry| fs::remove_file(entry?.path()));
        clear().map_err(|error: io::Error| format!("cannot clear {}: {error}", folder.display()))
    }

    /// Reads a blob and returns its actual size and SHA-256.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`], or an error of the store.
    pub async fn checksum(&self, blob: &str) -> io::Result<StoredBlob> {
        let mut digest = BlobDigest::new(blob.to_owned());
        let mut reader = match &self.bucket {
            Some(bucket) => BlobReader::remote(bucket.read_all(&blob_key(blob)).await?),
            None => BlobReader::file(self.disk.open(&blob_key(blob)).await?),
        };
        loop {
            let chunk = reader.next().await?;
            if chunk.is_empty() {
                return Ok(digest.end().0);
            }
            digest = blocking(move || {
                digest.add(&chunk);
                Ok(digest)
            })
            .await?;
        }
    }

    /// Starts a blob with a random name.
    ///
    /// # Errors
    /// [`io::ErrorKind::StorageFull`], or an error of the disk.
    pub async fn create(&self) -> io::Result<BlobWriter> {
        self.create_named((self.new_name)()).await
    }

    /// Starts a blob with a given name: a copy of a blob from another store.
    ///
    /// # Errors
    /// [`io::ErrorKind::StorageFull`], or an error of the disk.
    pub async fn create_named(&self, blob: String) -> io::Result<BlobWriter> {
        let Self { disk, bucket, .. } = self.clone();
        blocking(move || {
            disk.ensure_free_space()?;
            let (file, unfinished) = create_staged(&disk, &blob)?;
            Ok(BlobWriter { disk, bucket, file, unfinished, digest: BlobDigest::new(blob) })
        })
        .await
    }

    /// Opens the bytes `from..to` of a blob.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`], or an error of the store.
    pub async fn open_blob(&self, blob: &str, from: u64, to: u64) -> io::Result<BlobReader> {
        let key = blob_key(blob);
        Ok(match &self.bucket {
            Some(_) if from >= to => BlobReader::empty(),
            Some(bucket) => BlobReader::remote(bucket.read(&key, from..to).await?).range(from, to),
            None => BlobReader::file(self.disk.open(&key).await?).range(from, to),
        })
    }

    /// Returns a URL with which anyone reads a blob from the bucket for `lifetime`, and that sets headers of that response.
    /// The bucket is not contacted.
    ///
    /// # Errors
    /// [`io::ErrorKind::Unsupported`] without a bucket.
    pub async fn presigned_url(
        &self,
        blob: &str,
        lifetime: Duration,
        headers: &PresignedHeaders,
    ) -> io::Result<String> {
        let bucket = self.bucket.as_ref().ok_or(io::ErrorKind::Unsupported)?;
        bucket.presigned_url(&blob_key(blob), lifetime, headers.query()).await
    }

    /// Checks that the store answers, without a change of it.
    ///
    /// # Errors
    /// An error of the store.
    pub async fn probe(&self) -> io::Result<()> {
        if let Some(bucket) = &self.bucket {
            return bucket.list_some(1).await.map(drop);
        }
        let folder = self.disk.root.join("blobs");
        blocking(move || fs::read_dir(folder).map(drop)).await
    }

    /// Removes a blob. A missing blob is not an error.
    ///
    /// # Errors
    /// An error of the store.
    pub async fn remove(&self, blob: &str) -> io::Result<()> {
        let key = blob_key(blob);
        match &self.bucket {
            Some(bucket) => bucket.remove(&key).await,
            None => self.disk.remove(&key).await,
        }
    }

    /// Lists the blobs whose names begin with the byte `first` and that were written before `moment`.
    ///
    /// # Errors
    /// An error of the store.
    pub async fn list_older_than(&self, first: u8, moment: SystemTime) -> io::Result<Vec<String>> {
        let folder = format!("blobs/{}", hex(&[first]));
        match &self.bucket {
            Some(bucket) => bucket.list_older_than(&folder, moment).await,
            None => self.disk.list_older_than(&folder, moment).await,
        }
    }
}

impl BlobWriter {
    /// Appends bytes.
    ///
    /// # Errors
    /// [`io::ErrorKind::StorageFull`], or an error of the disk.
    pub async fn write(mut self, bytes: Bytes) -> io::Result<Self> {
        blocking(move || {
            self.disk.ensure_free_space()?;
            self.file.write_all(&bytes)?;
            self.digest.add(&bytes);
            Ok(self)
        })
        .await
    }

    /// Returns the first bytes, from which the type is detected.
    #[must_use]
    pub fn first_bytes(&self) -> &[u8] {
        &self.digest.head
    }

    /// Whether the bytes written so far have this size and SHA-256.
    #[must_use]
    pub fn matches(&self, size: u64, sha256: &str) -> bool {
        self.digest.size == size && hex(&self.digest.hash.clone().finalize()) == sha256
    }

    /// Returns the number of bytes written so far.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.digest.size
    }

    /// Publishes the blob durably. On the disk it syncs the file, renames it, and syncs its folder, in this order.
    ///
    /// # Errors
    /// An error of the store. Nothing is left behind then.
    pub async fn commit(mut self) -> io::Result<StoredBlob> {
        let key = blob_key(&self.digest.blob);
        let Some(bucket) = self.bucket.take() else {
            return blocking(move || {
                let is_import = self.disk.import_root.is_some();
                if !is_import {
                    self.file.sync_all()?;
                }
                let target = self.disk.root.join(key);
                let folder = target.parent().expect("a blob's path has a parent folder");
                self.disk.create_durable_dir(folder)?;
                if let Some(path) = &self.unfinished.0 {
                    fs::rename(path, &target)?;
                }
                self.unfinished.0 = Some(target.clone());
                if !is_import {
                    fsync_dir(folder)?;
                }
                drop(self.unfinished.0.take());
                Ok(self.digest.end().0)
            })
            .await;
        };

        let Self { file, unfinished, digest, .. } = self;
        let (stored, _) = digest.end();
        let mut bytes = BlobReader::file(file).range(0, stored.size);
        bucket.put(&key, stored.size, &mut bytes).await?;
        drop(unfinished);
        Ok(stored)
    }
}

/// Creates a staged file of this node, with the guard that removes it.
fn create_staged(disk: &Disk, name: &str) -> io::Result<(File, StagedFileGuard)> {
    let path = disk.root.join("tmp").join(name);
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).create_new(true).mode(0o600).open(&path)?;
    Ok((file, StagedFileGuard(Some(path))))
}

/// Spread over two levels of folders, so that none grows too large to list.
fn blob_key(blob: &str) -> String {
    let (first, second) = (blob.get(..2).unwrap_or("00"), blob.get(2..4).unwrap_or("00"));
    format!("blobs/{first}/{second}/{blob}")
}

/// Encodes bytes in lower-case hexadecimal.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a String cannot fail");
        text
    })
}

/// Returns whether an error means that a disk is full, or its user's quota of it.
#[must_use]
pub fn is_disk_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// Runs work on the local disk. The text of an error says if the disk is full.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let result = spawn_blocking(work).await.map_err(io::Error::other)?;
    result.map_err(|error| {
        if is_disk_full(&error) {
            io::Error::new(error.kind(), format!("disk full: {error}"))
        } else {
            error
        }
    })
}
