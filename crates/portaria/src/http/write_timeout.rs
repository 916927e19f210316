//! A socket that waits only so long for whoever reads at the other end.

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

/// A socket whose writes fail when nothing at all could be written for a while.
pub(crate) struct WriteTimeoutStream<S> {
    socket: S,
    patience: Duration,
    /// Since the last time that something could be written.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<S> WriteTimeoutStream<S> {
    pub(crate) fn new(socket: S, patience: Duration) -> Self {
        Self { socket, patience, waiting: None }
    }

    fn wait<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.waiting = None;
            return written;
        }
        let patience = self.patience;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(patience)));
        waiting.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
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
        self.wait(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.socket).poll_write_vectored(context, pieces);
        self.wait(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.socket).poll_flush(context);
        self.wait(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let ended = Pin::new(&mut self.socket).poll_shutdown(context);
        self.wait(context, ended)
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

    const PATIENCE: Duration = Duration::from_millis(200);

    #[tokio::test]
    async fn who_reads_slowly_is_waited_for_and_who_stops_is_not() {
        let (near, mut far) = duplex(64);
        let mut near = WriteTimeoutStream::new(near, PATIENCE);
        let reading = tokio::spawn(async move {
            let mut bytes = [0; 64];
            for _ in 0..8 {
                sleep(PATIENCE / 4).await;
                far.read_exact(&mut bytes).await.unwrap();
            }
            far
        });
        // Longer than the patience, all in all.
        near.write_all(&[7; 512]).await.unwrap();
        let far = reading.await.unwrap();
        let error = near.write_all(&[7; 512]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        drop(far);
    }

    #[tokio::test]
    async fn nobody_waits_for_ever_to_say_goodbye() {
        let (near, far) = duplex(64);
        // What has to be said before the end finds no room, like the last word of TLS.
        let mut near = WriteTimeoutStream::new(BufWriter::new(near), PATIENCE);
        near.write_all(&[7; 512]).await.unwrap();
        let ended = timeout(PATIENCE * 50, near.shutdown()).await.unwrap();
        assert_eq!(ended.unwrap_err().kind(), ErrorKind::TimedOut);
        drop(far);
    }
}
