//! Websockets: the memory of idle connections, and the delay of changes that many listeners receive.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use futures_util::{SinkExt, StreamExt};
use hyper::Method;
use serde_json::json;
use tokio::{
    net::TcpStream,
    task::JoinSet,
    time::{interval, sleep, timeout},
};
use tokio_tungstenite::{
    WebSocketStream, client_async_with_config,
    tungstenite::{Message, protocol::WebSocketConfig},
};
use uuid::Uuid;

use crate::load_test::{
    MAX_P99_MS,
    connection::Connection,
    monitor::watch,
    thresholds::{Bound, LoadReport, percentile},
    users::describe,
};
use crate::{Outcome, dataset::Dataset, load::request, server::Server};

/// Number of clients to whom the connections belong, because the server limits each person.
const PEOPLE: usize = 50;
/// Number of idle connections, each with a channel.
const IDLE: usize = 2000;
/// Time for which they are idle.
const IDLE_TIME: Duration = Duration::from_secs(10);
/// Maximum memory of the server with idle connections, in MiB.
const MAX_IDLE_MEMORY: f64 = 100.0;
/// Number of listeners to the same changes.
const LISTENERS: usize = 200;
/// Number of rows that are inserted at once, and the interval between two inserts: a thousand changes per second.
const ROWS: usize = 20;
const INSERT_INTERVAL: Duration = Duration::from_millis(20);
/// Number of inserts.
const INSERTS: usize = 500;
/// Maximum duration of all of them, in milliseconds.
const MAX_INSERTS_MS: f64 = 11_000.0;
/// Time limit for the next change of a listener.
const PATIENCE: Duration = Duration::from_secs(10);
/// Read buffer of a connection, in bytes.
const READ_BUFFER: usize = 4 << 10;
/// Surrounds the time of the insert in the name of an inserted row.
const MARK: char = '@';

type Socket = WebSocketStream<TcpStream>;

/// Measures idle connections, and the delay of changes on both databases.
pub(crate) async fn realtime(binary: &Path, output: &Path, postgres: Option<&str>) -> Outcome<()> {
    let parent = output.parent().unwrap_or(Path::new("."));
    let mut verdict = LoadReport::default();
    for database in [Some(None), postgres.map(Some)].into_iter().flatten() {
        let mut office = Dataset::new(parent, database.map(str::to_owned))?;
        office.grow_to(PEOPLE * super::DOCUMENTS).await?;
        if database.is_none() {
            idle(binary, &office, &mut verdict).await?;
        }
        changes(binary, &office, &mut verdict).await?;
    }
    verdict.write(output)
}

async fn idle(binary: &Path, office: &Dataset, verdict: &mut LoadReport) -> Outcome<()> {
    let server = Server::portal(binary, office)?;
    let scene = async {
        let mut sockets = Vec::new();
        for number in 0..IDLE {
            sockets.push(open(&server, office, number, "tickets").await?);
        }
        sleep(IDLE_TIME).await;
        // Each answers still.
        for socket in &mut sockets {
            let heartbeat = json!([null, "2", "phoenix", "heartbeat", {}]);
            socket.send(Message::text(heartbeat.to_string())).await?;
            reply(socket).await?;
        }
        Ok(())
    };
    let ((), observed) = watch(&server, scene).await?;
    verdict.scene("2,000 idle websockets");
    verdict.memory("memory before", observed.before, Bound::Nothing);
    verdict.memory("most memory", observed.peak, Bound::AtMost(MAX_IDLE_MEMORY));
    Ok(())
}

