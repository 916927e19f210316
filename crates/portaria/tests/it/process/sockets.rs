//! Malformed and slow input on sockets.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use portaria::{http, security::keys::Keys};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::harness::{PROCESSORS, SECRET};
use crate::process::{LONG, Program, Start, exchange};

async fn say(program: &Program, text: &str) -> String {
    exchange(program.connect().await, text.as_bytes()).await
}

/// The number of requests that the server recognized.
fn answers(text: &str) -> usize {
    text.matches("HTTP/1.1 ").count()
}

#[tokio::test]
async fn ambiguous_request_is_rejected() {
    let _processors = PROCESSORS.read().await;
    let program = Start::new().serve().await;
    let chunked = "transfer-encoding: chunked\r\n";
    let hidden = "0\r\n\r\nGET /config.json HTTP/1.1\r\nhost: x\r\n\r\n";
    for headers in [
        "content-length: 4\r\ncontent-length: 5\r\n".to_owned(),
        "content-length: 4, 5\r\n".to_owned(),
        "content-length: +4\r\n".to_owned(),
        "transfer-encoding: identity\r\n".to_owned(),
        "transfer-encoding: chunked, gzip\r\n".to_owned(),
        "transfer-encoding: xchunked\r\n".to_owned(),
        "transfer-encoding : chunked\r\n".to_owned(),
        "x: a\r\n b\r\n".to_owned(),
        "x\u{0}y: a\r\n".to_owned(),
        "x: a\u{0}b\r\n".to_owned(),
    ] {
        let request = format!("POST /auth/v1/token HTTP/1.1\r\nhost: x\r\n{headers}\r\n{hidden}");
        let answer = say(&program, &request).await;
        assert!(answer.starts_with("HTTP/1.1 400 "), "{headers:?}: {answer}");
        assert_eq!(answers(&answer), 1, "{headers:?}: {answer}");
        assert!(!answer.contains("anon_key"), "{headers:?}: {answer}");
    }
    // With both Content-Length and Transfer-Encoding the chunks count and the connection closes (RFC 9112, section
    // 6.1), so the smuggled request is never read. Read by its length this body would be invalid JSON.
    let keys = Keys::from_secret(SECRET);
    let body = r#"{"email": "ninguem@cliente.com.br", "password": "x"}"#;
    let (pieces, length) = (format!("{:x}\r\n{body}\r\n", body.len()), "content-length: 7\r\n");
    let ask = async |headers: &str| {
        let request = format!(
            "POST /auth/v1/token?grant_type=password HTTP/1.1\r\nhost: x\r\napikey: {}\r\n\
             content-type: application/json\r\n{headers}\r\n{pieces}{hidden}",
            keys.anon
        );
        say(&program, &request).await
    };
    for headers in [[chunked, length], [length, chunked]] {
        let answer = ask(&headers.concat()).await;
        assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
        assert!(answer.contains("\"invalid_credentials\""), "{answer}");
        assert_eq!(answers(&answer), 1, "{answer}");
        assert!(!answer.contains("anon_key"), "{answer}");
    }
}

#[tokio::test]
async fn request_requires_one_host_which_has_no_effect() {
    let _processors = PROCESSORS.read().await;
    let program = Start::new().serve().await;
    let get = async |hosts: &str| {
        say(&program, &format!("GET /health HTTP/1.1\r\nconnection: close\r\n{hosts}\r\n")).await
    };
    for hosts in ["", "host: a\r\nhost: b\r\n", "host: a\r\nhost: a\r\n"] {
        let answer = get(hosts).await;
        assert!(answer.starts_with("HTTP/1.1 400 "), "{hosts:?}: {answer}");
        assert!(answer.contains("x-content-type-options: nosniff"), "{answer}");
    }
    for host in ["evil.com", "", "127.0.0.1:1", "a b"] {
        let answer = get(&format!("host: {host}\r\n")).await;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{host}: {answer}");
        assert!(!answer.contains("evil"), "{answer}");
    }
}

#[tokio::test]
async fn excessive_headers_are_rejected() {
    let _processors = PROCESSORS.read().await;
    let program = Start::new().serve().await;
    let many = "x-a: a\r\n".repeat(1000);
    let long = format!("x: {}\r\n", "a".repeat(200_000));
    let longer_than_the_buffer = format!("x: {}\r\n", "a".repeat(100_000));
    let path = format!("/{}", "a".repeat(200_000));
    for request in [
        format!("GET /health HTTP/1.1\r\nhost: x\r\n{many}\r\n"),
        format!("GET /health HTTP/1.1\r\nhost: x\r\n{long}\r\n"),
        format!("GET /health HTTP/1.1\r\nhost: x\r\n{longer_than_the_buffer}\r\n"),
        format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n"),
    ] {
        let answer = say(&program, &request).await;
        let refused = ["HTTP/1.1 431 ", "HTTP/1.1 414 "];
        // A client that still sends when the connection closes may lose the response.
        let is_refused =
            answer.is_empty() || refused.iter().any(|status| answer.starts_with(status));
        assert!(is_refused, "{answer:?}");
    }
    assert_eq!(program.get("/health").await.status, 200);
}

