//! The frames that wait for one connection. A connection that does not read them is closed.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use axum::extract::ws::Message;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Maximum number of frames that wait for a connection.
const MAX_FRAMES: usize = 4096;
/// Maximum size of these frames, in bytes: before a caller with a session or the service key joined a channel, and after
/// it. Everybody has the public key.
const MAX_ANONYMOUS_BYTES: usize = 256 * 1024;
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// The sending end, which all channels of the connection share.
#[derive(Debug, Clone)]
pub(crate) struct Outbox {
    frames: mpsc::Sender<Message>,
    bytes: Arc<AtomicUsize>,
    max_bytes: Arc<AtomicUsize>,
    overflow: CancellationToken,
}

/// The receiving end.
#[derive(Debug)]
pub(crate) struct Waiting {
    frames: mpsc::Receiver<Message>,
    bytes: Arc<AtomicUsize>,
    /// Canceled when a limit is exceeded.
    pub(crate) overflow: CancellationToken,
}

pub(crate) fn outbox() -> (Outbox, Waiting) {
    let (sender, frames) = mpsc::channel(MAX_FRAMES);
    let (bytes, overflow) = (Arc::default(), CancellationToken::new());
    let outbox = Outbox {
        frames: sender,
        bytes: Arc::clone(&bytes),
        max_bytes: Arc::new(AtomicUsize::new(MAX_ANONYMOUS_BYTES)),
        overflow: overflow.clone(),
    };
    (outbox, Waiting { frames, bytes, overflow })
}

impl Outbox {
    /// Admits the size that waits for callers who are known.
    pub(crate) fn enlarge(&self) {
        self.max_bytes.store(MAX_BYTES, Ordering::Relaxed);
    }

    /// Adds a frame without waiting.
    pub(crate) fn send(&self, frame: Message) {
        let size = size(&frame);
        let before = self.bytes.fetch_add(size, Ordering::Relaxed);
        if before + size > self.max_bytes.load(Ordering::Relaxed)
            || self.frames.try_send(frame).is_err()
        {
            self.overflow.cancel();
        }
    }
}

impl Waiting {
    /// Waits for the next frame.
    pub(crate) async fn next(&mut self) -> Option<Message> {
        let frame = self.frames.recv().await;
        self.count(frame)
    }

    /// The next frame, if one waits.
    pub(crate) fn next_now(&mut self) -> Option<Message> {
        let frame = self.frames.try_recv().ok();
        self.count(frame)
    }

    fn count(&self, frame: Option<Message>) -> Option<Message> {
        if let Some(frame) = &frame {
            self.bytes.fetch_sub(size(frame), Ordering::Relaxed);
        }
        frame
    }
}

/// The size of a frame, in bytes.
pub(crate) fn size(frame: &Message) -> usize {
    match frame {
        Message::Text(text) => text.len(),
        Message::Binary(bytes) => bytes.len(),
        Message::Ping(_) | Message::Pong(_) | Message::Close(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use axum::extract::ws::Message;

    use crate::api::realtime::outbox::{MAX_ANONYMOUS_BYTES, MAX_BYTES, MAX_FRAMES, outbox};

    #[test]
    fn connection_that_does_not_read_overflows() {
        for (frames, size, is_known) in
            [(MAX_FRAMES, 1, false), (4, MAX_ANONYMOUS_BYTES / 4, false), (4, MAX_BYTES / 4, true)]
        {
            let (outbox, waiting) = outbox();
            if is_known {
                outbox.enlarge();
            }
            (0..frames).for_each(|_| outbox.send(Message::text("x".repeat(size))));
            assert!(!waiting.overflow.is_cancelled(), "{frames}");
            outbox.send(Message::text("x"));
            assert!(waiting.overflow.is_cancelled(), "{frames}");
        }
    }

    #[tokio::test]
    async fn connection_that_reads_has_room_again() {
        let (outbox, mut waiting) = outbox();
        for _ in 0..8 {
            outbox.send(Message::Binary(vec![0; MAX_ANONYMOUS_BYTES / 2].into()));
            assert!(waiting.next().await.is_some());
        }
        assert!(!waiting.overflow.is_cancelled());
    }
}
