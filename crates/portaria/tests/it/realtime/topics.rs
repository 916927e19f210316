//! Broadcasts and presence on private topics.

use std::{net::SocketAddr, sync::Arc};

use jiff::SignedDuration;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::harness::{
    TestPortal, TestUser, portal_test, run_blocking, run_on_postgres,
    served::{serve, serve_node},
};
use crate::realtime::socket::{Frame, Socket};

/// Joins a private topic with presence. Returns the payload of the reply.
async fn join(socket: &mut Socket, topic: &str, token: &str) -> Value {
    let config = json!({
        "private": true, "broadcast": {"self": false, "ack": true}, "presence": {"key": "", "enabled": true},
    });
    let payload = json!({"config": config, "access_token": token});
    socket.ask(&format!("realtime:{topic}"), "phx_join", payload).await
}

async fn enter(address: SocketAddr, portal: &TestPortal, user: &TestUser, topic: &str) -> Socket {
    let mut socket = Socket::open(address, &portal.app.keys.anon).await;
    let reply = join(&mut socket, topic, &user.token).await;
    assert_eq!(reply["status"], "ok", "{reply}");
    socket
}

fn say(text: &str) -> Value {
    json!({"type": "broadcast", "event": "note", "payload": {"text": text}})
}

/// The next frame of an event.
async fn next(socket: &mut Socket, event: &str) -> Frame {
    loop {
        let frame = socket.next().await.expect("the server closed the connection");
        if frame.event == event {
            return frame;
        }
    }
}

async fn impersonate(portal: &TestPortal, admin: &TestUser, client: &TestUser) -> String {
    let path = format!("/auth/v1/admin/users/{}/view", client.id);
    let answer = portal.post(&path).auth(admin).send().await.is(200).json();
    answer["access_token"].as_str().unwrap().to_owned()
}

portal_test!(broadcast_reaches_the_other_members_of_its_ticket, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let topic = format!("ticket:{}", portal.ticket(&joao, "Dúvida").await);
    let other = format!("ticket:{}", portal.ticket(&maria, "Outra").await);
    let served = serve(portal);
    let mut own = enter(served.address, portal, &joao, &topic).await;
    let mut office = enter(served.address, portal, &ana, &topic).await;
    let mut maria = enter(served.address, portal, &maria, &other).await;
    let name = format!("realtime:{topic}");
    assert_eq!(own.ask(&name, "broadcast", say("Olá")).await["status"], "ok");
    assert_eq!(next(&mut office, "broadcast").await.payload, say("Olá"));
    assert_eq!(office.ask(&name, "broadcast", say("Bom dia")).await["status"], "ok");
    // The first broadcast that the sender receives is the answer.
    assert_eq!(next(&mut own, "broadcast").await.payload, say("Bom dia"));
    office.ask(&format!("realtime:{other}"), "broadcast", say("?")).await;
    let reply = join(&mut office, &other, &ana.token).await;
    assert_eq!(reply["status"], "ok", "{reply}");
    office.ask(&format!("realtime:{other}"), "broadcast", say("Maria?")).await;
    assert_eq!(next(&mut maria, "broadcast").await.payload, say("Maria?"));
});

portal_test!(topics_exist_for_those_who_may_read_them, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let ticket = portal.ticket(&joao, "Dúvida").await;
    let served = serve(portal);
    let mut socket = Socket::open(served.address, &portal.app.keys.anon).await;
    let viewer = impersonate(portal, &ana, &joao).await;
    let anon = portal.app.keys.anon.clone();
    let own = format!("ticket:{ticket}");
    let upper = format!("ticket:{}", ticket.to_uppercase());
    let missing = "ticket:00000000-0000-0000-0000-000000000000";
    for (topic, joins) in [
        (own.as_str(), [true, true, true, false, false]),
        (&upper, [false; 5]),
        (missing, [false; 5]),
        ("staff", [true, false, false, false, false]),
        ("staff:reuniao", [true, false, false, false, false]),
        ("qualquer", [false; 5]),
    ] {
        let tokens = [&ana.token, &joao.token, &viewer, &maria.token, &anon];
        for (place, (token, joins)) in tokens.into_iter().zip(joins).enumerate() {
            let reply = join(&mut socket, topic, token).await;
            assert_eq!(reply["status"] == "ok", joins, "{topic} {place} {reply}");
            if !joins {
                assert_eq!(reply["response"]["reason"], "this topic does not exist for the caller");
            }
        }
    }
});

