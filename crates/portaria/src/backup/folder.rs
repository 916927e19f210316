//! A backup folder: `blobs/` holds the bytes of all snapshots once, `snapshots/{time}/` the rows and the manifest of each.
//!
//! Everything is written in `tmp/`, synced, and renamed into its place, a snapshot last of all: whatever a crash leaves
//! in `tmp/` is removed by the next backup, and blobs that no snapshot names are used or removed then.

mod writing;

use std::{
    collections::{BTreeSet, HashSet},
    fs::{self, File, OpenOptions},
    io::{self, BufReader, Read, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::Mutex,
};

use flate2::read::GzDecoder;
use jiff::{Timestamp, tz::TimeZone};
use rustix::fs::statvfs;

use super::{Blob, Failure, Manifest, digest, lines::unreadable, manifest, seal::Seal};
use crate::config::{Keep, Secret};

/// Says that a folder is a backup of ours.
pub(crate) const MARK: &str = "portaria-backup";
const KEY: &str = "key.age";
const BLOBS: &str = "blobs";
const SNAPSHOTS: &str = "snapshots";
const TMP: &str = "tmp";
const LOCK: &str = "lock";
const ROWS: &str = "rows.jsonl.gz";
const MANIFEST: &str = "manifest.json.gz";
/// What may be there before the mark: a crash may have come between, and disks have a folder of their own.
const BEFORE: [&str; 4] = [LOCK, KEY, TMP, "lost+found"];
/// How a snapshot's name is made of its moment, which is in UTC.
const NAME: &str = "%Y-%m-%dT%H%M%SZ";

/// An open backup folder.
pub struct Folder {
    root: PathBuf,
    seal: Option<Seal>,
    floor: u64,
    /// Folders with new names in them, which are to be synced before a snapshot counts on them.
    touched: Mutex<BTreeSet<PathBuf>>,
    /// Held while somebody writes.
    _lock: Option<File>,
}

impl Folder {
    /// Opens a folder to add to it, and makes it if it is not there. The last `floor` bytes of its disk stay free.
    ///
    /// # Errors
    /// [`Failure`], when it cannot be written to, or not with this key.
    pub fn for_writing(root: &Path, key: Option<&Secret>, floor: u64) -> Result<Self, Failure> {
        let at = || Failure::at(root);
        fs::DirBuilder::new().recursive(true).mode(0o700).create(root).map_err(at())?;
        let mark = root.join(MARK);
        if !mark.exists()
            && fs::read_dir(root).map_err(at())?.any(|entry| {
                entry.map_or(true, |entry| !BEFORE.map(Into::into).contains(&entry.file_name()))
            })
        {
            return Err(Failure::NotABackup(root.to_owned()));
        }
        let lock = File::create(root.join(LOCK)).map_err(at())?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => return Err(Failure::Busy(root.to_owned())),
            Err(fs::TryLockError::Error(error)) => return Err(at()(error)),
        }
        make(&root.join(TMP)).map_err(at())?;
        for left in fs::read_dir(root.join(TMP)).map_err(at())? {
            let left = left.map_err(at())?.path();
            let removed =
                if left.is_dir() { fs::remove_dir_all(&left) } else { fs::remove_file(&left) };
            removed.map_err(at())?;
        }
        let seal = if mark.exists() {
            read_seal(root, key, true)?
        } else {
            let seal = match key {
                Some(key) => {
                    let (seal, file) = Seal::make(key).map_err(at())?;
                    write_whole(root, KEY, &file).map_err(at())?;
                    Some(seal)
                }
                None => match fs::remove_file(root.join(KEY)) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => {
                        return Err(at()(error));
                    }
                    _ => None,
                },
            };
            write_whole(root, MARK, format!("{}\n", manifest::FORMAT).as_bytes()).map_err(at())?;
            seal
        };
        for folder in [BLOBS, SNAPSHOTS] {
            make(&root.join(folder)).map_err(at())?;
        }
        Ok(Self {
            root: root.to_owned(),
            seal,
            floor,
            touched: Mutex::default(),
            _lock: Some(lock),
        })
    }

    /// Opens a folder to read it.
    ///
    /// # Errors
    /// [`Failure`], when there is no backup, or it cannot be read with this key.
    pub fn for_reading(root: &Path, key: Option<&Secret>) -> Result<Self, Failure> {
        let mark = fs::read_to_string(root.join(MARK));
        match mark.map(|text| text.trim().parse::<u32>()) {
            Ok(Ok(format)) if format <= manifest::FORMAT => {}
            Ok(Ok(format)) => return Err(Failure::Newer(format!("format {format}"))),
            Ok(Err(_)) => return Err(Failure::Damaged(format!("its file {MARK}"))),
            Err(error) if error.kind() == io::ErrorKind::NotFound && root.is_dir() => {
                return Err(Failure::NotABackup(root.to_owned()));
            }
            Err(error) => return Err(Failure::at(root)(error)),
        }
        let seal = read_seal(root, key, false)?;
        Ok(Self { root: root.to_owned(), seal, floor: 0, touched: Mutex::default(), _lock: None })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// The names of its snapshots, the oldest first.
    ///
    /// # Errors
    /// [`Failure`], when the folder cannot be listed.
    pub fn snapshots(&self) -> Result<Vec<String>, Failure> {
        let folder = self.root.join(SNAPSHOTS);
        let names = fs::read_dir(&folder).and_then(|entries| {
            entries
                .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
                .collect::<io::Result<Vec<_>>>()
        });
        let mut names = names.map_err(Failure::at(&folder))?;
        names.retain(|name| moment(name).is_some());
        names.sort();
        Ok(names)
    }

    /// What a snapshot says of itself.
    ///
    /// # Errors
    /// [`Failure`], when there is none of that name, or not as it was written.
    pub fn manifest(&self, snapshot: &str) -> Result<Manifest, Failure> {
        let folder = self.root.join(SNAPSHOTS).join(snapshot);
        if moment(snapshot).is_none() || !folder.is_dir() {
            return Err(Failure::NoSnapshot(self.root.clone()));
        }
        let mut text = Vec::new();
        let read = self.read(&folder, MANIFEST)?.read_to_end(&mut text);
        read.map_err(unreadable)?;
        let damaged = || Failure::Damaged(format!("the manifest of {snapshot}"));
        // A newer format may be another shape altogether.
        let value: serde_json::Value = serde_json::from_slice(&text).map_err(|_| damaged())?;
        match value.get("format").and_then(serde_json::Value::as_u64) {
            Some(format) if format <= u64::from(manifest::FORMAT) => {}
            Some(format) => return Err(Failure::Newer(format!("format {format}"))),
            None => return Err(damaged()),
        }
        serde_json::from_value(value).map_err(|_| damaged())
    }

    /// The lines of a snapshot's rows.
    ///
    /// # Errors
    /// [`Failure`], when they cannot be read.
    pub fn rows(&self, snapshot: &str) -> Result<BufReader<Box<dyn Read + Send>>, Failure> {
        self.read(&self.root.join(SNAPSHOTS).join(snapshot), ROWS).map(BufReader::new)
    }

    /// Whether a blob is there already, as far as its length tells.
    #[must_use]
    pub fn has(&self, blob: &Blob) -> bool {
        fs::metadata(self.blob(&blob.name)).is_ok_and(|known| match self.seal {
            None => known.len() == blob.size,
            Some(_) => known.len() > blob.size,
        })
    }

    /// Opens a blob for reading.
    ///
    /// # Errors
    /// [`Failure`], when it is not there or not as it was written.
    pub fn open(&self, name: &str) -> Result<Box<dyn Read + Send>, Failure> {
        let path = self.blob(name);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(Failure::Damaged(format!("the file {name} is missing")));
            }
            Err(error) => return Err(Failure::at(&path)(error)),
        };
        match &self.seal {
            None => Ok(Box::new(file)),
            Some(seal) => seal.open(file).map_err(unreadable),
        }
    }

    /// Removes the snapshots that `keep` does not want, and the blobs that no other names. The newest always stays.
    ///
    /// # Errors
    /// [`Failure`]; what is left then is removed next time.
    pub fn prune(&self, keep: Keep, zone: &TimeZone) -> Result<(), Failure> {
        let at = || Failure::at(&self.root);
        let snapshots = self.snapshots()?;
        let moments: Vec<Timestamp> = snapshots.iter().filter_map(|name| moment(name)).collect();
        let kept = keep.of(&moments, zone);
        for (name, moment) in snapshots.iter().zip(&moments) {
            if kept.contains(moment) {
                continue;
            }
            // By one rename, so that half of a snapshot never bears its name.
            let away = self.root.join(TMP).join(name);
            fs::rename(self.root.join(SNAPSHOTS).join(name), &away).map_err(at())?;
            sync(&self.root.join(SNAPSHOTS)).map_err(at())?;
            fs::remove_dir_all(away).map_err(at())?;
        }
        let mut named = HashSet::new();
        for name in self.snapshots()? {
            match self.manifest(&name) {
                Ok(manifest) => named.extend(manifest.blobs.into_iter().map(|blob| blob.name)),
                Err(failure) => {
                    // Whoever can still read some of its files is to find them.
                    tracing::warn!(snapshot = name, %failure, "an old backup is damaged, so no file is removed");
                    return Ok(());
                }
            }
        }
        let blobs = self.root.join(BLOBS);
        for some in fs::read_dir(&blobs).map_err(at())? {
            for blob in fs::read_dir(some.map_err(at())?.path()).map_err(at())? {
                let blob = blob.map_err(at())?;
                if !blob
                    .file_name()
                    .to_str()
                    .is_some_and(|file| named.contains(file.trim_end_matches(".age")))
                {
                    fs::remove_file(blob.path()).map_err(at())?;
                }
            }
        }
        Ok(())
    }

    /// The disk is never filled to the brim: it may be the portal's own.
    fn has_room(&self) -> Result<(), Failure> {
        let disk = statvfs(&self.root).map_err(|error| Failure::at(&self.root)(error.into()))?;
        if disk.f_bavail.saturating_mul(disk.f_frsize) < self.floor {
            return Err(Failure::NoRoom(self.root.clone()));
        }
        Ok(())
    }

    fn blob(&self, name: &str) -> PathBuf {
        self.named(&self.root.join(BLOBS).join(name.get(..2).unwrap_or("00")), name)
    }

    /// Encrypted files say so by their names.
    fn named(&self, folder: &Path, name: &str) -> PathBuf {
        if self.seal.is_some() { folder.join(format!("{name}.age")) } else { folder.join(name) }
    }

    fn read(&self, folder: &Path, name: &str) -> Result<Box<dyn Read + Send>, Failure> {
        let path = self.named(folder, name);
        let file = File::open(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Failure::Damaged(format!("{} is missing", path.display())),
            _ => Failure::at(&path)(error),
        })?;
        let open: Box<dyn Read + Send> = match &self.seal {
            None => Box::new(file),
            Some(seal) => seal.open(file).map_err(unreadable)?,
        };
        Ok(Box::new(GzDecoder::new(BufReader::new(open))))
    }
}

fn read_seal(root: &Path, key: Option<&Secret>, writing: bool) -> Result<Option<Seal>, Failure> {
    match (fs::read(root.join(KEY)), key) {
        (Ok(file), Some(key)) => Seal::read(&file, key).map(Some),
        (Ok(_), None) => Err(Failure::NeedsKey),
        (Err(error), key) if error.kind() == io::ErrorKind::NotFound => {
            // Whoever gives a key counts on its being used.
            if writing && key.is_some() {
                Err(Failure::NotEncrypted(root.to_owned()))
            } else {
                Ok(None)
            }
        }
        (Err(error), _) => Err(Failure::at(root)(error)),
    }
}

/// When the snapshot of that name was made.
fn moment(name: &str) -> Option<Timestamp> {
    let civil = jiff::civil::DateTime::strptime(NAME, name).ok()?;
    civil.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
}

fn make(folder: &Path) -> io::Result<()> {
    match fs::DirBuilder::new().mode(0o700).create(folder) {
        Ok(()) => folder.parent().map_or(Ok(()), sync),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Writes a small file, whole or not at all.
fn write_whole(root: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let path = root.join(TMP).join(name);
    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&path)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(path, root.join(name))?;
    sync(root)
}

fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
