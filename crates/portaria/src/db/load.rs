//! How long work waits for the database's threads.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use crossbeam_channel::Sender;

use super::{Db, Job};

/// The way to the threads of one kind.
#[derive(Debug, Clone)]
pub(super) struct Lane {
    pub(super) jobs: Sender<Job>,
    pub(super) waits: Arc<Waits>,
}

/// How many jobs were begun, and how long they had waited.
#[derive(Debug, Default)]
pub(super) struct Waits {
    begun: AtomicU64,
    micros: AtomicU64,
}

impl Waits {
    pub(super) fn began(&self, after: Duration) {
        let micros = u64::try_from(after.as_micros()).unwrap_or(u64::MAX);
        self.begun.fetch_add(1, Ordering::Relaxed);
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }
}

impl Lane {
    pub(super) fn new(jobs: Sender<Job>) -> Self {
        Self { jobs, waits: Arc::default() }
    }

    fn queue(&self) -> Queue {
        Queue {
            waiting: self.jobs.len(),
            begun: self.waits.begun.load(Ordering::Relaxed),
            waited: Duration::from_micros(self.waits.micros.load(Ordering::Relaxed)),
        }
    }
}

/// How busy the database is.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Load {
    pub reads: Queue,
    pub writes: Queue,
}

/// One kind of work.
#[derive(Debug)]
pub struct Queue {
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
    pub fn load(&self) -> Load {
        Load { reads: self.readers.queue(), writes: self.writers.queue() }
    }
}
