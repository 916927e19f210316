//! An attack by one client and one administrator account while other clients work: amplified answers, slow uploads, slow
//! readers, slow headers, oversized requests, and HTML that is expensive to clean.
//!
//! The attack comes from an address of its own, because the server limits each address.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::Path,
    time::{Duration, Instant},
};

use bytes::Bytes;
use hyper::Method;
use serde_json::{Value, json};
use tokio::{
    io::AsyncWriteExt,
    net::{TcpSocket, TcpStream},
    task::JoinSet,
    time::{sleep, timeout},
};
use uuid::Uuid;

use crate::load_test::{
    MAX_HEALTH_MS, Stage,
    connection::{Answer, Connection},
    monitor::watch,
    prepared,
    thresholds::{Bound, LoadReport},
    users::{Users, describe},
};
use crate::{
    Outcome,
    load::{Request, request},
    server::Server,
};

/// Number of active users.
const USERS: usize = 200;
/// Address of the attacker. All addresses of 127.0.0.0/8 lead to this machine.
const ATTACKER: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 66));
/// Maximum memory of the server under attack, in MiB.
const MAX_ATTACK_MEMORY: f64 = 256.0;
/// Maximum size of an answer for a client, in bytes.
const MAX_ANSWER: usize = 8 << 20;

/// Numbers of connections of the kinds of attack.
const AMPLIFYING: usize = 6;
const SLOW_UPLOADS: usize = 130;
const SLOW_READERS: usize = 60;
const SLOW_HEADERS: usize = 100;

/// Interval between two writes of a slow connection, and bytes per write.
const SLOW_INTERVAL: Duration = Duration::from_secs(1);
const SLOW_BYTES: usize = 10;
/// Receive buffer of a slow reader, in bytes.
const RECEIVE_BUFFER: u32 = 4096;
/// Time after which a slow reader gives up and begins again.
const READER_TIMEOUT: Duration = Duration::from_mins(2);
/// Pause between two requests of an attacking connection.
const PAUSE: Duration = Duration::from_millis(200);
/// Pause after an expensive template or an oversized request.
const LONG_PAUSE: Duration = Duration::from_secs(2);

/// Messages of the attacker's ticket, and characters of each.
const MESSAGES: usize = 20;
const MESSAGE_LENGTH: usize = 10_000;
/// Number of aliases of one column in an amplifying request.
const ALIASES: usize = 250;
/// Depth of the HTML of an expensive template.
const HTML_DEPTH: usize = 80_000;

