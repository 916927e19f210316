//! The memory of answers that can be large: reserving it, and returning it while the answer is sent
//! (docs/decisions/0052-answers-have-a-budget.md).

use std::{io, time::Duration};

use axum::{
    Json,
    body::{Body, Bytes},
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use futures_util::{StreamExt, stream};
use serde_json::Value;
use tokio::{sync::mpsc, time::timeout};

use crate::{
    app::App,
    config::Config,
    security::{ids::UserId, memory_pool::MemoryPermit},
};

/// Size of the parts in which an answer is sent. Bytes.
pub(crate) const CHUNK_BYTES: usize = 64 << 10;
/// Timeout for the memory of an answer when the pool is used up.
const WAIT: Duration = Duration::from_secs(2);
/// Minimum rate of a reader whose answer holds memory of the pool, as a multiple of `min_transfer_rate`.
const POOLED_RATE_FACTOR: u64 = 16;

/// Waits for memory, at most that of the largest answer. `None` after a timeout.
pub(crate) async fn reserve(
    app: &App,
    person: Option<UserId>,
    bytes: usize,
) -> Option<MemoryPermit> {
    let bytes = bytes.min(app.config.answer_memory());
    timeout(WAIT, app.answer_memory.acquire(person, bytes)).await.ok()
}

/// The time in which a reader must take an answer that holds memory of the pool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SendTime {
    start: Duration,
    bytes_per_second: u64,
}

impl SendTime {
    pub(crate) fn new(config: &Config) -> Self {
        let bytes_per_second = config.min_transfer_rate.saturating_mul(POOLED_RATE_FACTOR).max(1);
        Self { start: config.transfer_window, bytes_per_second }
    }

    fn of(self, bytes: usize) -> Duration {
        self.start + Duration::from_secs(bytes as u64 / self.bytes_per_second)
    }
}

/// Makes a body of the parts of an answer. Each part returns its memory when it has been sent. When the reader's time
/// is over, the memory is returned and the answer is cut off, so that slow readers do not hold the pool.
pub(crate) fn body(parts: Vec<Vec<u8>>, mut memory: MemoryPermit, time: SendTime) -> Body {
    let needed: usize = parts.iter().map(Vec::len).sum();
    // The memory in which the answer was built is free from now on.
    drop(memory.split(memory.bytes().saturating_sub(needed)));
    let chunks = parts.into_iter().flat_map(move |text| {
        let held = memory.split(text.len());
        let part = Bytes::from_owner(Part { text, _held: held });
        let starts = (0..part.len()).step_by(CHUNK_BYTES);
        starts.map(move |start| part.slice(start..part.len().min(start + CHUNK_BYTES)))
    });
    // The task starts with the first poll, because a database thread has no runtime.
    let started = stream::once(async move {
        let (sender, receiver) = mpsc::channel::<io::Result<Bytes>>(1);
        tokio::spawn(async move {
            let send_all = async {
                for chunk in chunks {
                    if sender.send(Ok(chunk)).await.is_err() {
                        break;
                    }
                }
            };
            if timeout(time.of(needed), send_all).await.is_err() {
                // A disconnected client needs no error.
                drop(sender.send(Err(io::ErrorKind::TimedOut.into())).await);
            }
        });
        stream::unfold(receiver, |mut receiver| async {
            receiver.recv().await.map(|chunk| (chunk, receiver))
        })
    });
    Body::from_stream(started.flatten())
}

/// Answers with JSON that holds `memory` until it has been sent.
pub(crate) fn json(app: &App, value: &Value, memory: Option<MemoryPermit>) -> Response {
    let Some(memory) = memory else { return Json(value).into_response() };
    let text = value.to_string();
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (header::CONTENT_LENGTH, text.len().into()),
    ];
    let parts = text.as_bytes().chunks(CHUNK_BYTES).map(<[u8]>::to_vec).collect();
    (headers, body(parts, memory, SendTime::new(&app.config))).into_response()
}

/// A part of an answer, with its memory of the pool.
struct Part {
    text: Vec<u8>,
    _held: Option<MemoryPermit>,
}

impl AsRef<[u8]> for Part {
    fn as_ref(&self) -> &[u8] {
        &self.text
    }
}
