//! A backup: `blobs/` holds the blobs of all snapshots once, `rows/` the pieces of their rows once, and `snapshots/` a
//! manifest of each.
//!
//! A snapshot's name appears last of all, when everything that it counts on is there for good. Whatever a crash leaves
//! besides is used by the next backup, or removed when old ones are thinned out.

use std::{
    collections::{HashMap, HashSet},
    fs,
    io::{self, BufReader, Read, Write},
    sync::Mutex,
};

use age::stream::StreamWriter;
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use tokio::runtime::Handle;

pub(crate) use crate::backup::chunker::Chunker;

use crate::backup::{
    BackupError, Blob, Manifest, encryption::BackupKey, manifest, row_stream::corrupt,
    target::BackupTarget,
};
use crate::config::{Config, RetentionPolicy, Secret, Target};

/// Says that this is a backup of ours.
pub(crate) const FORMAT_MARKER: &str = "portaria-backup";
/// The key pair of an encrypted one.
pub(crate) const KEY: &str = "key.age";
const BLOBS: &str = "blobs";
pub(crate) const ROWS: &str = "rows";
const SNAPSHOTS: &str = "snapshots";
/// How a snapshot's name is made of its moment, which is in UTC.
const NAME: &str = "%Y-%m-%dT%H%M%SZ";
const PACKED: &str = ".json.gz";
const SEALED: &str = ".age";

/// An open backup.
pub struct Repository {
    pub(crate) shelf: BackupTarget,
    pub(crate) seal: Option<BackupKey>,
    /// The blobs that are there already, and how long they are; for whoever writes.
    blobs: HashMap<String, u64>,
    /// The pieces of rows that are there.
    pub(crate) rows: Mutex<HashSet<String>>,
}

impl Repository {
    /// Opens a backup to add to it, and makes it if there is none.
    ///
    /// # Errors
    /// [`Failure`], when it cannot be written to, or not with this key.
    pub fn open_or_init(
        to: &Target,
        config: &Config,
        handle: &Handle,
    ) -> Result<Self, BackupError> {
        let (floor, key) = (config.min_free_space, config.backup.key.as_ref());
        let shelf =
            BackupTarget::open_to_write(to, FORMAT_MARKER, &config.data_dir, floor, handle)?;
        let seal = if shelf.read(FORMAT_MARKER)?.is_some() {
            read_seal(&shelf, key, true)?
        } else {
            let seal = match key {
                Some(key) => {
                    let (seal, file) =
                        BackupKey::generate(key).map_err(|error| shelf.io_error(error))?;
                    put(&shelf, KEY, &file)?;
                    Some(seal)
                }
                None if shelf.read(KEY)?.is_some() => {
                    shelf.remove(KEY)?;
                    None
                }
                None => None,
            };
            shelf.sync()?;
            put(&shelf, FORMAT_MARKER, format!("{}\n", manifest::FORMAT).as_bytes())?;
            shelf.sync()?;
            seal
        };
        let plain = |name: &str| name.trim_end_matches(SEALED).to_owned();
        let blobs = shelf.list(BLOBS)?.into_iter().map(|(name, size)| (plain(&name), size));
        let rows = shelf.list(ROWS)?.into_iter().map(|(name, _)| plain(&name));
        let (blobs, rows) = (blobs.collect(), Mutex::new(rows.collect()));
        Ok(Self { shelf, seal, blobs, rows })
    }

    /// Opens a backup to read it.
    ///
    /// # Errors
    /// [`Failure`], when there is none, or it cannot be read with this key.
    pub fn open(from: &Target, config: &Config, handle: &Handle) -> Result<Self, BackupError> {
        if let Target::Folder(folder) = from {
            fs::metadata(folder).map_err(BackupError::at(&from.to_string()))?;
        }
        let shelf = BackupTarget::open(from, &config.data_dir, handle)?;
        let Some(mut mark) = shelf.read(FORMAT_MARKER)? else {
            return Err(BackupError::NotABackup(shelf.name));
        };
        let mut text = Vec::new();
        mark.read_to_end(&mut text).map_err(|error| shelf.io_error(error))?;
        match String::from_utf8_lossy(&text).trim().parse::<u32>() {
            Ok(format) if format <= manifest::FORMAT => {}
            Ok(format) => return Err(BackupError::Newer(format!("format {format}"))),
            Err(_) => return Err(BackupError::Damaged(format!("its file {FORMAT_MARKER}"))),
        }
        let seal = read_seal(&shelf, config.backup.key.as_ref(), false)?;
        Ok(Self { shelf, seal, blobs: HashMap::new(), rows: Mutex::default() })
    }

