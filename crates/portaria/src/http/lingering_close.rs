//! Closes a connection whose request body was not read to its end. The kernel resets a connection that is closed with
//! unread bytes: the client would fail while it sends the rest, and lose the response (RFC 9112, section 9.6). The writing
//! half is therefore closed first, and the rest is read and discarded within limits.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Sleep, sleep},
};

/// Maximum time in which the rest is read.
const MAX_TIME: Duration = Duration::from_secs(5);
/// Maximum length of the rest that is read. Bytes.
const MAX_BYTES: usize = 64 << 20;

/// Whether a connection ends with an unread request body. The requests of the connection and its stream share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct UnreadRest(Arc<AtomicBool>);

impl UnreadRest {
    /// Records that a request body was not read to its end.
    pub(crate) fn record(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A stream whose shutdown reads and discards the rest of a request.
pub(crate) struct LingeringStream<S> {
    stream: S,
    unread_rest: UnreadRest,
    /// End of the time for the rest, once the writing half is closed.
    end: Option<Pin<Box<Sleep>>>,
    /// Number of bytes that were discarded.
    discarded: usize,
}

impl<S> LingeringStream<S> {
    pub(crate) fn new(stream: S, unread_rest: UnreadRest) -> Self {
        Self { stream, unread_rest, end: None, discarded: 0 }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for LingeringStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, bytes)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for LingeringStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { stream, unread_rest, end, discarded } = &mut *self;
        if end.is_none() {
            ready!(Pin::new(&mut *stream).poll_shutdown(context))?;
        }
        if !unread_rest.0.load(Ordering::Relaxed) {
            return Poll::Ready(Ok(()));
        }
        let end = end.get_or_insert_with(|| Box::pin(sleep(MAX_TIME)));
        while *discarded < MAX_BYTES && end.as_mut().poll(context).is_pending() {
            let mut bytes = [0; 16 << 10];
            let mut bytes = ReadBuf::new(&mut bytes);
            let read = ready!(Pin::new(&mut *stream).poll_read(context, &mut bytes));
            if read.is_err() || bytes.filled().is_empty() {
                break;
            }
            *discarded += bytes.filled().len();
        }
        Poll::Ready(Ok(()))
    }
}
