//! Bulk loading with `COPY … FROM STDIN`, which a restore uses.

use std::{fmt, pin::Pin};

use bytes::{Bytes, BytesMut};
use futures_util::SinkExt;
use tokio_postgres::CopyInSink;

use crate::{Cell, Error, postgres::Session};

/// Number of bytes after which a chunk is sent.
const CHUNK_BYTES: usize = 1 << 18;

/// A running COPY into one table.
pub(crate) struct Copy {
    sink: Pin<Box<CopyInSink<Bytes>>>,
    bytes: BytesMut,
}

impl fmt::Debug for Copy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Copy").finish_non_exhaustive()
    }
}

impl Session {
    pub(crate) fn begin_copy(&mut self, sql: &str) -> Result<Copy, Error> {
        let sink = self.runtime.block_on(self.client.copy_in(sql))?;
        Ok(Copy { sink: Box::pin(sink), bytes: BytesMut::with_capacity(2 * CHUNK_BYTES) })
    }

    pub(crate) fn copy_row<'a>(
        &mut self,
        copy: &mut Copy,
        cells: impl Iterator<Item = Cell<'a>>,
    ) -> Result<(), Error> {
        write_row(&mut copy.bytes, cells);
        if copy.bytes.len() < CHUNK_BYTES {
            return Ok(());
        }
        let chunk = copy.bytes.split().freeze();
        Ok(self.runtime.block_on(copy.sink.send(chunk))?)
    }

    pub(crate) fn end_copy(&mut self, mut copy: Copy) -> Result<(), Error> {
        let chunk = copy.bytes.split().freeze();
        self.runtime.block_on(async {
            copy.sink.send(chunk).await?;
            copy.sink.as_mut().finish().await
        })?;
        Ok(())
    }
}

/// Appends a row in the text format of COPY.
fn write_row<'a>(out: &mut BytesMut, cells: impl Iterator<Item = Cell<'a>>) {
    for (index, cell) in cells.enumerate() {
        if index > 0 {
            out.extend_from_slice(b"\t");
        }
        match cell {
            Cell::Null => out.extend_from_slice(b"\\N"),
            Cell::Bool(value) => out.extend_from_slice(if value { b"t" } else { b"f" }),
            Cell::Int(value) => out.extend_from_slice(value.to_string().as_bytes()),
            Cell::Real(value) => out.extend_from_slice(value.to_string().as_bytes()),
            Cell::Text(text) => {
                for byte in text.bytes() {
                    match byte {
                        b'\\' => out.extend_from_slice(b"\\\\"),
                        b'\n' => out.extend_from_slice(b"\\n"),
                        b'\r' => out.extend_from_slice(b"\\r"),
                        b'\t' => out.extend_from_slice(b"\\t"),
                        other => out.extend_from_slice(&[other]),
                    }
                }
            }
        }
    }
    out.extend_from_slice(b"\n");
}

#[cfg(test)]
mod tests {
    use bytes::BytesMut;

    use crate::{Cell, postgres::copy_in::write_row};

    #[test]
    fn write_row_escapes_special_characters() {
        let mut row = BytesMut::new();
        let cells = [
            Cell::Text("a\tb\\N\r\n"),
            Cell::Null,
            Cell::Bool(true),
            Cell::Int(-7),
            Cell::Text(""),
        ];
        write_row(&mut row, cells.into_iter());
        assert_eq!(row, "a\\tb\\\\N\\r\\n\t\\N\tt\t-7\t\n".as_bytes());
    }
}
