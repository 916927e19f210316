//! Behavior while PostgreSQL is down, silent or restarting: requests fail with a retryable error, and succeed soon
//! after it returns.

use std::{
    net::{SocketAddr, ToSocketAddrs},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use futures_util::future::join_all;
use rcgen::{CertificateParams, KeyPair};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional},
    net::{TcpListener, TcpStream},
    time::timeout,
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        pki_types::{CertificateDer, PrivatePkcs8KeyDer},
    },
};

use crate::harness::{
    TestPortal, TestUser, execute, run_on_postgres,
    served::serve,
    tcp_proxy::{Behavior, TcpProxy},
    wait::wait_until,
};
use crate::realtime::socket::Socket;

/// The address of the server, and the parts before and after it in `database_url`.
fn server(portal: &TestPortal) -> (String, SocketAddr, String) {
    let url = portal.database_url();
    let (user, rest) = url.rsplit_once('@').expect("postgres://user@host/database");
    let (address, database) = rest.split_once('/').expect("the URL contains a database name");
    let address = address.to_socket_addrs().unwrap().next().unwrap();
    (user.to_owned(), address, database.to_owned())
}

/// Moves the portal behind a proxy.
pub(crate) fn insert_proxy(portal: &mut TestPortal) -> TcpProxy {
    let (user, address, database) = server(portal);
    let proxy = TcpProxy::to(address);
    let url = format!("{user}@{}/{database}", proxy.address);
    portal.set("database_url", &url);
    proxy
}

/// Sends one client request per API and returns the outcomes.
async fn request_every_api(portal: &TestPortal, joao: &TestUser) -> Vec<u16> {
    let ticket = json!({"subject": "Dúvida", "message": "Uma mensagem longa o bastante."});
    let mut answers = Vec::new();
    for request in [
        portal.get("/rest/v1/folders").auth(joao),
        portal.post("/rest/v1/tickets").auth(joao).json(&ticket),
        portal
            .post("/storage/v1/object/list/client-documents")
            .auth(joao)
            .json(&json!({"prefix": ""})),
        portal
            .post("/auth/v1/token?grant_type=refresh_token")
            .json(&json!({"refresh_token": joao.refresh_token})),
        portal.get("/auth/v1/user").auth(joao),
        portal.get("/ready"),
    ] {
        let answer = request.send().await;
        let status = answer.status.as_u16();
        assert!(status != 503 || !answer.header("retry-after").is_empty(), "{answer:?}");
        answers.push(status);
    }
    portal.get("/health").send().await.is(200);
    answers
}

async fn check_server_down_is_retryable(portal: &mut TestPortal) {
    let joao = portal.client("joao").await;
    let proxy = insert_proxy(portal);
    assert_eq!(request_every_api(portal, &joao).await, [200, 201, 200, 200, 200, 200]);
    proxy.set(Behavior::Disconnect);
    assert_eq!(request_every_api(portal, &joao).await, [503; 6]);
    proxy.set(Behavior::Forward);
    assert_eq!(request_every_api(portal, &joao).await, [200, 201, 200, 200, 200, 200]);
}

#[test]
fn server_down_is_retryable() {
    run_on_postgres(check_server_down_is_retryable);
}

async fn check_silent_server_times_out(portal: &mut TestPortal) {
    let joao = portal.client("joao").await;
    let proxy = insert_proxy(portal);
    portal.get("/rest/v1/folders").auth(&joao).send().await.is(200);
    proxy.set(Behavior::Silent);
    let begun = Instant::now();
    // More requests than connections: those that wait for a connection time out too.
    let asked = join_all((0..64).map(|_| portal.get("/rest/v1/folders").auth(&joao).send())).await;
    assert!(asked.iter().all(|answer| answer.status == 503), "{asked:?}");
    assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
    proxy.set(Behavior::Forward);
    let begun = Instant::now();
    while portal.get("/rest/v1/folders").auth(&joao).send().await.status != 200 {
        assert!(begun.elapsed() < Duration::from_secs(5));
    }
}

