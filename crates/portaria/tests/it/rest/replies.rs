//! Replies and their effects: activity of the thread, reopening, history.

use futures_util::future::join_all;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, portal_test, request::Answer};
use crate::rest::{column, read, sample};

async fn write(portal: &TestPortal, user: &TestUser, table: &str, row: &Value) -> Answer {
    portal.post(&format!("/rest/v1/{table}")).auth(user).single().json(row).send().await
}

async fn reply(portal: &TestPortal, user: &TestUser, ticket: &str, body: &str) -> Answer {
    write(portal, user, "ticket_messages", &json!({"ticket_id": ticket, "body": body})).await
}

async fn set_status(portal: &TestPortal, user: &TestUser, ticket: &str, status: &str) {
    let request = portal.patch(&format!("/rest/v1/tickets?id=eq.{ticket}")).auth(user);
    request.json(&json!({"status": status})).send().await.is(204);
}

/// Status and side of each visible history entry, oldest first.
async fn history(portal: &TestPortal, user: &TestUser) -> Vec<(String, bool)> {
    let rows =
        read(portal, user, "ticket_history?select=status,from_staff&order=created_at,id").await;
    let change = |row: &Value| {
        (row["status"].as_str().unwrap().to_owned(), row["from_staff"].as_bool().unwrap())
    };
    rows.as_array().unwrap().iter().map(change).collect()
}

fn key(number: u128) -> String {
    uuid::Uuid::from_u128(number).to_string()
}

portal_test!(reply_updates_its_ticket_and_a_note_does_not, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let ticket = portal.ticket(&joao, "Dúvida").await;
    let seen = async || read(portal, &joao, "tickets?select=status,updated_at").await;
    for (second, user) in [(10, &ana), (20, &joao)] {
        portal.advance(SignedDuration::from_secs(10));
        reply(portal, user, &ticket, "Pois não?").await.is(201);
        let updated_at = format!("2026-11-21T15:00:{second}+00:00");
        assert_eq!(seen().await, json!([{"status": "open", "updated_at": updated_at}]));
    }
    portal.advance(SignedDuration::from_secs(10));
    let note = json!({"ticket_id": ticket, "body": "Cliente difícil", "internal": true});
    write(portal, &ana, "ticket_messages", &note).await.is(201);
    assert_eq!(seen().await[0]["updated_at"], "2026-11-21T15:00:20+00:00");
});

portal_test!(office_messages_do_not_count_for_the_client_rate_limit, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let ticket = portal.ticket(&joao, "Dúvida").await;
    for number in 0..20 {
        reply(portal, &ana, &ticket, &format!("Parte {number}")).await.is(201);
    }
    for number in 0..20 {
        reply(portal, &joao, &ticket, &format!("Obrigado {number}")).await.is(201);
    }
    reply(portal, &joao, &ticket, "E mais isto").await.refused(429, "PT429");
    reply(portal, &ana, &ticket, "Pois não?").await.is(201);
});

portal_test!(status_changes_are_recorded_by_side_without_the_author, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let ticket = portal.ticket(&joao, "Dúvida").await;
    for (user, status) in [
        (&ana, "in-progress"),
        // An unchanged status is no change.
        (&ana, "in-progress"),
        (&joao, "closed"),
        (&joao, "closed"),
        (&ana, "open"),
    ] {
        portal.advance(SignedDuration::from_secs(1));
        set_status(portal, user, &ticket, status).await;
    }
    let expected = [("open", false), ("in-progress", true), ("closed", false), ("open", true)];
    let expected = expected.map(|(status, staff)| (status.to_owned(), staff));
    assert_eq!(history(portal, &joao).await, expected);
    assert_eq!(history(portal, &maria).await, []);
    let authors = read(portal, &ana, "ticket_history?select=author_id&order=created_at,id").await;
    assert_eq!(
        column(&authors, "author_id"),
        [&joao.id, &ana.id, &joao.id, &ana.id].map(|id| json!(id))
    );
    // A rolled back change is not recorded.
    let rehearsed = portal.patch(&format!("/rest/v1/tickets?id=eq.{ticket}")).auth(&joao);
    rehearsed.prefer("tx=rollback").json(&json!({"status": "closed"})).send().await.is(204);
    assert_eq!(history(portal, &joao).await, expected);
    for user in [&ana, &joao] {
        let row = json!({"ticket_id": ticket, "status": "closed"});
        portal.post("/rest/v1/ticket_history").auth(user).json(&row).send().await.is(403);
    }
    // The history follows its ticket to another client, and is deleted with it.
    let row = portal.patch(&format!("/rest/v1/tickets?id=eq.{ticket}")).auth(&ana);
    row.json(&json!({"user_id": maria.id})).send().await.is(204);
    assert_eq!(history(portal, &maria).await, expected);
    assert_eq!(history(portal, &joao).await, []);
    let row = format!("/rest/v1/tickets?id=eq.{ticket}");
    portal.delete(&row).auth(&ana).send().await.is(204);
    assert_eq!(history(portal, &ana).await, []);
});