    /// Where it is.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.shelf.name
    }

    /// The names of its snapshots, the oldest first.
    ///
    /// # Errors
    /// [`Failure`], when they cannot be listed.
    pub fn snapshots(&self) -> Result<Vec<String>, BackupError> {
        let names = self.shelf.list(SNAPSHOTS)?.into_iter().filter_map(|(name, _)| {
            let name = name.strip_suffix(self.suffix())?.strip_suffix(PACKED)?.to_owned();
            moment(&name).map(|_| name)
        });
        Ok(names.collect())
    }

    /// What a snapshot says of itself.
    ///
    /// # Errors
    /// [`Failure`], when there is none of that name, or not as it was written.
    pub fn manifest(&self, snapshot: &str) -> Result<Manifest, BackupError> {
        let none = || BackupError::NoSnapshot(self.shelf.name.clone());
        moment(snapshot).ok_or_else(none)?;
        let packed = self.read(&self.snapshot(snapshot))?.ok_or_else(none)?;
        let mut text = Vec::new();
        let read = GzDecoder::new(BufReader::new(packed)).read_to_end(&mut text);
        read.map_err(corrupt)?;
        let damaged = || BackupError::Damaged(format!("the manifest of {snapshot}"));
        // A newer format may be another shape altogether.
        let value: serde_json::Value = serde_json::from_slice(&text).map_err(|_| damaged())?;
        match value.get("format").and_then(serde_json::Value::as_u64) {
            Some(format) if format <= u64::from(manifest::FORMAT) => {}
            Some(format) => return Err(BackupError::Newer(format!("format {format}"))),
            None => return Err(damaged()),
        }
        serde_json::from_value(value).map_err(|_| damaged())
    }

    /// Whether a blob is there already, as far as its length tells.
    #[must_use]
    pub fn contains(&self, blob: &Blob) -> bool {
        self.blobs.get(&blob.name).is_some_and(|known| match self.seal {
            None => *known == blob.size,
            Some(_) => *known > blob.size,
        })
    }

    /// Opens a blob for reading.
    ///
    /// # Errors
    /// [`Failure`], when it is not there or not as it was written.
    pub fn open_blob(&self, name: &str) -> Result<Box<dyn Read + Send>, BackupError> {
        let missing = || BackupError::Damaged(format!("the file {name} is missing"));
        self.read(&self.spread(BLOBS, name))?.ok_or_else(missing)
    }

    /// Adds a blob, unless `fill` says `false`: then there is none.
    pub(crate) fn add_blob(
        &self,
        name: &str,
        fill: impl FnOnce(&mut dyn Write) -> Result<bool, BackupError>,
    ) -> Result<bool, BackupError> {
        self.write(&self.spread(BLOBS, name), fill)
    }

    /// Adds a snapshot of this moment. What it counts on is there for good before its name is.
    pub(crate) fn commit_snapshot(
        &self,
        manifest: &Manifest,
        now: Timestamp,
    ) -> Result<String, BackupError> {
        // Two backups in one second must not share a name.
        let taken: HashSet<String> = self.snapshots()?.into_iter().collect();
        let mut names = (0_i64..)
            .map(|later| (now + SignedDuration::from_secs(later)).strftime(NAME).to_string());
        let name = names.find(|name| !taken.contains(name));
        let name = name.expect("there are more seconds than snapshots");
        self.shelf.sync()?;
        self.write(&self.snapshot(&name), |out| {
            let mut pack = GzEncoder::new(out, Compression::fast());
            let written = serde_json::to_writer(&mut pack, manifest).map_err(io::Error::from);
            written.and_then(|()| pack.finish()).map_err(|error| self.shelf.io_error(error))?;
            Ok(true)
        })?;
        self.shelf.sync()?;
        Ok(name)
    }

    /// Removes the snapshots that `keep` does not want, and what no other counts on. The newest always stays.
    ///
    /// # Errors
    /// [`Failure`]; what is left then is removed next time.
    pub fn prune(&self, keep: RetentionPolicy, zone: &TimeZone) -> Result<(), BackupError> {
        let snapshots = self.snapshots()?;
        let moments: Vec<Timestamp> = snapshots.iter().filter_map(|name| moment(name)).collect();
        let kept = keep.of(&moments, zone);
        let (stay, go): (Vec<_>, Vec<_>) =
            snapshots.iter().zip(&moments).partition(|(_, moment)| kept.contains(moment));
        for (name, _) in go {
            self.shelf.remove(&self.snapshot(name))?;
        }
        // First their names are gone for good: a snapshot that is there is whole.
        self.shelf.sync()?;
        let (mut pieces, mut blobs) = (HashSet::new(), HashSet::new());
        for (name, _) in stay {
            let named = self.manifest(name).and_then(|manifest| {
                for piece in &manifest.blobs.pieces {
                    // Most of a list is the same in all of them.
                    if pieces.insert(piece.clone()) {
                        blobs.extend(self.blobs_in(piece)?);
                    }
                }
                pieces.extend(manifest.rows.pieces);
                Ok(())
            });
            if let Err(failure) = named {
                // Whoever can still read some of its files is to find them.
                tracing::warn!(snapshot = name, %failure, "an old backup is damaged, so no file is removed");
                return Ok(());
            }
        }
        for (folder, named) in [(BLOBS, blobs), (ROWS, pieces)] {
            for (file, _) in self.shelf.list(folder)? {
                let name = file.trim_end_matches(SEALED);
                if !named.contains(name) {
                    self.shelf.remove(&spread(folder, name, &file))?;
                }
            }
        }
        self.shelf.sync()
    }

    /// Encrypted files say so by their names.
    fn suffix(&self) -> &'static str {
        if self.seal.is_some() { SEALED } else { "" }
    }

    fn snapshot(&self, name: &str) -> String {
        format!("{SNAPSHOTS}/{name}{PACKED}{}", self.suffix())
    }

    pub(crate) fn spread(&self, folder: &str, name: &str) -> String {
        spread(folder, name, &format!("{name}{}", self.suffix()))
    }

    pub(crate) fn read(&self, key: &str) -> Result<Option<Box<dyn Read + Send>>, BackupError> {
        let file = self.shelf.read(key)?;
        match (&self.seal, file) {
            (Some(seal), Some(file)) => seal.decrypt(file).map(Some).map_err(corrupt),
            (_, file) => Ok(file),
        }
    }

    pub(crate) fn write(
        &self,
        key: &str,
        fill: impl FnOnce(&mut dyn Write) -> Result<bool, BackupError>,
    ) -> Result<bool, BackupError> {
        let at = |error| self.shelf.io_error(error);
        let spool = self.shelf.stage()?;
        let filled = match &self.seal {
            None => fill(&mut &spool.file)?,
            Some(seal) => {
                let mut sealed: StreamWriter<_> = seal.encrypt(&spool.file).map_err(at)?;
                let filled = fill(&mut sealed)?;
                sealed.finish().map_err(at)?;
                filled
            }
        };
        if filled {
            self.shelf.publish(spool, key)?;
        }
        Ok(filled)
    }
}

