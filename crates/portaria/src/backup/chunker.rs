//! Content-defined chunking of the text of snapshots: checksums of its lines determine where the text is divided, so
//! unchanged parts of two snapshots yield identical chunks. A chunk is named by the hash of its content and stored
//! once. `docs/backup-format.md`, section 4, specifies the rule.
//!
//! The chunker is our own because format 1 divides at line ends only, so that each chunk can be parsed alone. The crate
//! `fastcdc` divides anywhere; a second format could use it.

use std::{
    io::{self, BufRead, BufReader, Cursor, Read, Write},
    slice,
    sync::{
        Mutex,
        mpsc::{SyncSender, sync_channel},
    },
    thread,
};

use flate2::{Compression, Crc, read::GzDecoder, write::GzEncoder};
use sha2::{Digest, Sha256};

use crate::backup::repository::{ROWS, Repository};
use crate::{
    backup::{
        BackupError, Blob, Manifest, PARALLEL_FILES,
        encryption::BackupKey,
        manifest::{Text, TextSummary},
        row_stream::corrupt,
    },
    security::keys,
};

/// Minimum size of a chunk in bytes, except for the last one of a text.
const MIN_CHUNK: usize = 64 << 10;
/// A chunk of at least the minimum size ends after a line with a probability of 1 in this number. In an office's rows
/// that is on average after another 64 KiB.
const CUT_PROBABILITY: u32 = 256;
/// Size in bytes from which a chunk ends at the next line end in any case.
const MAX_CHUNK: usize = 1 << 20;

/// Divides a text into chunks, line by line.
pub(crate) struct Chunker {
    to: SyncSender<(String, Vec<u8>)>,
    chunk: Vec<u8>,
    salt: Vec<u8>,
    chunks: Vec<String>,
    hash: Sha256,
    sum: TextSummary,
}

impl Chunker {
    fn new(to: SyncSender<(String, Vec<u8>)>, salt: Vec<u8>) -> Self {
        let (chunk, chunks) = (Vec::new(), Vec::new());
        Self { to, salt, chunk, chunks, hash: Sha256::new(), sum: TextSummary::default() }
    }

    /// Adds a line that includes its line feed.
    pub(crate) fn line(&mut self, line: &[u8]) {
        self.hash.update(line);
        self.sum.size += line.len() as u64;
        self.chunk.extend_from_slice(line);
        let mut crc = Crc::new();
        crc.update(line);
        if self.chunk.len() >= MAX_CHUNK
            || (self.chunk.len() >= MIN_CHUNK && crc.sum().is_multiple_of(CUT_PROBABILITY))
        {
            self.cut();
        }
    }

    /// Increments the number of rows or blobs in the text.
    pub(crate) fn count(&mut self) {
        self.sum.count += 1;
    }

    fn cut(&mut self) {
        let chunk = std::mem::take(&mut self.chunk);
        let name = chunk_name(&self.salt, &chunk);
        self.chunks.push(name.clone());
        self.to.send((name, chunk)).expect("the receivers live as long as the chunker");
    }

    fn end(mut self) -> Text {
        if !self.chunk.is_empty() {
            self.cut();
        }
        let sum = TextSummary { sha256: keys::hex(&self.hash.finalize()), ..self.sum };
        Text { sum, pieces: self.chunks }
    }
}

impl Repository {
    /// Stores the text that `write` produces, in parallel with its production.
    pub(crate) fn store_text<T>(
        &self,
        write: impl FnOnce(&mut Chunker) -> Result<T, BackupError>,
    ) -> Result<(T, Text), BackupError> {
        let (to, from) = sync_channel::<(String, Vec<u8>)>(PARALLEL_FILES);
        let (from, first_error) = (Mutex::new(from), Mutex::new(None));
        let salt = self.salt();
        let failed = || first_error.lock().expect("no holder of the lock panics");

        let store_chunks = || {
            loop {
                let next = from.lock().expect("no holder of the lock panics").recv();
                let Ok((name, chunk)) = next else { return };
                // After an error the channel is only drained, so that the producer does not block.
                let has_failed = failed().is_some();
                if has_failed {
                    continue;
                }
                if let Err(failure) = self.store_chunk(&name, &chunk) {
                    failed().get_or_insert(failure);
                }
            }
        };

        let written = thread::scope(|scope| {
            for _ in 0..PARALLEL_FILES {
                scope.spawn(store_chunks);
            }
            let mut chunker = Chunker::new(to, salt);
            write(&mut chunker).map(|value| (value, chunker.end()))
        });

        match failed().take() {
            Some(failure) => Err(failure),
            None => written,
        }
    }

