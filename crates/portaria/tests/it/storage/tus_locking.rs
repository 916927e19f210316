//! The lock of resumable uploads: one sender at a time, with a lease that is renewed while it sends.

use std::{pin::pin, sync::Arc, task::Poll, time::Duration};

use axum::body::{Body, Bytes};
use futures_util::{future::poll_fn, stream};
use jiff::SignedDuration;
use portaria::{app::App, db, http};
use sea_query::{Expr, ExprTrait, Query};
use serde_json::json;
use tokio::{sync::mpsc, task::JoinHandle};

use crate::harness::{
    TestPortal, portal_test,
    request::{Answer, Request},
    run_on_postgres,
    tcp_proxy::{Behavior, TcpProxy},
    wait::wait_until,
};
use crate::storage::{
    bucket, office,
    s3_outage::insert_proxy,
    tus::{begin, offset, piece, tus},
};

portal_test!(concurrent_senders_do_not_mix_bytes, async |portal| {
    bucket(portal, "files", json!({})).await;
    let upload = begin(portal, "files", "a.txt", 10).await;
    let (sender, mut receiver) = mpsc::unbounded_channel::<Bytes>();
    let (read, mut was_read) = mpsc::unbounded_channel::<()>();
    let body = stream::poll_fn(move |context| {
        let next = receiver.poll_recv(context);
        if next.is_ready() {
            read.send(()).unwrap();
        }
        next.map(|bytes| bytes.map(Ok::<_, std::io::Error>))
    });
    let slow = tus(portal, "PATCH", &upload).header("upload-offset", "0");
    let slow = slow.body("application/offset+octet-stream", Body::from_stream(body)).send();
    let mut slow = pin!(slow);
    // The first sender holds the lock once its first bytes were read.
    sender.send(Bytes::from_static(b"123")).unwrap();
    poll_fn(|context| {
        assert!(slow.as_mut().poll(context).is_pending());
        was_read.poll_recv(context)
    })
    .await;

    for bytes in [b"".as_slice(), b"x", b"0123456789"] {
        let refused = piece(portal, &upload, 0, bytes).send().await;
        refused.refused(409, "ResourceLocked");
    }
    assert_eq!(offset(portal, &upload).await, "0");
    sender.send(Bytes::from_static(b"45")).unwrap();
    drop(sender);
    assert_eq!(slow.await.is(204).header("upload-offset"), "5");
    piece(portal, &upload, 5, b"67890").send().await.is(204);
    let file = office(portal, "GET", "object/files/a.txt").send().await.is(200);
    assert_eq!(file.body, "1234567890");
});

portal_test!(abandoned_lock_expires, async |portal| {
    bucket(portal, "files", json!({})).await;
    let upload = begin(portal, "files", "a.txt", 10).await;
    let (sender, mut receiver) = mpsc::unbounded_channel::<Bytes>();
    let body = stream::poll_fn(move |context| {
        receiver.poll_recv(context).map(|bytes| bytes.map(Ok::<_, std::io::Error>))
    });
    let first = tus(portal, "PATCH", &upload).header("upload-offset", "0");
    let first = first.body("application/offset+octet-stream", Body::from_stream(body)).send();
    let mut first = pin!(first);
    loop {
        poll_fn(|context| {
            assert!(first.as_mut().poll(context).is_pending());
            Poll::Ready(())
        })
        .await;
        // Read from the database, because a request would acquire the lock.
        let taken = portal.app.db.read(|tx| {
            let mut query = Query::select();
            query.column("id").from("uploads").and_where(Expr::col("writer").is_not_null());
            Ok::<_, db::Error>(!tx.rows(&query)?.is_empty())
        });
        if taken.await.unwrap() {
            break;
        }
    }
    piece(portal, &upload, 0, b"").send().await.refused(409, "ResourceLocked");
    portal.advance(SignedDuration::from_secs(30));
    piece(portal, &upload, 0, b"abcde").send().await.is(204);
    // The first sender continues too late.
    sender.send(Bytes::from_static(b"12345")).unwrap();
    drop(sender);
    first.await.refused(409, "ResourceLocked");
    piece(portal, &upload, 5, b"fghij").send().await.is(204);
    let file = office(portal, "GET", "object/files/a.txt").send().await.is(200);
    assert_eq!(file.body, "abcdefghij");
});

