//! The order of the transactions that lock contended rows right before their commit.
//!
//! They would otherwise wait for each other in the server, where a wait for a row costs more processor time than the
//! statement that locks it (`docs/decisions/0062-commit-then-sync.md`). The locks of the rows alone are what keeps
//! transactions apart: other nodes know nothing of this order, and a transaction that waits too long goes on without
//! its turn.

use std::{
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::Duration,
};

/// The longest wait for a turn. A longer turn belongs to a transaction that waits for a lock itself, perhaps for one of
/// the waiting transaction.
const PATIENCE: Duration = Duration::from_millis(100);

/// The turns of the writers of one database. One transaction at a time has its turn.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    is_taken: Mutex<bool>,
    ended: Condvar,
}

/// The turn of a transaction. Ends when it is dropped.
pub(crate) struct Turn(Arc<Turns>);

impl Turns {
    /// Waits for a turn. Returns `None` if the one before takes too long.
    pub(crate) fn take(self: &Arc<Self>) -> Option<Turn> {
        let is_taken = self.is_taken.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.ended.wait_timeout_while(is_taken, PATIENCE, |is_taken| *is_taken);
        let (mut is_taken, wait) = waited.unwrap_or_else(PoisonError::into_inner);
        if wait.timed_out() {
            return None;
        }
        *is_taken = true;
        Some(Turn(Arc::clone(self)))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        *self.0.is_taken.lock().unwrap_or_else(PoisonError::into_inner) = false;
        self.0.ended.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, thread, time::Instant};

    use crate::postgres::turn::{PATIENCE, Turns};

    #[test]
    fn one_transaction_at_a_time_has_its_turn() {
        let turns = Arc::<Turns>::default();
        let first = turns.take();
        assert!(first.is_some());
        let waiting = thread::spawn({
            let turns = Arc::clone(&turns);
            move || turns.take().is_some()
        });
        drop(first);
        assert!(waiting.join().unwrap());
        assert!(turns.take().is_some());
    }

    #[test]
    fn turn_that_lasts_too_long_stops_no_other_transaction() {
        let turns = Arc::<Turns>::default();
        let first = turns.take();
        let begun = Instant::now();
        assert!(turns.take().is_none());
        assert!(begun.elapsed() >= PATIENCE);
        drop(first);
        assert!(turns.take().is_some());
    }
}
