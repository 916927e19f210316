//! The repository: the content of a backup target. `blobs/` contains the blobs of all snapshots once, `rows/` the
//! chunks of their rows once, and `snapshots/` a manifest of each.
//!
//! A manifest appears last, when all files that it refers to are durable. Files that a crash leaves without a manifest
//! are used by the next backup, or removed by pruning. See `docs/backup-format.md`, sections 1 and 2.

use std::{
    collections::{HashMap, HashSet},
    fs,
    io::{self, BufReader, Read, Write},
    sync::Mutex,
};

use age::stream::StreamWriter;
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use secrecy::SecretString;
use tokio::runtime::Handle;

pub(crate) use crate::backup::chunker::Chunker;

use crate::backup::{
    BackupError, Blob, Manifest, encryption::BackupKey, manifest, row_stream::corrupt,
    target::BackupTarget,
};
use crate::config::{BackupDestination, Config, RetentionPolicy};

/// Maximum difference between the clocks of the machines that make and restore backups.
pub(super) const CLOCK_TOLERANCE: SignedDuration = SignedDuration::from_mins(10);
/// Name of the file that marks a target as a backup.
pub(crate) const FORMAT_MARKER: &str = "portaria-backup";
/// Name of the file with the key pair of an encrypted backup.
pub(crate) const KEY: &str = "key.age";
const BLOBS: &str = "blobs";
pub(crate) const ROWS: &str = "rows";
const SNAPSHOTS: &str = "snapshots";
/// Format of a snapshot's name: its time in UTC.
const SNAPSHOT_NAME_FORMAT: &str = "%Y-%m-%dT%H%M%SZ";
const MANIFEST_SUFFIX: &str = ".json.gz";
const ENCRYPTED_SUFFIX: &str = ".age";

/// An open repository.
pub struct Repository {
    pub(crate) target: BackupTarget,
    pub(crate) key: Option<BackupKey>,
    /// Names and stored sizes of the existing blobs. Filled for writing only.
    blobs: HashMap<String, u64>,
    /// Names of the existing chunks. Filled for writing only.
    pub(crate) rows: Mutex<HashSet<String>>,
}

impl Repository {
    /// Opens a repository for writing, and initializes it if there is none.
    ///
    /// # Errors
    /// See [`BackupError`]: the target cannot be written, or not with this key.
    pub fn open_or_init(
        to: &BackupDestination,
        config: &Config,
        handle: &Handle,
    ) -> Result<Self, BackupError> {
        let (min_free, key) = (config.min_free_space, config.backup_key.as_ref());
        let shelf =
            BackupTarget::open_to_write(to, FORMAT_MARKER, &config.data_dir, min_free, handle)?;
        let seal = if shelf.read(FORMAT_MARKER)?.is_some() {
            read_key(&shelf, key, true)?
        } else {
            let seal = match key {
                Some(key) => {
                    let (seal, file) =
                        BackupKey::generate(key).map_err(|error| shelf.io_error(error))?;
                    write_file(&shelf, KEY, &file)?;
                    Some(seal)
                }
                None if shelf.read(KEY)?.is_some() => {
                    shelf.remove(KEY)?;
                    None
                }
                None => None,
            };
            shelf.sync()?;
            write_file(&shelf, FORMAT_MARKER, format!("{}\n", manifest::FORMAT).as_bytes())?;
            shelf.sync()?;
            seal
        };

        let without_suffix = |name: &str| name.trim_end_matches(ENCRYPTED_SUFFIX).to_owned();
        let blobs =
            shelf.list(BLOBS)?.into_iter().map(|(name, size)| (without_suffix(&name), size));
        let rows = shelf.list(ROWS)?.into_iter().map(|(name, _)| without_suffix(&name));
        let (blobs, rows) = (blobs.collect(), Mutex::new(rows.collect()));
        Ok(Self { target: shelf, key: seal, blobs, rows })
    }

    /// Opens a repository for reading.
    ///
    /// # Errors
    /// See [`BackupError`]: there is no backup, or it cannot be read with this key.
    pub fn open(
        from: &BackupDestination,
        config: &Config,
        handle: &Handle,
    ) -> Result<Self, BackupError> {
        if let BackupDestination::Folder(folder) = from {
            fs::metadata(folder).map_err(BackupError::io(&from.to_string()))?;
        }
        let shelf = BackupTarget::open(from, &config.data_dir, handle)?;
        let Some(mut marker) = shelf.read(FORMAT_MARKER)? else {
            return Err(BackupError::NotABackup(shelf.name));
        };
        let mut text = Vec::new();
        marker.read_to_end(&mut text).map_err(|error| shelf.io_error(error))?;
        match String::from_utf8_lossy(&text).trim().parse::<u32>() {
            Ok(format) if format <= manifest::FORMAT => {}
            Ok(format) => return Err(BackupError::Newer(format!("format {format}"))),
            Err(_) => return Err(BackupError::Damaged(format!("its file {FORMAT_MARKER}"))),
        }
        let seal = read_key(&shelf, config.backup_key.as_ref(), false)?;
        Ok(Self { target: shelf, key: seal, blobs: HashMap::new(), rows: Mutex::default() })
    }

