//! The memory of answers: a limit for each answer, and a pool for all answers in flight
//! (docs/decisions/0052-answers-have-a-budget.md).

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::body::{Body, Bytes};
use futures_util::stream;
use tokio::time::timeout;

use crate::{
    api::rest::RestError,
    app::App,
    security::{
        ids::UserId,
        memory_pool::{MemoryPermit, MemoryPool},
    },
};

/// Size of the parts in which an answer is sent. The memory of an answer up to this size is not drawn from the pool, so
/// that ordinary answers neither wait nor are refused. Bytes.
pub(crate) const CHUNK_BYTES: usize = 64 << 10;
/// Timeout for the memory of an answer when the pool is used up.
const WAIT: Duration = Duration::from_secs(2);

/// The memory that one answer holds.
#[derive(Debug)]
pub(crate) struct AnswerBudget {
    pool: Arc<MemoryPool>,
    person: Option<UserId>,
    drawn: Option<MemoryPermit>,
    /// Maximum size of the answer, in bytes.
    limit: usize,
    /// Maximum memory while the answer is built, in bytes.
    max_held: usize,
    /// Size of the answer so far, in bytes.
    size: usize,
    /// Memory held for the answer, in bytes.
    held: usize,
}

/// Waits for the memory of the largest answer.
///
/// # Errors
/// 53200 after a timeout.
pub(crate) async fn reserve(app: &App, person: Option<UserId>) -> Result<MemoryPermit, RestError> {
    let acquired =
        timeout(WAIT, app.answer_memory.acquire(person, app.config.answer_memory())).await;
    acquired.map_err(|_| RestError::out_of_memory())
}

impl AnswerBudget {
    /// Creates the budget of an answer to `person`.
    pub(crate) fn new(app: &App, person: Option<UserId>) -> Self {
        let (pool, limit) = (Arc::clone(&app.answer_memory), app.config.max_answer);
        let max_held = app.config.answer_memory();
        Self { pool, person, drawn: None, limit, max_held, size: 0, held: 0 }
    }

    /// Adds memory that was reserved.
    pub(crate) fn with(self, reserved: Option<MemoryPermit>) -> Self {
        Self { drawn: reserved, ..self }
    }

    /// Counts memory that the answer needs while it is built.
    ///
    /// # Errors
    /// `answer_too_large` above the limit, 53200 if the pool or the person's share is used up.
    pub(crate) fn hold(&mut self, bytes: usize) -> Result<(), RestError> {
        self.held = self.held.saturating_add(bytes);
        if self.held > self.max_held {
            return Err(self.too_large());
        }
        let drawn = self.drawn.as_ref().map_or(0, MemoryPermit::bytes);
        let Some(missing) = self.held.checked_sub(drawn + CHUNK_BYTES).filter(|bytes| *bytes > 0)
        else {
            return Ok(());
        };
        let more = self.pool.try_acquire(self.person, missing.next_multiple_of(CHUNK_BYTES));
        let more = more.ok_or_else(RestError::out_of_memory)?;
        match &mut self.drawn {
            Some(drawn) => drawn.merge(more),
            None => self.drawn = Some(more),
        }
        Ok(())
    }

    /// Counts memory that the answer no longer needs.
    pub(crate) fn release(&mut self, bytes: usize) {
        self.held = self.held.saturating_sub(bytes);
    }

    /// Counts all memory except the answer itself as no longer needed.
    pub(crate) fn release_all_but_answer(&mut self) {
        self.held = self.size;
    }

    /// Counts bytes of the answer itself.
    ///
    /// # Errors
    /// Like [`Self::hold`].
    pub(crate) fn extend(&mut self, bytes: usize) -> Result<(), RestError> {
        self.size += bytes;
        if self.size > self.limit {
            return Err(self.too_large());
        }
        self.hold(bytes)
    }

    fn too_large(&self) -> RestError {
        RestError::answer_too_large(format!("An answer has at most {} bytes.", self.limit))
    }

    /// Makes a body of the parts of the answer. Each part returns its memory to the pool when it has been sent.
    pub(crate) fn into_body(self, mut parts: Vec<Vec<u8>>) -> Body {
        let Some(mut drawn) = self.drawn else {
            return Body::from(parts.pop().unwrap_or_default());
        };
        let needed: usize = parts.iter().map(Vec::len).sum();
        // The memory of the rows is free from now on.
        drop(drawn.split(drawn.bytes().saturating_sub(needed)));
        let chunks = parts.into_iter().flat_map(move |text| {
            let held = drawn.split(text.len());
            let part = Bytes::from_owner(Part { text, _held: held });
            let starts = (0..part.len()).step_by(CHUNK_BYTES);
            starts.map(move |start| {
                Ok::<_, Infallible>(part.slice(start..part.len().min(start + CHUNK_BYTES)))
            })
        });
        Body::from_stream(stream::iter(chunks))
    }
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
