//! How long work waits for the database's threads, and how long it may.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use crossbeam_channel::Sender;

use crate::db::{Db, Job};

/// How long a closure may wait for its thread, because many came at once or one before it took long.
const QUEUE_TIME: Duration = Duration::from_secs(5);
/// How long it may wait in a queue that stands: more comes than can be done, so waiting makes everybody slow and nobody quicker.
/// Who asked is told to come back instead.
const SHORT: Duration = Duration::from_millis(500);
/// A queue stands when for so long each closure that was begun had waited for a good part of that.
const STANDING: Duration = Duration::from_secs(1);

/// The way to the threads of one kind.
#[derive(Debug, Clone)]
pub(crate) struct WorkQueue {
    pub(crate) jobs: Sender<Job>,
    pub(crate) waits: Arc<QueueStats>,
}

/// How many jobs were begun, and how long they had waited.
#[derive(Debug, Default)]
pub(crate) struct QueueStats {
    begun: AtomicU64,
    micros: AtomicU64,
    /// Since when there was no job whose turn came soon.
    slow_since: Mutex<Option<Instant>>,
}

impl QueueStats {
    /// Whether a job whose turn has come after such a wait is still to be done. What counts is how the queue moves on, not the
    /// wait alone: behind one job that took long everybody has waited long, and all are done soon.
    pub(crate) fn is_in_time(&self, waited: Duration) -> bool {
        let mut slow_since = self.slow_since.lock().unwrap_or_else(PoisonError::into_inner);
        if waited < SHORT / 2 {
            *slow_since = None;
            return true;
        }
        let stands = slow_since.get_or_insert_with(Instant::now).elapsed() > STANDING;
        waited < if stands { SHORT } else { QUEUE_TIME }
    }

    pub(crate) fn began(&self, after: Duration) {
        let micros = u64::try_from(after.as_micros()).unwrap_or(u64::MAX);
        self.begun.fetch_add(1, Ordering::Relaxed);
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }
}

impl WorkQueue {
    pub(crate) fn new(jobs: Sender<Job>) -> Self {
        Self { jobs, waits: Arc::default() }
    }

    fn queue(&self) -> QueueDepth {
        QueueDepth {
            waiting: self.jobs.len(),
            begun: self.waits.begun.load(Ordering::Relaxed),
            waited: Duration::from_micros(self.waits.micros.load(Ordering::Relaxed)),
        }
    }
}

/// How busy the database is.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct DbStats {
    pub reads: QueueDepth,
    pub writes: QueueDepth,
}

/// One kind of work.
#[derive(Debug)]
pub struct QueueDepth {
    /// What waits at this moment.
    pub waiting: usize,
    /// What was begun since the start.
    pub begun: u64,
    /// How long all that had waited.
    pub waited: Duration,
}

impl Db {
    /// How busy it is.
    #[must_use]
    pub fn load(&self) -> DbStats {
        DbStats { reads: self.readers.queue(), writes: self.writers.queue() }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use crate::db::queue::QueueStats;

    const LONG: Duration = Duration::from_secs(2);

    #[test]
    fn a_queue_that_stands_is_cut_short_and_one_that_moves_on_is_not() {
        let waits = QueueStats::default();
        let ago = |seconds| Instant::now().checked_sub(Duration::from_secs(seconds));
        // One before them took long.
        assert!(waits.is_in_time(LONG) && waits.is_in_time(LONG));
        *waits.slow_since.lock().unwrap() = ago(3);
        assert!(!waits.is_in_time(LONG));
        assert!(waits.is_in_time(Duration::from_millis(400)));
        assert!(!waits.is_in_time(LONG));
        // It moves again.
        assert!(waits.is_in_time(Duration::from_millis(10)));
        assert!(waits.is_in_time(LONG));
        assert!(!waits.is_in_time(Duration::from_secs(6)));
    }
}