    /// Returns the display name of the target.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.target.name
    }

    /// Returns the names of the snapshots, the oldest first.
    ///
    /// # Errors
    /// Errors of listing the target.
    pub fn snapshots(&self) -> Result<Vec<String>, BackupError> {
        let names = self.target.list(SNAPSHOTS)?.into_iter().filter_map(|(name, _)| {
            let name = name.strip_suffix(self.suffix())?.strip_suffix(MANIFEST_SUFFIX)?.to_owned();
            snapshot_time(&name).map(|_| name)
        });
        Ok(names.collect())
    }

    /// Reads the manifest of a snapshot.
    ///
    /// # Errors
    /// See [`BackupError`]: there is no snapshot with this name, or its manifest is damaged or newer.
    pub fn manifest(&self, snapshot: &str) -> Result<Manifest, BackupError> {
        let none = || BackupError::NoSnapshot(self.target.name.clone());
        snapshot_time(snapshot).ok_or_else(none)?;
        let compressed = self.read(&self.manifest_key(snapshot))?.ok_or_else(none)?;
        let mut text = Vec::new();
        let read = GzDecoder::new(BufReader::new(compressed)).read_to_end(&mut text);
        read.map_err(corrupt)?;
        let damaged = || BackupError::Damaged(format!("the manifest of {snapshot}"));
        // The format is checked first, because a newer manifest may have other fields.
        let value: serde_json::Value = serde_json::from_slice(&text).map_err(|_| damaged())?;
        match value.get("format").and_then(serde_json::Value::as_u64) {
            Some(format) if format <= u64::from(manifest::FORMAT) => {}
            Some(format) => return Err(BackupError::Newer(format!("format {format}"))),
            None => return Err(damaged()),
        }
        serde_json::from_value(value).map_err(|_| damaged())
    }

    /// Returns whether the repository has a blob, judged by name and size. Encryption adds to the size.
    #[must_use]
    pub fn contains(&self, blob: &Blob) -> bool {
        self.blobs.get(&blob.name).is_some_and(|stored_size| match self.key {
            None => *stored_size == blob.size,
            Some(_) => *stored_size > blob.size,
        })
    }

    /// Opens a blob for reading.
    ///
    /// # Errors
    /// [`BackupError::Damaged`] if the blob is missing or cannot be decrypted, and errors of the target.
    pub fn open_blob(&self, name: &str) -> Result<Box<dyn Read + Send>, BackupError> {
        let missing = || BackupError::Damaged(format!("the file {name} is missing"));
        self.read(&self.sharded_key(BLOBS, name))?.ok_or_else(missing)
    }

    /// Adds a blob with the bytes that `fill` writes. Discards it if `fill` returns `false`.
    pub(crate) fn add_blob(
        &self,
        name: &str,
        fill: impl FnOnce(&mut dyn Write) -> Result<bool, BackupError>,
    ) -> Result<bool, BackupError> {
        self.write(&self.sharded_key(BLOBS, name), fill)
    }

    /// Writes the manifest of a new snapshot, after all files that it refers to are durable. Returns the snapshot's
    /// name.
    pub(crate) fn commit_snapshot(
        &self,
        manifest: &Manifest,
        now: Timestamp,
    ) -> Result<String, BackupError> {
        // A second backup within one second takes the next free second.
        let taken: HashSet<String> = self.snapshots()?.into_iter().collect();
        let mut names = (0_i64..).map(|later| {
            (now + SignedDuration::from_secs(later)).strftime(SNAPSHOT_NAME_FORMAT).to_string()
        });
        let name = names.find(|name| !taken.contains(name));
        let name = name.expect("the range of seconds is longer than the list of snapshots");
        self.target.sync()?;
        self.write(&self.manifest_key(&name), |out| {
            let mut encoder = GzEncoder::new(out, Compression::fast());
            let written = serde_json::to_writer(&mut encoder, manifest).map_err(io::Error::from);
            written.and_then(|()| encoder.finish()).map_err(|error| self.target.io_error(error))?;
            Ok(true)
        })?;
        self.target.sync()?;
        Ok(name)
    }

    /// Removes the snapshots that `keep` does not retain, and the files that no other snapshot refers to. The newest
    /// snapshot always stays. Those that are dated later than `now` were made while a clock was wrong; they stay, too, and do
    /// not count.
    ///
    /// # Errors
    /// See [`BackupError`]. The next call removes the rest.
    pub fn prune(
        &self,
        keep: RetentionPolicy,
        zone: &TimeZone,
        now: Timestamp,
    ) -> Result<(), BackupError> {
        let snapshots = self.snapshots()?;
        let times: Vec<Timestamp> =
            snapshots.iter().filter_map(|name| snapshot_time(name)).collect();
        let is_future = |time: &Timestamp| *time > now + CLOCK_TOLERANCE;
        let past: Vec<Timestamp> = times.iter().copied().filter(|time| !is_future(time)).collect();
        let kept = keep.select(&past, zone);
        let is_kept = |time: &Timestamp| is_future(time) || kept.contains(time);
        let (retained, expired): (Vec<_>, Vec<_>) =
            snapshots.iter().zip(&times).partition(|(_, time)| is_kept(time));
        for (name, _) in expired {
            self.target.remove(&self.manifest_key(name))?;
        }
        // The removal of manifests is made durable first, so that an existing manifest always has all its files.
        self.target.sync()?;

        let (mut chunks, mut blobs) = (HashSet::new(), HashSet::new());
        for (name, _) in retained {
            let result = self.manifest(name).and_then(|manifest| {
                for chunk in &manifest.blobs.pieces {
                    // Snapshots share most chunks of their lists.
                    if chunks.insert(chunk.clone()) {
                        blobs.extend(self.blobs_in(chunk)?);
                    }
                }
                chunks.extend(manifest.rows.pieces);
                Ok(())
            });
            if let Err(failure) = result {
                // Nothing is removed, so that the intact files of the damaged snapshot can still be recovered.
                tracing::warn!(snapshot = name, %failure, "snapshot damaged, pruning skipped");
                return Ok(());
            }
        }

        for (folder, referenced) in [(BLOBS, blobs), (ROWS, chunks)] {
            for (file, _) in self.target.list(folder)? {
                let name = file.trim_end_matches(ENCRYPTED_SUFFIX);
                if !referenced.contains(name) {
                    self.target.remove(&sharded_key(folder, name, &file))?;
                }
            }
        }

        self.target.sync()
    }

    /// Returns the suffix of encrypted files.
    fn suffix(&self) -> &'static str {
        if self.key.is_some() { ENCRYPTED_SUFFIX } else { "" }
    }

    fn manifest_key(&self, name: &str) -> String {
        format!("{SNAPSHOTS}/{name}{MANIFEST_SUFFIX}{}", self.suffix())
    }

    pub(crate) fn sharded_key(&self, folder: &str, name: &str) -> String {
        sharded_key(folder, name, &format!("{name}{}", self.suffix()))
    }

    pub(crate) fn read(&self, key: &str) -> Result<Option<Box<dyn Read + Send>>, BackupError> {
        let file = self.target.read(key)?;
        match (&self.key, file) {
            (Some(seal), Some(file)) => seal.decrypt(file).map(Some).map_err(corrupt),
            (_, file) => Ok(file),
        }
    }

    pub(crate) fn write(
        &self,
        key: &str,
        fill: impl FnOnce(&mut dyn Write) -> Result<bool, BackupError>,
    ) -> Result<bool, BackupError> {
        let at = |error| self.target.io_error(error);
        let staged = self.target.stage()?;
        let filled = match &self.key {
            None => fill(&mut &staged.file)?,
            Some(seal) => {
                let mut encrypted: StreamWriter<_> = seal.encrypt(&staged.file).map_err(at)?;
                let filled = fill(&mut encrypted)?;
                encrypted.finish().map_err(at)?;
                filled
            }
        };
        if filled {
            self.target.publish(staged, key)?;
        }
        Ok(filled)
    }
}

