//! Waits for the disk on behalf of all committed transactions (`docs/decisions/0062-commit-then-sync.md`).
//!
//! Writers commit without a wait for the disk, which releases their locks at once, and pass the answers to a link. Its
//! connection writes an empty record to the log of the server and commits it durably: the log is then on the disk up to
//! that record, which follows those of the transactions. Transactions that wait at the same time share the record, and
//! no writer is idle meanwhile.
//!
//! A server that crashes loses commits that are not on the disk, and then accepts new connections. A transaction is
//! confirmed only by a link that was open before it began, because a crash closes all connections.

use std::{
    iter,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};

use crate::{
    Error, QUEUE_CAPACITY,
    postgres::{Session, Target, threads::spawn},
};

/// Commits durably, as `synchronous_commit` of the connection is on.
const SYNC: &str = "SELECT pg_logical_emit_message(true, 'portaria', '')";
/// Time after which an idle connection is checked.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Time without an answer after which new transactions use another link.
const STALL_TIME: Duration = Duration::from_secs(5);

/// The answer of a transaction. It receives whether the transaction is on the disk.
type Answer = Box<dyn FnOnce(Result<(), Error>) + Send>;

/// The current link. It is opened by the first transaction, and replaced when it was lost or does not answer.
pub(crate) struct Syncer {
    target: Arc<Target>,
    current: Mutex<Option<Arc<Link>>>,
}

impl Syncer {
    pub(crate) fn new(target: &Arc<Target>) -> Self {
        Self { target: Arc::clone(target), current: Mutex::default() }
    }

    /// Returns a link for a transaction that begins.
    pub(crate) fn link(&self) -> Result<Arc<Link>, Error> {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(link) = current.as_ref().filter(|link| link.state.is_usable()) {
            return Ok(Arc::clone(link));
        }
        Ok(Arc::clone(current.insert(Link::open(&self.target)?)))
    }

    /// Replaces the link before the next transaction, after another connection was lost.
    pub(crate) fn distrust_link(&self) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// A thread with a connection. It ends when the link is dropped.
pub(crate) struct Link {
    answers: Sender<Answer>,
    state: Arc<LinkState>,
}

struct LinkState {
    opened_at: Instant,
    is_lost: AtomicBool,
    /// Start of the statement that is not answered, in milliseconds since `opened_at`; `u64::MAX` if there is none.
    asked_at: AtomicU64,
}

impl Link {
    fn open(target: &Target) -> Result<Arc<Self>, Error> {
        let session = Session::connect(target, false)?;
        // A full queue blocks the writers, so that a disk that hangs stops them.
        let (answers, committed) = bounded(QUEUE_CAPACITY);
        let state = Arc::new(LinkState {
            opened_at: Instant::now(),
            is_lost: AtomicBool::new(false),
            asked_at: AtomicU64::new(u64::MAX),
        });
        let link = Self { answers, state: Arc::clone(&state) };
        spawn("db-sync", move || serve(session, &state, &committed))?;
        Ok(Arc::new(link))
    }

    /// Answers a committed transaction when it is on the disk. The link was returned before the transaction began.
    pub(crate) fn confirm(&self, answer: Answer) {
        if let Err(refused) = self.answers.send(answer) {
            (refused.into_inner())(Err(Error::Unavailable("the thread of the link ended".into())));
        }
    }
}

impl LinkState {
    fn now(&self) -> u64 {
        u64::try_from(self.opened_at.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn is_usable(&self) -> bool {
        let waited = self.now().saturating_sub(self.asked_at.load(Ordering::Relaxed));
        !self.is_lost.load(Ordering::Relaxed) && u128::from(waited) < STALL_TIME.as_millis()
    }
}

fn serve(mut session: Session, state: &LinkState, committed: &Receiver<Answer>) {
    loop {
        let first = match committed.recv_timeout(CHECK_INTERVAL) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => {
                if !session.is_open() {
                    state.is_lost.store(true, Ordering::Relaxed);
                }
                continue;
            }
            Err(RecvTimeoutError::Disconnected) => return,
        };
        let answers: Vec<Answer> = iter::once(first).chain(committed.try_iter()).collect();
        state.asked_at.store(state.now(), Ordering::Relaxed);
        let synced = session.batch(SYNC);
        state.asked_at.store(u64::MAX, Ordering::Relaxed);
        if synced.is_err() {
            state.is_lost.store(true, Ordering::Relaxed);
        }
        for answer in answers {
            answer(synced.clone());
        }
    }
}
