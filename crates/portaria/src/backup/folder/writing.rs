//! What is added to a backup folder: blobs, and snapshots that appear whole or not at all.

use std::{
    collections::HashSet,
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use age::stream::StreamWriter;
use flate2::{Compression, write::GzEncoder};
use jiff::{SignedDuration, Timestamp};

use super::{
    BLOBS, Failure, Folder, MANIFEST, Manifest, NAME, ROWS, SNAPSHOTS, TMP, digest, make, sync,
    unreadable,
};

impl Folder {
    /// Begins to write a blob. Dropped before [`Piece::finish`], it leaves nothing behind.
    pub(in crate::backup) fn put(&self, name: &str) -> Result<Piece<'_>, Failure> {
        self.has_room()?;
        let (path, target) = (self.root.join(TMP).join(name), self.blob(name));
        let out = self.create(&path).map_err(Failure::at(&self.root))?;
        Ok(Piece { folder: self, out: Some(out), path: Some(path), target })
    }

    /// Begins a snapshot of this moment.
    pub(in crate::backup) fn begin(&self, now: Timestamp) -> Result<Draft<'_>, Failure> {
        self.has_room()?;
        // Two backups in one second must not share a name.
        let taken: HashSet<String> = self.snapshots()?.into_iter().collect();
        let names = (0_i64..)
            .map(|later| (now + SignedDuration::from_secs(later)).strftime(NAME).to_string());
        let name = names
            .into_iter()
            .find(|name| !taken.contains(name))
            .expect("there are more seconds than snapshots");
        let path = self.root.join(TMP).join(&name);
        make(&path).map_err(Failure::at(&self.root))?;
        Ok(Draft { folder: self, path, name })
    }

    fn create(&self, path: &Path) -> io::Result<Out> {
        let file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
        match &self.seal {
            None => Ok(Out::Plain(file)),
            Some(seal) => seal.close(file).map(|writer| Out::Sealed(Box::new(writer))),
        }
    }
}

/// A file on its way out, encrypted where the folder is.
enum Out {
    Plain(File),
    Sealed(Box<StreamWriter<File>>),
}

impl Out {
    /// Puts it on the disk for good, but for its name.
    fn finish(self) -> io::Result<()> {
        let file = match self {
            Self::Plain(file) => file,
            Self::Sealed(writer) => writer.finish()?,
        };
        file.sync_all()
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(file) => file.write(bytes),
            Self::Sealed(writer) => writer.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(file) => file.flush(),
            Self::Sealed(writer) => writer.flush(),
        }
    }
}

/// A blob on its way in.
pub(in crate::backup) struct Piece<'f> {
    folder: &'f Folder,
    out: Option<Out>,
    path: Option<PathBuf>,
    target: PathBuf,
}

impl Write for Piece<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.as_mut().expect("it is not finished").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.as_mut().expect("it is not finished").flush()
    }
}

impl Piece<'_> {
    pub(in crate::backup) fn finish(mut self) -> Result<(), Failure> {
        let root = &self.folder.root;
        let parent = self.target.parent().expect("a blob lies in a folder").to_owned();
        let mut finish = || -> io::Result<()> {
            if let (Some(out), Some(path)) = (self.out.take(), self.path.clone()) {
                out.finish()?;
                make(&parent)?;
                fs::rename(path, &self.target)?;
            }
            Ok(())
        };
        finish().map_err(Failure::at(root))?;
        self.path = None;
        self.folder.touched.lock().expect("no holder of the lock panics").insert(parent);
        Ok(())
    }
}

impl Drop for Piece<'_> {
    fn drop(&mut self) {
        if let Some(path) = self.path.take() {
            drop(fs::remove_file(path));
        }
    }
}

/// A snapshot that is being written.
pub(in crate::backup) struct Draft<'f> {
    folder: &'f Folder,
    path: PathBuf,
    name: String,
}

/// The file of a snapshot's rows.
pub(in crate::backup) struct Packed<'f> {
    root: &'f Path,
    pack: BufWriter<GzEncoder<Out>>,
}

impl Write for Packed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.pack.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pack.flush()
    }
}

impl Packed<'_> {
    pub(in crate::backup) fn finish(self) -> Result<(), Failure> {
        let packed = self.pack.into_inner().map_err(io::IntoInnerError::into_error);
        let finished = packed.and_then(GzEncoder::finish).and_then(Out::finish);
        finished.map_err(Failure::at(self.root))
    }
}

impl<'f> Draft<'f> {
    pub(in crate::backup) fn rows(&self) -> Result<Packed<'f>, Failure> {
        self.pack(ROWS)
    }

    pub(in crate::backup) fn write(&self, manifest: &Manifest) -> Result<(), Failure> {
        let mut pack = self.pack(MANIFEST)?;
        let written = serde_json::to_writer(&mut pack, manifest);
        written.map_err(|error| Failure::at(&self.folder.root)(error.into()))?;
        pack.finish()
    }

    /// Whether the rows can be read again, as they were written.
    pub(in crate::backup) fn read_back(&self, manifest: &Manifest) -> Result<(), Failure> {
        let read = digest(self.folder.read(&self.path, ROWS)?).map_err(unreadable)?;
        if read != (manifest.rows.size, manifest.rows.sha256.clone()) {
            return Err(Failure::Damaged("its rows do not read as they were written".into()));
        }
        Ok(())
    }

    /// Gives the snapshot its name, once everything that it counts on is on the disk.
    pub(in crate::backup) fn commit(self) -> Result<String, Failure> {
        let root = &self.folder.root;
        let touched =
            std::mem::take(&mut *self.folder.touched.lock().expect("no holder of the lock panics"));
        let commit = || -> io::Result<()> {
            touched.iter().try_for_each(|folder| sync(folder))?;
            sync(&root.join(BLOBS))?;
            sync(&self.path)?;
            fs::rename(&self.path, root.join(SNAPSHOTS).join(&self.name))?;
            sync(&root.join(SNAPSHOTS))
        };
        commit().map_err(Failure::at(root))?;
        Ok(self.name)
    }

    fn pack(&self, name: &str) -> Result<Packed<'f>, Failure> {
        let out = self.folder.create(&self.folder.named(&self.path, name));
        let out = out.map_err(Failure::at(&self.folder.root))?;
        let pack = BufWriter::with_capacity(1 << 17, GzEncoder::new(out, Compression::new(3)));
        Ok(Packed { root: &self.folder.root, pack })
    }
}