/// Returns a key with a folder per first two characters, so that no folder grows too large to list.
fn sharded_key(folder: &str, name: &str, file: &str) -> String {
    format!("{folder}/{}/{file}", name.get(..2).unwrap_or("00"))
}

fn write_file(shelf: &BackupTarget, key: &str, bytes: &[u8]) -> Result<(), BackupError> {
    let staged = shelf.stage()?;
    (&staged.file).write_all(bytes).map_err(|error| shelf.io_error(error))?;
    shelf.publish(staged, key)
}

fn read_key(
    shelf: &BackupTarget,
    key: Option<&SecretString>,
    writing: bool,
) -> Result<Option<BackupKey>, BackupError> {
    match (shelf.read(KEY)?, key) {
        (Some(mut file), Some(key)) => {
            let mut text = Vec::new();
            file.read_to_end(&mut text).map_err(|error| shelf.io_error(error))?;
            BackupKey::read(&text, key).map(Some)
        }
        (Some(_), None) => Err(BackupError::NeedsKey),
        // A configured key must never be ignored when data are written.
        (None, Some(_)) if writing => Err(BackupError::NotEncrypted(shelf.name.clone())),
        (None, _) => Ok(None),
    }
}

/// Parses a snapshot's name into its time.
pub(crate) fn snapshot_time(name: &str) -> Option<Timestamp> {
    let civil = jiff::civil::DateTime::strptime(SNAPSHOT_NAME_FORMAT, name).ok()?;
    civil.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
}