    /// Returns a reader of a whole text.
    pub(crate) fn read_text<'v>(&'v self, text: &'v Text) -> impl BufRead {
        BufReader::new(TextReader {
            repository: self,
            remaining: text.pieces.iter(),
            current: Cursor::default(),
        })
    }

    /// Reads the list of a snapshot's blobs.
    ///
    /// # Errors
    /// [`BackupError::Damaged`] if the list differs from what was written, and errors of the target.
    pub fn blobs(&self, manifest: &Manifest) -> Result<Vec<Blob>, BackupError> {
        let (mut blobs, mut hash, mut size) = (Vec::new(), Sha256::new(), 0);
        for name in &manifest.blobs.pieces {
            let chunk = self.read_chunk(name).map_err(corrupt)?;
            hash.update(&chunk);
            size += chunk.len() as u64;
            blobs.extend(parse_blob_list(&chunk)?);
        }
        let sha256 = keys::hex(&hash.finalize());
        if manifest.blobs.sum == (TextSummary { count: blobs.len() as u64, size, sha256 }) {
            Ok(blobs)
        } else {
            Err(BackupError::Damaged("its list of files is not what was written".into()))
        }
    }

    /// Returns the names of the blobs in one chunk of a list.
    pub(crate) fn blobs_in(&self, chunk: &str) -> Result<Vec<String>, BackupError> {
        let blobs = parse_blob_list(&self.read_chunk(chunk).map_err(corrupt)?)?;
        Ok(blobs.into_iter().map(|blob| blob.name).collect())
    }

    /// Stores a chunk unless the target has it, and reads it back.
    fn store_chunk(&self, name: &str, chunk: &[u8]) -> Result<(), BackupError> {
        let stored = || self.rows.lock().expect("no holder of the lock panics");
        if stored().contains(name) {
            return Ok(());
        }
        self.write(&self.sharded_key(ROWS, name), |out| {
            let mut encoder = GzEncoder::new(out, Compression::new(3));
            let written = encoder.write_all(chunk).and_then(|()| encoder.finish());
            written.map(|_| true).map_err(|error| self.target.io_error(error))
        })?;
        self.read_chunk(name).map_err(corrupt)?;
        stored().insert(name.to_owned());
        Ok(())
    }

    /// Reads and verifies a chunk.
    fn read_chunk(&self, name: &str) -> io::Result<Vec<u8>> {
        let corrupt_data = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what);
        let compressed = match self.read(&self.sharded_key(ROWS, name)) {
            Ok(Some(compressed)) => compressed,
            Ok(None) => return Err(corrupt_data("some of its rows are missing")),
            Err(BackupError::Io(_, error)) => return Err(error),
            Err(failure) => return Err(corrupt_data(&failure.to_string())),
        };
        let mut text = Vec::new();
        GzDecoder::new(BufReader::new(compressed)).read_to_end(&mut text)?;
        if chunk_name(&self.salt(), &text) == name {
            Ok(text)
        } else {
            Err(corrupt_data("some of its rows are not what was written"))
        }
    }

    /// Returns the salt of chunk names, so that the names in an encrypted backup reveal nothing about the content.
    fn salt(&self) -> Vec<u8> {
        self.key.as_ref().map(BackupKey::chunk_salt).unwrap_or_default()
    }
}

/// Reads the chunks of a text one after the other.
struct TextReader<'v> {
    repository: &'v Repository,
    remaining: slice::Iter<'v, String>,
    current: Cursor<Vec<u8>>,
}

impl Read for TextReader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.current.read(into)?;
            if read > 0 || into.is_empty() {
                return Ok(read);
            }
            let Some(next) = self.remaining.next() else { return Ok(0) };
            self.current = Cursor::new(self.repository.read_chunk(next)?);
        }
    }
}

fn chunk_name(salt: &[u8], chunk: &[u8]) -> String {
    keys::hex(&Sha256::new().chain_update(salt).chain_update(chunk).finalize())
}

fn parse_blob_list(chunk: &[u8]) -> Result<Vec<Blob>, BackupError> {
    let lines = chunk.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let blobs = lines.map(serde_json::from_slice).collect::<Result<_, _>>();
    blobs.map_err(|_| BackupError::Damaged("its list of files cannot be read".into()))
}

#[cfg(test)]
mod tests {
    use std::{collections::HashSet, sync::mpsc::sync_channel};

    use crate::backup::chunker::{Chunker, MAX_CHUNK};

    fn split_lines(lines: impl Iterator<Item = String>) -> (Vec<String>, Vec<Vec<u8>>) {
        let (to, from) = sync_channel(1000);
        let mut chunker = Chunker::new(to, Vec::new());
        lines.for_each(|line| chunker.line(line.as_bytes()));
        (chunker.end().pieces, from.into_iter().map(|(_, chunk)| chunk).collect())
    }

    fn line(number: u32) -> String {
        format!("[\"{number:08}\",\"{}\"]\n", "x".repeat((number % 300) as usize))
    }

    #[test]
    fn a_change_makes_new_chunks_only_around_it() {
        let (names, chunks) = split_lines((0..50_000).map(line));
        assert!(names.len() > 30, "{}", names.len());
        assert!(chunks.iter().all(|chunk| chunk.len() < MAX_CHUNK + 400 && chunk.ends_with(b"\n")));
        let all: String = (0..50_000).map(line).collect();
        assert_eq!(chunks.concat(), all.into_bytes());
        let before: HashSet<String> = names.into_iter().collect();
        let changed = (0..50_000).filter(|number| *number != 20_000).chain([50_000, 50_001]);
        let (after, _) = split_lines(changed.map(line));
        let new = after.iter().filter(|name| !before.contains(*name)).count();
        assert!((1..=5).contains(&new), "{new} of {}", after.len());
    }
}
