//! Replies, and what they bring about: a thread that moves on, opens again, and is written down.

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

/// Status and side of every change that somebody sees, oldest first.
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

portal_test!(a_reply_moves_its_ticket_on_and_a_note_does_not, async |world| {
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

portal_test!(what_the_office_writes_is_no_flood_of_its_clients, async |world| {
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

portal_test!(every_change_of_status_is_written_down_by_side_and_by_nobody_else, async |world| {
    let (ana, joao, maria) =
        (world.admin().await, world.client("joao").await, world.client("maria").await);
    let ticket = world.ticket(&joao, "Dúvida").await;
    for (person, status) in [
        (&ana, "in-progress"),
        // What stays as it is, is no change.
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
    // A rehearsal leaves no line behind.
    let rehearsed = world.patch(&format!("/rest/v1/tickets?id=eq.{ticket}")).as_(&joao);
    rehearsed.prefer("tx=rollback").json(&json!({"status": "closed"})).send().await.is(204);
    assert_eq!(history(world, &joao).await, told);
    for person in [&ana, &joao] {
        let row = json!({"ticket_id": ticket, "status": "closed"});
        world.post("/rest/v1/ticket_history").as_(person).json(&row).send().await.is(403);
    }
    // With a ticket its history changes hands, and goes.
    let row = world.patch(&format!("/rest/v1/tickets?id=eq.{ticket}")).as_(&ana);
    row.json(&json!({"user_id": maria.id})).send().await.is(204);
    assert_eq!(history(world, &maria).await, told);
    assert_eq!(history(world, &joao).await, []);
    let row = format!("/rest/v1/tickets?id=eq.{ticket}");
    world.delete(&row).as_(&ana).send().await.is(204);
    assert_eq!(history(world, &ana).await, []);
});

portal_test!(an_upsert_of_the_office_is_written_down_too, async |world| {
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

portal_test!(a_clients_reply_within_seven_days_opens_a_closed_ticket_again, async |world| {
    let (ana, joao) = (world.admin().await, world.client("joao").await);
    let ticket = world.ticket(&joao, "Dúvida").await;
    world.wait(SignedDuration::from_secs(1));
    set_status(world, &joao, &ticket, "closed").await;
    world.wait(SignedDuration::from_hours(24));
    let (ana, joao) = (world.sign_in(&ana.email).await, world.sign_in(&joao.email).await);
    reply(world, &ana, &ticket, "Ficou alguma dúvida?").await.is(201);
    // Closing what is closed does not begin the seven days anew; nor does a word of the staff.
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

portal_test!(later_a_reply_is_refused_and_a_new_ticket_names_the_old_one, async |world| {
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
    // What was sent before is answered as before, and opens nothing.
    assert_eq!(write(world, &joao, "ticket_messages", &said).await.is(201).json(), first);
    assert_eq!(read(world, &joao, "tickets?select=status").await, json!([{"status": "closed"}]));
    reply(world, &ana, &ticket, "A guia saiu.").await.is(201);

    let mut row = sample("tickets");
    for (other, code) in [(of_maria.as_str(), "42501"), (&uuid::Uuid::nil().to_string(), "42501")] {
        row["follows_id"] = json!(other);
        write(world, &joao, "tickets", &row).await.refused(403, code);
    }
    row["follows_id"] = json!(ticket);
    let new = write(world, &joao, "tickets", &row).await.is(201).json();
    assert_eq!(new["follows_id"], json!(ticket));
    // Whose a ticket is, so is the one that it goes on with.
    row["user_id"] = json!(maria.id);
    write(world, &ana, "tickets", &row).await.refused(409, "23503");
    let path = format!("/rest/v1/tickets?id=eq.{}", new["id"].as_str().unwrap());
    let change = json!({"follows_id": of_maria});
    world.patch(&path).as_(&ana).json(&change).send().await.refused(403, "42501");
    let gone = world.delete(&format!("/rest/v1/tickets?id=eq.{ticket}")).as_(&ana).send().await;
    gone.is(204);
    assert_eq!(
        read(world, &joao, "tickets?select=follows_id").await,
        json!([{"follows_id": null}])
    );
});

portal_test!(what_is_sent_twice_under_one_key_is_one, async |world| {
    let (ana, joao, maria) =
        (world.admin().await, world.client("joao").await, world.client("maria").await);
    let mut row = sample("tickets");
    row["idempotency_key"] = json!(key(2));
    let first = write(world, &joao, "tickets", &row).await.is(201).json();
    world.wait(SignedDuration::from_mins(30));
    assert_eq!(write(world, &joao, "tickets", &row).await.is(201).json(), first);
    // The key is the sender's own; under another one the same words are another ticket.
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

portal_test!(many_clicks_at_once_under_one_key_make_one, async |world| {
    let joao = world.client("joao").await;
    let mut row = sample("tickets");
    row["idempotency_key"] = json!(key(5));
    // So that every connection is there already, and all clicks arrive together.
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
