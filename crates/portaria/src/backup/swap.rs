//! Replaces the data folder's content by a restored one. Nothing is deleted, and after a crash at any time the folder
//! contains either the old data or a swap that the next start completes.
//!
//! The restored data are built in `restoring/`. One rename to `restored-{time}/` commits the swap. Then the old data
//! move to `replaced-{time}/`, `restored-{time}/` becomes `moving-in/`, and its entries move to the data folder.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use anyhow::Context;
use rustix::fs::syncfs;

use crate::{
    backup::restore::REHEARSAL_DIR,
    data_dir::{INCOMING_DIR, OWN_FOLDERS, READY_PREFIX, entry_names, ready_stamp},
    security::keys::SECRET_FILE,
};

/// Name of the file with the tombstones (`privacy/tombstones.rs`). A swap does not move it, so it survives each
/// restore.
pub(crate) const ERASED: &str = "erased";
const STAGING: &str = "restoring";
const REPLACED: &str = "replaced-";
/// Files and folders of the live data besides [`OWN_FOLDERS`], and of what is derived from them. The database has several files, whose names begin
/// with that of the first.
const LIVE: [&str; 2] = [SECRET_FILE, REHEARSAL_DIR];
const DATABASE: &str = "portaria.db";

/// Creates an empty staging folder. Deletes the one of an interrupted restore.
pub(crate) fn stage(data_dir: &Path) -> anyhow::Result<PathBuf> {
    let folder = data_dir.join(STAGING);
    remove_dir(&folder)?;
    create_private_dir(&folder).with_context(|| swap_error(data_dir))?;
    Ok(folder)
}

/// Deletes a folder, if it exists.
pub(crate) fn remove_dir(folder: &Path) -> anyhow::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}

/// Syncs the staging folder and swaps it in. `disk` was opened before the first write, so that `syncfs` reports errors
/// of all writes since. Returns the folder of the replaced data, if there were any.
pub(crate) fn swap_in(
    data_dir: &Path,
    disk: &File,
    stamp: &str,
) -> anyhow::Result<Option<PathBuf>> {
    let stamp = &unique_stamp(data_dir, stamp);
    let swap = || -> io::Result<()> {
        syncfs(disk)?;
        fs::rename(data_dir.join(STAGING), data_dir.join(format!("{READY_PREFIX}{stamp}")))?;
        sync_path(data_dir)
    };
    swap().with_context(|| swap_error(data_dir))?;
    recover(data_dir)?;
    Ok(Some(data_dir.join(format!("{REPLACED}{stamp}"))).filter(|replaced| replaced.is_dir()))
}

/// Returns a stamp that no earlier swap in the same second used.
fn unique_stamp(data_dir: &Path, stamp: &str) -> String {
    let is_free = |stamp: &String| !data_dir.join(format!("{REPLACED}{stamp}")).exists();
    let mut others = (2..).map(|number: u32| format!("{stamp}-{number}"));
    let first = Some(stamp.to_owned()).filter(is_free);
    first.or_else(|| others.find(is_free)).unwrap_or_else(|| stamp.to_owned())
}

/// Returns whether the folder contains data that a swap replaced.
pub(crate) fn has_backup_copy(data_dir: &Path) -> bool {
    entry_names(data_dir)
        .is_ok_and(|entry_names| entry_names.iter().any(|name| name.starts_with(REPLACED)))
}

/// Completes an interrupted swap, if there is one, and removes what an interrupted restore built before its swap. The
/// caller must hold the lock of the data folder.
///
/// # Errors
/// A sentence for the operator.
pub fn recover(data_dir: &Path) -> anyhow::Result<()> {
    let swap = || -> io::Result<()> {
        if let Some(stamp) = ready_stamp(data_dir)? {
            let replaced = data_dir.join(format!("{REPLACED}{stamp}"));
            let ready = data_dir.join(format!("{READY_PREFIX}{stamp}"));
            for name in entry_names(data_dir)? {
                if is_live(&name) || ready.join(&name).exists() {
                    create_private_dir(&replaced)?;
                    fs::rename(data_dir.join(&name), replaced.join(&name))?;
                }
            }
            if replaced.is_dir() {
                sync_path(&replaced)?;
            }
            sync_path(data_dir)?;
            fs::rename(ready, data_dir.join(INCOMING_DIR))?;
            sync_path(data_dir)?;
        }

        let incoming = data_dir.join(INCOMING_DIR);
        if incoming.is_dir() {
            for name in entry_names(&incoming)? {
                fs::rename(incoming.join(&name), data_dir.join(&name))?;
            }
            sync_path(data_dir)?;
            fs::remove_dir(incoming)?;
        }
        Ok(())
    };
    swap().with_context(|| swap_error(data_dir))?;
    remove_dir(&data_dir.join(STAGING))
}

