//! The context of the current request: its ID, its span in the log and its trace, on whatever task or thread the work is
//! done.
//!
//! Lines of the log carry the ID through the span. Error bodies contain it too, and are made by conversions deep inside
//! the code, also on database threads. They cannot read it from the span, whose fields belong to the subscriber, which
//! tests do not install and `RUST_LOG` can turn off. A task-local therefore holds ID and span together.

use tracing::{Instrument, Span};

use crate::telemetry::traces::{RequestTrace, TracePart};

tokio::task_local! {
    static CURRENT: RequestContext;
}

/// Returns the ID of the current request; empty outside of a request.
#[must_use]
pub fn current() -> String {
    RequestContext::current().id
}

/// The ID, the span and the trace of a request.
#[derive(Debug, Clone)]
pub struct RequestContext {
    id: String,
    span: Span,
    trace: RequestTrace,
}

impl RequestContext {
    /// Creates the context of a new request.
    #[must_use]
    pub fn new(id: String) -> Self {
        let span = tracing::info_span!("request", %id);
        Self { id, span, trace: RequestTrace::begin() }
    }

    /// Ends the trace. `route` is the pattern of the path.
    pub(crate) fn end_trace(&self, method: &'static str, route: &str, status: u16) {
        self.trace.end(&self.id, method, route, status);
    }

    /// Begins a part of the trace, which ends when the result is dropped.
    pub(crate) fn trace_part(&self, name: &'static str) -> TracePart {
        self.trace.part(name)
    }

    /// Returns the context of the current request; outside of a request one without ID and span.
    #[must_use]
    pub fn current() -> Self {
        let current = CURRENT.try_with(Clone::clone);
        current.unwrap_or_else(|_| Self {
            id: String::new(),
            span: Span::none(),
            trace: RequestTrace::default(),
        })
    }

    /// Runs `work` in this context. A spawned task does not inherit the context of its parent.
    pub async fn scope<T>(self, work: impl Future<Output = T>) -> T {
        let span = self.span.clone();
        CURRENT.scope(self, work.instrument(span)).await
    }

    /// Runs `work` in this context, on a thread of no task.
    pub fn run<T>(self, work: impl FnOnce() -> T) -> T {
        let span = self.span.clone();
        CURRENT.sync_scope(self, || span.in_scope(work))
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use crate::telemetry::request_id::{RequestContext, current};

    #[tokio::test]
    async fn context_is_carried_to_threads_and_spawned_tasks() {
        let work = async {
            let context = RequestContext::current();
            let on_thread = thread::spawn(|| context.run(current)).join().unwrap();
            let spawned = tokio::spawn(RequestContext::current().scope(async { current() }));
            (on_thread, spawned.await.unwrap())
        };
        let ids = RequestContext::new("a1b2".into()).scope(work).await;
        assert_eq!(ids, ("a1b2".to_owned(), "a1b2".to_owned()));
        assert_eq!(current(), "");
    }
}