#[test]
fn silent_server_times_out() {
    run_on_postgres(check_silent_server_times_out);
}

async fn check_silent_server_delays_a_write_once(portal: &mut TestPortal) {
    let joao = portal.client("joao").await;
    let proxy = insert_proxy(portal);
    let ticket = json!({"subject": "Dúvida", "message": "Uma mensagem longa o bastante."});
    let write = || portal.post("/rest/v1/tickets").auth(&joao).json(&ticket).send();
    write().await.is(201);
    proxy.set(Behavior::Silent);
    let begun = Instant::now();
    // One request uses the established connection. It waits for the write timeout once, and not again for the rollback.
    let asked = join_all((0..16).map(|_| write())).await;
    assert!(asked.iter().all(|answer| answer.status == 503), "{asked:?}");
    let took = begun.elapsed();
    assert!((25..50).contains(&took.as_secs()), "{took:?}");
    proxy.set(Behavior::Forward);
    let begun = Instant::now();
    while write().await.status != 201 {
        assert!(begun.elapsed() < Duration::from_secs(5));
    }
}

#[test]
fn silent_server_delays_a_write_once() {
    run_on_postgres(check_silent_server_delays_a_write_once);
}

async fn check_closed_connections_are_reopened(portal: &mut TestPortal) {
    let joao = portal.client("joao").await;
    for _ in 0..3 {
        request_every_api(portal, &joao).await;
        let (_, _, database) = server(portal);
        let end = format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database}'"
        );
        // The connection runs on its own task, because the thread of the test must not block.
        thread::spawn(move || execute(&end)).join().unwrap();
        let begun = Instant::now();
        // Some connections notice the closure only when they are used.
        while request_every_api(portal, &joao).await != [200, 201, 200, 200, 200, 200] {
            assert!(begun.elapsed() < Duration::from_secs(5));
        }
    }
}

#[test]
fn closed_connections_are_reopened() {
    run_on_postgres(check_closed_connections_are_reopened);
}

/// A server that crashes loses commits that are not on the disk. A connection that was opened after a transaction began
/// may be one to the restarted server, so it does not confirm the transaction.
async fn check_only_an_older_connection_confirms_a_commit(portal: &mut TestPortal) {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let (_, _, database) = server(portal);
    let proxy = insert_proxy(portal);
    let write = |client: &TestUser, subject| {
        let ticket = json!({"subject": subject, "message": "Uma mensagem longa o bastante."});
        portal.post("/rest/v1/tickets").auth(client).json(&ticket).send()
    };
    write(&joao, "Primeira").await.is(201);

    proxy.set(Behavior::HoldMatching("Segunda"));
    let lose_the_confirming_connection = async {
        proxy.held().await;
        let end = format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
             WHERE datname = '{database}' AND query LIKE '%pg_logical_emit_message%' AND pid <> pg_backend_pid()"
        );
        thread::spawn(move || execute(&end)).join().unwrap();
        // Another connection replaces it for the next transaction.
        let replaced = async || write(&maria, "Outra").await.status == 201;
        wait_until(Duration::from_secs(30), "another connection commits", replaced).await;
        proxy.set(Behavior::Forward);
    };
    let (answer, ()) = tokio::join!(write(&joao, "Segunda"), lose_the_confirming_connection);
    answer.is(503);
    write(&joao, "Terceira").await.is(201);
}

#[test]
fn only_an_older_connection_confirms_a_commit() {
    run_on_postgres(check_only_an_older_connection_confirms_a_commit);
}

