//! The ticket queue of the office: due times, assignees, typing indicators.

use std::{
    sync::{Arc, mpsc},
    time::Duration,
};

use jiff::SignedDuration;
use portaria::{clock::format_timestamp, db::Tx, tickets::sla};
use sea_query::{Expr, ExprTrait, Query};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::harness::{TestPortal, TestUser, portal_test, run_blocking, run_on_postgres};
use crate::rest::{column, read, rows};

async fn say(portal: &TestPortal, user: &TestUser, row: Value) -> String {
    let request = portal.post("/rest/v1/ticket_messages").auth(user).single();
    request.json(&row).send().await.is(201).json()["id"].as_str().unwrap().to_owned()
}

async fn change(portal: &TestPortal, user: &TestUser, ticket: &str, row: Value) {
    let request = portal.patch(&format!("/rest/v1/tickets?id=eq.{ticket}")).auth(user);
    request.json(&row).send().await.is(204);
}

/// The due time of the reply to a ticket.
async fn due(portal: &TestPortal, ana: &TestUser, ticket: &str) -> Value {
    let found = read(portal, ana, &format!("tickets?id=eq.{ticket}&select=due_at")).await;
    found[0]["due_at"].clone()
}

/// Tickets of a Saturday are due at the end of Monday in São Paulo (UTC-3).
const MONDAY_IS_OVER: &str = "2026-11-24T03:00:00+00:00";

portal_test!(reply_is_due_after_the_first_unanswered_message, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let ticket = portal.ticket(&joao, "Dúvida").await;
    assert_eq!(due(portal, &ana, &ticket).await, MONDAY_IS_OVER);
    // The clock shows noon on Monday.
    portal.advance(SignedDuration::from_hours(48));
    let (ana, joao) = (portal.sign_in(&ana.email).await, portal.sign_in(&joao.email).await);
    let again = json!({"ticket_id": ticket, "body": "Alguém me lê?"});
    say(portal, &joao, again.clone()).await;
    assert_eq!(
        due(portal, &ana, &ticket).await,
        MONDAY_IS_OVER,
        "another message of the client must not move the due time"
    );
    let note = json!({"ticket_id": ticket, "body": "Eu ligo para ele.", "internal": true});
    say(portal, &ana, note).await;
    assert_eq!(due(portal, &ana, &ticket).await, MONDAY_IS_OVER, "an internal note is no reply");
    portal.advance(SignedDuration::from_secs(1));
    let answer = say(portal, &ana, json!({"ticket_id": ticket, "body": "Pois não?"})).await;
    assert_eq!(due(portal, &ana, &ticket).await, Value::Null);
    portal.advance(SignedDuration::from_secs(1));
    say(portal, &joao, json!({"ticket_id": ticket, "body": "E a guia?"})).await;
    assert_eq!(due(portal, &ana, &ticket).await, "2026-11-24T15:00:02+00:00");
    portal
        .delete(&format!("/rest/v1/ticket_messages?id=eq.{answer}"))
        .auth(&ana)
        .send()
        .await
        .is(204);
    assert_eq!(
        due(portal, &ana, &ticket).await,
        MONDAY_IS_OVER,
        "deleting the reply restores the due time"
    );
});

async fn check_concurrent_reply_counts_while_another_is_deleted(portal: &mut TestPortal) {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let ticket = portal.ticket(&joao, "Dúvida").await;
    let answer = say(portal, &ana, json!({"ticket_id": ticket, "body": "Pois não?"})).await;
    // A reply in progress: its transaction has locked the ticket and is still open.
    let (go, wait) = mpsc::channel::<()>();
    let (holds, held) = oneshot::channel();
    let (app, of, now) = (Arc::clone(&portal.app), ticket.clone(), format_timestamp(portal.now()));
    let write = move |tx: &mut Tx<'_>| {
        let mut lock = Query::select();
        lock.column("id").from("tickets").and_where(Expr::col("id").eq(of.as_str()));
        tx.rows(lock.lock_exclusive())?;
        let id = uuid::Uuid::from_u128(7).to_string();
        tx.insert(
            "ticket_messages",
            [
                ("id", id.into()),
                ("ticket_id", of.as_str().into()),
                ("body", "De novo".into()),
                ("from_staff", true.into()),
                ("internal", false.into()),
                ("created_at", now.into()),
            ],
        )?;
        holds.send(()).unwrap();
        wait.recv().unwrap();
        let office = app.office_in(tx)?;
        sla::update_due_dates(tx, &[of.parse().unwrap()], &office.calendar, &app.config.time_zone)
    };
    let app = Arc::clone(&portal.app);
    let answering = tokio::spawn(async move { app.db.write(write).await });
    held.await.unwrap();
    let path = format!("/rest/v1/ticket_messages?id=eq.{answer}");
    let taking_back = tokio::spawn(portal.delete(&path).auth(&ana).send());
    let url = portal.database_url().to_owned();
    let waits = || {
        let waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        let mut client = postgres::Client::connect(&url, postgres::NoTls).unwrap();
        !client.query(waiting, &[]).unwrap().is_empty()
    };
    while !run_blocking(waits) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    go.send(()).unwrap();
    answering.await.unwrap().unwrap();
    taking_back.await.unwrap().is(204);
    assert_eq!(due(portal, &ana, &ticket).await, Value::Null);
}

