//! The open channels of this node.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::extract::ws::Message;
use serde_json::{Map, Value, json};
use tokio::sync::OnceCell;

use crate::api::realtime::{
    broadcast::Broadcast,
    event::Bindings,
    feed,
    frame::{Format, raw},
    nodes,
    outbox::Outbox,
    rooms::{Member, Rooms},
};
use crate::{
    accounts::authenticate::Credential,
    app::App,
    db,
    schema::TableId,
    security::{
        caller::Caller,
        concurrency_limit::{ConcurrencyLimit, ConcurrencyPermit},
        ids::UserId,
        rate_limit::ClientAddr,
    },
};

/// Maximum number of open channels of one person on one node.
const CHANNELS_PER_PERSON: usize = 100;

/// Maximum number of connections with a channel of one person on one node.
const CONNECTIONS_PER_PERSON: usize = 50;

/// The registry of open channels.
#[derive(Debug)]
pub struct Hub {
    state: Mutex<State>,
    /// Set once the change feed runs.
    feed: OnceCell<()>,
    /// Open connections per address.
    pub(crate) connections: ConcurrencyLimit<ClientAddr>,
    /// Connections per person.
    pub(crate) people: ConcurrencyLimit<UserId>,
    /// Open channels per person.
    pub(crate) channels: ConcurrencyLimit<UserId>,
}

#[derive(Debug, Default)]
struct State {
    next: u64,
    /// Increased by every change of accounts and sessions.
    epoch: u64,
    channels: HashMap<u64, Arc<Channel>>,
    by_table: HashMap<TableId, HashMap<u64, Arc<Channel>>>,
    rooms: Rooms,
}

/// A channel that a client joined. A new token replaces it.
#[derive(Debug)]
pub(crate) struct Channel {
    pub(crate) topic: String,
    pub(crate) join_ref: Option<String>,
    pub(crate) format: Format,
    pub(crate) credential: Credential,
    /// The Unix time after which the token is not accepted any more.
    pub(crate) expires_at: Option<i64>,
    pub(crate) caller: Caller,
    pub(crate) bindings: Bindings,
    /// The membership in the private topic; `None` for a channel that is not private.
    pub(crate) member: Option<Member>,
    pub(crate) outbox: Outbox,
    pub(crate) permit: Option<Arc<ConcurrencyPermit<UserId>>>,
}

impl Hub {
    /// Creates the registry. The change feed starts with the first connection.
    #[must_use]
    pub fn new(app: &App) -> Self {
        Self {
            state: Mutex::default(),
            feed: OnceCell::new(),
            connections: ConcurrencyLimit::new(app.config.connections_per_address),
            people: ConcurrencyLimit::new(CONNECTIONS_PER_PERSON),
            channels: ConcurrencyLimit::new(CHANNELS_PER_PERSON),
        }
    }

    /// Starts the change feed, unless it runs.
    ///
    /// # Errors
    /// [`db::Error`] when the database does not answer.
    pub(crate) async fn start_feed(self: &Arc<Self>, app: &Arc<App>) -> Result<(), db::Error> {
        self.feed.get_or_try_init(|| self.connect(app)).await.copied()
    }

    async fn connect(self: &Arc<Self>, app: &Arc<App>) -> Result<(), db::Error> {
        if app.db.is_shared() {
            self.lock().rooms.connect(nodes::start(app.db.clone()));
        }
        feed::start(Arc::clone(app), Arc::clone(self)).await
    }

    /// The number of changes of accounts and sessions up to now.
    pub(crate) fn epoch(&self) -> u64 {
        self.lock().epoch
    }

    /// Counts a change of accounts and sessions.
    pub(crate) fn advance_epoch(&self) {
        self.lock().epoch += 1;
    }

    /// Opens a channel, sends `reply` before any event of it, and returns its id. Does nothing if rights may have
    /// changed since `epoch`: the caller must be resolved again then.
    pub(crate) fn open(&self, epoch: u64, channel: &Arc<Channel>, reply: Message) -> Option<u64> {
        let mut state = self.lock();
        if state.epoch != epoch {
            return None;
        }
        channel.outbox.send(reply);
        state.next += 1;
        let id = state.next;
        state.insert(id, channel);
        state.rooms.send_presences(channel);
        Some(id)
    }

    /// Replaces an open channel, unless rights may have changed since `epoch`. Returns whether it did.
    pub(crate) fn replace(&self, epoch: u64, id: u64, channel: &Arc<Channel>) -> bool {
        let mut state = self.lock();
        if state.epoch != epoch {
            return false;
        }
        if state.channels.contains_key(&id) {
            state.insert(id, channel);
        }
        true
    }