portal_test!(only_writers_send_to_private_topics, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let topic = format!("ticket:{}", portal.ticket(&joao, "Dúvida").await);
    let viewer = impersonate(portal, &ana, &joao).await;
    let served = serve(portal);
    let mut own = enter(served.address, portal, &joao, &topic).await;
    let mut socket = Socket::open(served.address, &portal.app.keys.anon).await;
    join(&mut socket, &topic, &viewer).await;
    let name = format!("realtime:{topic}");
    let presence = || json!({"type": "presence", "event": "track", "payload": {"name": "Ana"}});
    for (event, payload) in [("broadcast", say("Sou João")), ("presence", presence())] {
        let reply = socket.ask(&name, event, payload).await;
        assert_eq!(reply["response"]["reason"], "this caller may not send to the topic");
    }
    own.ask(&name, "broadcast", say("Olá")).await;
    assert_eq!(next(&mut socket, "broadcast").await.payload, say("Olá"));

    // A channel that is not private has no topic.
    let changes = json!([{"event": "*", "schema": "public", "table": "tickets"}]);
    socket.join("realtime:changes", &joao.token, changes).await;
    for (event, payload) in [("broadcast", say("Olá")), ("presence", presence())] {
        let reply = socket.ask("realtime:changes", event, payload).await;
        assert_eq!(reply["response"]["reason"], "the channel is not private");
    }
});

portal_test!(presence_follows_its_members, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let topic = format!("ticket:{}", portal.ticket(&joao, "Dúvida").await);
    let served = serve(portal);
    let name = format!("realtime:{topic}");
    let track =
        |text: &str| json!({"type": "presence", "event": "track", "payload": {"name": text}});
    let mut own = enter(served.address, portal, &joao, &topic).await;
    assert_eq!(own.ask(&name, "presence", track("João")).await["status"], "ok");

    let mut office = enter(served.address, portal, &ana, &topic).await;
    let state = next(&mut office, "presence_state").await.payload;
    let (key, present) = state.as_object().unwrap().iter().next().unwrap();
    assert_eq!(present["metas"][0]["name"], "João");
    let first = present["metas"][0]["phx_ref"].clone();

    own.ask(&name, "presence", track("João, digitando")).await;
    let diff = next(&mut office, "presence_diff").await.payload;
    assert_eq!(diff["joins"][key]["metas"][0]["name"], "João, digitando");
    assert_eq!(diff["leaves"][key]["metas"][0]["phx_ref"], first);

    let mut again = Socket::open(served.address, &portal.app.keys.anon).await;
    join(&mut again, &topic, &joao.token).await;
    again.ask(&name, "presence", track("João")).await;
    next(&mut office, "presence_diff").await;
    again.ask(&name, "presence", json!({"type": "presence", "event": "untrack"})).await;
    let diff = next(&mut office, "presence_diff").await.payload;
    assert_eq!((&diff["joins"], diff["leaves"].as_object().unwrap().len()), (&json!({}), 1));

    drop(own);
    let diff = next(&mut office, "presence_diff").await.payload;
    assert_eq!(diff["leaves"][key]["metas"][0]["name"], "João, digitando");

    let large =
        json!({"type": "presence", "event": "track", "payload": {"name": "x".repeat(1024)}});
    let reply = office.ask(&name, "presence", large).await;
    assert_eq!(reply["response"]["reason"], "a presence has at most 1 KiB");
});

portal_test!(topic_ends_with_the_right_to_read_its_ticket, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let ticket = portal.ticket(&joao, "Dúvida").await;
    let topic = format!("ticket:{ticket}");
    let served = serve(portal);
    let mut old = enter(served.address, portal, &joao, &topic).await;
    let mut office = enter(served.address, portal, &ana, &topic).await;
    let path = format!("/rest/v1/tickets?id=eq.{ticket}");
    let service = &portal.app.keys.service_role;
    portal.patch(&path).bearer(service).json(&json!({"user_id": maria.id})).send().await.is(204);
    next(&mut old, "phx_error").await;
    let reply = join(&mut old, &topic, &joao.token).await;
    assert_eq!(reply["response"]["reason"], "this topic does not exist for the caller");
    next(&mut office, "phx_error").await;
    assert_eq!(join(&mut office, &topic, &ana.token).await["status"], "ok");
    portal.delete(&path).bearer(service).send().await.is(204);
    next(&mut office, "phx_close").await;
});

