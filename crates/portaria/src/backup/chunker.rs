//! Text of many snapshots, kept once: it is cut where its own lines say, so that what did not change is cut as before,
//! and each piece has the name of its content.

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
        AT_ONCE, BackupError, Blob, Manifest,
        encryption::BackupKey,
        manifest::{Sum, Text},
        row_stream::corrupt,
    },
    security::keys,
};

/// No piece but the last is shorter.
const MIN_CHUNK: usize = 64 << 10;
/// At a line behind that, one time in so many, it is cut: in office rows after as much again.
const CUT_PROBABILITY: u32 = 256;
/// But no later than here.
const MAX_CHUNK: usize = 1 << 20;

/// Text on its way in, line by line.
pub(crate) struct Chunker {
    to: SyncSender<(String, Vec<u8>)>,
    piece: Vec<u8>,
    salt: Vec<u8>,
    pieces: Vec<String>,
    hash: Sha256,
    sum: Sum,
}

impl Chunker {
    fn new(to: SyncSender<(String, Vec<u8>)>, salt: Vec<u8>) -> Self {
        let (piece, pieces) = (Vec::new(), Vec::new());
        Self { to, salt, piece, pieces, hash: Sha256::new(), sum: Sum::default() }
    }

    /// Adds a line, with its end.
    pub(crate) fn line(&mut self, line: &[u8]) {
        self.hash.update(line);
        self.sum.size += line.len() as u64;
        self.piece.extend_from_slice(line);
        let mut mark = Crc::new();
        mark.update(line);
        if self.piece.len() >= MAX_CHUNK
            || (self.piece.len() >= MIN_CHUNK && mark.sum().is_multiple_of(CUT_PROBABILITY))
        {
            self.cut();
        }
    }

    /// Counts what people would count.
    pub(crate) fn count(&mut self) {
        self.sum.count += 1;
    }

    fn cut(&mut self) {
        let piece = std::mem::take(&mut self.piece);
        let name = name(&self.salt, &piece);
        self.pieces.push(name.clone());
        self.to.send((name, piece)).expect("pieces are taken until there are no more");
    }

    fn end(mut self) -> Text {
        if !self.piece.is_empty() {
            self.cut();
        }
        let sum = Sum { sha256: keys::hex(&self.hash.finalize()), ..self.sum };
        Text { sum, pieces: self.pieces }
    }
}

impl Repository {
    /// Keeps the lines that `write` gives, while it gives them.
    pub(crate) fn text<T>(
        &self,
        write: impl FnOnce(&mut Chunker) -> Result<T, BackupError>,
    ) -> Result<(T, Text), BackupError> {
        let (to, from) = sync_channel::<(String, Vec<u8>)>(AT_ONCE);
        let (from, failed) = (Mutex::new(from), Mutex::new(None));
        let salt = self.salt();
        let failed = || failed.lock().expect("no holder of the lock panics");
        let keep = || {
            loop {
                let next = from.lock().expect("no holder of the lock panics").recv();
                let Ok((name, piece)) = next else { return };
                // What comes after a failure is only taken, so that nobody waits for its being taken.
                let is_lost = failed().is_some();
                if is_lost {
                    continue;
                }
                if let Err(failure) = self.keep_piece(&name, &piece) {
                    failed().get_or_insert(failure);
                }
            }
        };
        let written = thread::scope(|scope| {
            for _ in 0..AT_ONCE {
                scope.spawn(keep);
            }
            let mut cutter = Chunker::new(to, salt);
            write(&mut cutter).map(|value| (value, cutter.end()))
        });
        match failed().take() {
            Some(failure) => Err(failure),
            None => written,
        }
    }