#[test]
fn concurrent_reply_counts_while_another_is_deleted() {
    run_on_postgres(check_concurrent_reply_counts_while_another_is_deleted);
}

portal_test!(closed_ticket_is_not_due_until_reopened, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let ticket = portal.ticket(&joao, "Dúvida").await;
    change(portal, &joao, &ticket, json!({"status": "closed"})).await;
    assert_eq!(due(portal, &ana, &ticket).await, Value::Null);
    change(portal, &ana, &ticket, json!({"status": "in-progress"})).await;
    assert_eq!(due(portal, &ana, &ticket).await, MONDAY_IS_OVER);
    let row = json!([{"id": ticket, "user_id": joao.id, "subject": "Dúvida", "status": "closed",
        "message": "Uma mensagem longa o bastante."}]);
    let merge = portal.post("/rest/v1/tickets").auth(&ana).prefer("resolution=merge-duplicates");
    merge.json(&row).send().await.is(200);
    assert_eq!(due(portal, &ana, &ticket).await, Value::Null);
});

portal_test!(queue_is_sorted_and_paged_by_due_time, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let mut tickets = Vec::new();
    for hours in [0, 48, 1] {
        portal.advance(SignedDuration::from_hours(hours));
        let joao = portal.sign_in(&joao.email).await;
        tickets.push(portal.ticket(&joao, &format!("Dúvida {hours}")).await);
    }
    let ana = portal.sign_in(&ana.email).await;
    say(portal, &ana, json!({"ticket_id": tickets[1], "body": "Pois não?"})).await;
    let queue = "tickets?select=id&order=due_at.asc.nullslast,updated_at.desc";
    let order = [&tickets[0], &tickets[2], &tickets[1]].map(|id| json!(id));
    assert_eq!(column(&read(portal, &ana, queue).await, "id"), order);
    for (place, id) in order.iter().enumerate() {
        let page = read(portal, &ana, &format!("{queue}&limit=1&offset={place}")).await;
        assert_eq!(column(&page, "id").first(), Some(id));
    }
    let overdue = read(portal, &ana, "tickets?select=id&due_at=lt.2026-11-24T12:00:00Z").await;
    assert_eq!(column(&overdue, "id"), [order[0].clone()]);
});

portal_test!(queue_is_sorted_by_due_date_then_priority_then_age, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    // All tickets of a weekend are due at the end of Monday.
    let mut tickets = Vec::new();
    for priority in ["normal", "low", "urgent", "normal", "high"] {
        portal.advance(SignedDuration::from_secs(1));
        let row = json!({
            "subject": format!("Dúvida {}", tickets.len()), "message": "Uma mensagem longa.",
            "priority": priority,
        });
        let request = portal.post("/rest/v1/tickets").auth(&joao).single().json(&row);
        tickets.push(request.send().await.is(201).json()["id"].clone());
    }
    let queue = "tickets?select=id&status=neq.closed&order=due_at.asc.nullslast,priority_rank.desc,created_at,id";
    let order = |places: [usize; 5]| places.map(|place| tickets[place].clone());
    assert_eq!(column(&read(portal, &ana, queue).await, "id"), order([2, 4, 0, 3, 1]));
    // The rank follows the priority, whatever a program says.
    let urgent = json!({"priority": "urgent", "priority_rank": 0});
    change(portal, &ana, tickets[1].as_str().unwrap(), urgent).await;
    assert_eq!(column(&read(portal, &ana, queue).await, "id"), order([1, 2, 4, 0, 3]));
    let refused = portal.get("/rest/v1/tickets?select=priority_rank").auth(&joao).send().await;
    refused.refused(400, "42703");
});