    /// Finds an open channel.
    pub(crate) fn get(&self, id: u64) -> Option<Arc<Channel>> {
        self.lock().channels.get(&id).cloned()
    }

    /// Removes a channel. Returns it if it was open.
    pub(crate) fn remove(&self, id: u64) -> Option<Arc<Channel>> {
        self.lock().remove(id)
    }

    /// Sends a broadcast to the members of a topic on all nodes. Its sender is a channel, or none for a request.
    pub(crate) fn broadcast(&self, topic: &str, sender: Option<u64>, broadcast: Broadcast) {
        self.lock().rooms.broadcast(topic, sender, broadcast);
    }

    /// Adds or replaces the presence of a channel in its topic.
    ///
    /// # Errors
    /// The reason of the refusal, for the client.
    pub(crate) fn track(&self, id: u64, payload: &Map<String, Value>) -> Result<(), &'static str> {
        let state = &mut *self.lock();
        state.channels.get(&id).map_or(Ok(()), |channel| state.rooms.track(id, channel, payload))
    }

    /// Removes the presence of a channel.
    pub(crate) fn untrack(&self, id: u64) {
        let state = &mut *self.lock();
        if let Some(channel) = state.channels.get(&id) {
            state.rooms.untrack(id, channel);
        }
    }

    /// Uses the private topics of all nodes. `f` must not block.
    pub(crate) fn with_rooms(&self, f: impl FnOnce(&mut Rooms)) {
        f(&mut self.lock().rooms);
    }

    /// The open channels that meet a condition, with their ids.
    pub(crate) fn find(&self, which: impl Fn(&Channel) -> bool) -> Vec<(u64, Arc<Channel>)> {
        let state = self.lock();
        let found = state.channels.iter().filter(|(_, channel)| which(channel));
        found.map(|(id, channel)| (*id, Arc::clone(channel))).collect()
    }

    /// Returns whether a channel is open for changes of a table.
    pub(crate) fn has_listeners(&self, table: TableId) -> bool {
        self.lock().by_table.contains_key(&table)
    }

    /// The channels that are open for changes of a table, with their ids.
    pub(crate) fn listeners(&self, table: TableId) -> Vec<(u64, Arc<Channel>)> {
        let state = self.lock();
        let channels = state.by_table.get(&table).into_iter().flatten();
        channels.map(|(id, channel)| (*id, Arc::clone(channel))).collect()
    }

    /// Sends frames to a channel, if it is still open. A channel of the same topic may have replaced it.
    pub(crate) fn send(&self, id: u64, frames: Vec<Message>) {
        let state = self.lock();
        if let Some(channel) = state.channels.get(&id) {
            for frame in frames {
                channel.outbox.send(frame);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn insert(&mut self, id: u64, channel: &Arc<Channel>) {
        self.channels.insert(id, Arc::clone(channel));
        self.rooms.insert(id, channel);
        for binding in channel.bindings.iter() {
            let listeners = self.by_table.entry(binding.table.id).or_default();
            listeners.insert(id, Arc::clone(channel));
        }
    }

    fn remove(&mut self, id: u64) -> Option<Arc<Channel>> {
        let channel = self.channels.remove(&id)?;
        self.rooms.remove(id, &channel);
        for binding in channel.bindings.iter() {
            if let Some(listeners) = self.by_table.get_mut(&binding.table.id) {
                listeners.remove(&id);
                if listeners.is_empty() {
                    self.by_table.remove(&binding.table.id);
                }
            }
        }
        Some(channel)
    }
}

impl Channel {
    /// Sends a message of the server about the channel.
    pub(crate) fn send(&self, event: &str, payload: &Value) {
        let references = (self.join_ref.as_deref(), None);
        self.outbox.send(self.format.write(references, &self.topic, event, &raw(payload)));
    }

    /// Sends a message about the state of the channel, which clients receive as `system`.
    pub(crate) fn send_system(&self, extension: &str, status: &str, message: &str) {
        let name = self.topic.strip_prefix("realtime:").unwrap_or(&self.topic);
        let payload = json!({
            "extension": extension, "status": status, "message": message, "channel": name,
        });
        self.send("system", &payload);
    }

    /// Ends the channel for good, with the reason.
    pub(crate) fn close(&self, reason: &str) {
        self.send_system("system", "error", reason);
        self.send("phx_close", &json!({}));
    }

    /// Ends the channel so that the client joins again, and reads again what it displays.
    pub(crate) fn restart(&self) {
        self.send("phx_error", &json!({}));
    }
}
