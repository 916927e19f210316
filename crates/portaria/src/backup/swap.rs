//! How a data folder that was built beside the live data takes their place. Nothing is ever deleted, and a crash at any
//! moment leaves either the old data or a switch that the next start finishes.
//!
//! What is built lies in `restoring/`. When it is whole it becomes `restored-{time}/`, by one rename: from then on there
//! is no way back. First the old data go to `replaced-{time}/`, then `restored-{time}/` becomes `moving-in/`, and what
//! is in there comes out.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use rustix::fs::syncfs;

/// The file in the data folder that says, by a lock, that somebody serves it. It stays where it is.
pub(crate) const LOCK: &str = "lock";
/// Whose data were erased (`erasure/list.rs`). It outlives every restore.
pub(crate) const ERASED: &str = "erased";
const STAGING: &str = "restoring";
const READY: &str = "restored-";
const REPLACED: &str = "replaced-";
const INCOMING: &str = "moving-in";

/// An empty folder to build in. What an earlier restore left there is of no use.
pub(crate) fn stage(data_dir: &Path) -> Result<PathBuf, String> {
    let folder = data_dir.join(STAGING);
    clear(&folder)?;
    make(&folder).map_err(|error| told(data_dir, &error))?;
    Ok(folder)
}

/// Removes a folder that nobody needs.
pub(crate) fn clear(folder: &Path) -> Result<(), String> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(format!("cannot remove {}: {error}", folder.display()))
        }
        _ => Ok(()),
    }
}

/// Puts what was built into place, once all of it is on the disk, which was opened before the first byte. Where the old data went, if there were any.
pub(crate) fn swap_in(
    data_dir: &Path,
    disk: &File,
    stamp: &str,
) -> Result<Option<PathBuf>, String> {
    let stamp = &unused(data_dir, stamp);
    let go = || -> io::Result<()> {
        syncfs(disk)?;
        fs::rename(data_dir.join(STAGING), data_dir.join(format!("{READY}{stamp}")))?;
        sync(data_dir)
    };
    go().map_err(|error| told(data_dir, &error))?;
    recover(data_dir)?;
    Ok(Some(data_dir.join(format!("{REPLACED}{stamp}"))).filter(|aside| aside.is_dir()))
}

/// A stamp that no earlier switch of the same second used.
fn unused(data_dir: &Path, stamp: &str) -> String {
    let is_free = |stamp: &String| !data_dir.join(format!("{REPLACED}{stamp}")).exists();
    let mut others = (2..).map(|number: u32| format!("{stamp}-{number}"));
    let first = Some(stamp.to_owned()).filter(is_free);
    first.or_else(|| others.find(is_free)).unwrap_or_else(|| stamp.to_owned())
}

/// Whether a switch was cut off.
#[must_use]
pub fn is_interrupted(data_dir: &Path) -> bool {
    matches!(ready(data_dir), Ok(Some(_))) || data_dir.join(INCOMING).is_dir()
}

/// Whether old data lie there that an earlier switch moved aside.
pub(crate) fn has_backup_copy(data_dir: &Path) -> bool {
    names(data_dir).is_ok_and(|names| names.iter().any(|name| name.starts_with(REPLACED)))
}

/// Finishes a switch that was cut off; does nothing if none was. For whoever alone uses this folder.
///
/// # Errors
/// A sentence for the operator.
pub fn recover(data_dir: &Path) -> Result<(), String> {
    let go = || -> io::Result<()> {
        if let Some(stamp) = ready(data_dir)? {
            let aside = data_dir.join(format!("{REPLACED}{stamp}"));
            for name in names(data_dir)? {
                if !stays(&name) {
                    make(&aside)?;
                    fs::rename(data_dir.join(&name), aside.join(&name))?;
                }
            }
            if aside.is_dir() {
                sync(&aside)?;
            }
            sync(data_dir)?;
            fs::rename(data_dir.join(format!("{READY}{stamp}")), data_dir.join(INCOMING))?;
            sync(data_dir)?;
        }
        let moving = data_dir.join(INCOMING);
        if moving.is_dir() {
            for name in names(&moving)? {
                fs::rename(moving.join(&name), data_dir.join(&name))?;
            }
            sync(data_dir)?;
            fs::remove_dir(moving)?;
        }
        Ok(())
    };
    go().map_err(|error| told(data_dir, &error))
}