portal_test!(token_without_a_session_leaves_the_topic, async |portal| {
    let joao = portal.client("joao").await;
    let topic = format!("ticket:{}", portal.ticket(&joao, "Dúvida").await);
    let served = serve(portal);
    let mut own = enter(served.address, portal, &joao, &topic).await;
    portal.advance(SignedDuration::from_mins(50));
    let renewed = TestUser::from_session(&portal.refresh(&joao.refresh_token).await.is(200).json());
    let name = format!("realtime:{topic}");
    own.send(&name, "access_token", json!({"access_token": renewed.token})).await;
    // The new token continues the membership.
    assert_eq!(own.ask(&name, "broadcast", say("Olá")).await["status"], "ok");
    portal.post("/auth/v1/logout?scope=local").auth(&renewed).send().await.is(204);
    next(&mut own, "phx_close").await;
    let reply = own.ask(&name, "broadcast", say("Olá")).await;
    assert_eq!(reply["response"]["reason"], "the channel is not private");
});

portal_test!(request_broadcasts_to_private_topics, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let topic = format!("ticket:{}", portal.ticket(&joao, "Dúvida").await);
    let viewer = impersonate(portal, &ana, &joao).await;
    let served = serve(portal);
    let mut own = enter(served.address, portal, &joao, &topic).await;
    let path = format!("/realtime/v1/api/broadcast/{topic}/events/note?private=true");
    let post = async |path: &str, token: &str, body: Value| {
        let mut stream = served.connect().await;
        let (key, body) = (&portal.app.keys.anon, body.to_string());
        let request = format!(
            "POST {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\napikey: {key}\r\n\
             authorization: Bearer {token}\r\ncontent-length: {}\r\n\r\n{body}",
            body.len(),
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer.split(' ').nth(1).unwrap().parse::<u16>().unwrap()
    };
    assert_eq!(post(&path, &ana.token, json!({"text": "Um"})).await, 202);
    assert_eq!(next(&mut own, "broadcast").await.payload, say("Um"));
    let batch = "/realtime/v1/api/broadcast";
    let message = |private: bool| {
        let payload = json!({"text": "Dois"});
        let message =
            json!({"topic": topic, "event": "note", "payload": payload, "private": private});
        json!({"messages": [message]})
    };
    assert_eq!(post(batch, &ana.token, message(true)).await, 202);
    assert_eq!(next(&mut own, "broadcast").await.payload, say("Dois"));

    let long =
        format!("/realtime/v1/api/broadcast/staff:{}/events/a?private=true", "x".repeat(255));
    for (path, token, body, status) in [
        (&*path, &maria.token, json!({}), 403),
        (&path, &viewer, json!({}), 403),
        (&path, &portal.app.keys.anon, json!({}), 401),
        (batch, &maria.token, message(true), 403),
        (batch, &ana.token, message(false), 403),
        (batch, &ana.token, json!({"messages": {}}), 422),
        (&long, &ana.token, json!({}), 422),
        (&format!("{path}&persist=true"), &ana.token, json!({}), 422),
        (&path, &ana.token, json!("x".repeat(64 * 1024)), 413),
    ] {
        assert_eq!(post(path, token, body).await, status, "{path}");
    }
    let many = json!({"messages": vec![message(true)["messages"][0].clone(); 50]});
    for _ in 0..2 {
        assert_eq!(post(batch, &joao.token, many.clone()).await, 202);
    }
    assert_eq!(post(&path, &joao.token, json!({})).await, 429);
});

portal_test!(messages_of_a_person_are_limited_on_all_connections, async |portal| {
    let joao = portal.client("joao").await;
    let topic = format!("ticket:{}", portal.ticket(&joao, "Dúvida").await);
    let served = serve(portal);
    let name = format!("realtime:{topic}");
    let mut sockets = Vec::new();
    for _ in 0..2 {
        sockets.push(enter(served.address, portal, &joao, &topic).await);
    }
    let track = json!({"type": "presence", "event": "track", "payload": {"name": "João"}});
    // The clock of the portal stands still. A message of 40 KiB counts as eleven.
    for (place, message) in [(0, say(&"x".repeat(40 * 1024))), (1, track.clone())] {
        assert_eq!(sockets[place].ask(&name, frame_event(&message), message).await["status"], "ok");
    }
    for number in 0..88 {
        let reply = sockets[number % 2].ask(&name, "broadcast", say("Olá")).await;
        assert_eq!(reply["status"], "ok", "{number}");
    }
    for (place, message) in [(0, say("Olá")), (1, track)] {
        let reply = sockets[place].ask(&name, frame_event(&message), message).await;
        assert_eq!(reply["response"]["reason"], "too many messages");
    }
});