portal_test!(status_change_by_upsert_is_recorded, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let ticket = portal.ticket(&joao, "Dúvida").await;
    for status in ["closed", "closed", "open"] {
        portal.advance(SignedDuration::from_secs(1));
        let row = json!([{"id": ticket, "user_id": joao.id, "subject": "Dúvida", "status": status,
            "message": "Uma mensagem longa o bastante."}]);
        let request =
            portal.post("/rest/v1/tickets").auth(&ana).prefer("resolution=merge-duplicates");
        request.json(&row).send().await.is(200);
    }
    let expected = [("open", false), ("closed", true), ("open", true)];
    assert_eq!(
        history(portal, &joao).await,
        expected.map(|(status, staff)| (status.to_owned(), staff))
    );
});

portal_test!(client_reply_within_seven_days_reopens_the_ticket, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let ticket = portal.ticket(&joao, "Dúvida").await;
    portal.advance(SignedDuration::from_secs(1));
    set_status(portal, &joao, &ticket, "closed").await;
    portal.advance(SignedDuration::from_hours(24));
    let (ana, joao) = (portal.sign_in(&ana.email).await, portal.sign_in(&joao.email).await);
    reply(portal, &ana, &ticket, "Ficou alguma dúvida?").await.is(201);
    // Closing a closed ticket does not restart the seven days, and neither does a message of staff.
    set_status(portal, &joao, &ticket, "closed").await;
    assert_eq!(
        read(portal, &joao, "tickets?select=status,closed_at").await,
        json!([{"status": "closed", "closed_at": "2026-11-21T15:00:01+00:00"}])
    );
    portal.advance(SignedDuration::from_hours(6 * 24));
    let joao = portal.sign_in(&joao.email).await;
    reply(portal, &joao, &ticket, "Ainda não deu certo.").await.is(201);
    assert_eq!(
        read(portal, &joao, "tickets?select=status,closed_at,updated_at").await,
        json!([{"status": "open", "closed_at": null, "updated_at": "2026-11-28T15:00:01+00:00"}])
    );
    let expected = [("open", false), ("closed", false), ("open", false)];
    assert_eq!(
        history(portal, &joao).await,
        expected.map(|(status, staff)| (status.to_owned(), staff))
    );
});

