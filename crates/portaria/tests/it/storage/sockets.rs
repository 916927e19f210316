//! Uploads over sockets: wrong content lengths and broken connections.

use std::time::Duration;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    task::yield_now,
    time::timeout,
};

use crate::harness::{
    PDF, TestPortal, TestUser, portal_test,
    served::{Served, serve},
};
use crate::storage::on_disk;

/// The head of an upload request with these headers.
fn head(portal: &TestPortal, user: &TestUser, name: &str, lengths: &[&str]) -> String {
    head_with(portal, user, name, lengths, "")
}

fn head_with(
    portal: &TestPortal,
    user: &TestUser,
    name: &str,
    lengths: &[&str],
    headers: &str,
) -> String {
    let lengths: Vec<_> =
        lengths.iter().map(|length| format!("content-length: {length}\r\n")).collect();
    let lengths = lengths.concat();
    format!(
        "POST /storage/v1/object/client-documents/public/{}/contratos/{name} HTTP/1.1\r\nhost: x\r\n\
         apikey: {}\r\nauthorization: Bearer {}\r\ncontent-type: application/pdf\r\n{headers}{lengths}\r\n",
        user.id, portal.app.keys.anon, portal.app.keys.service_role
    )
}

/// Sends bytes, optionally shuts down the write side, and reads until the connection closes.
async fn exchange(served: &Served, sent: &[u8], close: bool) -> String {
    let mut socket = served.connect().await;
    socket.write_all(sent).await.unwrap();
    if close {
        socket.shutdown().await.unwrap();
    }
    let mut answer = Vec::new();
    // A reset after the response is no failure.
    let read = timeout(Duration::from_secs(10), socket.read_to_end(&mut answer)).await;
    drop(read.expect("the connection closes"));
    String::from_utf8_lossy(&answer).into_owned()
}

/// Waits until the files of interrupted uploads are deleted.
async fn wait_until_no_files(portal: &TestPortal) {
    let cleared = async {
        while on_disk(portal) != (0, 0) {
            yield_now().await;
        }
    };
    timeout(Duration::from_secs(10), cleared).await.expect("no files remain on the disk");
}

portal_test!(wrong_content_length_leaves_nothing, async |portal| {
    let joao = portal.client("joao").await;
    let served = serve(portal);
    let send = async |lengths: &[&str], body: &[u8]| {
        let request = [head(portal, &joao, "a.pdf", lengths).as_bytes(), body].concat();
        exchange(&served, &request, true).await
    };
    for lengths in [&["-1"][..], &["1e3"], &["5", "6"], &["x"]] {
        let answer = send(lengths, PDF).await;
        assert!(answer.starts_with("HTTP/1.1 400"), "{lengths:?}: {answer}");
        wait_until_no_files(portal).await;
    }
    // More announced than sent.
    send(&["1000"], PDF).await;
    wait_until_no_files(portal).await;
    // Less announced: the rest is no request.
    let answer = send(&["3"], PDF).await;
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    wait_until_no_files(portal).await;
    // Much more than the server reads.
    let answer = send(&["100000000000"], b"").await;
    assert!(answer.contains("EntityTooLarge"), "{answer}");
    wait_until_no_files(portal).await;
});

portal_test!(client_that_sends_too_much_receives_the_error, async |portal| {
    portal.set("max_upload", "100000");
    let joao = portal.client("joao").await;
    let served = serve(portal);
    let body = vec![b' '; 3_000_000];
    let head = |headers: &str| head_with(portal, &joao, "a.pdf", &["3000000"], headers);
    let request = [head("connection: close\r\n").as_bytes(), &body].concat();
    let answer = exchange(&served, &request, false).await;
    assert!(answer.contains("\"statusCode\":\"413\""), "{answer}");
    wait_until_no_files(portal).await;
    // A client that sends `Expect: 100-continue` gets the error first and sends no body.
    let request = head("connection: close\r\nexpect: 100-continue\r\n");
    let answer = exchange(&served, request.as_bytes(), false).await;
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
});

portal_test!(refused_client_is_not_invited_to_send, async |portal| {
    let served = serve(portal);
    for length in ["transfer-encoding: chunked", "content-length: 1000"] {
        let request = format!(
            "POST /storage/v1/object/files/a%5Cb HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\
             expect: 100-continue\r\n{length}\r\n\r\n"
        );
        let answer = exchange(&served, request.as_bytes(), false).await;
        assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("InvalidKey"), "{answer}");
    }
});

portal_test!(client_sends_the_rest_of_a_refused_body, async |portal| {
    let served = serve(portal);
    let length = 5_000_000;
    for headers in ["", "connection: close\r\n"] {
        let mut socket = served.connect().await;
        let head = format!(
            "POST /storage/v1/object/files/a%5Cb HTTP/1.1\r\nhost: x\r\n{headers}content-length: {length}\r\n\r\n"
        );
        socket.write_all(head.as_bytes()).await.unwrap();
        socket.write_all(&vec![b' '; length]).await.expect("the server reads the rest");
        let mut answer = String::new();
        let read = timeout(Duration::from_secs(10), socket.read_to_string(&mut answer)).await;
        read.unwrap().expect("the connection ends without a reset");
        assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("InvalidKey"), "{answer}");
        assert!(answer.contains("connection: close"), "{answer}");
    }
});

portal_test!(aborted_upload_leaves_nothing, async |portal| {
    let joao = portal.client("joao").await;
    let served = serve(portal);
    for number in 0..20 {
        let mut socket = served.connect().await;
        let head = head(portal, &joao, &format!("{number}.pdf"), &["100000"]);
        socket.write_all(head.as_bytes()).await.unwrap();
        socket.write_all(PDF).await.unwrap();
        drop(socket);
    }
    wait_until_no_files(portal).await;
});
