//! Ticket messages and document receipts: written by both sides, with internal notes hidden from clients.

use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, portal_test, request::Answer};
use crate::rest::{column, read};

async fn write(portal: &TestPortal, user: &TestUser, table: &str, row: Value) -> Answer {
    portal.post(&format!("/rest/v1/{table}")).auth(user).single().json(&row).send().await
}

portal_test!(both_sides_write_and_notes_are_hidden_from_the_client, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let ticket = portal.ticket(&joao, "Dúvida").await;
    let message = |body: &str| json!({"ticket_id": ticket, "body": body});
    let own = write(portal, &joao, "ticket_messages", message("Alguém aí?")).await.is(201).json();
    assert_eq!(own["from_staff"], false);
    let note = json!({"ticket_id": ticket, "body": "Cliente difícil", "internal": true});
    write(portal, &ana, "ticket_messages", note).await.is(201);
    let reply = write(portal, &ana, "ticket_messages", message("Pois não.")).await.is(201).json();
    assert_eq!((&reply["from_staff"], &reply["author_id"]), (&json!(true), &json!(ana.id)));

    let thread = "ticket_messages?select=body,from_staff&order=body";
    assert_eq!(
        read(portal, &joao, thread).await,
        json!([{"body": "Alguém aí?", "from_staff": false}, {"body": "Pois não.", "from_staff": true}])
    );
    let under = read(portal, &joao, "tickets?select=ticket_messages(count)").await;
    assert_eq!(under, json!([{"ticket_messages": [{"count": 2}]}]));
    assert_eq!(read(portal, &maria, thread).await, json!([]));
    let all = column(&read(portal, &ana, thread).await, "body");
    assert_eq!(all, ["Alguém aí?", "Cliente difícil", "Pois não."]);
});

portal_test!(messages_require_own_ticket_and_have_a_fixed_author, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let ticket = portal.ticket(&joao, "Dúvida").await;
    let ghost = uuid::Uuid::nil();
    let message = |ticket: &str| json!({"ticket_id": ticket, "body": "Olá"});
    let other =
        write(portal, &maria, "ticket_messages", message(&ticket)).await.refused(403, "42501");
    let nothing = write(portal, &maria, "ticket_messages", message(&ghost.to_string())).await;
    assert_eq!(other.seen(), nothing.seen());
    for hidden in ["internal", "author_id", "client_id"] {
        let mut row = message(&ticket);
        row[hidden] = json!(true);
        write(portal, &joao, "ticket_messages", row).await.refused(400, "PGRST204");
    }
    let mut claimed = message(&ticket);
    claimed["from_staff"] = json!(true);
    claimed["created_at"] = json!("1970-01-01");
    let claimed = write(portal, &joao, "ticket_messages", claimed).await.is(201).json();
    assert_eq!(claimed["from_staff"], false);
    assert_eq!(claimed["created_at"], "2026-11-21T15:00:00+00:00");
    for body in ["", "   "] {
        let row = json!({"ticket_id": ticket, "body": body});
        write(portal, &joao, "ticket_messages", row).await.refused(400, "23514");
    }
    write(portal, &joao, "ticket_messages", json!({"body": "x"})).await.refused(400, "23502");

    // Staff may correct the text of a message, not its ticket, client or visibility.
    let id = claimed["id"].as_str().unwrap();
    let change = |change: Value| {
        portal
            .patch(&format!("/rest/v1/ticket_messages?id=eq.{id}"))
            .auth(&ana)
            .json(&change)
            .send()
    };
    change(json!({"body": "Olá!"})).await.is(204);
    for whom in
        [json!({"internal": true}), json!({"client_id": maria.id}), json!({"ticket_id": ghost})]
    {
        change(whom).await.refused(403, "42501");
    }
    let gone = portal.delete(&format!("/rest/v1/tickets?id=eq.{ticket}")).auth(&ana).send().await;
    gone.is(204);
    assert_eq!(read(portal, &ana, "ticket_messages").await, json!([]));
});

portal_test!(receipt_requires_an_own_document, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let document = portal.document(&joao, "contratos", "a.pdf").await;
    let receipt = |id: &str, action: &str| json!({"document_id": id, "action": action});
    write(portal, &joao, "document_receipts", receipt(&document.id, "opened")).await.is(201);
    write(portal, &joao, "document_receipts", receipt(&document.id, "downloaded")).await.is(201);
    let wrong = write(portal, &joao, "document_receipts", receipt(&document.id, "eaten")).await;
    wrong.refused(400, "23514");
    let ghost = uuid::Uuid::nil().to_string();
    let other = write(portal, &maria, "document_receipts", receipt(&document.id, "opened")).await;
    let nothing = write(portal, &maria, "document_receipts", receipt(&ghost, "opened")).await;
    assert_eq!(other.status, 403);
    assert_eq!(other.seen(), nothing.seen());

    assert_eq!(read(portal, &maria, "document_receipts").await, json!([]));
    let seen = "document_receipts?select=action,client_id&order=action";
    assert_eq!(
        read(portal, &ana, seen).await,
        json!([{"action": "downloaded", "client_id": joao.id}, {"action": "opened", "client_id": joao.id}])
    );
    let row = format!("/rest/v1/documents?id=eq.{}", document.id);
    portal.delete(&row).auth(&ana).send().await.is(204);
    assert_eq!(read(portal, &ana, "document_receipts").await, json!([]));
});
