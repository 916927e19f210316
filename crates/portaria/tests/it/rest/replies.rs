//! Replies and their effects: activity of the thread, reopening, history.

use futures_util::future::join_all;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, portal_test, request::Answer};
use crate::rest::{column, read, sample};

async fn write(world: &TestPortal, person: &TestUser, table: &str, row: &Value) -> Answer {
    world.post(&format!("/rest/v1/{table}")).as_(person).single().json(row).send().await
}

async fn reply(world: &TestPortal, person: &TestUser, ticket: &str, body: &str) -> Answer {
    write(world, person, "ticket_messages", &json!({"ticket_id": ticket, "body": body})).await
}

async fn set_status(world: &TestPortal, person: &TestUser, ticket: &str, status: &str) {
    let request = world.patch(&format!("/rest/v1/tickets?id=eq.{ticket}")).as_(person);
    request.json(&json!({"status": status})).send().await.is(204);
}

/// Status and side of each visible history entry, oldest first.
async fn history(world: &TestPortal, person: &TestUser) -> Vec<(String, bool)> {
    let rows =
        read(world, person, "ticket_history?select=status,from_staff&order=created_at,id").await;
    let change = |row: &Value| {
        (row["status"].as_str().unwrap().to_owned(), row["from_staff"].as_bool().unwrap())
    };
    rows.as_array().unwrap().iter().map(change).collect()
}

fn key(number: u128) -> String {
    uuid::Uuid::from_u128(number).to_string()
}

portal_test!(reply_updates_its_ticket_and_a_note_does_not, async |world| {
    let (ana, joao) = (world.admin().await, world.client("joao").await);
    let ticket = world.ticket(&joao, "Dúvida").await;
    let seen = async || read(world, &joao, "tickets?select=status,updated_at").await;
    for (second, person) in [(10, &ana), (20, &joao)] {
        world.wait(SignedDuration::from_secs(10));
        reply(world, person, &ticket, "Pois não?").await.is(201);
        let updated_at = format!("2026-11-21T15:00:{second}+00:00");
        assert_eq!(seen().await, json!([{"status": "open", "updated_at": updated_at}]));
    }
    world.wait(SignedDuration::from_secs(10));
    let note = json!({"ticket_id": ticket, "body": "Cliente difícil", "internal": true});
    write(world, &ana, "ticket_messages", &note).await.is(201);
    assert_eq!(seen().await[0]["updated_at"], "2026-11-21T15:00:20+00:00");
});

portal_test!(office_messages_do_not_count_for_the_client_rate_limit, async |world| {
    let (ana, joao) = (world.admin().await, world.client("joao").await);
    let ticket = world.ticket(&joao, "Dúvida").await;
    for number in 0..20 {
        reply(world, &ana, &ticket, &format!("Parte {number}")).await.is(201);
    }
    for number in 0..20 {
        reply(world, &joao, &ticket, &format!("Obrigado {number}")).await.is(201);
    }
    reply(world, &joao, &ticket, "E mais isto").await.refused(429, "PT429");
    reply(world, &ana, &ticket, "Pois não?").await.is(201);
});

portal_test!(status_changes_are_recorded_by_side_without_the_author, async |world| {
    let (ana, joao, maria) =
        (world.admin().await, world.client("joao").await, world.client("maria").await);
    let ticket = world.ticket(&joao, "Dúvida").await;
    for (person, status) in [
        (&ana, "in-progress"),
        // An unchanged status is no change.
        (&ana, "in-progress"),
        (&joao, "closed"),
        (&joao, "closed"),
        (&ana, "open"),
    ] {
        world.wait(SignedDuration::from_secs(1));
        set_status(world, person, &ticket, status).await;
    }
    let told = [("open", false), ("in-progress", true), ("closed", false), ("open", true)];
    let told = told.map(|(status, staff)| (status.to_owned(), staff));
    assert_eq!(history(world, &joao).await, told);
    assert_eq!(history(world, &maria).await, []);
    let authors = read(world, &ana, "ticket_history?select=author_id&order=created_at,id").await;
    assert_eq!(
        column(&authors, "author_id"),
        [&joao.id, &ana.id, &joao.id, &ana.id].map(|id| json!(id))
    );
    // A rolled back change is not recorded.
    let rehearsed = world.patch(&format!("/rest/v1/tickets?id=eq.{ticket}")).as_(&joao);
    rehearsed.prefer("tx=rollback").json(&json!({"status": "closed"})).send().await.is(204);
    assert_eq!(history(world, &joao).await, told);
    for person in [&ana, &joao] {
        let row = json!({"ticket_id": ticket, "status": "closed"});
        world.post("/rest/v1/ticket_history").as_(person).json(&row).send().await.is(403);
    }
    // The history follows its ticket to another client, and is deleted with it.
    let row = world.patch(&format!("/rest/v1/tickets?id=eq.{ticket}")).as_(&ana);
    row.json(&json!({"user_id": maria.id})).send().await.is(204);
    assert_eq!(history(world, &maria).await, told);
    assert_eq!(history(world, &joao).await, []);
    let row = format!("/rest/v1/tickets?id=eq.{ticket}");
    world.delete(&row).as_(&ana).send().await.is(204);
    assert_eq!(history(world, &ana).await, []);
});