portal_test!(later_reply_is_refused_and_a_follow_up_names_the_old_ticket, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let ticket = portal.ticket(&joao, "Dúvida").await;
    let of_maria = portal.ticket(&maria, "Segredo").await;
    let message = json!({"ticket_id": ticket, "body": "Obrigado!", "idempotency_key": key(1)});
    let first = write(portal, &joao, "ticket_messages", &message).await.is(201).json();
    set_status(portal, &joao, &ticket, "closed").await;
    portal.advance(SignedDuration::from_hours(7 * 24) + SignedDuration::from_secs(1));
    let (ana, joao) = (portal.sign_in(&ana.email).await, portal.sign_in(&joao.email).await);
    reply(portal, &joao, &ticket, "E agora?").await.refused(409, "PT409");
    assert_eq!(history(portal, &joao).await.len(), 2);
    assert_eq!(
        read(portal, &joao, "ticket_messages?select=body").await,
        json!([{"body": "Obrigado!"}])
    );
    // A repeated request gets the earlier response and does not reopen the ticket.
    assert_eq!(write(portal, &joao, "ticket_messages", &message).await.is(201).json(), first);
    assert_eq!(read(portal, &joao, "tickets?select=status").await, json!([{"status": "closed"}]));
    reply(portal, &ana, &ticket, "A guia saiu.").await.is(201);

    let mut row = sample("tickets");
    for (other, code) in [(of_maria.as_str(), "42501"), (&uuid::Uuid::nil().to_string(), "42501")] {
        row["follow_up_of_id"] = json!(other);
        write(portal, &joao, "tickets", &row).await.refused(403, code);
    }
    row["follow_up_of_id"] = json!(ticket);
    let new = write(portal, &joao, "tickets", &row).await.is(201).json();
    assert_eq!(new["follow_up_of_id"], json!(ticket));
    // A ticket can only follow a ticket of the same client.
    row["user_id"] = json!(maria.id);
    write(portal, &ana, "tickets", &row).await.refused(409, "23503");
    let path = format!("/rest/v1/tickets?id=eq.{}", new["id"].as_str().unwrap());
    let change = json!({"follow_up_of_id": of_maria});
    portal.patch(&path).auth(&ana).json(&change).send().await.refused(403, "42501");
    let gone = portal.delete(&format!("/rest/v1/tickets?id=eq.{ticket}")).auth(&ana).send().await;
    gone.is(204);
    assert_eq!(
        read(portal, &joao, "tickets?select=follow_up_of_id").await,
        json!([{"follow_up_of_id": null}])
    );
});

portal_test!(repeated_reply_with_a_key_is_one_message, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let mut row = sample("tickets");
    row["idempotency_key"] = json!(key(2));
    let first = write(portal, &joao, "tickets", &row).await.is(201).json();
    portal.advance(SignedDuration::from_mins(30));
    assert_eq!(write(portal, &joao, "tickets", &row).await.is(201).json(), first);
    // Keys belong to their sender; the same text with another key is another message.
    assert_ne!(write(portal, &maria, "tickets", &row).await.is(201).json()["id"], first["id"]);
    row["idempotency_key"] = json!(key(3));
    assert_ne!(write(portal, &joao, "tickets", &row).await.is(201).json()["id"], first["id"]);
    row["idempotency_key"] = json!("não é uma chave");
    write(portal, &joao, "tickets", &row).await.refused(400, "22P02");

    let ticket = first["id"].as_str().unwrap();
    for user in [&joao, &ana] {
        let message = json!({"ticket_id": ticket, "body": "Olá", "idempotency_key": key(4)});
        let one = write(portal, user, "ticket_messages", &message).await.is(201).json();
        assert_eq!(write(portal, user, "ticket_messages", &message).await.is(201).json(), one);
    }
    assert_eq!(column(&read(portal, &joao, "ticket_messages").await, "body"), ["Olá", "Olá"]);
});

portal_test!(parallel_replies_with_one_key_create_one_message, async |portal| {
    let joao = portal.client("joao").await;
    let mut row = sample("tickets");
    row["idempotency_key"] = json!(key(5));
    // Opens all connections first, so that the requests arrive at the same time.
    join_all((0..8).map(|_| read(portal, &joao, "tickets"))).await;
    let answers = join_all((0..8).map(|_| write(portal, &joao, "tickets", &row))).await;
    let mut ids: Vec<Value> =
        answers.into_iter().map(|answer| answer.is(201).json()["id"].clone()).collect();
    ids.dedup();
    assert_eq!(ids.len(), 1, "{ids:?}");
    let message = json!({"ticket_id": ids[0], "body": "Olá", "idempotency_key": key(6)});
    let answers = join_all((0..8).map(|_| write(portal, &joao, "ticket_messages", &message))).await;
    for answer in answers {
        answer.is(201);
    }
    assert_eq!(read(portal, &joao, "ticket_messages?select=body").await, json!([{"body": "Olá"}]));
});
