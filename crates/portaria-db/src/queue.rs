//! Load shedding: the queues of the database threads, and the limits for waiting in them
//! (`docs/decisions/0007-load-shedding.md`).

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use crossbeam_channel::Sender;

use crate::{Db, Job};

/// Maximum time in a queue that is not saturated. A burst of jobs or one slow job can cause it.
const QUEUE_TIME: Duration = Duration::from_secs(5);
/// Maximum time in a saturated queue. More jobs arrive than can be done, so a longer queue delays every caller and
/// increases no throughput. A refused caller is asked to retry.
const SATURATED_QUEUE_TIME: Duration = Duration::from_millis(500);
/// Period after which a queue counts as saturated if every job that began in it had waited at least half of
/// [`SATURATED_QUEUE_TIME`].
const SATURATION_PERIOD: Duration = Duration::from_secs(1);

/// Duration from which a job counts as slow.
const SLOW_TIME: Duration = Duration::from_secs(1);

/// The queue of the threads of one kind.
#[derive(Debug, Clone)]
pub(crate) struct WorkQueue {
    pub(crate) jobs: Sender<Job>,
    pub(crate) stats: Arc<QueueStats>,
}

/// Number of jobs that began, how long they had waited, and the work of their statements.
#[derive(Debug, Default)]
pub(crate) struct QueueStats {
    begun: AtomicU64,
    micros: AtomicU64,
    instructions: AtomicU64,
    slow: AtomicU64,
    /// Start of the current period in which every job waited long; `None` if the last job waited a short time.
    slow_since: Mutex<Option<Instant>>,
}

impl QueueStats {
    /// Returns whether a job that waited for `waited` may still run. The decision depends on the progress of the
    /// queue and not on one wait alone: behind one slow job all others have waited long, and finish soon.
    pub(crate) fn is_in_time(&self, waited: Duration) -> bool {
        let mut slow_since = self.slow_since.lock().unwrap_or_else(PoisonError::into_inner);
        if waited < SATURATED_QUEUE_TIME / 2 {
            *slow_since = None;
            return true;
        }
        let is_saturated =
            slow_since.get_or_insert_with(Instant::now).elapsed() > SATURATION_PERIOD;
        waited < if is_saturated { SATURATED_QUEUE_TIME } else { QUEUE_TIME }
    }

    pub(crate) fn record_start(&self, after: Duration) {
        let micros = u64::try_from(after.as_micros()).unwrap_or(u64::MAX);
        self.begun.fetch_add(1, Ordering::Relaxed);
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }

    pub(crate) fn queue(&self, waiting: usize) -> QueueDepth {
        QueueDepth {
            waiting,
            begun: self.begun.load(Ordering::Relaxed),
            waited: Duration::from_micros(self.micros.load(Ordering::Relaxed)),
            instructions: self.instructions.load(Ordering::Relaxed),
            slow: self.slow.load(Ordering::Relaxed),
        }
    }

    /// Counts a job that ran for `took`, if it was slow.
    pub(crate) fn record_duration(&self, took: Duration) {
        if took > SLOW_TIME {
            self.slow.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn record_instructions(&self, count: u64) {
        self.instructions.fetch_add(count, Ordering::Relaxed);
    }
}

impl WorkQueue {
    pub(crate) fn new(jobs: Sender<Job>) -> Self {
        Self { jobs, stats: Arc::default() }
    }

    fn queue(&self) -> QueueDepth {
        self.stats.queue(self.jobs.len())
    }
}

/// Load of the database.
#[derive(Debug)]
#[expect(missing_docs, reason = "the field names are sufficient")]
pub struct DbStats {
    pub reads: QueueDepth,
    pub writes: QueueDepth,
    pub replica: Option<ReplicaStats>,
}

/// Use of the replica.
#[derive(Debug)]
pub struct ReplicaStats {
    /// Whether reads use it.
    pub is_current: bool,
    /// Number of reads since the start that used it.
    pub reads: u64,
}

/// Load of one queue.
#[derive(Debug)]
pub struct QueueDepth {
    /// Number of jobs that wait now.
    pub waiting: usize,
    /// Number of jobs that began since the start.
    pub begun: u64,
    /// Total time that these jobs had waited.
    pub waited: Duration,
    /// Instructions of the embedded database's virtual machine that the statements of these jobs took: the rows they
    /// read, and the work for each. 0 on PostgreSQL.
    pub instructions: u64,
    /// Number of jobs since the start that ran for longer than a second.
    pub slow: u64,
}

impl Db {
    /// Returns the load of reads and writes.
    #[must_use]
    pub fn load(&self) -> DbStats {
        let mut reads = self.readers.queue();
        if let Some(pipeline) = self.pipeline() {
            let shared = pipeline.load();
            reads.waiting += shared.waiting;
            reads.begun += shared.begun;
            reads.waited += shared.waited;
        }
        let replica = self.pipeline().and_then(|pipeline| pipeline.replica());
        DbStats { reads, writes: self.writers.queue(), replica }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use crate::queue::QueueStats;

    const LONG: Duration = Duration::from_secs(2);

    #[test]
    fn saturated_queue_rejects_late_jobs_until_it_moves() {
        let waits = QueueStats::default();
        let ago = |seconds| Instant::now().checked_sub(Duration::from_secs(seconds));
        // One slow job preceded these.
        assert!(waits.is_in_time(LONG) && waits.is_in_time(LONG));
        *waits.slow_since.lock().unwrap() = ago(3);
        assert!(!waits.is_in_time(LONG));
        assert!(waits.is_in_time(Duration::from_millis(400)));
        assert!(!waits.is_in_time(LONG));
        // The queue moves again.
        assert!(waits.is_in_time(Duration::from_millis(10)));
        assert!(waits.is_in_time(LONG));
        assert!(!waits.is_in_time(Duration::from_secs(6)));
    }
}