portal_test!(status_change_by_upsert_is_recorded, async |world| {
    let (ana, joao) = (world.admin().await, world.client("joao").await);
    let ticket = world.ticket(&joao, "Dúvida").await;
    for status in ["closed", "closed", "open"] {
        world.wait(SignedDuration::from_secs(1));
        let row = json!([{"id": ticket, "user_id": joao.id, "subject": "Dúvida", "status": status,
            "message": "Uma mensagem longa o bastante."}]);
        let request =
            world.post("/rest/v1/tickets").as_(&ana).prefer("resolution=merge-duplicates");
        request.json(&row).send().await.is(200);
    }
    let told = [("open", false), ("closed", true), ("open", true)];
    assert_eq!(history(world, &joao).await, told.map(|(status, staff)| (status.to_owned(), staff)));
});

portal_test!(client_reply_within_seven_days_reopens_the_ticket, async |world| {
    let (ana, joao) = (world.admin().await, world.client("joao").await);
    let ticket = world.ticket(&joao, "Dúvida").await;
    world.wait(SignedDuration::from_secs(1));
    set_status(world, &joao, &ticket, "closed").await;
    world.wait(SignedDuration::from_hours(24));
    let (ana, joao) = (world.sign_in(&ana.email).await, world.sign_in(&joao.email).await);
    reply(world, &ana, &ticket, "Ficou alguma dúvida?").await.is(201);
    // Closing a closed ticket does not restart the seven days, and neither does a message of staff.
    set_status(world, &joao, &ticket, "closed").await;
    assert_eq!(
        read(world, &joao, "tickets?select=status,closed_at").await,
        json!([{"status": "closed", "closed_at": "2026-11-21T15:00:01+00:00"}])
    );
    world.wait(SignedDuration::from_hours(6 * 24));
    let joao = world.sign_in(&joao.email).await;
    reply(world, &joao, &ticket, "Ainda não deu certo.").await.is(201);
    assert_eq!(
        read(world, &joao, "tickets?select=status,closed_at,updated_at").await,
        json!([{"status": "open", "closed_at": null, "updated_at": "2026-11-28T15:00:01+00:00"}])
    );
    let told = [("open", false), ("closed", false), ("open", false)];
    assert_eq!(history(world, &joao).await, told.map(|(status, staff)| (status.to_owned(), staff)));
});

