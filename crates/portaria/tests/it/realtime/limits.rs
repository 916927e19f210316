//! Limits of connections, channels and frames.

use std::time::Duration;

use serde_json::json;

use crate::harness::{portal_test, served::serve, wait::wait_until};
use crate::realtime::socket::Socket;

portal_test!(connection_above_the_limit_of_its_address_is_refused, async |portal| {
    portal.set("connections_per_address", "8");
    let served = serve(portal);
    let key = portal.app.keys.anon.clone();
    let mut sockets = Vec::new();
    for _ in 0..8 {
        sockets.push(Socket::open(served.address, &key).await);
    }
    assert!(Socket::try_open(served.address, &key).await.is_err());
    drop(sockets.pop());
    let opens = async || Socket::try_open(served.address, &key).await.is_ok();
    wait_until(Duration::from_secs(10), "a place for another connection", opens).await;
});

portal_test!(channels_per_connection_and_person_are_limited, async |portal| {
    let joao = portal.client("joao").await;
    let served = serve(portal);
    let changes = || json!([{"event": "*", "schema": "public", "table": "tickets"}]);
    let mut sockets = Vec::new();
    for _ in 0..2 {
        let mut socket = Socket::open(served.address, &portal.app.keys.anon).await;
        for topic in 0..50 {
            let reply = socket.join(&format!("realtime:{topic}"), &joao.token, changes()).await;
            assert_eq!(reply["status"], "ok", "{topic}");
        }
        let reply = socket.join("realtime:more", &joao.token, changes()).await;
        assert_eq!(reply["response"]["reason"], "this connection has too many open channels");
        sockets.push(socket);
    }
    let mut third = Socket::open(served.address, &portal.app.keys.anon).await;
    let reply = third.join("realtime:a", &joao.token, changes()).await;
    assert_eq!(reply["response"]["reason"], "this person has too many open channels");
    let first = sockets.first_mut().unwrap();
    first.ask("realtime:0", "phx_leave", json!({})).await;
    assert_eq!(third.join("realtime:a", &joao.token, changes()).await["status"], "ok");
});

portal_test!(connections_of_a_person_are_limited, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let served = serve(portal);
    let changes = || json!([{"event": "*", "schema": "public", "table": "tickets"}]);
    let mut sockets = Vec::new();
    for _ in 0..50 {
        let mut socket = Socket::open(served.address, &portal.app.keys.anon).await;
        socket.listen("realtime:a", &joao.token, "tickets").await;
        // A connection stays one of the person without a channel.
        socket.ask("realtime:a", "phx_leave", json!({})).await;
        sockets.push(socket);
    }
    let mut more = Socket::open(served.address, &portal.app.keys.anon).await;
    let reply = more.join("realtime:a", &joao.token, changes()).await;
    assert_eq!(reply["response"]["reason"], "this person has too many connections");
    more.listen("realtime:a", &maria.token, "tickets").await;
    drop(sockets.pop());
    let joins = async || more.join("realtime:b", &joao.token, changes()).await["status"] == "ok";
    wait_until(Duration::from_secs(10), "a place for another connection", joins).await;
});

portal_test!(too_many_or_too_large_frames_close_the_connection, async |portal| {
    let served = serve(portal);
    let key = portal.app.keys.anon.clone();
    let mut socket = Socket::open(served.address, &key).await;
    let heartbeat = json!([null, "1", "phoenix", "heartbeat", {}]).to_string();
    // Fewer than the replies that may wait for the client. The server closes the connection while the client sends.
    for _ in 0..2000 {
        if socket.try_send_text(heartbeat.clone()).await.is_err() {
            break;
        }
    }
    while socket.next().await.is_some() {}

    for (size, fits) in [(64 * 1024, true), (64 * 1024 + 1, false)] {
        let mut socket = Socket::open(served.address, &key).await;
        let empty = json!([null, "1", "phoenix", "heartbeat", {"x": ""}]).to_string().len();
        let padding = "x".repeat(size - empty);
        let heartbeat = json!([null, "1", "phoenix", "heartbeat", {"x": padding}]).to_string();
        assert_eq!(heartbeat.len(), size);
        socket.send_text(heartbeat).await;
        assert_eq!(socket.next().await.is_some(), fits, "{size}");
    }

    // The reply would repeat them.
    for (reference, topic) in [("1".repeat(65), "realtime:a".into()), ("1".into(), "a".repeat(256))]
    {
        let mut socket = Socket::open(served.address, &key).await;
        socket.send_text(json!([null, reference, topic, "phx_leave", {}]).to_string()).await;
        assert_eq!(socket.next().await, None);
    }
    let mut socket = Socket::open(served.address, &key).await;
    let reply = socket.ask("realtime:a", &"x".repeat(10_000), json!({})).await;
    assert!(reply.to_string().len() < 500, "{reply}");

    let mut socket = Socket::open(served.address, &key).await;
    socket.send_text("{}".into()).await;
    assert_eq!(socket.next().await, None);
});
