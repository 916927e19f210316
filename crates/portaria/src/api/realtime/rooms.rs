//! The private topics of this node: their open channels, and the presences of the members on all nodes.

use std::{collections::HashMap, sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use crate::api::realtime::{
    broadcast::Broadcast,
    frame::{Format, raw},
    hub::Channel,
    nodes::{Envelope, NodeMessage, Outgoing},
};
use crate::security::keys;

/// Maximum number of presences of one topic on one node.
const MAX_PRESENCES: usize = 100;
/// Maximum size of a presence, in bytes.
const MAX_PRESENCE: usize = 1024;
/// Time after which the presences of a silent node are removed.
const NODE_TIMEOUT: Duration = Duration::from_secs(30);

/// The membership of a channel in a private topic.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the protocol")]
pub(crate) struct Member {
    pub(crate) may_send: bool,
    /// Whether the channel receives its own broadcasts.
    pub(crate) receives_own: bool,
    /// Whether broadcasts are answered.
    pub(crate) acknowledges: bool,
    /// Whether the channel receives the presences of the members.
    pub(crate) sees_presence: bool,
    /// The name of its own presence.
    pub(crate) key: String,
}

/// The presence of a member, which all members see.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Presence {
    /// The member's channel on its node.
    channel: u64,
    key: String,
    /// A new one for each change of the payload.
    reference: String,
    payload: Map<String, Value>,
}

#[derive(Debug, Default)]
struct Room {
    members: HashMap<u64, Arc<Channel>>,
    /// Per node; never empty for a node.
    presences: HashMap<String, Vec<Presence>>,
}

/// All private topics with members or presences.
#[derive(Debug)]
pub(crate) struct Rooms {
    /// The name of this node.
    node: String,
    /// Messages to the other nodes, before the node stops.
    outgoing: Option<Outgoing>,
    /// The other nodes, with the times of their last messages.
    heard: HashMap<String, Instant>,
    by_topic: HashMap<String, Room>,
}

impl Default for Rooms {
    fn default() -> Self {
        Self {
            node: keys::new_request_id(),
            outgoing: None,
            heard: HashMap::new(),
            by_topic: HashMap::new(),
        }
    }
}

impl Rooms {
    /// Directs messages to the other nodes.
    pub(crate) fn connect(&mut self, outgoing: Outgoing) {
        self.outgoing = Some(outgoing);
    }

    /// Adds a channel, or replaces it after it received a new token.
    pub(crate) fn insert(&mut self, id: u64, channel: &Arc<Channel>) {
        if channel.member.is_some() {
            let room = self.by_topic.entry(channel.topic.clone()).or_default();
            room.members.insert(id, Arc::clone(channel));
        }
    }

    /// Sends the presences of a topic to a channel that joined it.
    pub(crate) fn send_presences(&self, channel: &Channel) {
        if channel.member.as_ref().is_some_and(|member| member.sees_presence)
            && let Some(room) = self.by_topic.get(&channel.topic)
        {
            channel.send("presence_state", &by_key(room.presences.values().flatten()));
        }
    }

    /// Removes a channel, with its presence.
    pub(crate) fn remove(&mut self, id: u64, channel: &Channel) {
        if let Some(room) = self.by_topic.get_mut(&channel.topic) {
            room.members.remove(&id);
            self.set_presence(id, &channel.topic, None);
            self.remove_if_empty(&channel.topic);
        }
    }

    /// Sends a broadcast to the members on all nodes, without its sender.
    pub(crate) fn broadcast(&self, topic: &str, sender: Option<u64>, broadcast: Broadcast) {
        self.deliver(topic, sender, &broadcast);
        self.publish(NodeMessage::Broadcast { topic: topic.to_owned(), broadcast });
    }

