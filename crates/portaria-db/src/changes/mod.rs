//! The change feed: the keys of the rows that committed transactions inserted, changed or deleted, in the order of the
//! commits. Row triggers record them, so that cascades and changes by other programs are part of the feed
//! (`docs/decisions/0059-realtime-change-feed.md`).
//!
//! On `SQLite` the triggers are temporary, and call a function of the writer's connection. On PostgreSQL they call
//! `pg_notify`, and every node listens.

pub(crate) mod triggers;

use std::{
    cell::RefCell,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use tokio::sync::mpsc::{self, error::TrySendError};

/// Channel of `NOTIFY` for changes.
pub(crate) const CHANNEL: &str = "portaria_changes";
/// Maximum number of transactions, or groups of them, that wait for the receiver. Beyond it the feed has a gap.
const CAPACITY: usize = 4096;
/// Maximum size of the messages that wait, in bytes. Further ones are lost: they must not cause a gap.
const MAX_MESSAGE_BYTES: usize = 8 * 1024 * 1024;
/// Minimum size as which a message counts. All messages take at most half of the places.
const MESSAGE_BYTES: usize = 2 * MAX_MESSAGE_BYTES / CAPACITY;
/// Maximum number of changes of one group of transactions. Beyond it the feed has a gap.
const MAX_GROUP: usize = 10_000;

/// A table whose changes are recorded.
#[derive(Debug, Clone)]
pub struct RecordedTable {
    /// The name.
    pub name: &'static str,
    /// The columns whose values each change contains, in this order. Keys only: the payload of a notification is small.
    pub columns: Vec<&'static str>,
    /// The columns whose changes are visible to all who may read a row.
    pub visible: Vec<&'static str>,
}

/// A row that was inserted, changed or deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The table.
    pub table: String,
    /// Whether a visible column changed. True for an inserted or deleted row.
    pub is_visible: bool,
    /// The recorded columns before the change; `None` for an inserted row.
    pub old: Option<Vec<Option<String>>>,
    /// The recorded columns after the change; `None` for a deleted row.
    pub new: Option<Vec<Option<String>>>,
}

/// An event of the feed.
#[derive(Debug, PartialEq, Eq)]
pub enum ChangeEvent {
    /// The changes of committed transactions.
    Committed(Vec<Change>),
    /// A message of a node, this one included ([`crate::Db::publish`]).
    Message(String),
    /// Messages were lost.
    LostMessages,
    /// Changes or messages were lost. Everything that depends on the feed must be read again.
    Gap,
}

/// The receiving end of the feed.
#[derive(Debug)]
pub struct ChangeFeed {
    events: mpsc::Receiver<ChangeEvent>,
    /// An event that was received with changes before it.
    held: Option<ChangeEvent>,
    backlog: Arc<Backlog>,
}

/// The events that wait for the receiver, and those that were lost.
#[derive(Debug, Default)]
struct Backlog {
    message_bytes: AtomicUsize,
    has_lost_messages: AtomicBool,
    has_gap: AtomicBool,
}

impl Backlog {
    /// Counts a message, unless the limit is reached.
    fn add_message(&self, message: &str) -> bool {
        let size = message.len().max(MESSAGE_BYTES);
        let before = self.message_bytes.fetch_add(size, Ordering::AcqRel);
        let fits = before + size <= MAX_MESSAGE_BYTES;
        if !fits {
            self.remove_message(message);
            self.has_lost_messages.store(true, Ordering::Release);
        }
        fits
    }

    fn remove_message(&self, message: &str) {
        self.message_bytes.fetch_sub(message.len().max(MESSAGE_BYTES), Ordering::AcqRel);
    }
}

impl ChangeFeed {
    /// Waits for a message. Earlier events are dropped: the feed begins after it.
    pub(crate) async fn skip_to_message(&mut self) {
        while let Some(event) = self.next(1).await {
            if matches!(event, ChangeEvent::Message(_)) {
                return;
            }
        }
    }

    /// Waits for the next event. Adds the changes that wait behind changes, until there are `enough`. `None` when the
    /// database was closed.
    pub async fn next(&mut self, enough: usize) -> Option<ChangeEvent> {
        let mut event = match self.held.take() {
            Some(event) => event,
            None => self.events.recv().await?,
        };
        if self.backlog.has_lost_messages.swap(false, Ordering::AcqRel) {
            self.held = Some(event);
            return Some(ChangeEvent::LostMessages);
        }
        while let ChangeEvent::Committed(all) = &mut event
            && all.len() < enough
            && let Ok(next) = self.events.try_recv()
        {
            if let ChangeEvent::Committed(mut more) = next {
                all.append(&mut more);
            } else {
                self.held = Some(next);
                break;
            }
        }
        // The full queue that caused the gap was not empty, so an event arrived after it.
        let has_gap = self.backlog.has_gap.swap(false, Ordering::AcqRel);
        if let ChangeEvent::Message(message) = &event {
            self.backlog.remove_message(message);
        }
        Some(if has_gap { ChangeEvent::Gap } else { event })
    }
}