    /// Reads a text from its beginning to its end.
    pub(crate) fn read_text<'v>(&'v self, text: &'v Text) -> impl BufRead {
        BufReader::new(Joined { vault: self, left: text.pieces.iter(), here: Cursor::default() })
    }

    /// The blobs of a snapshot.
    ///
    /// # Errors
    /// [`Failure`], when their list is not what was written.
    pub fn blobs(&self, manifest: &Manifest) -> Result<Vec<Blob>, BackupError> {
        let (mut blobs, mut hash, mut size) = (Vec::new(), Sha256::new(), 0);
        for name in &manifest.blobs.pieces {
            let piece = self.piece(name).map_err(corrupt)?;
            hash.update(&piece);
            size += piece.len() as u64;
            blobs.extend(parse(&piece)?);
        }
        let sha256 = keys::hex(&hash.finalize());
        if manifest.blobs.sum == (Sum { count: blobs.len() as u64, size, sha256 }) {
            Ok(blobs)
        } else {
            Err(BackupError::Damaged("its list of files is not what was written".into()))
        }
    }

    /// The names of the blobs in a piece of such a list.
    pub(crate) fn blobs_in(&self, piece: &str) -> Result<Vec<String>, BackupError> {
        let blobs = parse(&self.piece(piece).map_err(corrupt)?)?;
        Ok(blobs.into_iter().map(|blob| blob.name).collect())
    }

    /// Keeps a piece, unless it is there, and reads it back.
    fn keep_piece(&self, name: &str, piece: &[u8]) -> Result<(), BackupError> {
        let is_there = || self.rows.lock().expect("no holder of the lock panics");
        if is_there().contains(name) {
            return Ok(());
        }
        self.write(&self.spread(ROWS, name), |out| {
            let mut pack = GzEncoder::new(out, Compression::new(3));
            let packed = pack.write_all(piece).and_then(|()| pack.finish());
            packed.map(|_| true).map_err(|error| self.shelf.io_error(error))
        })?;
        self.piece(name).map_err(corrupt)?;
        is_there().insert(name.to_owned());
        Ok(())
    }

    /// A piece as it was written.
    fn piece(&self, piece: &str) -> io::Result<Vec<u8>> {
        let bent = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what);
        let packed = match self.read(&self.spread(ROWS, piece)) {
            Ok(Some(packed)) => packed,
            Ok(None) => return Err(bent("some of its rows are missing")),
            Err(BackupError::Io(_, error)) => return Err(error),
            Err(failure) => return Err(bent(&failure.to_string())),
        };
        let mut text = Vec::new();
        GzDecoder::new(BufReader::new(packed)).read_to_end(&mut text)?;
        if name(&self.salt(), &text) == piece {
            Ok(text)
        } else {
            Err(bent("some of its rows are not what was written"))
        }
    }

    /// Goes into the names of pieces, so that those of an encrypted backup tell nothing of what is in them.
    fn salt(&self) -> Vec<u8> {
        self.seal.as_ref().map(BackupKey::chunk_salt).unwrap_or_default()
    }
}

/// The pieces of a text, one behind the other.
struct Joined<'v> {
    vault: &'v Repository,
    left: slice::Iter<'v, String>,
    here: Cursor<Vec<u8>>,
}

impl Read for Joined<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.here.read(into)?;
            if read > 0 || into.is_empty() {
                return Ok(read);
            }
            let Some(next) = self.left.next() else { return Ok(0) };
            self.here = Cursor::new(self.vault.piece(next)?);
        }
    }
}

fn name(salt: &[u8], piece: &[u8]) -> String {
    keys::hex(&Sha256::new().chain_update(salt).chain_update(piece).finalize())
}

fn parse(piece: &[u8]) -> Result<Vec<Blob>, BackupError> {
    let lines = piece.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let blobs = lines.map(serde_json::from_slice).collect::<Result<_, _>>();
    blobs.map_err(|_| BackupError::Damaged("its list of files cannot be read".into()))
}

#[cfg(test)]
mod tests {
    use std::{collections::HashSet, sync::mpsc::sync_channel};

    use crate::backup::chunker::{Chunker, MAX_CHUNK};

    fn cut(lines: impl Iterator<Item = String>) -> (Vec<String>, Vec<Vec<u8>>) {
        let (to, from) = sync_channel(1000);
        let mut cutter = Chunker::new(to, Vec::new());
        lines.for_each(|line| cutter.line(line.as_bytes()));
        (cutter.end().pieces, from.into_iter().map(|(_, piece)| piece).collect())
    }

    fn line(number: u32) -> String {
        format!("[\"{number:08}\",\"{}\"]\n", "x".repeat((number % 300) as usize))
    }

    #[test]
    fn a_change_makes_new_pieces_only_where_it_is() {
        let (names, pieces) = cut((0..50_000).map(line));
        assert!(names.len() > 30, "{}", names.len());
        assert!(pieces.iter().all(|piece| piece.len() < MAX_CHUNK + 400 && piece.ends_with(b"\n")));
        let all: String = (0..50_000).map(line).collect();
        assert_eq!(pieces.concat(), all.into_bytes());
        let before: HashSet<String> = names.into_iter().collect();
        let changed = (0..50_000).filter(|number| *number != 20_000).chain([50_000, 50_001]);
        let (after, _) = cut(changed.map(line));
        let new = after.iter().filter(|name| !before.contains(*name)).count();
        assert!((1..=5).contains(&new), "{new} of {}", after.len());
    }
}