/// An upload whose final assembly is held by the proxy, and a second node.
async fn upload_with_held_assembly(
    portal: &mut TestPortal,
) -> (TcpProxy, String, JoinHandle<Answer>, Arc<App>) {
    bucket(portal, "files", json!({})).await;
    let other = portal.another_node();
    let proxy = insert_proxy(portal);
    let upload = begin(portal, "files", "a.txt", 8).await;
    piece(portal, &upload, 0, b"four").send().await.is(204);
    proxy.set(Behavior::HoldMatching("/blobs/"));
    let last = tokio::spawn(piece(portal, &upload, 4, b"five").send());
    proxy.held().await;
    (proxy, upload, last, other)
}

/// A chunk sent to another node.
fn send_to_other_node(
    portal: &TestPortal,
    other: &Arc<App>,
    upload: &str,
    offset: usize,
    bytes: &[u8],
) -> Request {
    Request::new(http::router(Arc::clone(other)), "PATCH", upload)
        .header("apikey", &portal.app.keys.anon)
        .bearer(&portal.app.keys.service_role)
        .header("tus-resumable", "1.0.0")
        .header("upload-offset", &offset.to_string())
        .bytes("application/offset+octet-stream", bytes.to_vec())
}

async fn check_sender_that_lost_the_lock_cannot_complete(portal: &mut TestPortal) {
    let (proxy, upload, last, other) = upload_with_held_assembly(portal).await;
    portal.advance(SignedDuration::from_secs(30));
    send_to_other_node(portal, &other, &upload, 4, b"FI").send().await.is(204);
    proxy.set(Behavior::Forward);
    last.await.unwrap().refused(409, "ResourceLocked");
    office(portal, "GET", "object/files/a.txt").send().await.refused(400, "NoSuchKey");
    assert_eq!(offset(portal, &upload).await, "6");
    send_to_other_node(portal, &other, &upload, 6, b"VE").send().await.is(204);
    let file = office(portal, "GET", "object/files/a.txt").send().await.is(200);
    assert_eq!(file.body, "fourFIVE");
}

#[test]
fn sender_that_lost_the_lock_cannot_complete() {
    run_on_postgres(check_sender_that_lost_the_lock_cannot_complete);
}

async fn check_lock_is_renewed_during_assembly(portal: &mut TestPortal) {
    let (proxy, upload, last, other) = upload_with_held_assembly(portal).await;
    let until = async || {
        let until = portal.app.db.read(|tx| {
            let mut query = Query::select();
            let rows = tx.rows(query.column("writer_until").from("uploads"))?;
            rows.first().map(|row| row.text(0).map(str::to_owned)).transpose()
        });
        until.await.map_err(|error: db::Error| error).unwrap()
    };
    let before = until().await;
    portal.advance(SignedDuration::from_secs(20));
    wait_until(Duration::from_secs(15), "the lease is renewed", async || until().await != before)
        .await;
    portal.advance(SignedDuration::from_secs(20));
    send_to_other_node(portal, &other, &upload, 4, b"FIVE")
        .send()
        .await
        .refused(409, "ResourceLocked");
    proxy.set(Behavior::Forward);
    last.await.unwrap().is(204);
    let file = office(portal, "GET", "object/files/a.txt").send().await.is(200);
    assert_eq!(file.body, "fourfive");
}

#[test]
fn lock_is_renewed_during_assembly() {
    run_on_postgres(check_lock_is_renewed_during_assembly);
}
