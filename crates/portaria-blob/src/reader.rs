//! Reads a blob in chunks, from the disk or from an S3 bucket.

use std::{fmt, fs::File, io, os::unix::fs::FileExt, sync::Arc};

use bytes::Bytes;
use futures_util::{
    StreamExt,
    stream::{self, BoxStream},
};

use crate::{CHUNK, blocking, page_cache};

/// An open blob, read from front to back.
pub struct BlobReader {
    source: Source,
    from: u64,
    /// End of the requested bytes (exclusive); `None` reads to the end of the blob.
    to: Option<u64>,
}

enum Source {
    Nothing,
    File(Arc<File>),
    /// `buffered` has arrived and was not returned yet.
    Remote {
        bytes: BoxStream<'static, io::Result<Bytes>>,
        buffered: Bytes,
    },
}

impl fmt::Debug for BlobReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader")
            .field("from", &self.from)
            .field("to", &self.to)
            .finish_non_exhaustive()
    }
}

impl BlobReader {
    pub(crate) fn empty() -> Self {
        Self { source: Source::Nothing, from: 0, to: Some(0) }
    }

    pub(crate) fn file(file: File) -> Self {
        Self { source: Source::File(Arc::new(file)), from: 0, to: None }
    }

    pub(crate) fn remote(bytes: BoxStream<'static, io::Result<Bytes>>) -> Self {
        Self { source: Source::Remote { bytes, buffered: Bytes::new() }, from: 0, to: None }
    }

    /// Reads bytes in memory.
    #[must_use]
    pub fn memory(bytes: Bytes) -> Self {
        let to = bytes.len() as u64;
        let source = Source::Remote { bytes: stream::empty().boxed(), buffered: bytes };
        Self { source, from: 0, to: Some(to) }
    }

    /// Restricts the reader to the bytes `from..to`. The stream of a remote blob must contain just these.
    pub(crate) fn range(self, from: u64, to: u64) -> Self {
        Self { from, to: Some(to), ..self }
    }

    /// Returns the next bytes, at most one mebibyte; empty at the end.
    ///
    /// # Errors
    /// An error of the store; [`io::ErrorKind::UnexpectedEof`] if the blob ends before the requested range does, so
    /// that a response with an announced length is cut off and not silently short.
    pub async fn next(&mut self) -> io::Result<Bytes> {
        self.read_up_to(CHUNK).await
    }

    /// Returns the next bytes, at most `limit`.
    ///
    /// # Errors
    /// As [`BlobReader::next`].
    pub async fn read_up_to(&mut self, limit: usize) -> io::Result<Bytes> {
        let left = self.to.map_or(u64::MAX, |to| to.saturating_sub(self.from));
        let limit = usize::try_from(left).unwrap_or(CHUNK).min(CHUNK).min(limit);
        if limit == 0 {
            return Ok(Bytes::new());
        }
        let chunk = match &mut self.source {
            Source::Nothing => Bytes::new(),
            Source::File(file) => {
                if let Some(chunk) = page_cache::read(&**file, self.from, limit) {
                    chunk
                } else {
                    let (file, from) = (Arc::clone(file), self.from);
                    blocking(move || {
                        let mut bytes = vec![0; limit];
                        let read = file.read_at(&mut bytes, from)?;
                        bytes.truncate(read);
                        Ok(bytes.into())
                    })
                    .await?
                }
            }
            Source::Remote { bytes, buffered } => {
                while buffered.is_empty() {
                    match bytes.next().await.transpose()? {
                        Some(chunk) => *buffered = chunk,
                        None => break,
                    }
                }
                buffered.split_to(buffered.len().min(limit))
            }
        };
        if chunk.is_empty() && self.to.is_some() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.from += chunk.len() as u64;
        Ok(chunk)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Write};

    use tokio::runtime;

    use crate::BlobReader;

    #[test]
    fn file_is_read_in_chunks_up_to_the_limit() {
        let content: Vec<u8> = (0..=250).cycle().take(700_000).collect();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&content).unwrap();
        let open = |to| BlobReader::file(file.try_clone().unwrap()).range(5, to);
        let runtime = runtime::Builder::new_current_thread().build().unwrap();
        for limit in [1000, 65_536, 200_000, 1 << 20] {
            let mut reader = open(600_000);
            let mut chunks = Vec::new();
            loop {
                let chunk = runtime.block_on(reader.read_up_to(limit)).unwrap();
                if chunk.is_empty() {
                    break;
                }
                assert!(chunk.len() <= limit, "{}", chunk.len());
                chunks.push(chunk);
            }
            // All chunks are held at once: no buffer is reused too early.
            assert!(chunks.concat() == content[5..600_000], "{limit}");
        }

        let mut too_short = open(700_001);
        let error = loop {
            if let Err(error) = runtime.block_on(too_short.next()) {
                break error;
            }
        };
        assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
    }
}