/// Runs the attack for a number of minutes.
pub(crate) async fn attack(binary: &Path, output: &Path, minutes: u32) -> Outcome<()> {
    let parent = output.parent().unwrap_or(Path::new("."));
    let office = prepared(binary, parent, USERS + 1).await?;
    let server = Server::portal_with_log_file(binary, &office, &parent.join("bench-attack.log"))?;
    let attacker = *office.clients.last().ok_or("no clients")?;
    let token = office.token(attacker);
    let admin = office.token(office.admin);
    let ticket = write_messages(&server, &token).await?;
    check_aim(&server, &admin, &token, attacker, ticket).await?;
    let users = Users::start(&server, &office, USERS).await?;

    let mut verdict = LoadReport::default();
    let mut stage = Stage { office: &office, server: &server, verdict: &mut verdict };
    let begin = Instant::now();
    let end = begin + Duration::from_mins(1) * minutes;
    let mut attacks = JoinSet::new();
    for number in 0..AMPLIFYING {
        let (token, address) = (token.clone(), server.address);
        attacks.spawn(repeat(address, end, PAUSE, move |round| {
            request(Method::GET, &amplifying_path(number + round), Some(&token), Bytes::new())
        }));
    }
    attacks.spawn(repeat(server.address, end, LONG_PAUSE, move |_| template(&admin, HTML_DEPTH)));
    let oversized = token.clone();
    attacks.spawn(repeat(server.address, end, LONG_PAUSE, move |_| {
        let path = format!("/rest/v1/documents?select=id&name=eq.{}", "x".repeat(60_000));
        request(Method::GET, &path, Some(&oversized), Bytes::new())
    }));
    for number in 0..SLOW_UPLOADS {
        let head = slow_upload(&upload_path(attacker, ticket, number), &token);
        attacks.spawn(write_slowly(server.address, head, end));
    }
    for _ in 0..SLOW_HEADERS {
        attacks.spawn(write_slowly(server.address, "GET /health HTTP/1.1\r\nx-a: ".into(), end));
    }
    for _ in 0..SLOW_READERS {
        let list = format!(
            "GET /rest/v1/ticket_messages?select=* HTTP/1.1\r\nhost: localhost\r\n\
             authorization: Bearer {token}\r\n\r\n"
        );
        attacks.spawn(never_read(server.address, list, end));
    }
    let scene = async {
        let mut wrong = Vec::new();
        while let Some(failures) = attacks.join_next().await {
            wrong.extend(failures??);
        }
        Ok(wrong)
    };
    let (wrong, observed) = watch(&server, scene).await?;

    stage.verdict.scene("Attack while users are active");
    stage.verdict.add("minutes", f64::from(minutes), "", Bound::Nothing);
    stage.record_users(&users, begin);
    stage.verdict.memory("most memory", observed.peak, Bound::AtMost(MAX_ATTACK_MEMORY));
    stage.verdict.time("slowest /health", observed.health, Bound::AtMost(MAX_HEALTH_MS));
    stage.verdict.count("/health not answered", observed.health_failures, Bound::AtMost(0.0));
    stage.verdict.count("attacks with a wrong answer", wrong.len(), Bound::AtMost(0.0));
    for why in wrong.iter().take(5) {
        println!("    {why}");
    }
    users.stop().await?;
    verdict.write(output)
}

/// Creates a ticket of the attacker with long messages, and returns its id.
async fn write_messages(server: &Server, token: &str) -> Outcome<Uuid> {
    let mut line = Connection::new(server.address);
    let ticket = json!({
        "subject": "Muitas mensagens", "message": "A primeira mensagem deste ticket.",
        "category": "support", "priority": "normal",
    });
    let send = |method, path: &str, body: String| request(method, path, Some(token), body.into());
    success(line.ask(send(Method::POST, "/rest/v1/tickets", ticket.to_string())).await?)?;
    let newest = "/rest/v1/tickets?select=id&order=created_at.desc&limit=1";
    let found = success(line.ask(send(Method::GET, newest, String::new())).await?)?;
    let found: Value = serde_json::from_slice(&found.body)?;
    let id: Uuid = found[0]["id"].as_str().ok_or("no ticket")?.parse()?;
    for number in 0..MESSAGES {
        let body = format!("{number} {}", "m".repeat(MESSAGE_LENGTH - 10));
        let message = json!({"ticket_id": id, "body": body}).to_string();
        success(line.ask(send(Method::POST, "/rest/v1/ticket_messages", message)).await?)?;
    }
    Ok(id)
}

/// Checks that the requests of the attack are accepted at an ordinary size. A refusal for another reason than their size
/// or speed would attack nothing.
async fn check_aim(
    server: &Server,
    admin: &str,
    token: &str,
    client: Uuid,
    ticket: Uuid,
) -> Outcome<()> {
    let mut line = Connection::new(server.address);
    success(line.ask(template(admin, 1)).await?)?;
    let path = upload_path(client, ticket, SLOW_UPLOADS);
    let file = Bytes::from_static(b"%PDF-1.7\n");
    success(line.ask(request(Method::POST, &path, Some(token), file)).await?)?;
    Ok(())
}

fn success(answer: Answer) -> Outcome<Answer> {
    if answer.is_success() { Ok(answer) } else { Err(describe(&answer).into()) }
}

