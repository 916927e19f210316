//! A temporary directory for data that need not survive a test run: in memory if there is room, otherwise on the disk.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};

use crate::prerequisites::{GIB, free_bytes};

/// The file system in memory that Linux mounts for POSIX shared memory.
const MEMORY: &str = "/dev/shm";
const PREFIX: &str = "portaria-test-";
/// Minimum size of the free part of [`MEMORY`]. A run of all tests uses less than 512 MiB at any time.
const MIN_FREE_BYTES: u64 = GIB;
/// Minimum memory that is available to programs, for the directory, the compiler and the browsers.
const MIN_AVAILABLE_MEMORY: u64 = 4 * GIB;

/// Removed, with its content, when this value is dropped.
pub(crate) struct ScratchDir {
    path: PathBuf,
}

impl ScratchDir {
    pub(crate) fn create() -> Result<Self> {
        let parent = if has_room() { PathBuf::from(MEMORY) } else { std::env::temp_dir() };
        remove_stale(&parent);
        Self::create_in(&parent)
    }

    /// On the disk, for measurements that include it.
    pub(crate) fn create_on_disk() -> Result<Self> {
        Self::create_in(&std::env::temp_dir())
    }

    fn create_in(parent: &Path) -> Result<Self> {
        let path = parent.join(format!("{PREFIX}{}", std::process::id()));
        let create = || {
            fs::create_dir(&path)?;
            // PostgreSQL may run as another user, which has to reach its directory.
            fs::set_permissions(&path, Permissions::from_mode(0o711))?;
            fs::create_dir(path.join("tmp"))
        };
        create().with_context(|| format!("cannot create {}", path.display()))?;
        Ok(Self { path })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes a command create its temporary files here.
    pub(crate) fn use_for_temporary_files(&self, command: &mut Command) {
        command.env("TMPDIR", self.path.join("tmp"));
    }
}

impl Drop for ScratchDir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn has_room() -> bool {
    let is_large = free_bytes(Path::new(MEMORY)).is_ok_and(|free| free >= MIN_FREE_BYTES);
    let available =
        fs::read_to_string("/proc/meminfo").ok().and_then(|text| available_memory(&text));
    is_large && available.is_some_and(|bytes| bytes >= MIN_AVAILABLE_MEMORY)
}

/// The line `MemAvailable:   12345 kB` of `/proc/meminfo`, in bytes. See `proc_meminfo(5)`.
fn available_memory(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib * 1024)
}

/// Removes the directories of processes that were killed: in memory they would take room until the next boot.
fn remove_stale(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let process_id =
            name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.parse::<u32>().ok());
        if process_id.is_some_and(|id| !Path::new(&format!("/proc/{id}")).exists()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{PREFIX, ScratchDir, available_memory, remove_stale};

    #[test]
    fn available_memory_is_read_in_bytes() {
        let meminfo = "MemTotal:       24576000 kB\nMemAvailable:    2048 kB\n";
        assert_eq!(available_memory(meminfo), Some(2 << 20));
        assert_eq!(available_memory("MemTotal: 1 kB\n"), None);
    }

    #[test]
    fn directories_of_dead_processes_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        // Process IDs are smaller than 2^22 on Linux.
        let stale = parent.path().join(format!("{PREFIX}4194305"));
        let other = parent.path().join(format!("{PREFIX}of-a-person"));
        fs::create_dir(&stale).unwrap();
        fs::create_dir(&other).unwrap();
        let own = ScratchDir::create_in(parent.path()).unwrap();
        remove_stale(parent.path());
        assert!(!stale.exists() && other.exists() && own.path().exists());
        let path = own.path().to_owned();
        drop(own);
        assert!(!path.exists());
    }
}
