//! Slow and greedy connections: senders and readers below the minimum rate are disconnected, and neither one person nor
//! one address holds all uploads or all connections.

use std::time::Duration;

use axum::body::{Body, Bytes};
use futures_util::{StreamExt, stream};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
    task::{JoinHandle, yield_now},
    time::{interval, timeout},
};

use crate::harness::{
    PDF, TestPortal, object, portal_test,
    request::{Answer, Request},
    served::{Served, serve},
};
use crate::storage::{
    bucket,
    tus::{begin, offset, tus},
};

/// Timeout for anything in these tests, on a busy machine.
const LONG: Duration = Duration::from_secs(20);
/// Interval between two pieces of a slow body.
const PAUSE: Duration = Duration::from_millis(50);

/// Requires one KiB per second of all clients, measured over a second.
fn require_one_kib_per_second(portal: &mut TestPortal) {
    portal.set("min_transfer_rate", "1 KiB");
    portal.set("transfer_window", "1s");
}

/// A PDF of `size` bytes.
fn pdf(size: usize) -> Vec<u8> {
    let mut bytes = PDF.to_vec();
    bytes.resize(size, b' ');
    bytes
}

/// The head of a request with the service key and a body of `length` bytes.
fn head(portal: &TestPortal, method: &str, path: &str, kind: &str, length: usize) -> String {
    let keys = &portal.app.keys;
    format!(
        "{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\napikey: {}\r\nauthorization: Bearer {}\r\n\
         content-type: {kind}\r\ncontent-length: {length}\r\n",
        keys.anon, keys.service_role
    )
}

/// Sends a head, then the body in pieces with a pause between them, until the server answers. Returns the answer.
async fn trickle(served: &Served, head: &str, body: &[u8], piece: usize) -> String {
    let (mut reader, mut writer) = served.connect().await.into_split();
    writer.write_all(format!("{head}\r\n").as_bytes()).await.unwrap();
    let send = async {
        let mut pauses = interval(PAUSE);
        for bytes in body.chunks(piece) {
            pauses.tick().await;
            if writer.write_all(bytes).await.is_err() {
                break;
            }
        }
        std::future::pending::<()>().await;
    };
    let read = async {
        let mut answer = Vec::new();
        // A reset after the response is no failure.
        drop(timeout(LONG, reader.read_to_end(&mut answer)).await.expect("the server answers"));
        String::from_utf8_lossy(&answer).into_owned()
    };
    tokio::select! {
        () = send => unreachable!(),
        answer = read => answer,
    }
}

portal_test!(slow_upload_is_ended_and_a_steady_one_is_stored, async |portal| {
    require_one_kib_per_second(portal);
    portal.set("uploads_at_once", "1");
    let joao = portal.client("joao").await;
    let served = serve(portal);
    let path = |name: &str| object(&format!("public/{}/contratos/{name}", joao.id));
    // 200 bytes per second.
    let slow = head(portal, "POST", &path("a.pdf"), "application/pdf", 100_000);
    let answer = trickle(&served, &slow, &pdf(100_000), 10).await;
    assert!(answer.contains("The upload was cut off"), "{answer}");
    // 40 kB per second, for several windows. The slot of the slow upload is free again.
    let steady = head(portal, "POST", &path("b.pdf"), "application/pdf", 100_000);
    let answer = trickle(&served, &steady, &pdf(100_000), 2_000).await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
});

portal_test!(body_has_a_total_time, async |portal| {
    portal.set("max_body_time", "1s");
    let joao = portal.client("joao").await;
    let served = serve(portal);
    let path = object(&format!("public/{}/contratos/a.pdf", joao.id));
    let head = head(portal, "POST", &path, "application/pdf", 1_000_000);
    let answer = trickle(&served, &head, &pdf(1_000_000), 4_000).await;
    assert!(answer.contains("The upload was cut off"), "{answer}");
});

