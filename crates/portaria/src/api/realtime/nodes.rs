//! Messages between the nodes of one office, which the database carries (`portaria_db::Db::publish`).

use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use crate::api::realtime::{broadcast::Broadcast, rooms::Presence};
use crate::db::Db;

/// Maximum number of messages that wait to be published.
const CAPACITY: usize = 1024;
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
    /// All presences of a topic on the node.
    Presences { topic: String, presences: Vec<Presence> },
}

/// Starts the task that publishes messages. It ends when the sender is dropped.
pub(crate) fn start(db: Db) -> mpsc::Sender<String> {
    let (sender, waiting) = mpsc::channel(CAPACITY);
    tokio::spawn(publish(db, waiting));
    sender
}

async fn publish(db: Db, mut waiting: mpsc::Receiver<String>) {
    let mut batch = Vec::new();
    while waiting.recv_many(&mut batch, MAX_BATCH).await > 0 {
        if let Err(error) = db.publish(std::mem::take(&mut batch)).await {
            tracing::warn!(%error, "messages to other nodes lost");
        }
    }
}
