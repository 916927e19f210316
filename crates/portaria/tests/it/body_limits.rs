//! Limits of JSON bodies: bytes without and with a valid token, values, and large bodies of one person at once.

use std::time::Duration;

use axum::body::{Body, Bytes};
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use tokio::{task::yield_now, time::timeout};

use crate::harness::{TestPortal, portal_test};

const TICKETS: &str = "/rest/v1/tickets";

portal_test!(body_without_a_valid_token_has_at_most_64_kib, async |portal| {
    let joao = portal.client("joao").await;
    let body = |size: usize| json!({"subject": "a".repeat(size), "message": "Uma mensagem longa."});
    let anonymous = portal.post(TICKETS).json(&body(70_000)).send().await;
    anonymous.refused(413, "PGRST102");
    let invalid = portal.post(TICKETS).bearer("no-token").json(&body(70_000)).send().await;
    invalid.refused(401, "PGRST301");
    portal.post(TICKETS).auth(&joao).json(&body(70_000)).send().await.refused(400, "22001");
    let email = json!({"email": "a".repeat(70_000), "password": "x"});
    let sign_in = portal.post("/auth/v1/token?grant_type=password").json(&email).send().await;
    sign_in.refused(413, "request_entity_too_large");
    let paths = json!({"expiresIn": 60, "paths": ["a".repeat(300_000)]});
    let sign = portal.post("/storage/v1/object/sign/client-documents").auth(&joao).json(&paths);
    sign.send().await.refused(400, "InvalidRequest");
});

portal_test!(body_has_a_limited_number_of_values, async |portal| {
    let ana = portal.admin().await;
    let values = json!({"subject": vec![0; 30_000]});
    portal.post(TICKETS).auth(&ana).json(&values).send().await.refused(413, "PGRST102");
    let sign_in = portal.post("/auth/v1/token?grant_type=password").json(&values).send().await;
    sign_in.refused(413, "request_entity_too_large");
    let list = portal.post("/storage/v1/object/list/client-documents").auth(&ana);
    list.json(&values).send().await.refused(400, "InvalidRequest");
    // Text has no values.
    let template = json!({"p_subject": "a", "p_html_content": "<p>a,[{</p>".repeat(10_000)});
    let preview = portal.post("/rest/v1/rpc/preview_template").auth(&ana).json(&template);
    assert_ne!(preview.send().await.status, 413);
});

/// Sends a ticket whose body does not end.
async fn endless(portal: &TestPortal, token: &str) -> u16 {
    let first = stream::once(async { Ok::<_, std::io::Error>(Bytes::from_static(b"{")) });
    let body = Body::from_stream(first.chain(stream::pending()));
    portal.post(TICKETS).bearer(token).body("application/json", body).send().await.status.as_u16()
}

portal_test!(person_sends_few_large_bodies_at_once, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let mut held = Vec::new();
    for _ in 0..4 {
        held.push(Box::pin(endless(portal, &joao.token)));
    }
    for sent in &mut held {
        assert!(timeout(Duration::from_millis(1), sent).await.is_err());
    }
    let small = json!({"subject": "Dúvida", "message": "Uma mensagem longa o bastante."});
    portal.post(TICKETS).auth(&joao).json(&small).send().await.is(201);
    let large = json!({"subject": "a".repeat(70_000), "message": "Uma mensagem longa."});
    portal.post(TICKETS).auth(&joao).json(&large).send().await.refused(503, "53200");
    portal.post(TICKETS).auth(&maria).json(&large).send().await.refused(400, "22001");
    drop(held);
    yield_now().await;
    let sent: Value = portal.post(TICKETS).auth(&joao).json(&large).send().await.json();
    assert_eq!(sent["code"], "22001");
});
