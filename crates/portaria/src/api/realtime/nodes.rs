//! Messages between the nodes of one office, which the database carries (`portaria_db::Db::publish`).

use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use crate::api::realtime::{broadcast::Broadcast, rooms::Presence};
use crate::db::Db;

/// Maximum size of the messages that wait to be published, in bytes.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// Maximum number of messages that are published in one transaction.
const MAX_BATCH: usize = 64;

/// A message with the name of the node that sent it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Envelope {
    pub(crate) node: String,
    pub(crate) message: NodeMessage,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum NodeMessage {
    /// A node started, or lost messages. The others repeat their presences.
    Hello,
    /// A node stops. Its presences end.
    Goodbye,
    /// A broadcast to the members of a topic.
    Broadcast { topic: String, broadcast: Broadcast },
    /// Nothing changed. Sent at intervals, so that silence means the end of a node.
    Alive,
    /// A presence of the node began, changed or ended.
    Presence { topic: String, channel: u64, presence: Option<Presence> },
    /// The topics in which the node has presences. Its presences in others have ended.
    Topics(HashSet<String>),
    /// All presences of a topic on the node.
    Presences { topic: String, presences: Vec<Presence> },
}

/// The messages that wait to be published.
#[derive(Debug)]
pub(crate) struct Outgoing {
    messages: mpsc::UnboundedSender<String>,
    backlog: Arc<Backlog>,
}

#[derive(Debug, Default)]
struct Backlog {
    bytes: AtomicUsize,
    has_lost: AtomicBool,
}

impl Outgoing {
    /// Adds a message without waiting. It is lost above the limit of the waiting ones.
    pub(crate) fn send(&self, message: String) {
        let size = message.len();
        let before = self.backlog.bytes.fetch_add(size, Ordering::Relaxed);
        if before + size > MAX_BYTES {
            self.backlog.bytes.fetch_sub(size, Ordering::Relaxed);
            self.backlog.lose("too many messages wait");
        } else if self.messages.send(message).is_err() {
            self.backlog.lose("the task ended");
        }
    }

    /// Returns whether messages were lost since the last call.
    pub(crate) fn has_lost(&self) -> bool {
        self.backlog.has_lost.swap(false, Ordering::Relaxed)
    }
}

impl Backlog {
    /// Warns about the first of several lost messages.
    fn lose(&self, reason: &str) {
        if !self.has_lost.swap(true, Ordering::Relaxed) {
            tracing::warn!(reason, "messages to other nodes lost");
        }
    }
}

/// Starts the task that publishes messages. It ends when the sender is dropped.
pub(crate) fn start(db: Db) -> Outgoing {
    let (messages, waiting) = mpsc::unbounded_channel();
    let backlog = Arc::default();
    tokio::spawn(publish(db, waiting, Arc::clone(&backlog)));
    Outgoing { messages, backlog }
}

async fn publish(db: Db, mut waiting: mpsc::UnboundedReceiver<String>, backlog: Arc<Backlog>) {
    let mut batch = Vec::new();
    while waiting.recv_many(&mut batch, MAX_BATCH).await > 0 {
        let size = batch.iter().map(String::len).sum();
        if let Err(error) = db.publish(std::mem::take(&mut batch)).await {
            backlog.lose(&error.to_string());
        }
        backlog.bytes.fetch_sub(size, Ordering::Relaxed);
    }
}
