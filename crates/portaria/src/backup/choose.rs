//! The choice of the snapshot to restore: the newest, if its date can be true, and whole older ones if it is damaged.

use std::{collections::HashSet, io::Read};

use jiff::Timestamp;
use sha2::{Digest, Sha256};

use crate::backup::{
    BackupError, Blob, Manifest, Repository,
    manifest::TextSummary,
    repository::{CLOCK_TOLERANCE, snapshot_time},
    row_stream::corrupt,
};
use crate::security::keys;

/// Maximum number of whole snapshots that an error names.
const MAX_NAMED: usize = 3;

/// Returns the name of the newest snapshot.
///
/// # Errors
/// [`BackupError::NoSnapshot`]; [`BackupError::Refused`] if its date is in the future: a clock was wrong, so it may not be
/// the newest.
pub(super) fn newest(repository: &Repository, now: Timestamp) -> Result<String, BackupError> {
    let mut names = repository.snapshots()?;
    let newest =
        names.pop().ok_or_else(|| BackupError::NoSnapshot(repository.name().to_owned()))?;
    if !is_future(&newest, now) {
        return Ok(newest);
    }
    let last = names.into_iter().rfind(|name| !is_future(name, now));
    let last = last.map_or_else(
        || "all others are too".to_owned(),
        |name| format!("the newest one of the past is {name}"),
    );
    Err(BackupError::Refused(format!(
        "the snapshot {newest} is dated in the future, so a clock is or was wrong; {last}. Name one with --snapshot"
    )))
}

/// Returns the name of the newest snapshot whose date is not in the future.
///
/// # Errors
/// See [`newest`].
pub(super) fn newest_past(repository: &Repository, now: Timestamp) -> Result<String, BackupError> {
    let past = repository.snapshots()?.into_iter().rfind(|name| !is_future(name, now));
    past.map_or_else(|| newest(repository, now), Ok)
}

fn is_future(name: &str, now: Timestamp) -> bool {
    snapshot_time(name).is_some_and(|at| at > now + CLOCK_TOLERANCE)
}

/// Adds to the error of a damaged snapshot its name, and the newest older ones that are whole. Reads them completely.
pub(super) fn name_whole_snapshots(
    repository: &Repository,
    damaged: &str,
    failure: BackupError,
) -> BackupError {
    let BackupError::Damaged(why) = failure else { return failure };
    let mut verified = HashSet::new();
    let names = repository.snapshots().unwrap_or_default();
    let older = names.into_iter().rev().filter(|name| name.as_str() < damaged);
    let whole = older.filter(|name| verify(repository, name, &mut verified).is_ok());
    let whole: Vec<String> = whole.take(MAX_NAMED).collect();
    let way_on = if whole.is_empty() {
        "no older snapshot is whole. A damaged file that is removed from the target is copied again by the next backup, if the portal has it".to_owned()
    } else {
        format!("older ones are whole: {}; restore one with --snapshot", whole.join(", "))
    };
    BackupError::Damaged(format!("{why}, in the snapshot {damaged}; {way_on}"))
}

/// Reads a snapshot completely. `verified` holds the blobs that were read before.
fn verify(
    repository: &Repository,
    name: &str,
    verified: &mut HashSet<String>,
) -> Result<(), BackupError> {
    let manifest: Manifest = repository.manifest(name)?;
    let TextSummary { size, sha256, .. } = &manifest.rows.sum;
    if digest_of(&mut repository.read_text(&manifest.rows))? != (*size, sha256.clone()) {
        return Err(BackupError::Damaged("its rows are not what was written".into()));
    }
    for Blob { name, size, sha256 } in repository.blobs(&manifest)? {
        if verified.contains(&name) {
            continue;
        }
        if digest_of(&mut repository.open_blob(&name)?)? != (size, sha256) {
            return Err(BackupError::Damaged(format!("the file {name} is not what was stored")));
        }
        verified.insert(name);
    }
    Ok(())
}

/// Reads to the end. Returns the size and the SHA-256.
fn digest_of(reader: &mut impl Read) -> Result<(u64, String), BackupError> {
    let (mut digest, mut size, mut chunk) = (Sha256::new(), 0, vec![0; 1 << 18]);
    loop {
        let read = reader.read(&mut chunk).map_err(corrupt)?;
        if read == 0 {
            return Ok((size, keys::hex(&digest.finalize())));
        }
        digest.update(chunk.get(..read).unwrap_or_default());
        size += read as u64;
    }
}