/// What is not the live data's.
fn stays(name: &str) -> bool {
    [STAGING, INCOMING, LOCK, ERASED].contains(&name)
        || name.starts_with(READY)
        || name.starts_with(REPLACED)
}

fn ready(data_dir: &Path) -> io::Result<Option<String>> {
    match names(data_dir) {
        Ok(names) => Ok(names.iter().find_map(|name| name.strip_prefix(READY).map(str::to_owned))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn names(folder: &Path) -> io::Result<Vec<String>> {
    fs::read_dir(folder)?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect()
}

fn make(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

fn told(data_dir: &Path, error: &io::Error) -> String {
    format!("cannot put the restored data into {}: {error}", data_dir.display())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use crate::backup::swap::{is_interrupted, recover, stage, swap_in};

    /// What lies in a folder, each with what it says.
    fn look(folder: &std::path::Path) -> Vec<String> {
        let mut found: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                let name = entry.file_name().into_string().unwrap();
                let path = entry.path();
                if path.is_dir() {
                    format!("{name}({})", look(&path).join(" "))
                } else {
                    format!("{name}={}", fs::read_to_string(path).unwrap())
                }
            })
            .collect();
        found.sort();
        found
    }

    #[test]
    fn a_switch_that_is_cut_off_anywhere_is_finished() {
        let whole = tempfile::tempdir().unwrap();
        let end = ["a=new", "b(c=new)", "lock=", "replaced-7(a=old old=1)"];
        fs::write(whole.path().join("lock"), "").unwrap();
        for name in ["a", "old"] {
            fs::write(whole.path().join(name), if name == "a" { "old" } else { "1" }).unwrap();
        }
        let new = stage(whole.path()).unwrap();
        fs::write(new.join("a"), "new").unwrap();
        fs::create_dir(new.join("b")).unwrap();
        fs::write(new.join("b/c"), "new").unwrap();
        assert!(!is_interrupted(whole.path()));
        let disk = fs::File::open(whole.path()).unwrap();
        let aside = swap_in(whole.path(), &disk, "7").unwrap().unwrap();
        assert_eq!(look(whole.path()), end);
        assert_eq!(look(&aside), ["a=old", "old=1"]);

        // Another one in the same second does not mix with it.
        let new = stage(whole.path()).unwrap();
        fs::create_dir(new.join("b")).unwrap();
        fs::write(new.join("b/c"), "newer").unwrap();
        let second = swap_in(whole.path(), &disk, "7").unwrap().unwrap();
        assert_eq!(look(&second), ["a=new", "b(c=new)"]);
        assert_eq!(look(&aside), ["a=old", "old=1"]);

        // The states in between, as the steps make them.
        for state in [
            &["a=old", "old=1", "restored-7/a=new", "restored-7/b/c=new"][..],
            &["a=old", "replaced-7/old=1", "restored-7/a=new", "restored-7/b/c=new"],
            &["replaced-7/a=old", "replaced-7/old=1", "restored-7/a=new", "restored-7/b/c=new"],
            &["replaced-7/a=old", "replaced-7/old=1", "moving-in/a=new", "moving-in/b/c=new"],
            &["replaced-7/a=old", "replaced-7/old=1", "a=new", "moving-in/b/c=new"],
        ] {
            let cut = tempfile::tempdir().unwrap();
            fs::write(cut.path().join("lock"), "").unwrap();
            for file in state {
                let (path, text) = file.split_once('=').unwrap();
                fs::create_dir_all(cut.path().join(path).parent().unwrap()).unwrap();
                fs::write(cut.path().join(path), text).unwrap();
            }
            assert!(is_interrupted(cut.path()), "{state:?}");
            recover(cut.path()).unwrap();
            assert_eq!(look(cut.path()), end, "{state:?}");
            assert!(!is_interrupted(cut.path()));
        }
    }
}
