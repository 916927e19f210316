//! The stored bytes: random names in a folder, or in a bucket of an S3-compatible store, written so that what was
//! acknowledged survives a power cut.

pub mod filesystem;
pub mod multipart;
pub mod reader;
pub mod s3;

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use bytes::Bytes;
use rustix::fs::syncfs;
use sha2::{Digest, Sha256};
use tokio::task::spawn_blocking;

use crate::blob::filesystem::{Disk, sync_folder};
pub use crate::blob::multipart::PartialUpload;
pub(crate) use crate::blob::s3::Bucket;
pub use reader::Reader;

use crate::{config::BucketUrl, security::keys};

/// How much a read takes from the disk at once.
const CHUNK: usize = 1 << 20;
/// How many leading bytes tell what a file is.
const HEAD: usize = 8192;

/// The store: blobs lie on the disk, or in the bucket if there is one. On their way they are always on the disk.
#[derive(Debug, Clone)]
pub struct BlobStore {
    disk: Arc<Disk>,
    bucket: Option<Arc<Bucket>>,
}

/// A blob on its way in. Dropped before [`Writer::finish`], it leaves nothing behind.
#[derive(Debug)]
pub struct BlobWriter {
    disk: Arc<Disk>,
    bucket: Option<Arc<Bucket>>,
    file: File,
    unfinished: Unfinished,
    digest: Digesting,
}

/// What is known of a blob once it is written.
#[derive(Debug, Clone, Default)]
pub struct StoredBlob {
    /// Its random name.
    pub blob: String,
    /// Bytes.
    pub size: u64,
    /// SHA-256 in hexadecimal.
    pub sha256: String,
}

/// What is found out about a blob while its bytes go by.
#[derive(Debug)]
struct Digesting {
    blob: String,
    size: u64,
    hash: Sha256,
    head: Vec<u8>,
}

impl Digesting {
    fn new(blob: String) -> Self {
        Self { blob, size: 0, hash: Sha256::new(), head: Vec::new() }
    }

    fn add(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
        self.size += bytes.len() as u64;
        let wanted = HEAD.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(bytes.get(..wanted).unwrap_or_default());
    }

    /// What there is to know, and the first bytes.
    fn end(self) -> (StoredBlob, Vec<u8>) {
        let sha256 = keys::hex(&self.hash.finalize());
        (StoredBlob { blob: self.blob, size: self.size, sha256 }, self.head)
    }
}

/// Removes what was written so far unless it was finished.
#[derive(Debug)]
struct Unfinished(Option<PathBuf>);

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(path) = self.0.take() {
            drop(fs::remove_file(path));
        }
    }
}

impl BlobStore {
    /// Opens the store inside the data folder, with its blobs in the bucket if one is named. It never takes the last
    /// `floor` bytes of the disk. Whether the bucket can be reached shows when it is used.
    ///
    /// # Errors
    /// A sentence for the operator.
    pub fn open(data_dir: &Path, floor: u64, bucket: Option<&BucketUrl>) -> Result<Self, String> {
        let prepare = || -> io::Result<()> {
            for folder in ["blobs", "tmp", multipart::FOLDER] {
                fs::DirBuilder::new().recursive(true).mode(0o700).create(data_dir.join(folder))?;
            }
            sync_folder(data_dir)
        };
        prepare().map_err(|error| format!("cannot prepare {}: {error}", data_dir.display()))?;
        let bucket = bucket.map(Bucket::open).transpose()?.map(Arc::new);
        Ok(Self { disk: Arc::new(Disk::new(data_dir, floor)), bucket })
    }

    /// Opens a store to fill it: nobody else uses it, and what is written is on the disk for good after [`Files::keep`]
    /// alone. That is one sync instead of five for each file.
    ///
    /// # Errors
    /// A sentence for the operator.
    pub fn open_for_import(
        data_dir: &Path,
        floor: u64,
        bucket: Option<&BucketUrl>,
    ) -> Result<Self, String> {
        let Self { bucket, .. } = Self::open(data_dir, floor, bucket)?;
        let disk = Disk::for_import(data_dir, floor)
            .map_err(|error| format!("cannot open {}: {error}", data_dir.display()))?;
        Ok(Self { disk: Arc::new(disk), bucket })
    }

    /// Puts on the disk for good what was filled in.
    ///
    /// # Errors
    /// When the disk refuses: nothing that was filled in counts then.
    pub async fn keep(&self) -> io::Result<()> {
        let disk = Arc::clone(&self.disk);
        blocking(move || disk.filling.as_ref().map_or(Ok(()), |root| Ok(syncfs(root)?))).await
    }

    /// Removes what a crash left half written. For whoever alone serves this folder: others' uploads would be in there.
    ///
    /// # Errors
    /// A sentence for the operator.
    pub fn clear(&self) -> Result<(), String> {
        let folder = self.disk.root.join("tmp");
        let clear = || fs::read_dir(&folder)?.try_for_each(|left| fs::remove_file(left?.path()));
        clear().map_err(|error: io::Error| format!("cannot clear {}: {error}", folder.display()))
    }