    fn deliver(&self, topic: &str, sender: Option<u64>, broadcast: &Broadcast) {
        let Some(room) = self.by_topic.get(topic) else { return };
        let receivers = room.members.iter().filter(|(id, channel)| {
            Some(**id) != sender
                || channel.member.as_ref().is_some_and(|member| member.receives_own)
        });
        let mut frames = HashMap::new();
        for (_, channel) in receivers {
            let frame = frames
                .entry(channel.format)
                .or_insert_with_key(|format: &Format| broadcast.frame(*format, topic));
            if let Some(frame) = frame {
                channel.outbox.send(frame.clone());
            }
        }
    }

    /// Adds or replaces the presence of a channel.
    ///
    /// # Errors
    /// The reason of the refusal, for the client.
    pub(crate) fn track(
        &mut self,
        id: u64,
        channel: &Channel,
        payload: &Map<String, Value>,
    ) -> Result<(), &'static str> {
        let Some(member) = &channel.member else { return Ok(()) };
        let size = serde_json::to_string(payload).map_or(usize::MAX, |text| text.len());
        if size > MAX_PRESENCE {
            return Err("a presence has at most 1 KiB");
        }
        let here = self.local_presences(&channel.topic);
        if here.len() >= MAX_PRESENCES && here.iter().all(|presence| presence.channel != id) {
            return Err("this topic has too many presences");
        }
        let presence = Presence {
            channel: id,
            key: member.key.clone(),
            reference: keys::new_request_id(),
            payload: payload.clone(),
        };
        self.set_presence(id, &channel.topic, Some(presence));
        Ok(())
    }

    /// Removes the presence of a channel.
    pub(crate) fn untrack(&mut self, id: u64, channel: &Channel) {
        self.set_presence(id, &channel.topic, None);
    }

    /// Handles a message of a node.
    pub(crate) fn receive(&mut self, message: &str) {
        let Ok(Envelope { node, message }) = serde_json::from_str(message) else {
            // A node of another version.
            return;
        };
        if node == self.node {
            return;
        }
        // The presences of a node that was silent are not known any more.
        let is_known = self.heard.insert(node.clone(), Instant::now()).is_some();
        if !is_known && !matches!(message, NodeMessage::Goodbye) {
            self.greet();
        }
        match message {
            NodeMessage::Alive => {}
            NodeMessage::Hello => self.publish_presences(),
            NodeMessage::Goodbye => self.remove_node(&node),
            NodeMessage::Presence { topic, channel, presence } => {
                self.change_presence(&topic, &node, channel, presence);
            }
            NodeMessage::Topics(topics) => {
                self.remove_presences(&node, |topic| !topics.contains(topic));
            }
            NodeMessage::Broadcast { topic, broadcast } => self.deliver(&topic, None, &broadcast),
            NodeMessage::Presences { topic, presences } => {
                self.replace_presences(&topic, &node, presences);
            }
        }
    }

    /// Asks the other nodes for their presences.
    pub(crate) fn greet(&self) {
        self.publish(NodeMessage::Hello);
    }

    /// Ends the messages to the other nodes.
    pub(crate) fn say_goodbye(&mut self) {
        self.publish(NodeMessage::Goodbye);
        self.outgoing = None;
    }

    /// Lets the other nodes know that this one runs, and removes the presences of silent nodes.
    pub(crate) fn refresh_presences(&mut self, now: Instant) {
        if self.outgoing.as_ref().is_some_and(Outgoing::has_lost) {
            self.publish_presences();
        } else {
            self.publish(NodeMessage::Alive);
        }
        let silent =
            self.heard.iter().filter(|(_, heard)| now.duration_since(**heard) > NODE_TIMEOUT);
        for node in silent.map(|(node, _)| node.clone()).collect::<Vec<_>>() {
            self.remove_node(&node);
        }
    }

    fn remove_node(&mut self, node: &str) {
        self.heard.remove(node);
        self.remove_presences(node, |_| true);
    }

    /// Removes the presences of a node in some topics.
    fn remove_presences(&mut self, node: &str, is_gone: impl Fn(&str) -> bool) {
        let topics = self.by_topic.keys().filter(|topic| is_gone(topic));
        for topic in topics.cloned().collect::<Vec<_>>() {
            self.replace_presences(&topic, node, Vec::new());
        }
    }

    fn publish_presences(&self) {
        let here = self.by_topic.iter().filter_map(|(topic, room)| {
            let presences = room.presences.get(&self.node)?;
            Some((topic.clone(), presences.clone()))
        });
        let here: Vec<_> = here.collect();
        self.publish(NodeMessage::Topics(here.iter().map(|(topic, _)| topic.clone()).collect()));
        for (topic, presences) in here {
            self.publish(NodeMessage::Presences { topic, presences });
        }
    }

    /// Sends a message to the other nodes. It can be lost: presences are repeated then, and broadcasts are not
    /// guaranteed.
    fn publish(&self, message: NodeMessage) {
        if let Some(outgoing) = &self.outgoing {
            let envelope = Envelope { node: self.node.clone(), message };
            outgoing.send(serde_json::to_string(&envelope).expect("strings serialize"));
        }
    }

    fn local_presences(&self, topic: &str) -> &[Presence] {
        let room = self.by_topic.get(topic);
        room.and_then(|room| room.presences.get(&self.node)).map_or(&[], Vec::as_slice)
    }

    fn set_presence(&mut self, channel: u64, topic: &str, presence: Option<Presence>) {
        let node = self.node.clone();
        if self.change_presence(topic, &node, channel, presence.clone()) {
            self.publish(NodeMessage::Presence { topic: topic.to_owned(), channel, presence });
        }
    }

    /// Adds, replaces or removes one presence, and sends the difference to the members. Returns whether there is one.
    fn change_presence(
        &mut self,
        topic: &str,
        node: &str,
        channel: u64,
        presence: Option<Presence>,
    ) -> bool {
        let room = self.by_topic.entry(topic.to_owned()).or_default();
        let present = room.presences.entry(node.to_owned()).or_default();
        let place = present.iter().position(|presence| presence.channel == channel);
        let before = place.map(|place| present.swap_remove(place));
        let difference = json!({"joins": by_key(presence.iter()), "leaves": by_key(before.iter())});
        let is_changed = presence != before;
        present.extend(presence);
        if present.is_empty() {
            room.presences.remove(node);
        }
        if is_changed {
            room.send_difference(topic, &difference);
        }
        self.remove_if_empty(topic);
        is_changed
    }

    /// Replaces the presences of a topic on one node, and sends the difference to the members.
    fn replace_presences(&mut self, topic: &str, node: &str, presences: Vec<Presence>) {
        if presences.is_empty() && !self.by_topic.contains_key(topic) {
            return;
        }
        let room = self.by_topic.entry(topic.to_owned()).or_default();
        let before = room.presences.remove(node).unwrap_or_default();
        let is_new = |presence: &&Presence| !before.contains(presence);
        let is_gone = |presence: &&Presence| !presences.contains(presence);
        let joins = by_key(presences.iter().filter(is_new));
        let leaves = by_key(before.iter().filter(is_gone));
        if !presences.is_empty() {
            room.presences.insert(node.to_owned(), presences);
        }
        if joins != json!({}) || leaves != json!({}) {
            room.send_difference(topic, &json!({"joins": joins, "leaves": leaves}));
        }
        self.remove_if_empty(topic);
    }

    fn remove_if_empty(&mut self, topic: &str) {
        if self
            .by_topic
            .get(topic)
            .is_some_and(|room| room.members.is_empty() && room.presences.is_empty())
        {
            self.by_topic.remove(topic);
        }
    }
}

