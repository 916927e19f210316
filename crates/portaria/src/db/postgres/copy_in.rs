//! Many rows at once, by COPY: what filling a database takes.

use std::{fmt, pin::Pin};

use bytes::{Bytes, BytesMut};
use futures_util::SinkExt;
use tokio_postgres::CopyInSink;

use crate::db::postgres::{Cell, Error, Session};

/// Bytes that are sent at once.
const PIECE: usize = 1 << 18;

/// Rows on their way into one table.
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
        Ok(Copy { sink: Box::pin(sink), bytes: BytesMut::with_capacity(2 * PIECE) })
    }

    pub(crate) fn copy_row<'a>(
        &mut self,
        copy: &mut Copy,
        cells: impl Iterator<Item = Cell<'a>>,
    ) -> Result<(), Error> {
        write_row(&mut copy.bytes, cells);
        if copy.bytes.len() < PIECE {
            return Ok(());
        }
        let piece = copy.bytes.split().freeze();
        Ok(self.runtime.block_on(copy.sink.send(piece))?)
    }

    pub(crate) fn end_copy(&mut self, mut copy: Copy) -> Result<(), Error> {
        let piece = copy.bytes.split().freeze();
        self.runtime.block_on(async {
            copy.sink.send(piece).await?;
            copy.sink.as_mut().finish().await
        })?;
        Ok(())
    }
}

/// A row in the text format of COPY.
fn write_row<'a>(out: &mut BytesMut, cells: impl Iterator<Item = Cell<'a>>) {
    for (place, cell) in cells.enumerate() {
        if place > 0 {
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

    use crate::db::postgres::copy_in::{Cell, write_row};

    #[test]
    fn what_copy_would_read_otherwise_is_escaped() {
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