/// Returns whether an entry of the data folder belongs to the live data. Others stay, such as the operator's certificate
/// or `lost+found`.
fn is_live(name: &str) -> bool {
    OWN_FOLDERS.contains(&name) || LIVE.contains(&name) || name.starts_with(DATABASE)
}

fn create_private_dir(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

fn sync_path(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

fn swap_error(data_dir: &Path) -> String {
    format!("cannot put the restored data into {}", data_dir.display())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use crate::backup::swap::{recover, stage, swap_in};
    use crate::data_dir::is_restore_interrupted;

    /// Returns the entries of a folder with their contents.
    fn list_tree(folder: &std::path::Path) -> Vec<String> {
        let mut found: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                let name = entry.file_name().into_string().unwrap();
                let path = entry.path();
                if path.is_dir() {
                    format!("{name}({})", list_tree(&path).join(" "))
                } else {
                    format!("{name}={}", fs::read_to_string(path).unwrap())
                }
            })
            .collect();
        found.sort();
        found
    }

    #[test]
    fn recover_completes_a_swap_interrupted_at_any_step() {
        let data_dir = tempfile::tempdir().unwrap();
        let expected =
            ["blobs(c=new)", "jwt_secret=new", "lock=", "replaced-7(jwt_secret=old tmp=1)", "tls="];
        for name in ["lock", "tls"] {
            fs::write(data_dir.path().join(name), "").unwrap();
        }
        for name in ["jwt_secret", "tmp"] {
            fs::write(data_dir.path().join(name), if name == "tmp" { "1" } else { "old" }).unwrap();
        }
        let new = stage(data_dir.path()).unwrap();
        fs::write(new.join("jwt_secret"), "new").unwrap();
        fs::create_dir(new.join("blobs")).unwrap();
        fs::write(new.join("blobs/c"), "new").unwrap();
        assert!(!is_restore_interrupted(data_dir.path()));
        let disk = fs::File::open(data_dir.path()).unwrap();
        let replaced = swap_in(data_dir.path(), &disk, "7").unwrap().unwrap();
        assert_eq!(list_tree(data_dir.path()), expected);
        assert_eq!(list_tree(&replaced), ["jwt_secret=old", "tmp=1"]);

        // A second swap in the same second uses another folder.
        let new = stage(data_dir.path()).unwrap();
        fs::create_dir(new.join("blobs")).unwrap();
        fs::write(new.join("blobs/c"), "newer").unwrap();
        let second = swap_in(data_dir.path(), &disk, "7").unwrap().unwrap();
        assert_eq!(list_tree(&second), ["blobs(c=new)", "jwt_secret=new"]);
        assert_eq!(list_tree(&replaced), ["jwt_secret=old", "tmp=1"]);

        // The intermediate states, in the order of the steps.
        for state in [
            &["jwt_secret=old", "tmp=1", "restored-7/jwt_secret=new", "restored-7/blobs/c=new"][..],
            &[
                "jwt_secret=old",
                "replaced-7/tmp=1",
                "restored-7/jwt_secret=new",
                "restored-7/blobs/c=new",
            ],
            &[
                "replaced-7/jwt_secret=old",
                "replaced-7/tmp=1",
                "restored-7/jwt_secret=new",
                "restored-7/blobs/c=new",
            ],
            &[
                "replaced-7/jwt_secret=old",
                "replaced-7/tmp=1",
                "moving-in/jwt_secret=new",
                "moving-in/blobs/c=new",
            ],
            &[
                "replaced-7/jwt_secret=old",
                "replaced-7/tmp=1",
                "jwt_secret=new",
                "moving-in/blobs/c=new",
            ],
        ] {
            let interrupted = tempfile::tempdir().unwrap();
            for name in ["lock", "tls"] {
                fs::write(interrupted.path().join(name), "").unwrap();
            }
            for file in state {
                let (path, text) = file.split_once('=').unwrap();
                fs::create_dir_all(interrupted.path().join(path).parent().unwrap()).unwrap();
                fs::write(interrupted.path().join(path), text).unwrap();
            }
            assert!(is_restore_interrupted(interrupted.path()), "{state:?}");
            recover(interrupted.path()).unwrap();
            assert_eq!(list_tree(interrupted.path()), expected, "{state:?}");
            assert!(!is_restore_interrupted(interrupted.path()));
        }
    }
}
