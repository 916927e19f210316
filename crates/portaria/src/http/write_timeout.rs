//! A socket with a write timeout.
//!
//! Hand-written, because 60 lines replace a dependency.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Sleep, sleep},
};

/// A socket whose writes, flushes and shutdown fail when nothing could be written for a time.
pub(crate) struct WriteTimeoutStream<S> {
    socket: S,
    timeout: Duration,
    /// Timer that runs while a write is pending.
    timer: Option<Pin<Box<Sleep>>>,
}

impl<S> WriteTimeoutStream<S> {
    pub(crate) fn new(socket: S, timeout: Duration) -> Self {
        Self { socket, timeout, timer: None }
    }

    fn check_timeout<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.timer = None;
            return written;
        }
        let timeout = self.timeout;
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep(timeout)));
        timer.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteTimeoutStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_read(context, bytes)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteTimeoutStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.socket).poll_write(context, bytes);
        self.check_timeout(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.socket).poll_write_vectored(context, slices);
        self.check_timeout(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.socket).poll_flush(context);
        self.check_timeout(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let ended = Pin::new(&mut self.socket).poll_shutdown(context);
        self.check_timeout(context, ended)
    }
}

#[cfg(test)]
mod tests {
    use std::{io::ErrorKind, time::Duration};

    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt, BufWriter, duplex},
        time::{sleep, timeout},
    };

    use crate::http::write_timeout::WriteTimeoutStream;

    const WRITE_TIMEOUT: Duration = Duration::from_millis(200);

    #[tokio::test]
    async fn slow_reader_is_kept_and_stalled_reader_times_out() {
        let (near, mut far) = duplex(64);
        let mut near = WriteTimeoutStream::new(near, WRITE_TIMEOUT);
        let reading = tokio::spawn(async move {
            let mut bytes = [0; 64];
            for _ in 0..8 {
                sleep(WRITE_TIMEOUT / 4).await;
                far.read_exact(&mut bytes).await.unwrap();
            }
            far
        });
        // In total this takes longer than the timeout.
        near.write_all(&[7; 512]).await.unwrap();
        let far = reading.await.unwrap();
        let error = near.write_all(&[7; 512]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        drop(far);
    }

    #[tokio::test]
    async fn shutdown_times_out_while_the_buffer_is_full() {
        let (near, far) = duplex(64);
        // The remaining bytes do not fit into the buffer, like the last message of TLS.
        let mut near = WriteTimeoutStream::new(BufWriter::new(near), WRITE_TIMEOUT);
        near.write_all(&[7; 512]).await.unwrap();
        let ended = timeout(WRITE_TIMEOUT * 50, near.shutdown()).await.unwrap();
        assert_eq!(ended.unwrap_err().kind(), ErrorKind::TimedOut);
        drop(far);
    }
}
