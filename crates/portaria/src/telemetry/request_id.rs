//! The id of the request being answered: it stands in the answer and in the log, on whatever thread the work is done.

tokio::task_local! {
    static CURRENT: String;
}

/// The current request's id; empty outside of a request.
#[must_use]
pub fn current() -> String {
    CURRENT.try_with(Clone::clone).unwrap_or_default()
}

/// Answers a request under its id.
pub async fn scope<T>(id: String, work: impl Future<Output = T>) -> T {
    CURRENT.scope(id, work).await
}

/// Does a part of a request's work, on another thread, under its id.
pub fn resume<T>(id: String, work: impl FnOnce() -> T) -> T {
    CURRENT.sync_scope(id, work)
}
