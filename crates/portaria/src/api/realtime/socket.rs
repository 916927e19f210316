//! One websocket: reads frames, answers them, and writes the frames of its channels.

use std::{
    collections::{HashMap, hash_map::Entry},
    ops::ControlFlow,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use futures_util::{SinkExt, StreamExt, stream::SplitSink};
use serde_json::{Map, Value, json};
use tokio::time::{Instant, sleep_until};

use crate::api::realtime::{
    broadcast::{self, Broadcast},
    frame::{Format, Incoming},
    hub::Hub,
    join,
    outbox::{self, Outbox, Waiting, outbox},
    rooms::Member,
};
use crate::{
    accounts::authenticate::Credential,
    app::App,
    security::{concurrency_limit::ConcurrencyPermit, ids::UserId, rate_limit::ClientAddr},
};

/// Time without a frame of the client after which the connection is closed. Clients send a heartbeat every 25 seconds.
const IDLE_TIMEOUT: Duration = Duration::from_mins(1);
/// Maximum number of open channels of a connection.
const MAX_CHANNELS: usize = 50;
/// The time in which a client may send one frame, and the frames that it may send at once, as the sum of their times.
/// All channels join again at once after a gap of the feed.
const FRAME_TIME: Duration = Duration::from_millis(4);
const FRAME_BURST: Duration = Duration::from_secs(2);
/// Maximum length of the reason of a refusal, in bytes.
const MAX_REASON: usize = 256;
/// Number of frames as which one counts that reads from the database.
const READING_FRAMES: u32 = 4;

/// A connection and its open channels, which close with it.
pub(crate) struct Connection {
    pub(crate) app: Arc<App>,
    pub(crate) hub: Arc<Hub>,
    pub(crate) format: Format,
    pub(crate) outbox: Outbox,
    /// The credential of the request that opened the connection.
    pub(crate) credential: Credential,
    /// The Unix time from which the token of this credential is refused.
    pub(crate) expires_at: Option<i64>,
    /// Whether a browser opened it.
    pub(crate) is_browser: bool,
    channels: HashMap<String, u64>,
    rate: FrameRate,
    /// The people whose channels the connection had.
    people: Mutex<HashMap<UserId, ConcurrencyPermit<UserId>>>,
}

/// The reason for closing a connection.
type Closing = (u16, &'static str);

impl Drop for Connection {
    fn drop(&mut self) {
        for id in self.channels.values() {
            self.hub.remove(*id);
        }
    }
}

/// The parts of a connection that its request determines.
pub(crate) struct Opened {
    pub(crate) app: Arc<App>,
    pub(crate) hub: Arc<Hub>,
    pub(crate) format: Format,
    pub(crate) credential: Credential,
    pub(crate) expires_at: Option<i64>,
    pub(crate) is_browser: bool,
    pub(crate) permit: ConcurrencyPermit<ClientAddr>,
}

/// Serves a connection to its end.
pub(crate) async fn serve(socket: WebSocket, opened: Opened) {
    let app = Arc::clone(&opened.app);
    let _open = app.realtime.begin();
    let (outbox, mut waiting) = outbox();
    let Opened { app, hub, format, credential, expires_at, is_browser, permit } = opened;
    let mut connection = Connection {
        app,
        hub,
        format,
        outbox,
        credential,
        expires_at,
        is_browser,
        channels: HashMap::new(),
        rate: FrameRate::new(),
        people: Mutex::default(),
    };
    let (mut sink, mut frames) = socket.split();
    let stopping = connection.app.stopping.clone();
    let overflow = waiting.overflow.clone();
    let mut deadline = Instant::now() + IDLE_TIMEOUT;
    let closing = loop {
        tokio::select! {
            () = stopping.cancelled() => break Some((close_code::AWAY, "the server stops")),
            () = overflow.cancelled() => break Some((close_code::AGAIN, "read faster")),
            () = sleep_until(deadline) => break Some((close_code::NORMAL, "no heartbeat")),
            frame = frames.next() => {
                let Some(Ok(message)) = frame else { break None };
                deadline = Instant::now() + IDLE_TIMEOUT;
                if let ControlFlow::Break(closing) = connection.receive(message).await {
                    break closing;
                }
            }
            frame = waiting.next() => {
                let Some(frame) = frame else { break None };
                let written = write(&mut sink, frame, &mut waiting);
                tokio::select! {
                    written = written => if written.is_err() { break None },
                    () = overflow.cancelled() => break None,
                    () = stopping.cancelled() => break None,
                }
            }
        }
    };
    drop((connection, waiting));
    if let Some((code, reason)) = closing {
        let frame = CloseFrame { code, reason: reason.into() };
        // A reader that does not read is cut off by the minimum rate of the socket.
        drop(sink.send(Message::Close(Some(frame))).await);
    }
    // The socket counts until it is closed.
    drop(permit);
}

/// Writes a frame and those that wait behind it.
async fn write(
    sink: &mut SplitSink<WebSocket, Message>,
    first: Message,
    waiting: &mut Waiting,
) -> Result<(), axum::Error> {
    sink.feed(first).await?;
    while let Some(next) = waiting.next_now() {
        sink.feed(next).await?;
    }
    sink.flush().await
}

impl Connection {
    /// Parses a token of this connection.
    ///
    /// # Errors
    /// The reason of the refusal, for the client.
    pub(crate) async fn credential_of(&self, token: &str) -> Result<Credential, String> {
        let credential = Credential::read(&self.app, token).await;
        match credential.map_err(|_| "the server cannot verify tokens at the moment")? {
            Credential::Invalid(_) => Err("the token is invalid or has expired".into()),
            Credential::Service if self.is_browser => {
                Err("the service key belongs on a server".into())
            }
            credential => Ok(credential),
        }
    }

    /// Counts the connection as one of a person.
    ///
    /// # Errors
    /// The reason of the refusal, for the client.
    pub(crate) fn admit(&self, person: UserId) -> Result<(), String> {
        let mut people = self.people.lock().unwrap_or_else(PoisonError::into_inner);
        if let Entry::Vacant(place) = people.entry(person) {
            let permit = self.hub.people.acquire(person);
            place.insert(permit.ok_or("this person has too many connections")?);
        }
        Ok(())
    }

    /// Returns whether the token of the request that opened the connection has expired.
    pub(crate) fn has_expired(&self) -> bool {
        let now = self.app.clock.now().as_second();
        self.expires_at.is_some_and(|at| at <= now)
    }

    async fn receive(&mut self, message: Message) -> ControlFlow<Option<Closing>> {
        let size = outbox::size(&message);
        let (frame, broadcast) = match &message {
            Message::Text(text) => (self.format.parse(text), None),
            Message::Binary(bytes) => broadcast::parse(bytes).unzip(),
            Message::Ping(_) | Message::Pong(_) => return self.count(1),
            Message::Close(_) => return ControlFlow::Break(None),
        };
        let Some(frame) = frame else {
            return ControlFlow::Break(Some((close_code::INVALID, "invalid frame")));
        };
        let reads = matches!(frame.event.as_str(), "phx_join" | "access_token");
        self.count(if reads { READING_FRAMES } else { 1 })?;
        match (frame.topic.as_str(), frame.event.as_str()) {
            ("phoenix", "heartbeat") => self.reply(&frame, "ok", &json!({})),
            (_, "phx_join") => self.join(&frame).await,
            (_, "phx_leave") => {
                self.leave(&frame.topic);
                self.reply(&frame, "ok", &json!({}));
            }
            (topic, "access_token") => {
                let token = frame.payload.get("access_token").and_then(Value::as_str);
                if let Some((id, token)) = self.channels.get(topic).copied().zip(token) {
                    join::refresh(self, id, token).await;
                }
            }
            (_, "broadcast") => {
                let broadcast =
                    broadcast.unwrap_or_else(|| Broadcast::from_payload(&frame.payload));
                self.answer(&frame, size, |id, member| {
                    self.hub.broadcast(&frame.topic, Some(id), broadcast?);
                    Ok(member.acknowledges)
                });
            }
            (_, "presence") => self.answer(&frame, size, |id, _| {
                let payload = frame.payload.get("payload").and_then(Value::as_object);
                match frame.payload.get("event").and_then(Value::as_str) {
                    Some("track") => self.hub.track(id, payload.unwrap_or(&Map::new()))?,
                    Some("untrack") => self.hub.untrack(id),
                    _ => return Err("the event of a presence is track or untrack".into()),
                }
                Ok(true)
            }),
            _ => self.refuse(&frame, &format!("{} is not offered", frame.event)),
        }
        ControlFlow::Continue(())
    }

    /// Opens a channel. A channel of the same topic is replaced.
    async fn join(&mut self, frame: &Incoming) {
        self.leave(&frame.topic);
        // The server closed some.
        let hub = &self.hub;
        self.channels.retain(|_, id| hub.get(*id).is_some());
        if self.channels.len() >= MAX_CHANNELS {
            return self.refuse(frame, "this connection has too many open channels");
        }
        match join::join(self, frame).await {
            Ok(id) => drop(self.channels.insert(frame.topic.clone(), id)),
            Err(reason) => self.refuse(frame, &reason),
        }
    }

    fn leave(&mut self, topic: &str) {
        if let Some(id) = self.channels.remove(topic) {
            self.hub.remove(id);
        }
    }

    /// Counts frames of the client.
    fn count(&mut self, frames: u32) -> ControlFlow<Option<Closing>> {
        if self.rate.admits(frames) {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(Some((close_code::POLICY, "too many frames")))
        }
    }

    /// Handles a frame for the members of a private topic, and answers it if `send` returns `true` or fails.
    fn answer(
        &self,
        frame: &Incoming,
        size: usize,
        send: impl FnOnce(u64, &Member) -> Result<bool, String>,
    ) {
        let id = self.channels.get(&frame.topic).copied();
        let channel = id.and_then(|id| self.hub.get(id));
        let member = channel.as_ref().and_then(|channel| channel.member.as_ref());
        let outcome = match id.zip(member) {
            None => Err("the channel is not private".into()),
            Some((_, member)) if !member.may_send => {
                Err("this caller may not send to the topic".into())
            }
            Some((id, member)) => {
                match channel.as_ref().and_then(|open| open.credential.person()) {
                    Some(person) if self.app.limits.messages(person, 1, size).is_err() => {
                        Err("too many messages".into())
                    }
                    _ => send(id, member),
                }
            }
        };
        match outcome {
            Ok(true) => self.reply(frame, "ok", &json!({})),
            Ok(false) => {}
            Err(reason) => self.refuse(frame, &reason),
        }
    }

    fn refuse(&self, frame: &Incoming, reason: &str) {
        // Some reasons repeat a part of the frame.
        let reason = &reason[..reason.floor_char_boundary(MAX_REASON)];
        self.reply(frame, "error", &json!({"reason": reason}));
    }

    fn reply(&self, frame: &Incoming, status: &str, response: &Value) {
        self.outbox.send(self.format.reply(frame, status, response));
    }
}

/// The rate of the frames of a client: a bucket that is full at `FRAME_BURST`.
struct FrameRate {
    /// The time at which the bucket is empty.
    empty_at: Instant,
}

impl FrameRate {
    fn new() -> Self {
        Self { empty_at: Instant::now() }
    }

    fn admits(&mut self, frames: u32) -> bool {
        let now = Instant::now();
        self.empty_at = self.empty_at.max(now) + FRAME_TIME * frames;
        self.empty_at.duration_since(now) <= FRAME_BURST
    }
}
