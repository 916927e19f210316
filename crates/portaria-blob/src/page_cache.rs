//! Opens and reads files that the kernel has in memory. Such a call takes microseconds and never waits for the disk, so an
//! async thread makes it itself: the hand-over to a blocking thread and back costs more than the copy
//! (`docs/decisions/0065-downloads-from-the-page-cache-and-by-redirect.md`).

use std::{
    fs::File,
    io::IoSliceMut,
    os::fd::AsFd,
    path::Path,
    sync::{Mutex, PoisonError},
};

use bytes::Bytes;
use rustix::{
    fs::{CWD, Mode, OFlags, ResolveFlags, openat2},
    io::{ReadWriteFlags, preadv2},
};

/// Size of a reused buffer, and of the largest read from memory. Larger ones leave the processor's cache before they are
/// sent. Bytes.
const BUFFER: usize = 256 << 10;
/// Reads up to this size get a buffer of their own length, because slow clients hold it for long. Bytes.
const SMALL: usize = 64 << 10;
/// Maximum number of unused buffers.
const MAX_FREE: usize = 16;

/// Unused buffers. A new one would be filled with zeros, which costs as much as reading into it.
static FREE: Mutex<Vec<Box<[u8]>>> = Mutex::new(Vec::new());

/// Opens a file if the kernel has its name in memory. `None` if the disk is needed, or the file cannot be opened.
pub(crate) fn open(path: &Path) -> Option<File> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    openat2(CWD, path, flags, Mode::empty(), ResolveFlags::CACHED).ok().map(File::from)
}

/// Reads at most `limit` bytes if the kernel has the first of them in memory. `None` if the disk is needed, or the file
/// cannot be read.
pub(crate) fn read(file: impl AsFd, from: u64, limit: usize) -> Option<Bytes> {
    if limit <= SMALL {
        let mut bytes = vec![0; limit];
        let read = read_into(file, from, &mut bytes)?;
        bytes.truncate(read);
        return Some(bytes.into());
    }
    let mut buffer = Buffer::take();
    let limit = limit.min(BUFFER);
    buffer.length = read_into(file, from, buffer.bytes.get_mut(..limit)?)?;
    Some(Bytes::from_owner(buffer))
}

fn read_into(file: impl AsFd, from: u64, bytes: &mut [u8]) -> Option<usize> {
    preadv2(file, &mut [IoSliceMut::new(bytes)], from, ReadWriteFlags::NOWAIT).ok()
}

/// A reused buffer with `length` bytes of content.
struct Buffer {
    bytes: Box<[u8]>,
    length: usize,
}

impl Buffer {
    fn take() -> Self {
        let free = FREE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Self { bytes: free.unwrap_or_else(|| vec![0; BUFFER].into()), length: 0 }
    }
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
        if free.len() < MAX_FREE {
            free.push(std::mem::take(&mut self.bytes));
        }
    }
}
