//! Channels end with the rights of their sessions.

use std::{sync::Arc, time::Duration};

use jiff::SignedDuration;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::harness::{
    Engine, TestPortal, TestUser, portal_test, run_blocking, run_on_postgres,
    served::{serve, serve_node},
};
use crate::realtime::socket::Socket;

async fn listen(portal: &TestPortal, address: std::net::SocketAddr, user: &TestUser) -> Socket {
    let mut socket = Socket::open(address, &portal.app.keys.anon).await;
    socket.listen("realtime:a", &user.token, "tickets").await;
    socket
}

/// The events up to the end of the channel, except its announcement.
async fn until_end(socket: &mut Socket) -> Vec<String> {
    let mut events = Vec::new();
    loop {
        let frame = socket.next().await.expect("the connection stays open");
        if frame.payload["status"] == "ok" {
            continue;
        }
        events.push(frame.event.clone());
        if ["phx_close", "phx_error"].contains(&frame.event.as_str()) {
            return events;
        }
    }
}

// The channel holds the assigned clients, so it starts again with each change of them.
portal_test!(changed_assignment_restarts_the_channel, async |portal| {
    portal.admin().await;
    let joao = portal.client("joao").await;
    let carla = portal.colleague("carla", "employee", true).await;
    let served = serve(portal);
    let mut socket = listen(portal, served.address, &carla).await;
    let id = portal.assign(&joao, &carla).await;
    assert_eq!(until_end(&mut socket).await.last().unwrap(), "phx_error");
    let mut socket = listen(portal, served.address, &carla).await;
    let path = format!("/rest/v1/client_assignments?id=eq.{id}");
    portal.delete(&path).bearer(&portal.app.keys.service_role).send().await.is(204);
    portal.ticket(&joao, "Depois").await;
    let events = until_end(&mut socket).await;
    assert!(!events.contains(&"postgres_changes".to_owned()), "{events:?}");
});

portal_test!(ended_session_receives_no_later_event, async |portal| {
    let joao = portal.client("joao").await;
    let served = serve(portal);
    for end in ["sign-out", "ban", "deletion"] {
        let session = portal.sign_in(&joao.email).await;
        let mut socket = listen(portal, served.address, &session).await;
        match end {
            "sign-out" => {
                portal.post("/auth/v1/logout?scope=local").auth(&session).send().await.is(204);
            }
            "ban" => {
                admin(portal, &joao, json!({"ban_duration": "1h"})).await;
            }
            _ => {
                let path = format!("/auth/v1/admin/users/{}", joao.id);
                portal.delete(&path).bearer(&portal.app.keys.service_role).send().await.is(200);
            }
        }
        let row = json!({"subject": "Depois", "message": "Uma mensagem longa o bastante."});
        if end != "deletion" {
            let mut row = row.clone();
            row["user_id"] = json!(joao.id);
            portal.insert("tickets", row).await;
        }
        let mut events = until_end(&mut socket).await;
        if end == "deletion" {
            // The tickets are deleted in the same transaction.
            events.retain(|event| event != "postgres_changes");
        }
        assert_eq!(events, ["system", "phx_close"], "{end}");
        admin(portal, &joao, json!({"ban_duration": "none"})).await;
    }
});

async fn admin(portal: &TestPortal, user: &TestUser, change: Value) {
    let path = format!("/auth/v1/admin/users/{}", user.id);
    let request = portal.put(&path).bearer(&portal.app.keys.service_role).json(&change);
    drop(request.send().await);
}

// Commands of the program, such as `admin reset-second-step`, write beside the server.
portal_test!(session_that_another_process_ends_leaves, async |portal| {
    let joao = portal.client("joao").await;
    let served = serve(portal);
    let mut socket = listen(portal, served.address, &joao).await;
    execute_beside(portal, "DELETE FROM sessions");
    let end = timeout(Duration::from_secs(5), until_end(&mut socket)).await.unwrap();
    assert!(["phx_error", "phx_close"].contains(&end.last().unwrap().as_str()), "{end:?}");
    let changes = json!([{"event": "*", "schema": "public", "table": "tickets"}]);
    let reply = socket.join("realtime:a", &joao.token, changes).await;
    assert_eq!(reply["response"]["reason"], "the session grants no access");
});

