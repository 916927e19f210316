//! Tickets: columns of the client, and columns that the server maintains.

use futures_util::future::join_all;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, portal_test, request::Answer};
use crate::rest::{read, sample};

async fn send(portal: &TestPortal, client: &TestUser, row: &Value) -> Answer {
    portal.post("/rest/v1/tickets").auth(client).single().json(row).send().await
}

async fn change(portal: &TestPortal, client: &TestUser, id: &str, change: Value) -> Answer {
    portal.patch(&format!("/rest/v1/tickets?id=eq.{id}")).auth(client).json(&change).send().await
}

portal_test!(client_ticket_gets_owner_and_times_from_the_server, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let row = json!({
        "subject": "Dúvida", "message": "Como pago a guia deste mês?", "category": "billing", "priority": "high",
        "status": "closed", "created_at": "1970-01-01 00:00:00", "updated_at": "1970-01-01",
    });
    let mut ticket = send(portal, &joao, &row).await.is(201).json();
    let id = ticket.as_object_mut().unwrap().remove("id").unwrap();
    assert_eq!(
        ticket,
        json!({
            "created_at": "2026-11-21T15:00:00+00:00", "updated_at": "2026-11-21T15:00:00+00:00", "closed_at": null,
            "status": "open", "follow_up_of_id": null, "idempotency_key": null, "document_id": null, "member_name": null,
            "subject": "Dúvida", "category": "billing", "priority": "high", "message": "Como pago a guia deste mês?",
        })
    );
    let owner = read(portal, &ana, "tickets?select=id,user_id").await;
    assert_eq!(owner, json!([{"id": id, "user_id": joao.id}]));
});

portal_test!(invalid_ticket_is_rejected, async |portal| {
    let joao = portal.client("joao").await;
    let other = portal.ticket(&joao, "Primeiro").await;
    for (field, value, code) in [
        ("id", json!(other), "428C9"),
        ("priority", json!("root"), "23514"),
        ("category", json!("x"), "23514"),
        ("subject", json!(null), "23502"),
        ("subject", json!("   "), "23514"),
        ("subject", json!("a".repeat(201)), "22001"),
        ("message", json!("a".repeat(10_001)), "22001"),
        ("message", json!(" ".repeat(10)), "23514"),
        ("message", json!("nove letr"), "23514"),
        ("message", json!(" nove letr "), "23514"),
        ("message", json!("abc\n\n\n\n\n\n\n\n"), "23514"),
        ("message", json!("\u{a0}".repeat(10)), "23514"),
        ("subject", json!("\t\n"), "23514"),
        ("user_id", json!(joao.id), "PGRST204"),
        ("nonesuch", json!(1), "PGRST204"),
    ] {
        let mut row = sample("tickets");
        row[field] = value;
        send(portal, &joao, &row).await.refused(400, code);
    }
    let mut row = sample("tickets");
    row["message"] = json!("dez letras");
    row["subject"] = json!("ã".repeat(200));
    send(portal, &joao, &row).await.is(201);
    assert_eq!(read(portal, &joao, "tickets?select=id").await.as_array().unwrap().len(), 2);
});

portal_test!(ticket_sent_twice_is_created_once, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let row = sample("tickets");
    let first = send(portal, &joao, &row).await.is(201).json();
    portal.advance(SignedDuration::from_secs(9));
    assert_eq!(send(portal, &joao, &row).await.is(201).json(), first);
    let other = send(portal, &maria, &row).await.is(201).json();
    assert_ne!(other["id"], first["id"]);
    portal.advance(SignedDuration::from_secs(1));
    assert_ne!(send(portal, &joao, &row).await.is(201).json()["id"], first["id"]);
});

portal_test!(double_click_creates_one_ticket, async |portal| {
    let joao = portal.client("joao").await;
    let row = sample("tickets");
    // Opens all connections first, so that the requests arrive at the same time.
    join_all((0..8).map(|_| change(portal, &joao, &joao.id, json!({"status": "closed"})))).await;
    let answers = join_all((0..8).map(|_| send(portal, &joao, &row))).await;
    let mut ids: Vec<Value> =
        answers.into_iter().map(|answer| answer.is(201).json()["id"].clone()).collect();
    ids.dedup();
    assert_eq!(ids.len(), 1, "{ids:?}");
});