portal_test!(later_reply_is_refused_and_a_follow_up_names_the_old_ticket, async |world| {
    let (ana, joao, maria) =
        (world.admin().await, world.client("joao").await, world.client("maria").await);
    let ticket = world.ticket(&joao, "Dúvida").await;
    let of_maria = world.ticket(&maria, "Segredo").await;
    let said = json!({"ticket_id": ticket, "body": "Obrigado!", "idempotency_key": key(1)});
    let first = write(world, &joao, "ticket_messages", &said).await.is(201).json();
    set_status(world, &joao, &ticket, "closed").await;
    world.wait(SignedDuration::from_hours(7 * 24) + SignedDuration::from_secs(1));
    let (ana, joao) = (world.sign_in(&ana.email).await, world.sign_in(&joao.email).await);
    reply(world, &joao, &ticket, "E agora?").await.refused(409, "PT409");
    assert_eq!(history(world, &joao).await.len(), 2);
    assert_eq!(
        read(world, &joao, "ticket_messages?select=body").await,
        json!([{"body": "Obrigado!"}])
    );
    // A repeated request gets the earlier response and does not reopen the ticket.
    assert_eq!(write(world, &joao, "ticket_messages", &said).await.is(201).json(), first);
    assert_eq!(read(world, &joao, "tickets?select=status").await, json!([{"status": "closed"}]));
    reply(world, &ana, &ticket, "A guia saiu.").await.is(201);

    let mut row = sample("tickets");
    for (other, code) in [(of_maria.as_str(), "42501"), (&uuid::Uuid::nil().to_string(), "42501")] {
        row["follow_up_of_id"] = json!(other);
        write(world, &joao, "tickets", &row).await.refused(403, code);
    }
    row["follow_up_of_id"] = json!(ticket);
    let new = write(world, &joao, "tickets", &row).await.is(201).json();
    assert_eq!(new["follow_up_of_id"], json!(ticket));
    // A ticket can only follow a ticket of the same client.
    row["user_id"] = json!(maria.id);
    write(world, &ana, "tickets", &row).await.refused(409, "23503");
    let path = format!("/rest/v1/tickets?id=eq.{}", new["id"].as_str().unwrap());
    let change = json!({"follow_up_of_id": of_maria});
    world.patch(&path).as_(&ana).json(&change).send().await.refused(403, "42501");
    let gone = world.delete(&format!("/rest/v1/tickets?id=eq.{ticket}")).as_(&ana).send().await;
    gone.is(204);
    assert_eq!(
        read(world, &joao, "tickets?select=follow_up_of_id").await,
        json!([{"follow_up_of_id": null}])
    );
});

portal_test!(repeated_reply_with_a_key_is_one_message, async |world| {
    let (ana, joao, maria) =
        (world.admin().await, world.client("joao").await, world.client("maria").await);
    let mut row = sample("tickets");
    row["idempotency_key"] = json!(key(2));
    let first = write(world, &joao, "tickets", &row).await.is(201).json();
    world.wait(SignedDuration::from_mins(30));
    assert_eq!(write(world, &joao, "tickets", &row).await.is(201).json(), first);
    // Keys belong to their sender; the same text with another key is another message.
    assert_ne!(write(world, &maria, "tickets", &row).await.is(201).json()["id"], first["id"]);
    row["idempotency_key"] = json!(key(3));
    assert_ne!(write(world, &joao, "tickets", &row).await.is(201).json()["id"], first["id"]);
    row["idempotency_key"] = json!("não é uma chave");
    write(world, &joao, "tickets", &row).await.refused(400, "22P02");

    let ticket = first["id"].as_str().unwrap();
    for person in [&joao, &ana] {
        let said = json!({"ticket_id": ticket, "body": "Olá", "idempotency_key": key(4)});
        let one = write(world, person, "ticket_messages", &said).await.is(201).json();
        assert_eq!(write(world, person, "ticket_messages", &said).await.is(201).json(), one);
    }
    assert_eq!(column(&read(world, &joao, "ticket_messages").await, "body"), ["Olá", "Olá"]);
});

portal_test!(parallel_replies_with_one_key_create_one_message, async |world| {
    let joao = world.client("joao").await;
    let mut row = sample("tickets");
    row["idempotency_key"] = json!(key(5));
    // Opens all connections first, so that the requests arrive at the same time.
    join_all((0..8).map(|_| read(world, &joao, "tickets"))).await;
    let answers = join_all((0..8).map(|_| write(world, &joao, "tickets", &row))).await;
    let mut ids: Vec<Value> =
        answers.into_iter().map(|answer| answer.is(201).json()["id"].clone()).collect();
    ids.dedup();
    assert_eq!(ids.len(), 1, "{ids:?}");
    let said = json!({"ticket_id": ids[0], "body": "Olá", "idempotency_key": key(6)});
    let answers = join_all((0..8).map(|_| write(world, &joao, "ticket_messages", &said))).await;
    for answer in answers {
        answer.is(201);
    }
    assert_eq!(read(world, &joao, "ticket_messages?select=body").await, json!([{"body": "Olá"}]));
});