fn frame_event(message: &Value) -> &'static str {
    if message["type"] == "presence" { "presence" } else { "broadcast" }
}

/// Nodes share topics and changes over PostgreSQL. A message above the size of a notification arrives whole.
#[test]
fn nodes_share_topics_and_changes() {
    run_on_postgres(async |portal| {
        let (ana, joao) = (portal.admin().await, portal.client("joao").await);
        let ticket = portal.ticket(&joao, "Dúvida").await;
        let topic = format!("ticket:{ticket}");
        let (here, there) = (serve(portal), serve_node(Arc::clone(&portal.another_node())));
        let name = format!("realtime:{topic}");
        let mut own = enter(here.address, portal, &joao, &topic).await;
        let track = json!({"type": "presence", "event": "track", "payload": {"name": "João"}});
        own.ask(&name, "presence", track).await;

        let mut office = enter(there.address, portal, &ana, &topic).await;
        let state = next(&mut office, "presence_state").await.payload;
        // The other node may answer after the join.
        if state == json!({}) {
            let diff = next(&mut office, "presence_diff").await.payload;
            assert_eq!(diff["joins"].as_object().unwrap().len(), 1);
        }
        for text in ["Olá".to_owned(), "á".repeat(20_000)] {
            own.ask(&name, "broadcast", say(&text)).await;
            assert_eq!(next(&mut office, "broadcast").await.payload, say(&text));
        }
        drop(own);
        let diff = next(&mut office, "presence_diff").await.payload;
        assert_eq!(diff["leaves"].as_object().unwrap().len(), 1);

        let mut office = Socket::open(there.address, &portal.app.keys.anon).await;
        office.listen("realtime:a", &ana.token, "tickets").await;
        let path = format!("/rest/v1/tickets?id=eq.{ticket}");
        let change = json!({"status": "in-progress"});
        portal.patch(&path).auth(&ana).json(&change).send().await.is(204);
        assert_eq!(office.change().await["record"]["id"], json!(ticket));
    });
}

/// A migration removes the triggers of the change feed. The nodes that run create them again.
#[test]
fn feed_survives_a_migration_of_another_node() {
    run_on_postgres(async |portal| {
        let joao = portal.client("joao").await;
        let served = serve(portal);
        let mut socket = Socket::open(served.address, &portal.app.keys.anon).await;
        socket.listen("realtime:a", &joao.token, "tickets").await;
        let url = portal.database_url();
        run_blocking(|| {
            let mut client = postgres::Client::connect(url, postgres::NoTls).unwrap();
            client.batch_execute(DROP_TRIGGERS).unwrap();
        });
        next(&mut socket, "phx_error").await;
        // A channel that joined before the triggers were there starts again.
        for attempt in 1.. {
            socket.listen("realtime:a", &joao.token, "tickets").await;
            // The same text twice would be one ticket.
            let id = portal.ticket(&joao, &format!("Dúvida {attempt}")).await;
            let frame = loop {
                let frame = socket.next().await.unwrap();
                if ["phx_error", "postgres_changes"].contains(&&*frame.event) {
                    break frame;
                }
            };
            if frame.event == "postgres_changes" {
                assert_eq!(frame.payload["data"]["record"]["id"], json!(id));
                break;
            }
        }
    });
}

const DROP_TRIGGERS: &str = r"
    DO $$ DECLARE recorder regprocedure; BEGIN
        FOR recorder IN SELECT oid FROM pg_proc
            WHERE pronamespace = current_schema()::regnamespace
            AND proname ~ '^portaria_((insert|update|delete)_|change_triggers$)'
        LOOP EXECUTE format('DROP FUNCTION %s CASCADE', recorder); END LOOP;
        PERFORM pg_notify('portaria_changes', '');
    END $$";