portal_test!(client_may_only_close_a_ticket, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let id = portal.ticket(&joao, "Dúvida").await;
    for refused in [
        json!({"status": "in-progress"}),
        json!({"status": "open"}),
        json!({"status": "x"}),
        json!({"message": "outra mensagem qualquer"}),
        json!({"status": "closed", "message": "outra mensagem qualquer"}),
        json!({"created_at": "1970-01-01"}),
        json!({"priority": "urgent"}),
    ] {
        change(portal, &joao, &id, refused).await.refused(403, "42501");
    }
    change(portal, &maria, &id, json!({"status": "closed"})).await.is(204);
    let state = || read(portal, &joao, "tickets?select=status,updated_at");
    assert_eq!(
        state().await,
        json!([{"status": "open", "updated_at": "2026-11-21T15:00:00+00:00"}])
    );

    portal.advance(SignedDuration::from_secs(5));
    let closed = change(portal, &joao, &id, json!({"status": "closed"})).await.is(204);
    assert_eq!(closed.header("content-range"), "0-0/*");
    assert_eq!(
        state().await,
        json!([{"status": "closed", "updated_at": "2026-11-21T15:00:05+00:00"}])
    );
    change(portal, &joao, &id, json!({"status": "closed"})).await.is(204);
    change(portal, &joao, &id, json!({"status": "open"})).await.refused(403, "42501");
    let everything =
        portal.patch("/rest/v1/tickets").auth(&joao).json(&json!({"status": "closed"}));
    everything.send().await.refused(400, "21000");
});

portal_test!(staff_may_set_all_ticket_columns, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let row = json!({
        "subject": "Por telefone", "message": "O cliente pediu segunda via.", "user_id": joao.id,
        "status": "in-progress", "created_at": "2026-11-20 09:30:00",
    });
    let ticket = send(portal, &ana, &row).await.is(201).json();
    assert_eq!(ticket["created_at"], "2026-11-20T12:30:00+00:00");
    assert_eq!(ticket["status"], "in-progress");
    let id = ticket["id"].as_str().unwrap();
    change(portal, &ana, id, json!({"priority": "urgent", "status": "open"})).await.is(204);
    let seen = read(portal, &joao, "tickets?select=status,priority").await;
    assert_eq!(seen, json!([{"status": "open", "priority": "urgent"}]));
    change(portal, &ana, id, json!({"status": "lost"})).await.refused(400, "23514");
});

portal_test!(tickets_are_limited_to_twenty_per_minute, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let row = |number: i32| json!({"subject": format!("Dúvida {number}"), "message": "Como pago a guia deste mês?"});
    for number in 0..20 {
        send(portal, &joao, &row(number)).await.is(201);
    }
    let refused = send(portal, &joao, &row(20)).await.refused(429, "PT429");
    assert_eq!(refused.header("retry-after"), "60");
    portal.advance(SignedDuration::from_secs(5));
    let refused = send(portal, &joao, &row(20)).await.refused(429, "PT429");
    assert_eq!(refused.header("retry-after"), "55");
    // A repeated ticket does not count, and other clients are not limited.
    send(portal, &joao, &row(19)).await.is(201);
    send(portal, &maria, &row(20)).await.is(201);
    portal.advance(SignedDuration::from_secs(61));
    send(portal, &joao, &row(20)).await.is(201);
});

portal_test!(thread_follows_its_ticket_to_another_client, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let ticket = portal.ticket(&joao, "Dúvida").await;
    for (body, internal) in [("Resposta", false), ("Nota", true)] {
        let row = json!({"ticket_id": ticket, "body": body, "internal": internal});
        portal.post("/rest/v1/ticket_messages").auth(&ana).json(&row).send().await.is(201);
    }
    let bell = "notifications?select=kind";
    assert_eq!(read(portal, &joao, bell).await, json!([{"kind": "ticket_reply"}]));
    change(portal, &ana, &ticket, json!({"user_id": maria.id})).await.is(204);
    assert_eq!(read(portal, &joao, bell).await, json!([]));
    let of_staff = read(portal, &ana, "notifications?select=kind,client_id").await;
    assert_eq!(of_staff, json!([{"kind": "ticket_new", "client_id": maria.id}]));
    assert_eq!(read(portal, &joao, "ticket_messages?select=body").await, json!([]));
    assert_eq!(
        read(portal, &maria, "ticket_messages?select=body").await,
        json!([{"body": "Resposta"}])
    );
});