/// Reads until the connection closes, and returns the time.
async fn closed(mut line: tokio::net::TcpStream, since: Instant) -> Duration {
    let mut rest = Vec::new();
    drop(timeout(LONG, line.read_to_end(&mut rest)).await.expect("the connection closes"));
    since.elapsed()
}

#[tokio::test]
async fn five_hundred_slow_senders_block_no_one_and_are_disconnected() {
    let _processors = PROCESSORS.read().await;
    let program = Start::new().with("PORTARIA_CONNECTIONS_PER_ADDRESS", "1000").serve().await;
    let descriptors =
        || std::fs::read_dir(format!("/proc/{}/fd", program.child.id())).unwrap().count();
    let before = descriptors();
    let since = Instant::now();
    let mut lines = Vec::new();
    for number in 0..500 {
        let mut line = program.connect().await;
        let begun: &[u8] = match number % 3 {
            0 => b"",
            1 => b"GET /health HTT",
            _ => b"GET /health HTTP/1.1\r\nhost: x\r\nx-a: ",
        };
        line.write_all(begun).await.unwrap();
        lines.push(line);
    }
    for _ in 0..20 {
        assert_eq!(program.get("/health").await.status, 200);
    }
    assert!(since.elapsed() < Duration::from_secs(15), "slow senders delayed another request");
    assert!(descriptors() >= before + 500);
    let times = join_all(lines.into_iter().map(|line| closed(line, since))).await;
    let last = times.into_iter().max().unwrap();
    assert!(last < Duration::from_secs(40), "{last:?}");
    crate::process::wait_until("the connections are closed", async || descriptors() < before + 50)
        .await;
}

#[tokio::test]
async fn stalled_body_is_disconnected() {
    let _processors = PROCESSORS.read().await;
    let program = Start::new().serve().await;
    let keys = Keys::from_secret(SECRET);
    let since = Instant::now();
    let waits = [
        ("/auth/v1/token?grant_type=password", "application/json"),
        ("/rest/v1/tickets", "application/json"),
        ("/storage/v1/object/client-documents/a.pdf", "application/pdf"),
        ("/storage/v1/object/list/client-documents", "application/json"),
    ]
    .map(async |(path, kind)| {
        let mut line = program.connect().await;
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: x\r\napikey: {}\r\nauthorization: Bearer {}\r\ncontent-type: {kind}\r\n\
             content-length: 1000\r\n\r\n{{",
            keys.anon, keys.service_role
        );
        line.write_all(head.as_bytes()).await.unwrap();
        (path, closed(line, since).await)
    });
    for (path, time) in join_all(waits).await {
        assert!(time < Duration::from_secs(50), "{path}: {time:?}");
    }
}

/// Python's HTTP client sends a body after the head, and uses the connection again.
#[tokio::test]
async fn connection_survives_a_body_that_no_handler_reads() {
    let _processors = PROCESSORS.read().await;
    let program = Start::new().serve().await;
    let mut line = program.connect().await;
    let head = format!(
        "POST /rest/v1/rpc/nenhuma HTTP/1.1\r\nhost: x\r\napikey: {}\r\ncontent-type: application/json\r\n\
         content-length: 2\r\n\r\n",
        Keys::from_secret(SECRET).anon
    );
    line.write_all(head.as_bytes()).await.unwrap();
    let early = timeout(Duration::from_millis(300), line.peek(&mut [0])).await;
    assert!(early.is_err(), "the response precedes the body");
    let next = b"{}GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    let text = exchange(line, next).await;
    assert_eq!(answers(&text), 2, "{text}");
}

#[tokio::test]
async fn connection_burst_fits_into_the_backlog() {
    let _processors = PROCESSORS.read().await;
    let allowed = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: allowed.maximum, ..allowed }).unwrap();
    let door = http::listen("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = door.local_addr().unwrap();
    let mut crowd = Vec::new();
    // The server does not accept connections yet.
    for _ in 0..2_000 {
        let knock = timeout(LONG, TcpStream::connect(address)).await;
        crowd.push(knock.expect("the backlog is full").unwrap());
    }
}
