//! The budget of an answer of the table API, which counts its memory while it is built. Memory up to one chunk is not
//! drawn from the pool, so that ordinary answers neither wait nor are refused
//! (docs/decisions/0052-answers-have-a-budget.md).

use std::sync::Arc;

use axum::body::Body;

use crate::{
    api::{
        answer_memory::{self, CHUNK_BYTES, SendTime},
        rest::RestError,
    },
    app::App,
    security::{
        ids::UserId,
        memory_pool::{MemoryPermit, MemoryPool},
    },
};

/// The memory that one answer holds.
#[derive(Debug)]
pub(crate) struct AnswerBudget {
    pool: Arc<MemoryPool>,
    person: Option<UserId>,
    drawn: Option<MemoryPermit>,
    send_time: SendTime,
    /// Maximum size of the answer, in bytes.
    limit: usize,
    /// Maximum memory while the answer is built, in bytes.
    max_held: usize,
    /// Size of the answer so far, in bytes.
    size: usize,
    /// Memory held for the answer, in bytes.
    held: usize,
}

impl AnswerBudget {
    /// Creates the budget of an answer to `person`.
    pub(crate) fn new(app: &App, person: Option<UserId>) -> Self {
        let (pool, limit) = (Arc::clone(&app.answer_memory), app.config.max_answer);
        let max_held = app.config.answer_memory();
        let send_time = SendTime::new(&app.config);
        Self { pool, person, drawn: None, send_time, limit, max_held, size: 0, held: 0 }
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

    /// Makes a body of the parts of the answer.
    pub(crate) fn into_body(self, mut parts: Vec<Vec<u8>>) -> Body {
        match self.drawn {
            Some(drawn) => answer_memory::body(parts, drawn, self.send_time),
            None => Body::from(parts.pop().unwrap_or_default()),
        }
    }
}
