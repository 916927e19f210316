//! The ID of the current request, for the response and the log, on whatever thread the work is done.
//!
//! A task-local and not a tracing span, because the fields of a span cannot be read back for the response.

tokio::task_local! {
    static CURRENT: String;
}

/// Returns the ID of the current request; empty outside of a request.
#[must_use]
pub fn current() -> String {
    CURRENT.try_with(Clone::clone).unwrap_or_default()
}

/// Runs `work` with `id` as the current request ID.
pub async fn scope<T>(id: String, work: impl Future<Output = T>) -> T {
    CURRENT.scope(id, work).await
}

/// Runs `work` on another thread with `id` as the current request ID.
pub fn resume<T>(id: String, work: impl FnOnce() -> T) -> T {
    CURRENT.sync_scope(id, work)
}
