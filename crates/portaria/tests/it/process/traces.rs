//! Traces reach a collector and contain no personal data. Without the setting nothing is sent (`egress.rs`).

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use crate::harness::portal_test;
use crate::process::{
    Start,
    log_privacy::{MARK, Traffic, live},
    wait_until,
};

/// An OpenTelemetry collector that keeps the bodies of all requests.
struct Collector {
    address: SocketAddr,
    received: Arc<Mutex<Vec<u8>>>,
}

impl Collector {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let received = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&received);
        thread::spawn(move || {
            for connection in listener.incoming() {
                let kept = Arc::clone(&kept);
                thread::spawn(move || answer(connection.unwrap(), &kept));
            }
        });
        Self { address, received }
    }

    fn contains(&self, text: &str) -> bool {
        let received = self.received.lock().unwrap();
        received.windows(text.len()).any(|part| part == text.as_bytes())
    }
}

/// Answers each request of a connection with an empty body.
fn answer(mut connection: TcpStream, received: &Mutex<Vec<u8>>) {
    let mut bytes = Vec::new();
    let mut part = [0; 16 * 1024];
    while let Ok(count @ 1..) = connection.read(&mut part) {
        bytes.extend_from_slice(&part[..count]);
        let Some(end) = bytes.windows(4).position(|part| part == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
        assert!(head.starts_with("post /v1/traces http/1.1"), "{head}");
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
        let total = end + 4 + length.parse::<usize>().unwrap();
        if bytes.len() >= total {
            received.lock().unwrap().extend_from_slice(&bytes[end + 4..total]);
            bytes.drain(..total);
            connection.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").unwrap();
        }
    }
}

portal_test!(traces_contain_the_requests_without_personal_data, async |portal| {
    let collector = Collector::start();
    let program = Start::over(portal)
        .with("PORTARIA_TRACES_URL", &format!("http://{}", collector.address))
        .serve()
        .await;
    let mut traffic = Traffic::over(&program);
    live(&mut traffic).await;
    let Traffic { ids, secrets, .. } = traffic;
    let last = ids.last().unwrap();
    wait_until("the last request arrives", async || collector.contains(last)).await;
    for text in
        ["POST /auth/v1/token", "GET /rest/v1/tickets", "/auth/v1/admin/users/{id}", "transaction"]
    {
        assert!(collector.contains(text), "{text}");
    }
    assert!(ids.iter().all(|id| collector.contains(id)), "some requests have no trace");
    for mark in [MARK, &MARK.to_uppercase(), "cliente.com.br", "eyJ"] {
        assert!(!collector.contains(mark), "{mark} occurs in the traces");
    }
    assert!(!secrets.iter().any(|secret| collector.contains(secret)), "a secret occurs");
});

portal_test!(requests_are_answered_without_the_collector, async |portal| {
    let program =
        Start::over(portal).with("PORTARIA_TRACES_URL", "http://127.0.0.1:1").serve().await;
    assert_eq!(program.get("/health").await.status, 200);
});
