//! A blob's bytes on their way out, piece by piece.

use std::{fmt, fs::File, io, os::unix::fs::FileExt, sync::Arc};

use bytes::Bytes;
use futures_util::{StreamExt, stream::BoxStream};

use crate::blob::{CHUNK, blocking};

/// An open blob, read from front to back.
pub struct Reader {
    source: Source,
    from: u64,
    /// Where the bytes that were asked for end; without it they end where the blob does.
    to: Option<u64>,
}

enum Source {
    Nothing,
    File(Arc<File>),
    Remote { bytes: BoxStream<'static, io::Result<Bytes>>, held: Bytes },
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader")
            .field("from", &self.from)
            .field("to", &self.to)
            .finish_non_exhaustive()
    }
}

impl Reader {
    pub(crate) fn nothing() -> Self {
        Self { source: Source::Nothing, from: 0, to: Some(0) }
    }

    pub(crate) fn file(file: File) -> Self {
        Self { source: Source::File(Arc::new(file)), from: 0, to: None }
    }

    pub(crate) fn remote(bytes: BoxStream<'static, io::Result<Bytes>>) -> Self {
        Self { source: Source::Remote { bytes, held: Bytes::new() }, from: 0, to: None }
    }

    /// What was asked for; of a remote blob nothing else comes.
    pub(crate) fn range(self, from: u64, to: u64) -> Self {
        Self { from, to: Some(to), ..self }
    }

    /// The next bytes, a mebibyte at most; none at the end.
    ///
    /// # Errors
    /// When the store refuses, or the blob ends before the bytes that were asked for do: whoever was told of a length
    /// is cut off rather than given less.
    pub async fn next(&mut self) -> io::Result<Bytes> {
        self.read_up_to(CHUNK).await
    }

    /// As [`Reader::next`], but no more than so many bytes.
    ///
    /// # Errors
    /// As there.
    pub async fn read_up_to(&mut self, most: usize) -> io::Result<Bytes> {
        let left = self.to.map_or(u64::MAX, |to| to.saturating_sub(self.from));
        let most = usize::try_from(left).unwrap_or(CHUNK).min(CHUNK).min(most);
        if most == 0 {
            return Ok(Bytes::new());
        }
        let piece = match &mut self.source {
            Source::Nothing => Bytes::new(),
            Source::File(file) => {
                let (file, from) = (Arc::clone(file), self.from);
                blocking(move || {
                    let mut bytes = vec![0; most];
                    let read = file.read_at(&mut bytes, from)?;
                    bytes.truncate(read);
                    Ok(bytes.into())
                })
                .await?
            }
            Source::Remote { bytes, held } => {
                while held.is_empty() {
                    match bytes.next().await.transpose()? {
                        Some(piece) => *held = piece,
                        None => break,
                    }
                }
                held.split_to(held.len().min(most))
            }
        };
        if piece.is_empty() && self.to.is_some() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.from += piece.len() as u64;
        Ok(piece)
    }
}