portal_test!(slow_json_body_is_ended, async |portal| {
    require_one_kib_per_second(portal);
    let served = serve(portal);
    for path in ["/rest/v1/tickets", "/storage/v1/object/list/client-documents"] {
        let head = head(portal, "POST", path, "application/json", 10_000);
        let answer = trickle(&served, &head, &[b' '; 10_000], 10).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{path}: {answer}");
    }
});

portal_test!(slow_tus_chunk_is_ended_and_its_bytes_are_kept, async |portal| {
    require_one_kib_per_second(portal);
    bucket(portal, "files", serde_json::json!({})).await;
    let upload = begin(portal, "files", "a.txt", 100_000).await;
    let served = serve(portal);
    let head = head(portal, "PATCH", &upload, "application/offset+octet-stream", 100_000);
    let head = format!("{head}tus-resumable: 1.0.0\r\nupload-offset: 0\r\n");
    let answer = trickle(&served, &head, &vec![b'x'; 100_000], 10).await;
    assert!(answer.contains("The upload was cut off"), "{answer}");
    let kept: usize = offset(portal, &upload).await.parse().unwrap();
    assert!((1..5_000).contains(&kept), "{kept}");
    tus(portal, "DELETE", &upload).send().await.is(204);
});

/// An upload whose body never ends, until it is aborted.
struct HeldUpload(JoinHandle<Answer>);