/// A server that falls silent cannot end sessions: their channels end, and none opens until changes arrive again.
async fn check_silent_server_ends_channels(portal: &mut TestPortal) {
    let joao = portal.client("joao").await;
    let proxy = insert_proxy(portal);
    let served = serve(portal);
    let mut socket = Socket::open(served.address, &portal.app.keys.anon).await;
    socket.listen("realtime:a", &joao.token, "tickets").await;
    proxy.set(Behavior::Silent);
    let ends = async { while socket.next().await.unwrap().event != "phx_error" {} };
    timeout(Duration::from_secs(10), ends).await.unwrap();
    let changes = || json!([{"event": "*", "schema": "public", "table": "tickets"}]);
    let reply = socket.join("realtime:a", &joao.token, changes()).await;
    assert_eq!(reply["response"]["reason"], "the server is busy");
    proxy.set(Behavior::Forward);
    // Some connections notice the end of the silence only when they are used. One that reads changed rows ends the
    // channels once more, and their clients join again.
    let change = loop {
        wait_until(Duration::from_mins(1), "an open channel", async || {
            socket.join("realtime:a", &joao.token, changes()).await["status"] == "ok"
        })
        .await;
        wait_until(Duration::from_mins(1), "a ticket", async || {
            let ticket = json!({"subject": "Dúvida", "message": "Uma mensagem longa o bastante."});
            let request = portal.post("/rest/v1/tickets").auth(&joao).json(&ticket);
            request.send().await.status == 201
        })
        .await;
        let mut frame = socket.next().await.unwrap();
        while !["postgres_changes", "phx_error"].contains(&&*frame.event) {
            frame = socket.next().await.unwrap();
        }
        if frame.event == "postgres_changes" {
            break frame.payload["data"].clone();
        }
    };
    assert_eq!(change["record"]["subject"], "Dúvida");
}

#[test]
fn silent_server_ends_channels() {
    run_on_postgres(check_silent_server_ends_channels);
}

/// A TLS front end for a PostgreSQL server without TLS.
async fn speak_tls(listener: TcpListener, server: SocketAddr, acceptor: TlsAcceptor) {
    loop {
        let (mut client, _) = listener.accept().await.unwrap();
        let acceptor = acceptor.clone();
        tokio::spawn(async move {
            // The SSLRequest message: its length and the code 80877103.
            let mut asked = [0; 8];
            client.read_exact(&mut asked).await.unwrap();
            if asked[4..] != 80_877_103_u32.to_be_bytes() {
                return;
            }
            client.write_all(b"S").await.unwrap();
            if let Ok(mut client) = acceptor.accept(client).await {
                let mut server = TcpStream::connect(server).await.unwrap();
                drop(copy_bidirectional(&mut client, &mut server).await);
            }
        });
    }
}

async fn check_tls_verifies_the_server_certificate(portal: &mut TestPortal) {
    let (user, address, database) = server(portal);
    let key = KeyPair::generate().unwrap();
    let certificate =
        CertificateParams::new(["localhost".to_owned()]).unwrap().self_signed(&key).unwrap();
    let config = ServerConfig::builder().with_no_client_auth().with_single_cert(
        vec![CertificateDer::from(certificate.der().to_vec())],
        PrivatePkcs8KeyDer::from(key.serialize_der()).into(),
    );
    let acceptor = TlsAcceptor::from(Arc::new(config.unwrap()));
    // On its own thread, because opening the portal runs the migrations first.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::from_std(listener).unwrap();
            speak_tls(listener, address, acceptor).await;
        });
    });
    let authorities = portal.folder("authorities.pem");
    std::fs::write(&authorities, certificate.pem()).unwrap();

    portal.set("database_ca", authorities.to_str().unwrap());
    portal.set("database_url", &format!("{user}@localhost:{port}/{database}?sslmode=verify-full"));
    let joao = portal.client("joao").await;
    portal.get("/rest/v1/folders").auth(&joao).send().await.is(200);
    // A certificate of another authority is rejected, and so is this certificate for another name.
    let why = format!("{:#}", portal.try_set("database_ca", "").unwrap_err());
    assert!(why.contains("certificate"), "{why}");
    portal.set("database_ca", authorities.to_str().unwrap());
    let url = format!("{user}@127.0.0.1:{port}/{database}?sslmode=verify-full");
    let why = format!("{:#}", portal.try_set("database_url", &url).unwrap_err());
    assert!(why.contains("certificate"), "{why}");
}

#[test]
fn tls_verifies_the_server_certificate() {
    run_on_postgres(check_tls_verifies_the_server_certificate);
}
