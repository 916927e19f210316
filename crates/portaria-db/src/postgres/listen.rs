//! The connection that listens to the changes and messages of all nodes. It is probed, because a connection that only
//! receives would not notice its loss. Its loss is a gap in the feed.

use std::{convert::Infallible, future::poll_fn, pin::pin, thread, time::Duration};

use futures_util::future::{select, try_join};
use tokio::{
    runtime,
    sync::oneshot,
    time::{sleep, timeout},
};
use tokio_postgres::{AsyncMessage, Client};

use crate::{
    Error,
    changes::{self, ChangeEvent, ChangeSender, RecordedTable, triggers},
    postgres::{
        CONNECT_TIME, PostgresServer, Target,
        messages::{self, Assembly},
        target,
    },
};

/// Delay before a lost connection is opened again.
const RECONNECT_DELAY: Duration = Duration::from_secs(1);
/// Interval between probes of the connection, and the time limit for an answer. Their sum is the longest time for which
/// a lost connection goes unnoticed, and so an ended session keeps its channels.
const PROBE_INTERVAL: Duration = Duration::from_secs(1);
const ANSWER_TIME: Duration = Duration::from_secs(2);

/// Listens on a thread of its own until the receiver is dropped. Returns when the server listens.
pub(crate) async fn start(
    server: &PostgresServer,
    feed: ChangeSender,
    tables: Vec<RecordedTable>,
) -> Result<(), Error> {
    let target = target(server)?;
    let (listens, is_listening) = oneshot::channel();
    let thread = move || {
        let Ok(runtime) = runtime::Builder::new_current_thread().enable_all().build() else {
            return;
        };
        let closed = feed.closed();
        runtime.block_on(async {
            select(pin!(run(&target, (&feed, tables.as_slice()), listens)), pin!(closed)).await;
        });
    };
    let failed = |error: String| Error::Unavailable(format!("cannot listen: {error}"));
    thread::Builder::new()
        .name("db-listen".into())
        .spawn(thread)
        .map_err(|error| failed(error.to_string()))?;
    is_listening.await.map_err(|_| failed("the thread ended".into()))?
}

/// Listens, and again after a lost connection. Ends if the first connection fails.
async fn run(
    target: &Target,
    (feed, tables): (&ChangeSender, &[RecordedTable]),
    listens: oneshot::Sender<Result<(), Error>>,
) {
    let mut first = Some(listens);
    loop {
        let Err(error) = listen(target, (feed, tables), &mut first).await;
        if let Some(first) = first.take() {
            drop(first.send(Err(error)));
            return;
        }
        if feed.is_listening() {
            feed.set_listening(false);
            feed.send(ChangeEvent::Gap);
        }
        tracing::warn!(%error, "change feed interrupted, will reconnect");
        sleep(RECONNECT_DELAY).await;
    }
}

async fn listen(
    target: &Target,
    (feed, tables): (&ChangeSender, &[RecordedTable]),
    first: &mut Option<oneshot::Sender<Result<(), Error>>>,
) -> Result<Infallible, Error> {
    let silent = |_| Error::Unavailable("the server does not answer".into());
    // The driver's connect timeout covers the socket only, not the handshake over it.
    let connected = timeout(CONNECT_TIME, target.config.connect(target.tls.clone())).await;
    let (client, mut connection) = connected.map_err(silent)??;
    let mut assembly = Assembly::default();
    let receive = async {
        while let Some(message) = poll_fn(|context| connection.poll_message(context)).await {
            if let AsyncMessage::Notification(notification) = message? {
                let payload = notification.payload();
                if notification.channel() == messages::CHANNEL {
                    if let Some(message) = assembly.add(payload) {
                        feed.send(ChangeEvent::Message(message));
                    }
                } else {
                    feed.send(parse(payload, tables));
                }
            }
        }
        Err::<Infallible, Error>(Error::Unavailable("the server hung up".into()))
    };
    let subscribe = async {
        let channels = [changes::CHANNEL, messages::CHANNEL];
        let listen = channels.map(|channel| format!("LISTEN {channel};")).concat();
        timeout(ANSWER_TIME, client.batch_execute(&listen)).await.map_err(silent)??;
        feed.set_listening(true);
        match first.take() {
            Some(first) => drop(first.send(Ok(()))),
            None => feed.send(ChangeEvent::Gap),
        }
        probe(&client).await
    };
    try_join(receive, subscribe).await.map(|(never, _)| never)
}

/// Asks the server for answers until one fails to come.
async fn probe(client: &Client) -> Result<Infallible, Error> {
    let silent = |_| Error::Unavailable("the server fell silent".into());
    loop {
        sleep(PROBE_INTERVAL).await;
        timeout(ANSWER_TIME, client.batch_execute("")).await.map_err(silent)??;
    }
}

/// Parses the payload of a trigger. Any other payload is a gap, because it may be of another version of the program.
fn parse(payload: &str, tables: &[RecordedTable]) -> ChangeEvent {
    let values: Vec<serde_json::Value> = serde_json::from_str(payload).unwrap_or_default();
    let values = values.into_iter().map(|value| match value {
        serde_json::Value::Null => None,
        serde_json::Value::String(text) => Some(text),
        other => Some(other.to_string()),
    });
    let change = triggers::parse(values).and_then(|recorded| recorded.arrange(tables));
    change.map_or(ChangeEvent::Gap, |change| ChangeEvent::Committed(vec![change]))
}