/// The sending end. Sends nothing before [`Self::subscribe`].
#[derive(Debug, Clone, Default)]
pub(crate) struct ChangeSender {
    events: Arc<Mutex<Option<Subscriber>>>,
    is_deaf: Arc<AtomicBool>,
}

#[derive(Debug, Clone)]
struct Subscriber {
    events: mpsc::Sender<ChangeEvent>,
    backlog: Arc<Backlog>,
}

impl ChangeSender {
    /// Directs the feed to a new receiver. An earlier one ends.
    pub(crate) fn subscribe(&self) -> ChangeFeed {
        let (sender, events) = mpsc::channel(CAPACITY);
        let backlog = Arc::<Backlog>::default();
        let subscriber = Subscriber { events: sender, backlog: Arc::clone(&backlog) };
        *self.subscriber() = Some(subscriber);
        ChangeFeed { events, held: None, backlog }
    }

    /// Sends an event without waiting.
    pub(crate) fn send(&self, event: ChangeEvent) {
        let subscriber = self.subscriber();
        let Some(Subscriber { events, backlog }) = &*subscriber else { return };
        if let ChangeEvent::Message(message) = &event
            && !backlog.add_message(message)
        {
            return;
        }
        if let Err(TrySendError::Full(event)) = events.try_send(event) {
            if let ChangeEvent::Message(message) = event {
                backlog.remove_message(&message);
                backlog.has_lost_messages.store(true, Ordering::Release);
            } else {
                backlog.has_gap.store(true, Ordering::Release);
            }
        }
    }

    /// Sets whether changes of other nodes arrive.
    pub(crate) fn set_listening(&self, listens: bool) {
        self.is_deaf.store(!listens, Ordering::Release);
    }

    pub(crate) fn is_listening(&self) -> bool {
        !self.is_deaf.load(Ordering::Acquire)
    }

    fn subscriber(&self) -> MutexGuard<'_, Option<Subscriber>> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the receiver is dropped.
    pub(crate) async fn closed(&self) {
        let subscriber = self.subscriber().clone();
        if let Some(subscriber) = subscriber {
            subscriber.events.closed().await;
        }
    }
}

/// The changes of the transactions of this thread that are not committed.
#[derive(Debug, Default)]
struct Pending {
    changes: Vec<Change>,
    has_gap: bool,
}

thread_local! {
    static PENDING: RefCell<Pending> = RefCell::default();
}

/// Adds a change of the transaction of this thread. A job that continues after a failed statement needs a savepoint
/// ([`crate::Tx::savepoint`]): the changes of rows that SQLite undoes by itself stay recorded.
pub(crate) fn record(change: Change) {
    PENDING.with_borrow_mut(|pending| {
        if pending.changes.len() >= MAX_GROUP {
            pending.has_gap = true;
        } else {
            pending.changes.push(change);
        }
    });
}

/// The number of changes up to now, for [`rollback_to`].
pub(crate) fn mark() -> usize {
    PENDING.with_borrow(|pending| pending.changes.len())
}

/// Removes the changes after a mark.
pub(crate) fn rollback_to(mark: usize) {
    PENDING.with_borrow_mut(|pending| pending.changes.truncate(mark));
}

/// Takes the changes of committed transactions.
pub(crate) fn take() -> Option<ChangeEvent> {
    let Pending { changes, has_gap } = PENDING.take();
    if has_gap {
        Some(ChangeEvent::Gap)
    } else if changes.is_empty() {
        None
    } else {
        Some(ChangeEvent::Committed(changes))
    }
}

#[cfg(test)]
mod tests {
    use crate::changes::{ChangeEvent, ChangeSender, MAX_MESSAGE_BYTES, MESSAGE_BYTES};

    #[test]
    fn lost_messages_are_no_gap() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        for size in [1, MAX_MESSAGE_BYTES / 4] {
            let sender = ChangeSender::default();
            let mut feed = sender.subscribe();
            let mut next = || runtime.block_on(feed.next(1)).unwrap();
            let message = || ChangeEvent::Message("x".repeat(size));
            let fitting = MAX_MESSAGE_BYTES / size.max(MESSAGE_BYTES);
            (0..=fitting).for_each(|_| sender.send(message()));
            sender.send(ChangeEvent::Committed(Vec::new()));
            assert_eq!(next(), ChangeEvent::LostMessages);
            (0..fitting).for_each(|_| assert_eq!(next(), message()));
            assert_eq!(next(), ChangeEvent::Committed(Vec::new()));
            sender.send(message());
            assert_eq!(next(), message());
        }
    }
}