    /// Size and SHA-256 of a blob as it lies there.
    ///
    /// # Errors
    /// When there is none of that name, or the store refuses.
    pub async fn disk_usage(&self, blob: &str) -> io::Result<StoredBlob> {
        let mut digest = Digesting::new(blob.to_owned());
        let mut reader = match &self.bucket {
            Some(bucket) => Reader::remote(bucket.read_all(&blob_key(blob)).await?),
            None => Reader::file(self.disk.open(&blob_key(blob)).await?),
        };
        loop {
            let piece = reader.next().await?;
            if piece.is_empty() {
                return Ok(digest.end().0);
            }
            digest = blocking(move || {
                digest.add(&piece);
                Ok(digest)
            })
            .await?;
        }
    }

    /// Begins a blob.
    ///
    /// # Errors
    /// When the disk refuses.
    pub async fn create(&self) -> io::Result<BlobWriter> {
        self.create_named(keys::new_blob_name()).await
    }

    /// Begins a blob that has its name already, elsewhere: one that is copied from there.
    ///
    /// # Errors
    /// When the disk refuses.
    pub async fn create_named(&self, blob: String) -> io::Result<BlobWriter> {
        let Self { disk, bucket } = self.clone();
        blocking(move || {
            disk.has_free_space()?;
            let (file, unfinished) = spool(&disk, &blob)?;
            Ok(BlobWriter { disk, bucket, file, unfinished, digest: Digesting::new(blob) })
        })
        .await
    }

    /// Opens the bytes of a blob from `from` to `to` (exclusive).
    ///
    /// # Errors
    /// When there is none of that name, or the store refuses.
    pub async fn open_blob(&self, blob: &str, from: u64, to: u64) -> io::Result<Reader> {
        let key = blob_key(blob);
        Ok(match &self.bucket {
            Some(_) if from >= to => Reader::nothing(),
            Some(bucket) => Reader::remote(bucket.read(&key, from..to).await?).range(from, to),
            None => Reader::file(self.disk.open(&key).await?).range(from, to),
        })
    }

    /// Removes a blob; one that is gone already is no error.
    ///
    /// # Errors
    /// When the store refuses.
    pub async fn remove(&self, blob: &str) -> io::Result<()> {
        let key = blob_key(blob);
        match &self.bucket {
            Some(bucket) => bucket.remove(&key).await,
            None => self.disk.remove(&key).await,
        }
    }

    /// Of the blobs whose names begin with this byte, those that were written before a moment.
    ///
    /// # Errors
    /// When the store refuses.
    pub async fn list_older_than(&self, first: u8, moment: SystemTime) -> io::Result<Vec<String>> {
        let folder = format!("blobs/{}", keys::hex(&[first]));
        match &self.bucket {
            Some(bucket) => bucket.names_before(&folder, moment).await,
            None => self.disk.list_older_than(&folder, moment).await,
        }
    }
}

impl BlobWriter {
    /// Adds bytes.
    ///
    /// # Errors
    /// When the disk refuses.
    pub async fn write(mut self, bytes: Bytes) -> io::Result<Self> {
        blocking(move || {
            self.disk.has_free_space()?;
            self.file.write_all(&bytes)?;
            self.digest.add(&bytes);
            Ok(self)
        })
        .await
    }

    /// The first bytes, by which the type is told.
    #[must_use]
    pub fn first_bytes(&self) -> &[u8] {
        &self.digest.head
    }

    /// Whether the bytes so far are these.
    #[must_use]
    pub fn is(&self, size: u64, sha256: &str) -> bool {
        self.digest.size == size && keys::hex(&self.digest.hash.clone().finalize()) == sha256
    }

    /// How many bytes there are so far.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.digest.size
    }

    /// Puts the blob into the store for good. On the disk: its bytes, then its name, then the folder that holds the
    /// name.
    ///
    /// # Errors
    /// When the store refuses; nothing is left behind then.
    pub async fn commit(mut self) -> io::Result<StoredBlob> {
        let key = blob_key(&self.digest.blob);
        let Some(bucket) = self.bucket.take() else {
            return blocking(move || {
                let is_filling = self.disk.filling.is_some();
                if !is_filling {
                    self.file.sync_all()?;
                }
                let target = self.disk.root.join(key);
                let folder = target.parent().expect("a blob lies in a folder");
                self.disk.fsync_dir(folder)?;
                if let Some(path) = &self.unfinished.0 {
                    fs::rename(path, &target)?;
                }
                self.unfinished.0 = Some(target.clone());
                if !is_filling {
                    sync_folder(folder)?;
                }
                drop(self.unfinished.0.take());
                Ok(self.digest.end().0)
            })
            .await;
        };
        let Self { file, unfinished, digest, .. } = self;
        let (written, _) = digest.end();
        let mut bytes = Reader::file(file).range(0, written.size);
        bucket.put(&key, written.size, &mut bytes).await?;
        drop(unfinished);
        Ok(written)
    }
}

/// A file of this node's own for bytes on their way, gone when the second half is dropped.
fn spool(disk: &Disk, name: &str) -> io::Result<(File, Unfinished)> {
    let path = disk.root.join("tmp").join(name);
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).create_new(true).mode(0o600).open(&path)?;
    Ok((file, Unfinished(Some(path))))
}

/// Spread over two levels of folders, so that none grows too large to list.
fn blob_key(blob: &str) -> String {
    let (first, second) = (blob.get(..2).unwrap_or("00"), blob.get(2..4).unwrap_or("00"));
    format!("blobs/{first}/{second}/{blob}")
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    spawn_blocking(work).await.map_err(io::Error::other)?
}
