//! A socket that disconnects a slow reader.
//!
//! Hand-written, because 60 lines replace a dependency.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::http::transfer_meter::{TransferLimits, TransferMeter};

/// A socket whose writes, flushes and shutdown fail when its reader is below the minimum rate.
pub(crate) struct WriteTimeoutStream<S> {
    socket: S,
    meter: TransferMeter,
}

impl<S> WriteTimeoutStream<S> {
    pub(crate) fn new(socket: S, limits: TransferLimits) -> Self {
        Self { socket, meter: TransferMeter::new(limits) }
    }

    /// Measures the outcome of a write that moved `count(outcome)` bytes.
    fn measure<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
        count: impl FnOnce(&T) -> usize,
    ) -> Poll<io::Result<T>> {
        if let Poll::Ready(outcome) = &written {
            self.meter.record(outcome.as_ref().map_or(0, count));
            return written;
        }
        self.meter.poll_expired(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
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
        self.measure(context, written, |bytes| *bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.socket).poll_write_vectored(context, slices);
        self.measure(context, written, |bytes| *bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.socket).poll_flush(context);
        self.measure(context, flushed, |()| 0)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let ended = Pin::new(&mut self.socket).poll_shutdown(context);
        self.measure(context, ended, |()| 0)
    }
}

#[cfg(test)]
mod tests {
    use std::{io::ErrorKind, time::Duration};

    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt, BufWriter, duplex},
        time::{interval, timeout},
    };

    use crate::config::sources::ConfigSources;
    use crate::http::{transfer_meter::TransferLimits, write_timeout::WriteTimeoutStream};

    const WINDOW: Duration = Duration::from_millis(200);

    /// 320 bytes per second, which is one buffer of these tests in each window.
    fn limits() -> TransferLimits {
        let mut config = ConfigSources::defaults().read().unwrap();
        (config.min_transfer_rate, config.transfer_window) = (320, WINDOW);
        TransferLimits::of_reader(&config)
    }

    #[tokio::test]
    async fn steady_reader_is_kept_and_stalled_reader_times_out() {
        let (near, mut far) = duplex(64);
        let mut near = WriteTimeoutStream::new(near, limits());
        let reading = tokio::spawn(async move {
            let mut pauses = interval(WINDOW / 4);
            let mut bytes = [0; 64];
            for _ in 0..8 {
                pauses.tick().await;
                far.read_exact(&mut bytes).await.unwrap();
            }
            far
        });
        // In total this takes longer than the window.
        near.write_all(&[7; 512]).await.unwrap();
        let far = reading.await.unwrap();
        let error = near.write_all(&[7; 512]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        drop(far);
    }

    #[tokio::test]
    async fn reader_below_the_rate_times_out() {
        let (near, mut far) = duplex(64);
        let mut near = WriteTimeoutStream::new(near, limits());
        let reading = tokio::spawn(async move {
            let mut pauses = interval(WINDOW / 4);
            let mut byte = [0];
            while far.read_exact(&mut byte).await.is_ok() {
                pauses.tick().await;
            }
        });
        let written = timeout(WINDOW * 50, near.write_all(&[7; 512])).await.unwrap();
        assert_eq!(written.unwrap_err().kind(), ErrorKind::TimedOut);
        drop(near);
        reading.await.unwrap();
    }

    #[tokio::test]
    async fn shutdown_times_out_while_the_buffer_is_full() {
        let (near, far) = duplex(64);
        // The remaining bytes do not fit into the buffer, like the last message of TLS.
        let mut near = WriteTimeoutStream::new(BufWriter::new(near), limits());
        near.write_all(&[7; 512]).await.unwrap();
        let ended = timeout(WINDOW * 50, near.shutdown()).await.unwrap();
        assert_eq!(ended.unwrap_err().kind(), ErrorKind::TimedOut);
        drop(far);
    }
}
