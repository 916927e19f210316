//! Request bodies that a handler leaves unread. hyper closes such a connection without notice, and the next request on it
//! fails. A short rest is therefore read before the response is sent. A long one is announced with `Connection: close`
//! (RFC 9112, section 9.6), and [`LingeringStream`](crate::http::lingering_close::LingeringStream) discards it.

use std::{
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    Error,
    body::{Body, Bytes, HttpBody},
    http::{HeaderValue, header},
    response::Response,
};
use futures_util::StreamExt;
use hyper::body::{Frame, SizeHint};
use tokio::time::timeout;

use crate::http::lingering_close::UnreadRest;

/// Maximum length of a rest that is read. Bytes.
const MAX_REST: u64 = 64 << 10;
/// Time that the response waits for the rest.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// A body that the handler and the middleware around it share.
#[derive(Clone)]
pub(crate) struct SharedBody {
    body: Arc<Mutex<Body>>,
    is_begun: Arc<AtomicBool>,
    /// Whether the client sends the body only after `100 Continue`, which hyper sends at the first read.
    is_expectant: bool,
}

impl SharedBody {
    pub(crate) fn new(body: Body, is_expectant: bool) -> Self {
        Self { body: Arc::new(Mutex::new(body)), is_begun: Arc::default(), is_expectant }
    }

    /// Reads the rest of the body after the handler, or announces the end of the connection and records the rest.
    pub(crate) async fn finish(
        self,
        mut response: Response,
        unread_rest: Option<UnreadRest>,
    ) -> Response {
        let is_short = self.lock().size_hint().lower() <= MAX_REST;
        // A read would invite the client to send the body of a request that is refused.
        let is_sent = !self.is_expectant || self.is_begun.load(Ordering::Relaxed);
        let is_read =
            is_short && is_sent && timeout(MAX_WAIT, self.read_rest()).await.unwrap_or(false);
        if !is_read {
            if let Some(unread_rest) = unread_rest {
                unread_rest.record();
            }
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }

    /// Returns whether the end of the body was reached.
    async fn read_rest(self) -> bool {
        let (mut chunks, mut length) = (Body::new(self).into_data_stream(), 0);
        while let Some(chunk) = chunks.next().await {
            let Ok(chunk) = chunk else { return false };
            length += chunk.len() as u64;
            if length > MAX_REST {
                return false;
            }
        }
        true
    }

    fn lock(&self) -> MutexGuard<'_, Body> {
        self.body.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HttpBody for SharedBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        self.is_begun.store(true, Ordering::Relaxed);
        Pin::new(&mut *self.lock()).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.lock().is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.lock().size_hint()
    }
}
