//! `Idempotency-Key`: a repeated request has no second effect, and a key belongs to one request of one caller.

use futures_util::future::join_all;
use jiff::SignedDuration;
use portaria::jobs::garbage_collect;
use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, portal_test, request::Answer};
use crate::rest::read;

async fn send(portal: &TestPortal, user: &TestUser, key: &str, table: &str, row: &Value) -> Answer {
    let request =
        portal.post(&format!("/rest/v1/{table}")).auth(user).header("idempotency-key", key);
    request.prefer("return=representation").json(row).send().await
}

portal_test!(repeated_request_with_a_key_has_one_effect, async |portal| {
    let ana = portal.admin().await;
    let joao = portal.client("joao").await;
    let reply = json!([{"title": "Um", "body": "x"}, {"title": "Dois", "body": "y"}]);
    let first = send(portal, &ana, "a", "saved_replies", &reply).await.is(201);
    portal.advance(SignedDuration::from_mins(10));
    let again = send(portal, &ana, "a", "saved_replies", &reply).await.is(201);
    assert_eq!(first.body, again.body);
    assert_eq!(first.header("content-range"), again.header("content-range"));
    assert_eq!(read(portal, &ana, "saved_replies").await.as_array().unwrap().len(), 2);
    let lines = read(portal, &ana, "activity?event=eq.saved_reply.created").await;
    assert_eq!(lines.as_array().unwrap().len(), 2);

    // Another request with the same key: another body, table or column list.
    let other = json!([{"title": "Um", "body": "z"}]);
    for (table, row) in
        [("saved_replies", &other), ("folders", &reply), ("saved_replies?select=id", &reply)]
    {
        let refused = send(portal, &ana, "a", table, row).await;
        refused.refused(422, "idempotency_key_reused");
    }
    // Keys of different callers are independent.
    let ticket = json!({"subject": "Dúvida", "message": "Uma mensagem longa o bastante."});
    send(portal, &joao, "a", "tickets", &ticket).await.is(201);
    portal.advance(SignedDuration::from_mins(1));
    send(portal, &joao, "a", "tickets", &ticket).await.is(201);
    assert_eq!(read(portal, &joao, "tickets").await.as_array().unwrap().len(), 1);
    let keyed = portal.post("/rest/v1/tickets").bearer(&portal.app.keys.service_role);
    keyed.header("idempotency-key", "a").json(&ticket).send().await.is(201);
});

portal_test!(repeated_upsert_with_a_key_gets_the_same_response, async |portal| {
    let ana = portal.admin().await;
    let setting = json!([{"document_type_event": "contrato_new", "enabled": true}]);
    let upsert = async || {
        let request = portal.post("/rest/v1/email_notification_settings").auth(&ana);
        let request = request.header("idempotency-key", "b");
        request
            .prefer("resolution=merge-duplicates, return=representation")
            .json(&setting)
            .send()
            .await
    };
    let first = upsert().await.is(201);
    assert_eq!(upsert().await.is(201).body, first.body);
});

portal_test!(failed_request_can_be_repeated_with_its_key, async |portal| {
    let ana = portal.admin().await;
    let folder = json!({"id_supabase": "contratos", "name": "Contratos"});
    send(portal, &ana, "c", "folders", &folder).await.refused(409, "23505");
    let folder = json!({"id_supabase": "novos", "name": "Novos"});
    send(portal, &ana, "c", "folders", &folder).await.is(201);
    let rehearsal = portal.post("/rest/v1/saved_replies").auth(&ana).header("idempotency-key", "d");
    let reply = json!({"title": "Um", "body": "x"});
    rehearsal.prefer("tx=rollback").json(&reply).send().await.is(201);
    send(portal, &ana, "d", "saved_replies", &reply).await.is(201);
});

portal_test!(concurrent_requests_with_one_key_have_one_effect, async |portal| {
    let ana = portal.admin().await;
    let reply = json!({"title": "Um", "body": "x"});
    let answers = join_all((0..12).map(|_| send(portal, &ana, "e", "saved_replies", &reply))).await;
    let bodies: Vec<_> = answers.into_iter().map(|answer| answer.is(201).body).collect();
    assert!(bodies.iter().all(|body| *body == bodies[0]));
    assert_eq!(read(portal, &ana, "saved_replies").await.as_array().unwrap().len(), 1);
});

portal_test!(exclusive concurrent_requests_with_different_keys_succeed, async |portal| {
    let joao = portal.client("joao").await;
    for round in 0..3 {
        let answers = join_all((0..16).map(async |number: usize| {
            let key = format!("{round}-{number}");
            let ticket = json!({"subject": key, "message": "Uma mensagem longa o bastante."});
            send(portal, &joao, &key, "tickets", &ticket).await
        }));
        for answer in answers.await {
            answer.is(201);
        }
        portal.advance(SignedDuration::from_mins(1));
    }
});

portal_test!(key_expires_after_a_day, async |portal| {
    let ana = portal.admin().await;
    let reply = json!({"title": "Um", "body": "x"});
    let first = send(portal, &ana, "f", "saved_replies", &reply).await.is(201);
    portal.advance(SignedDuration::from_hours(23));
    let ana = portal.sign_in(&ana.email).await;
    assert_eq!(send(portal, &ana, "f", "saved_replies", &reply).await.is(201).body, first.body);
    portal.advance(SignedDuration::from_hours(1));
    let ana = portal.sign_in(&ana.email).await;
    assert_ne!(send(portal, &ana, "f", "saved_replies", &reply).await.is(201).body, first.body);
    portal.advance(SignedDuration::from_hours(25));
    garbage_collect::run(&portal.app).await.unwrap();
    let ana = portal.sign_in(&ana.email).await;
    let other = json!({"title": "Outra", "body": "x"});
    send(portal, &ana, "f", "saved_replies", &other).await.is(201);
});

portal_test!(invalid_key_is_rejected, async |portal| {
    let ana = portal.admin().await;
    for key in ["", &"x".repeat(256), "chave-única"] {
        let refused =
            send(portal, &ana, key, "saved_replies", &json!({"title": "Um", "body": "x"})).await;
        refused.refused(400, "idempotency_key_invalid");
    }
});