impl Room {
    fn send_difference(&self, topic: &str, difference: &Value) {
        let payload = raw(difference);
        let mut frames = HashMap::new();
        for channel in self.members.values() {
            if channel.member.as_ref().is_some_and(|member| member.sees_presence) {
                let frame = frames.entry(channel.format).or_insert_with_key(|format: &Format| {
                    format.write((None, None), topic, "presence_diff", &payload)
                });
                channel.outbox.send(frame.clone());
            }
        }
    }
}

/// Presences as clients expect them, grouped by their keys.
fn by_key<'a>(presences: impl Iterator<Item = &'a Presence>) -> Value {
    let mut keys: Map<String, Value> = Map::new();
    for Presence { key, reference, payload, .. } in presences {
        let mut meta = payload.clone();
        meta.insert("phx_ref".into(), json!(reference));
        let entry = keys.entry(key).or_insert_with(|| json!({"metas": []}));
        if let Some(metas) = entry["metas"].as_array_mut() {
            metas.push(meta.into());
        }
    }
    keys.into()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::Map;
    use tokio::time::Instant;

    use crate::api::realtime::{
        nodes::{Envelope, NodeMessage},
        rooms::{NODE_TIMEOUT, Presence, Rooms},
    };

    fn receive(rooms: &mut Rooms, node: &str, message: NodeMessage) {
        let envelope = Envelope { node: node.to_owned(), message };
        rooms.receive(&serde_json::to_string(&envelope).unwrap());
    }

    fn announce(rooms: &mut Rooms, node: &str) {
        let (key, reference) = ("ana".into(), "1".into());
        let presence = Presence { channel: 1, key, reference, payload: Map::new() };
        let (topic, presences) = ("realtime:staff".into(), vec![presence]);
        receive(rooms, node, NodeMessage::Presences { topic, presences });
    }

    #[test]
    fn presences_of_silent_and_stopped_nodes_end() {
        let mut rooms = Rooms::default();
        announce(&mut rooms, "b");
        rooms.refresh_presences(Instant::now() + NODE_TIMEOUT / 2);
        assert_eq!(rooms.by_topic.len(), 1);
        rooms.refresh_presences(Instant::now() + NODE_TIMEOUT * 2);
        assert_eq!(rooms.by_topic.len(), 0);
        announce(&mut rooms, "b");
        receive(&mut rooms, "c", NodeMessage::Goodbye);
        assert_eq!(rooms.by_topic.len(), 1);
        receive(&mut rooms, "b", NodeMessage::Goodbye);
        assert_eq!(rooms.by_topic.len(), 0);
    }

    #[test]
    fn topics_that_a_node_does_not_name_have_ended() {
        let mut rooms = Rooms::default();
        announce(&mut rooms, "b");
        receive(&mut rooms, "b", NodeMessage::Topics(["realtime:staff".into()].into()));
        assert_eq!(rooms.by_topic.len(), 1);
        receive(&mut rooms, "b", NodeMessage::Topics(HashSet::new()));
        assert_eq!(rooms.by_topic.len(), 0);
        announce(&mut rooms, "b");
        let topic = "realtime:staff".into();
        receive(&mut rooms, "b", NodeMessage::Presence { topic, channel: 1, presence: None });
        assert_eq!(rooms.by_topic.len(), 0);
    }

    #[test]
    fn nodes_that_are_alive_keep_their_presences() {
        let mut rooms = Rooms::default();
        announce(&mut rooms, "b");
        let begin = Instant::now();
        rooms.heard.insert("b".into(), begin - NODE_TIMEOUT);
        receive(&mut rooms, "b", NodeMessage::Alive);
        rooms.refresh_presences(begin + NODE_TIMEOUT / 2);
        assert_eq!(rooms.by_topic.len(), 1);
    }

    #[test]
    fn messages_of_the_node_itself_are_ignored() {
        let mut rooms = Rooms::default();
        let node = rooms.node.clone();
        announce(&mut rooms, &node);
        rooms.receive("{}");
        assert_eq!(rooms.by_topic.len(), 0);
    }
}