/// Spread over folders, so that none grows too large to list.
fn spread(folder: &str, name: &str, file: &str) -> String {
    format!("{folder}/{}/{file}", name.get(..2).unwrap_or("00"))
}

fn put(shelf: &BackupTarget, key: &str, bytes: &[u8]) -> Result<(), BackupError> {
    let spool = shelf.stage()?;
    (&spool.file).write_all(bytes).map_err(|error| shelf.io_error(error))?;
    shelf.publish(spool, key)
}

fn read_seal(
    shelf: &BackupTarget,
    key: Option<&Secret>,
    writing: bool,
) -> Result<Option<BackupKey>, BackupError> {
    match (shelf.read(KEY)?, key) {
        (Some(mut file), Some(key)) => {
            let mut text = Vec::new();
            file.read_to_end(&mut text).map_err(|error| shelf.io_error(error))?;
            BackupKey::read(&text, key).map(Some)
        }
        (Some(_), None) => Err(BackupError::NeedsKey),
        // Whoever gives a key counts on its being used.
        (None, Some(_)) if writing => Err(BackupError::NotEncrypted(shelf.name.clone())),
        (None, _) => Ok(None),
    }
}

/// When the snapshot of that name was made.
fn moment(name: &str) -> Option<Timestamp> {
    let civil = jiff::civil::DateTime::strptime(NAME, name).ok()?;
    civil.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
}