async fn changes(binary: &Path, office: &Dataset, verdict: &mut LoadReport) -> Outcome<()> {
    let server = Server::portal(binary, office)?;
    let begin = Instant::now();
    let mut listeners = JoinSet::new();
    for number in 0..LISTENERS {
        listeners.spawn(receive(open(&server, office, number, "folders").await?, begin));
    }
    let scene = async {
        let inserting = Instant::now();
        insert_rows(&server, &office.token(office.admin), begin).await?;
        let inserted = inserting.elapsed();
        let mut delays = Vec::new();
        while let Some(received) = listeners.join_next().await {
            delays.append(&mut received??);
        }
        Ok((delays, inserted))
    };
    let ((mut delays, inserted), observed) = watch(&server, scene).await?;
    verdict.scene(match office.database() {
        None => "1,000 changes per second for 200 listeners",
        Some(_) => "1,000 changes per second for 200 listeners, on PostgreSQL",
    });
    let lost = (LISTENERS * ROWS * INSERTS).saturating_sub(delays.len());
    verdict.count("changes not received", lost, Bound::AtMost(0.0));
    // Otherwise the rate was lower than the name says.
    verdict.time("duration of the inserts", inserted, Bound::AtMost(MAX_INSERTS_MS));
    verdict.time("p50", percentile(&mut delays, 50), Bound::Nothing);
    verdict.time("p99", percentile(&mut delays, 99), Bound::AtMost(MAX_P99_MS));
    verdict.memory("most memory", observed.peak, Bound::Nothing);
    verdict.time("slowest /health", observed.health, Bound::Nothing);
    Ok(())
}

/// Inserts rows whose names contain the time, at a constant rate.
async fn insert_rows(server: &Server, token: &str, begin: Instant) -> Outcome<()> {
    let mut line = Connection::new(server.address);
    let mut ticks = interval(INSERT_INTERVAL);
    for _ in 0..INSERTS {
        ticks.tick().await;
        let name = format!("{MARK}{}{MARK}", begin.elapsed().as_micros());
        let row = || json!({"id_supabase": Uuid::from_u128(fastrand::u128(..)), "name": name});
        let rows: Vec<_> = (0..ROWS).map(|_| row()).collect();
        let mut insert =
            request(Method::POST, "/rest/v1/folders", Some(token), json!(rows).to_string().into());
        insert.headers_mut().insert("content-type", "application/json".parse()?);
        let answer = line.ask(insert).await?;
        if !answer.is_success() {
            return Err(describe(&answer).into());
        }
    }
    Ok(())
}

/// Receives all changes. Returns their delays.
async fn receive(mut socket: Socket, begin: Instant) -> Outcome<Vec<Duration>> {
    let mut delays = Vec::with_capacity(ROWS * INSERTS);
    while delays.len() < ROWS * INSERTS {
        let Ok(Some(message)) = timeout(PATIENCE, socket.next()).await else { break };
        let Message::Text(text) = message? else { continue };
        if let Some(sent) = text.split(MARK).nth(1) {
            delays.push(begin.elapsed().saturating_sub(Duration::from_micros(sent.parse()?)));
        }
    }
    Ok(delays)
}

/// Opens a connection with a channel for the changes of a table.
async fn open(server: &Server, office: &Dataset, number: usize, table: &str) -> Outcome<Socket> {
    let person = office.clients.get(number % PEOPLE).ok_or("no clients")?;
    let key = office.anon_key();
    let url = format!("ws://{}/realtime/v1/websocket?apikey={key}&vsn=2.0.0", server.address);
    let stream = TcpStream::connect(server.address).await?;
    let config = WebSocketConfig::default().read_buffer_size(READ_BUFFER);
    let (mut socket, _) = client_async_with_config(url, stream, Some(config)).await?;
    let join = json!([
        "1", "1", "realtime:bench", "phx_join",
        {
            "config": {"postgres_changes": [{"event": "*", "schema": "public", "table": table}]},
            "access_token": office.token(*person),
        },
    ]);
    socket.send(Message::text(join.to_string())).await?;
    reply(&mut socket).await?;
    Ok(socket)
}

/// Waits for a reply.
async fn reply(socket: &mut Socket) -> Outcome<()> {
    while let Some(message) = timeout(PATIENCE, socket.next()).await? {
        let text = message?.into_text()?;
        if text.contains("phx_reply") {
            let is_ok = text.contains(r#""status":"ok""#);
            return if is_ok { Ok(()) } else { Err(text.to_string().into()) };
        }
    }
    Err("the server closed a connection".into())
}