impl Drop for HeldUpload {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Sends an upload that holds its slot, and waits until it has it.
async fn hold(portal: &TestPortal, request: Request) -> HeldUpload {
    let free = portal.app.upload_permits.available_permits();
    let first = stream::once(async { Ok::<_, std::io::Error>(Bytes::from_static(PDF)) });
    let body = Body::from_stream(first.chain(stream::pending()));
    let task = tokio::spawn(request.body("application/pdf", body).send());
    let taken = async {
        while portal.app.upload_permits.available_permits() == free {
            assert!(!task.is_finished(), "the upload is refused");
            yield_now().await;
        }
    };
    timeout(LONG, taken).await.expect("the upload has a slot");
    HeldUpload(task)
}

portal_test!(person_and_address_hold_a_share_of_the_uploads, async |portal| {
    portal.set("uploads_at_once", "16");
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let upload = |name: &str, address: &str| {
        let path = object(&format!("public/{}/contratos/{name}.pdf", joao.id));
        portal.post(&path).from(address)
    };
    let service = &portal.app.keys.service_role;
    // A person holds an eighth of the slots, from any address.
    let _one = hold(portal, upload("1", "203.0.113.1").auth(&ana)).await;
    let _two = hold(portal, upload("2", "203.0.113.2").auth(&ana)).await;
    let more = upload("3", "203.0.113.3").auth(&ana).bytes("application/pdf", PDF).send().await;
    assert_eq!(more.status, 503, "{more:?}");
    assert_eq!(more.header("retry-after"), "1");
    assert_eq!(more.json()["code"], "ServerBusy");
    // An address holds a quarter, for all its senders together.
    let mut held = Vec::new();
    for number in 3..6 {
        held.push(hold(portal, upload(&number.to_string(), "203.0.113.1").bearer(service)).await);
    }
    let more = upload("6", "203.0.113.1").bearer(service).bytes("application/pdf", PDF);
    assert_eq!(more.send().await.status, 503);
    // Resumable uploads share the slots.
    let create = crate::storage::tus::create(portal, "client-documents", "a.pdf", PDF.len());
    assert_ne!(create.from("203.0.113.1").send().await.status, 503, "creation needs no slot");
    bucket(portal, "files", serde_json::json!({})).await;
    let resumable = begin(portal, "files", "a.txt", PDF.len()).await;
    let piece =
        |address: &str| crate::storage::tus::piece(portal, &resumable, 0, PDF).from(address).send();
    assert_eq!(piece("203.0.113.1").await.status, 503);
    piece("203.0.113.9").await.is(204);
    // Others are served.
    let other = upload("7", "203.0.113.9").bearer(service).bytes("application/pdf", PDF);
    other.send().await.is(200);
});

/// Whether the server answers on this connection. `false` if it closes it.
async fn is_served(socket: &mut TcpStream) -> bool {
    drop(socket.write_all(b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n").await);
    let mut answer = [0; 12];
    let read = timeout(LONG, socket.read_exact(&mut answer)).await.expect("the server decides");
    read.is_ok() && answer.starts_with(b"HTTP/1.1 200")
}

portal_test!(address_holds_a_limited_number_of_connections, async |portal| {
    portal.set("connections_per_address", "3");
    let served = serve(portal);
    let mut held = Vec::new();
    for _ in 0..3 {
        let mut socket = served.connect().await;
        assert!(is_served(&mut socket).await);
        held.push(socket);
    }
    assert!(!is_served(&mut served.connect().await).await);
    held.pop();
    let freed = async {
        while !is_served(&mut served.connect().await).await {
            yield_now().await;
        }
    };
    timeout(LONG, freed).await.expect("a closed connection frees its place");
});

portal_test!(requests_behind_a_proxy_count_for_their_address, async |portal| {
    portal.set("trusted_proxies", "10.0.0.1");
    portal.set("connections_per_address", "2");
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let behind = |request: Request, address: &str| {
        request.from("10.0.0.1").header("x-forwarded-for", address)
    };
    let mut held = Vec::new();
    for name in ["1", "2"] {
        let path = object(&format!("public/{}/contratos/{name}.pdf", joao.id));
        held.push(hold(portal, behind(portal.post(&path).auth(&ana), "203.0.113.1")).await);
    }
    let folders = |address: &str| behind(portal.get("/rest/v1/folders").auth(&joao), address);
    let refused = folders("203.0.113.1").send().await.refused(503, "too_many_connections");
    assert_eq!(refused.header("retry-after"), "1");
    folders("203.0.113.2").send().await.is(200);
    portal.get("/rest/v1/folders").auth(&joao).from("10.0.0.1").send().await.is(200);
});

/// Requests a path on a connection with a small receive buffer.
async fn request_with_small_buffer(portal: &TestPortal, served: &Served, path: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut socket = socket.connect(served.address).await.unwrap();
    let head = head(portal, "GET", path, "application/json", 0);
    socket.write_all(format!("{head}\r\n").as_bytes()).await.unwrap();
    socket
}

/// Waits until a number of downloads are in progress.
async fn wait_for_downloads(portal: &TestPortal, count: usize) {
    let reached = async {
        while portal.app.downloads.count() != count {
            yield_now().await;
        }
    };
    timeout(LONG, reached).await.unwrap_or_else(|_| panic!("there are not {count} downloads"));
}

portal_test!(slow_reader_is_disconnected, async |portal| {
    portal.set("min_transfer_rate", "256 KiB");
    portal.set("transfer_window", "1s");
    let joao = portal.client("joao").await;
    let path = object(&format!("public/{}/contratos/a.pdf", joao.id));
    let service = portal.app.keys.service_role.clone();
    let upload = portal.post(&path).bearer(&service).bytes("application/pdf", pdf(8_000_000));
    upload.send().await.is(200);
    let served = serve(portal);
    // One client reads nothing, the other 20 kB per second.
    let _idle = request_with_small_buffer(portal, &served, &path).await;
    let mut slow = request_with_small_buffer(portal, &served, &path).await;
    wait_for_downloads(portal, 2).await;
    let read = async {
        let mut pauses = interval(PAUSE);
        let mut bytes = [0; 1_000];
        while let Ok(1..) = slow.read(&mut bytes).await {
            pauses.tick().await;
        }
    };
    tokio::select! {
        () = read => wait_for_downloads(portal, 0).await,
        () = wait_for_downloads(portal, 0) => {}
    }
    // A client that reads receives all of it.
    let mut fast = request_with_small_buffer(portal, &served, &path).await;
    let mut answer = Vec::new();
    timeout(LONG, fast.read_to_end(&mut answer)).await.expect("the file arrives").unwrap();
    assert!(answer.len() > 8_000_000, "{}", answer.len());
});