portal_test!(due_at_is_server_managed, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let ticket = portal.ticket(&joao, "Dúvida").await;
    let path = format!("/rest/v1/tickets?id=eq.{ticket}");
    let row = json!({"due_at": "2030-01-01T00:00:00Z"});
    portal.patch(&path).auth(&ana).json(&row).send().await.refused(403, "42501");
    portal.patch(&path).auth(&joao).json(&row).send().await.refused(400, "PGRST204");
    let row = json!({"subject": "Telefonema", "message": "O cliente ligou e perguntou.",
        "user_id": joao.id, "due_at": "2030-01-01T00:00:00Z"});
    let id = portal.insert("tickets", row).await;
    assert_eq!(due(portal, &ana, &id).await, MONDAY_IS_OVER);
});

portal_test!(ticket_assignment_is_invisible_to_the_client, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let ticket = portal.ticket(&joao, "Dúvida").await;
    let before = read(portal, &joao, "tickets").await;
    portal.advance(SignedDuration::from_secs(10));
    change(portal, &ana, &ticket, json!({"assignee_id": ana.id})).await;
    let seen = "tickets?select=assignee_id,staff(email,user_metadata-%3E%3Efull_name)";
    let expected = json!([{"assignee_id": ana.id,
        "staff": {"email": ana.email, "full_name": "Ana Prado"}}]);
    assert_eq!(read(portal, &ana, seen).await, expected);
    assert_eq!(read(portal, &joao, "tickets").await, before);
    let path = format!("/rest/v1/tickets?id=eq.{ticket}");
    for nobody in [&joao.id, &uuid::Uuid::nil().to_string()] {
        let row = json!({"assignee_id": nobody});
        portal.patch(&path).auth(&ana).json(&row).send().await.refused(409, "23503");
    }
    rows(portal, &joao, "tickets?select=id,staff(email)").send().await.refused(403, "42501");
    change(portal, &ana, &ticket, json!({"assignee_id": null})).await;
    assert_eq!(read(portal, &ana, seen).await[0]["assignee_id"], Value::Null);
});

portal_test!(deleted_staff_member_loses_assignments, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let bia = portal.create_user(
        json!({"email": "bia@escritorio.com.br", "app_metadata": {"roles": ["admin"]}}),
    );
    let bia = bia.await["id"].as_str().unwrap().to_owned();
    let ticket = portal.ticket(&joao, "Dúvida").await;
    change(portal, &ana, &ticket, json!({"assignee_id": bia})).await;
    let staff = read(portal, &ana, "staff?select=email&order=email").await;
    assert_eq!(column(&staff, "email"), ["ana@escritorio.com.br", "bia@escritorio.com.br"]);
    portal
        .delete(&format!("/auth/v1/admin/users/{bia}"))
        .auth(&ana)
        .json(&json!({}))
        .send()
        .await
        .is(200);
    let left = read(portal, &ana, "tickets?select=assignee_id").await;
    assert_eq!(left, json!([{"assignee_id": null}]));
});

portal_test!(typing_indicator_expires_after_half_a_minute, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let ticket = portal.ticket(&joao, "Dúvida").await;
    let screen = uuid::Uuid::from_u128(7).to_string();
    // Author and time of an indicator are set by the server.
    let row = json!({"id": screen, "ticket_id": ticket, "user_id": joao.id,
        "last_seen_at": "2030-01-01T00:00:00Z"});
    let touch = async |row: &Value| {
        let request = portal.post("/rest/v1/ticket_presence").auth(&ana);
        request.prefer("resolution=merge-duplicates").json(row).send().await
    };
    touch(&row).await.is(201);
    let seen = async || {
        let path = "ticket_presence?select=id,user_id,last_seen_at,staff(email)";
        read(portal, &ana, path).await
    };
    let expected = |second: &str| {
        json!([{"id": screen, "user_id": ana.id, "staff": {"email": ana.email},
            "last_seen_at": format!("2026-11-21T15:00:{second}+00:00")}])
    };
    assert_eq!(seen().await, expected("00"));
    portal.advance(SignedDuration::from_secs(20));
    touch(&json!({"id": screen, "ticket_id": ticket})).await.is(200);
    assert_eq!(seen().await, expected("20"));
    portal.advance(SignedDuration::from_secs(29));
    assert_eq!(seen().await, expected("20"));
    portal.advance(SignedDuration::from_secs(1));
    assert_eq!(seen().await, json!([]));
    let embedded = read(portal, &ana, "tickets?select=ticket_presence(id)").await;
    assert_eq!(embedded, json!([{"ticket_presence": []}]));
    // The next indicator deletes expired ones; users delete their own.
    let other = uuid::Uuid::from_u128(8).to_string();
    touch(&json!({"id": other, "ticket_id": ticket})).await.is(201);
    let counted = portal.delete("/rest/v1/ticket_presence?id=not.is.null").auth(&ana);
    let counted = counted.prefer("count=exact").send().await.is(204);
    assert_eq!(counted.header("content-range"), "*/1");
});
