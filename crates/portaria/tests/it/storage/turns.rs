//! One sender at a time: who has the turn keeps it while they are heard of.

use std::{pin::pin, task::Poll};

use axum::body::{Body, Bytes};
use futures_util::{future::poll_fn, stream};
use jiff::SignedDuration;
use portaria::db;
use sea_query::{Expr, ExprTrait, Query};
use serde_json::json;
use tokio::sync::mpsc;

use super::{
    bucket, office,
    resumable::{begin, offset, piece, tus},
};
use crate::world::portal_test;

portal_test!(two_who_send_at_once_do_not_mix, async |world| {
    bucket(world, "files", json!({})).await;
    let upload = begin(world, "files", "a.txt", 10).await;
    let (sender, mut receiver) = mpsc::unbounded_channel::<Bytes>();
    let (read, mut was_read) = mpsc::unbounded_channel::<()>();
    let body = stream::poll_fn(move |context| {
        let next = receiver.poll_recv(context);
        if next.is_ready() {
            read.send(()).unwrap();
        }
        next.map(|bytes| bytes.map(Ok::<_, std::io::Error>))
    });
    let slow = tus(world, "PATCH", &upload).header("upload-offset", "0");
    let slow = slow.body("application/offset+octet-stream", Body::from_stream(body)).send();
    let mut slow = pin!(slow);
    // It has begun when it has read its first bytes.
    sender.send(Bytes::from_static(b"123")).unwrap();
    poll_fn(|context| {
        assert!(slow.as_mut().poll(context).is_pending());
        was_read.poll_recv(context)
    })
    .await;

    for bytes in [b"".as_slice(), b"x", b"0123456789"] {
        let refused = piece(world, &upload, 0, bytes).send().await;
        refused.refused(409, "ResourceLocked");
    }
    assert_eq!(offset(world, &upload).await, "0");
    sender.send(Bytes::from_static(b"45")).unwrap();
    drop(sender);
    assert_eq!(slow.await.is(204).header("upload-offset"), "5");
    piece(world, &upload, 5, b"67890").send().await.is(204);
    let file = office(world, "GET", "object/files/a.txt").send().await.is(200);
    assert_eq!(file.body, "1234567890");
});

portal_test!(a_turn_that_nobody_takes_up_again_ends, async |world| {
    bucket(world, "files", json!({})).await;
    let upload = begin(world, "files", "a.txt", 10).await;
    let (sender, mut receiver) = mpsc::unbounded_channel::<Bytes>();
    let body = stream::poll_fn(move |context| {
        receiver.poll_recv(context).map(|bytes| bytes.map(Ok::<_, std::io::Error>))
    });
    let first = tus(world, "PATCH", &upload).header("upload-offset", "0");
    let first = first.body("application/offset+octet-stream", Body::from_stream(body)).send();
    let mut first = pin!(first);
    loop {
        poll_fn(|context| {
            assert!(first.as_mut().poll(context).is_pending());
            Poll::Ready(())
        })
        .await;
        // Asked of the database, because asking for the turn would take it.
        let taken = world.app.db.read(|tx| {
            let mut query = Query::select();
            query.column("id").from("uploads").and_where(Expr::col("writer").is_not_null());
            Ok::<_, db::Error>(!tx.rows(&query)?.is_empty())
        });
        if taken.await.unwrap() {
            break;
        }
    }
    piece(world, &upload, 0, b"").send().await.refused(409, "ResourceLocked");
    world.wait(SignedDuration::from_secs(30));
    piece(world, &upload, 0, b"abcde").send().await.is(204);
    // The first is heard of again, too late.
    sender.send(Bytes::from_static(b"12345")).unwrap();
    drop(sender);
    first.await.refused(409, "ResourceLocked");
    piece(world, &upload, 5, b"fghij").send().await.is(204);
    let file = office(world, "GET", "object/files/a.txt").send().await.is(200);
    assert_eq!(file.body, "abcdefghij");
});