/// A request whose answer would be many times the data that it reads.
fn amplifying_path(number: usize) -> String {
    let aliases: Vec<String> = (0..ALIASES).map(|column| format!("c{column}:body")).collect();
    let aliases = aliases.join(",");
    match number % 4 {
        0 => format!("/rest/v1/ticket_messages?select=tickets(ticket_messages({aliases}))"),
        1 => format!("/rest/v1/ticket_messages?select={aliases}"),
        2 => "/rest/v1/ticket_messages?select=*,tickets(*,ticket_messages(*,tickets(*,ticket_messages(*))))".to_owned(),
        _ => "/rest/v1/documents?select=*,folders(*,documents(*))&limit=1000000".to_owned(),
    }
}

/// A template with nested elements. Deep ones are expensive to clean.
fn template(token: &str, depth: usize) -> Request {
    let template = json!({
        "name": "Ataque", "subject": "Ataque", "event_trigger": "fatura_new",
        "html_content": "<div>".repeat(depth),
    });
    let path = "/rest/v1/email_templates";
    request(Method::POST, path, Some(token), template.to_string().into())
}

/// The path of an attachment of the attacker's ticket.
fn upload_path(client: Uuid, ticket: Uuid, number: usize) -> String {
    format!("/storage/v1/object/ticket-attachments/{client}/{ticket}/{number}-lento.pdf")
}

fn slow_upload(path: &str, token: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\
         content-type: application/pdf\r\ncontent-length: 5000000\r\n\r\n%PDF-1.7\n"
    )
}

/// Sends requests until `end`. Returns the answers that were neither a small success nor an orderly refusal.
async fn repeat(
    address: SocketAddr,
    end: Instant,
    pause: Duration,
    next_request: impl Fn(usize) -> Request,
) -> Outcome<Vec<String>> {
    let mut line = Connection::from(ATTACKER, address);
    let mut wrong = Vec::new();
    for round in 0.. {
        if Instant::now() >= end {
            break;
        }
        match line.ask(next_request(round)).await {
            Ok(answer) if answer.is_success() && answer.body.len() <= MAX_ANSWER => {}
            Ok(answer) if (400..500).contains(&answer.status) || answer.is_orderly_refusal() => {}
            Ok(answer) => wrong.push(describe(&answer)),
            // The server may close the connection of an oversized request.
            Err(_) => {}
        }
        sleep(pause).await;
    }
    Ok(wrong)
}

/// Keeps connections open on which a few bytes arrive every second.
async fn write_slowly(address: SocketAddr, head: String, end: Instant) -> Outcome<Vec<String>> {
    while Instant::now() < end {
        if let Ok(mut line) = connect(address).await
            && line.write_all(head.as_bytes()).await.is_ok()
        {
            while Instant::now() < end && line.write_all(&[b'x'; SLOW_BYTES]).await.is_ok() {
                sleep(SLOW_INTERVAL).await;
            }
        }
        sleep(SLOW_INTERVAL).await;
    }
    Ok(Vec::new())
}

/// Keeps connections open whose answers are not read.
async fn never_read(address: SocketAddr, request: String, end: Instant) -> Outcome<Vec<String>> {
    while Instant::now() < end {
        if let Ok(mut line) = connect(address).await
            && line.write_all(request.as_bytes()).await.is_ok()
        {
            let rest = end.saturating_duration_since(Instant::now()).min(READER_TIMEOUT);
            // The peer's end is visible without reading.
            drop(timeout(rest, line.ready(tokio::io::Interest::ERROR)).await);
        }
        sleep(SLOW_INTERVAL).await;
    }
    Ok(Vec::new())
}

async fn connect(address: SocketAddr) -> Outcome<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.set_recv_buffer_size(RECEIVE_BUFFER)?;
    socket.bind(SocketAddr::new(ATTACKER, 0))?;
    Ok(socket.connect(address).await?)
}