/// The feed carries the end of a session to the node that holds its connection.
#[test]
fn session_that_another_node_ends_leaves() {
    run_on_postgres(async |portal| {
        let joao = portal.client("joao").await;
        let there = serve_node(Arc::clone(&portal.another_node()));
        let mut socket = listen(portal, there.address, &joao).await;
        portal.post("/auth/v1/logout?scope=local").auth(&joao).send().await.is(204);
        let end = timeout(Duration::from_secs(5), until_end(&mut socket)).await.unwrap();
        assert_eq!(end, ["system", "phx_close"]);
    });
}

/// Executes a statement on a connection of its own.
fn execute_beside(portal: &TestPortal, sql: &str) {
    match portal.engine() {
        Engine::Sqlite => {
            let database = rusqlite::Connection::open(portal.folder("portaria.db")).unwrap();
            database.execute_batch(sql).unwrap();
        }
        Engine::Postgres => {
            let url = portal.database_url();
            run_blocking(|| {
                let mut client = postgres::Client::connect(url, postgres::NoTls).unwrap();
                client.batch_execute(sql).unwrap();
            });
        }
    }
}

portal_test!(new_role_starts_the_channel_again, async |portal| {
    let joao = portal.client("joao").await;
    let served = serve(portal);
    let mut socket = listen(portal, served.address, &joao).await;
    admin(portal, &joao, json!({"app_metadata": {"roles": ["admin"]}})).await;
    assert_eq!(until_end(&mut socket).await.last().unwrap(), "phx_error");
});

portal_test!(expired_token_ends_the_channel_unless_it_is_renewed, async |portal| {
    let joao = portal.client("joao").await;
    let served = serve(portal);
    let mut kept = listen(portal, served.address, &joao).await;
    let mut lost = listen(portal, served.address, &joao).await;
    portal.advance(SignedDuration::from_mins(50));
    let renewed = TestUser::from_session(&portal.refresh(&joao.refresh_token).await.is(200).json());
    kept.send("realtime:a", "access_token", json!({"access_token": renewed.token})).await;
    kept.ask("phoenix", "heartbeat", json!({})).await;
    portal.advance(SignedDuration::from_mins(15));
    assert_eq!(until_end(&mut lost).await, ["system", "phx_close"]);
    let id = portal.ticket(&renewed, "Ainda aqui").await;
    assert_eq!(kept.change().await["record"]["id"], json!(id));
});

// The token of the connection counts for a join without a token of its own.
portal_test!(token_of_the_connection_expires_too, async |portal| {
    let joao = portal.client("joao").await;
    let served = serve(portal);
    let key = portal.app.keys.anon.clone();
    let mut socket = Socket::open_as(served.address, &key, &joao.token).await;
    let changes = json!([{"event": "*", "schema": "public", "table": "tickets"}]);
    let payload = json!({"config": {"postgres_changes": changes}});
    let reply = socket.ask("realtime:a", "phx_join", payload.clone()).await;
    assert_eq!(reply["status"], "ok", "{reply}");
    portal.advance(SignedDuration::from_mins(65));
    assert_eq!(until_end(&mut socket).await, ["system", "phx_close"]);
    let reply = socket.ask("realtime:b", "phx_join", payload).await;
    assert_eq!(reply["response"]["reason"], "the token has expired");
});

portal_test!(pages_of_other_sites_do_not_connect, async |portal| {
    let path = "/realtime/v1/websocket";
    portal.get(path).header("origin", "https://outro.example").send().await.is(403);
    // Without the headers of a websocket.
    portal.get(path).header("origin", &portal.app.config.site_url).send().await.is(400);
    portal.set("allowed_origins", "https://outro.example");
    portal.get(path).header("origin", "https://outro.example").send().await.is(400);
});

portal_test!(service_key_listens_outside_of_browsers_only, async |portal| {
    let joao = portal.client("joao").await;
    let served = serve(portal);
    let service = portal.app.keys.service_role.clone();
    let mut socket = Socket::open(served.address, &service).await;
    socket.listen("realtime:a", &service, "tickets").await;
    let id = portal.ticket(&joao, "Dúvida").await;
    assert_eq!(socket.change().await["record"]["id"], json!(id));
    let refused = portal
        .get(&format!("/realtime/v1/websocket?apikey={service}"))
        .without("apikey")
        .header("origin", "https://portal.test");
    refused.send().await.is(401);
});
