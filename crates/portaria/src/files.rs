//! The stored bytes: random names in a folder, written so that what was acknowledged survives a power cut.

mod disk;
mod part;

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::Arc,
};

use bytes::Bytes;
use sha2::{Digest, Sha256};
use tokio::task::spawn_blocking;

use disk::Disk;
pub use part::Part;

use crate::keys;

/// How much a read takes from the disk at once.
const CHUNK: usize = 1 << 20;
/// How many leading bytes tell what a file is.
const HEAD: usize = 8192;

/// The store.
#[derive(Debug, Clone)]
pub struct Files(Arc<Disk>);

/// A blob on its way in. Dropped before [`Writer::finish`], it leaves nothing behind.
#[derive(Debug)]
pub struct Writer {
    disk: Arc<Disk>,
    file: File,
    unfinished: Unfinished,
    target: PathBuf,
    hash: Sha256,
    head: Vec<u8>,
    written: Written,
}

/// What is known of a blob once it is written.
#[derive(Debug, Clone, Default)]
pub struct Written {
    /// Its random name.
    pub blob: String,
    /// Bytes.
    pub size: u64,
    /// SHA-256 in hexadecimal.
    pub sha256: String,
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

impl Files {
    /// Opens the store inside the data folder. It never takes the last `floor` bytes of the disk.
    ///
    /// # Errors
    /// A sentence for the operator.
    pub fn open(data_dir: &Path, floor: u64) -> Result<Self, String> {
        let prepare = || -> io::Result<()> {
            for folder in ["blobs", "tmp", part::FOLDER] {
                create_folder(&data_dir.join(folder))?;
            }
            Ok(())
        };
        prepare().map_err(|error| format!("cannot prepare {}: {error}", data_dir.display()))?;
        Ok(Self(Arc::new(Disk { root: data_dir.to_owned(), floor })))
    }

    /// Removes what a crash left half written. For whoever alone serves this folder: others' uploads would be in there.
    ///
    /// # Errors
    /// A sentence for the operator.
    pub fn clear(&self) -> Result<(), String> {
        let folder = self.0.root.join("tmp");
        let clear = || fs::read_dir(&folder)?.try_for_each(|left| fs::remove_file(left?.path()));
        clear().map_err(|error: io::Error| format!("cannot clear {}: {error}", folder.display()))
    }

    /// Size and SHA-256 of a blob as it lies on the disk.
    ///
    /// # Errors
    /// When there is none of that name, or the disk refuses.
    pub async fn measure(&self, blob: &str) -> io::Result<Written> {
        let (path, blob) = (blob_path(&self.0.root, blob), blob.to_owned());
        blocking(move || {
            let (mut file, mut hash, mut size) = (File::open(path)?, Sha256::new(), 0);
            let mut bytes = vec![0; CHUNK];
            loop {
                let read = file.read(&mut bytes)?;
                if read == 0 {
                    return Ok(Written { blob, size, sha256: keys::hex(&hash.finalize()) });
                }
                hash.update(bytes.get(..read).unwrap_or_default());
                size += read as u64;
            }
        })
        .await
    }

    /// Begins a blob.
    ///
    /// # Errors
    /// When the disk refuses.
    pub async fn create(&self) -> io::Result<Writer> {
        let disk = Arc::clone(&self.0);
        blocking(move || {
            disk.has_room()?;
            let blob = keys::new_blob_name();
            let target = blob_path(&disk.root, &blob);
            let path = disk.root.join("tmp").join(&blob);
            let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
            let written = Written { blob, ..Written::default() };
            Ok(Writer {
                disk,
                file,
                unfinished: Unfinished(Some(path)),
                target,
                hash: Sha256::new(),
                head: Vec::new(),
                written,
            })
        })
        .await
    }

    /// Opens a blob for reading.
    ///
    /// # Errors
    /// When there is none of that name, or the disk refuses.
    pub async fn open_blob(&self, blob: &str) -> io::Result<Reader> {
        let path = blob_path(&self.0.root, blob);
        blocking(move || File::open(path).map(|file| Reader(Arc::new(file)))).await
    }

    /// Unlinks a blob; one that is gone already is no error.
    ///
    /// # Errors
    /// When the disk refuses.
    pub async fn remove(&self, blob: &str) -> io::Result<()> {
        let path = blob_path(&self.0.root, blob);
        blocking(move || match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        })
        .await
    }
}

impl Writer {
    /// Adds bytes.
    ///
    /// # Errors
    /// When the disk refuses.
    pub async fn write(mut self, bytes: Bytes) -> io::Result<Self> {
        blocking(move || {
            self.disk.has_room()?;
            self.file.write_all(&bytes)?;
            self.hash.update(&bytes);
            self.written.size += bytes.len() as u64;
            let wanted = HEAD.saturating_sub(self.head.len()).min(bytes.len());
            self.head.extend_from_slice(bytes.get(..wanted).unwrap_or_default());
            Ok(self)
        })
        .await
    }

    /// The first bytes, by which the type is told.
    #[must_use]
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// How many bytes there are so far.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.written.size
    }

    /// Puts the blob on disk for good: its bytes, then its name, then the folder that holds the name.
    ///
    /// # Errors
    /// When the disk refuses; nothing is left behind then.
    pub async fn finish(mut self) -> io::Result<Written> {
        blocking(move || {
            self.file.sync_all()?;
            let folder = self.target.parent().expect("a blob lies in a folder");
            create_folder(folder)?;
            if let Some(path) = self.unfinished.0.replace(self.target.clone()) {
                fs::rename(path, &self.target)?;
            }
            sync_folder(folder)?;
            drop(self.unfinished.0.take());
            self.written.sha256 = keys::hex(&self.hash.finalize());
            Ok(self.written)
        })
        .await
    }
}

/// An open blob, read piece by piece.
#[derive(Debug, Clone)]
pub struct Reader(Arc<File>);

impl Reader {
    /// Up to a mebibyte of the bytes from `from` to `to` (exclusive); empty at the end.
    ///
    /// # Errors
    /// When the disk refuses.
    pub async fn read(&self, from: u64, to: u64) -> io::Result<Bytes> {
        use std::os::unix::fs::FileExt;
        let file = Arc::clone(&self.0);
        blocking(move || {
            let wanted = usize::try_from(to.saturating_sub(from)).unwrap_or(CHUNK).min(CHUNK);
            let mut bytes = vec![0; wanted];
            let read = file.read_at(&mut bytes, from)?;
            bytes.truncate(read);
            Ok(bytes.into())
        })
        .await
    }
}

/// Spread over two levels of folders, so that none grows too large to list.
fn blob_path(root: &Path, blob: &str) -> PathBuf {
    let (first, second) = (blob.get(..2).unwrap_or("00"), blob.get(2..4).unwrap_or("00"));
    root.join("blobs").join(first).join(second).join(blob)
}

fn create_folder(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    // The new folders' own names must survive too.
    for parent in folder.ancestors().skip(1).take(3) {
        sync_folder(parent)?;
    }
    Ok(())
}

fn sync_folder(folder: &Path) -> io::Result<()> {
    if folder.as_os_str().is_empty() {
        File::open(".")?.sync_all()
    } else {
        File::open(folder)?.sync_all()
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    spawn_blocking(work).await.map_err(io::Error::other)?
}
