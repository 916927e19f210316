//! Contacts about documents that were not opened: reminders by mail and `WhatsApp`, and delivery by other means.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, portal_test, request::Answer};
use crate::rest::{column, read};

/// The documents that wait to be opened, as the office's list asks for them.
const UNOPENED: &str = "documents?select=name,document_receipts(),delivered:document_contacts()\
    &status=eq.active&client_id=not.is.null&was_opened=is.false&document_receipts=is.null\
    &delivered.kind=eq.delivery&delivered=is.null&order=name";

async fn remind(portal: &TestPortal, user: &TestUser, documents: &[&str]) -> Answer {
    let request = portal.post("/rest/v1/rpc/remind_documents").auth(user);
    request.json(&json!({"documents": documents})).send().await
}

async fn contact(portal: &TestPortal, user: &TestUser, row: Value) -> Answer {
    portal.post("/rest/v1/document_contacts").auth(user).single().json(&row).send().await
}

fn counts(reminded: u64, repeated: u64, unreachable: u64, settled: u64) -> Value {
    json!({
        "reminded": reminded, "repeated": repeated, "unreachable": unreachable, "settled": settled,
    })
}

portal_test!(reminder_is_mailed_and_recorded_once_a_day, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let id = portal.document(&joao, "faturas", "guia.pdf").await.id;
    let first = remind(portal, &ana, &[&id, &id]).await.is(200).json();
    assert_eq!(first, counts(1, 0, 0, 0));
    let mail = portal.mail("document_reminder", &joao.email).await;
    assert_eq!(mail.subject, "Ainda não aberto: guia.pdf");
    assert_eq!(mail.link(), format!("http://127.0.0.1:8080/documents/view/{id}"));
    assert_eq!(remind(portal, &ana, &[&id]).await.is(200).json(), counts(0, 1, 0, 0));
    // Shortly before midnight in São Paulo the next day has begun in UTC.
    portal.advance(SignedDuration::from_mins(11 * 60 + 30));
    let ana = portal.sign_in(&ana.email).await;
    assert_eq!(remind(portal, &ana, &[&id]).await.is(200).json(), counts(0, 1, 0, 0));
    portal.advance(SignedDuration::from_mins(40));
    assert_eq!(remind(portal, &ana, &[&id]).await.is(200).json(), counts(1, 0, 0, 0));

    let contacts =
        "document_contacts?select=kind,contacted_on,author_id,client_id&order=created_at";
    let of_day = |day: &str| json!({"kind": "mail", "contacted_on": day, "author_id": ana.id, "client_id": joao.id});
    let expected = json!([of_day("2026-11-21"), of_day("2026-11-22")]);
    assert_eq!(read(portal, &ana, contacts).await, expected);
    let events = "activity?event=eq.document.reminded&select=subject,person_id,actor_id";
    let event = json!({"subject": "guia.pdf", "person_id": joao.id, "actor_id": ana.id});
    assert_eq!(read(portal, &ana, events).await, json!([event, event]));
    let joao = portal.sign_in(&joao.email).await;
    let notified =
        read(portal, &joao, "notifications?kind=eq.documents_unopened&select=kind").await;
    assert_eq!(notified.as_array().unwrap().len(), 1, "the second day replaces the first");
});

portal_test!(only_documents_that_wait_to_be_opened_are_reminded_of, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let mut ids = Vec::new();
    for name in ["aberta.pdf", "entregue.pdf", "esperada.pdf", "recolhida.pdf", "whatsapp.pdf"] {
        ids.push(portal.document(&joao, "faturas", name).await.id);
    }
    let pending = json!({"status": "pending"});
    ids.push(portal.document_with(&joao, "faturas", "futura.pdf", pending).await.id);
    ids.push(uuid::Uuid::nil().to_string());
    let receipt = json!({"document_id": ids[0], "action": "opened"});
    portal.post("/rest/v1/document_receipts").auth(&joao).json(&receipt).send().await.is(201);
    let delivery = json!({"document_id": ids[1], "kind": "delivery", "note": "Impresso"});
    contact(portal, &ana, delivery).await.is(201);
    let withdrawal = portal.post("/rest/v1/rpc/withdraw_documents").auth(&ana);
    withdrawal.json(&json!({"documents": [ids[3]]})).send().await.is(204);
    let whatsapp = json!({"document_id": ids[4], "kind": "whatsapp"});
    contact(portal, &ana, whatsapp).await.is(201);

    let waiting = column(&read(portal, &ana, UNOPENED).await, "name");
    assert_eq!(waiting, ["esperada.pdf", "whatsapp.pdf"]);
    let all: Vec<&str> = ids.iter().map(String::as_str).collect();
    assert_eq!(remind(portal, &ana, &all).await.is(200).json(), counts(2, 0, 0, 5));
    // A delivery that was recorded by mistake is taken back.
    let path = format!("/rest/v1/document_contacts?document_id=eq.{}", ids[1]);
    portal.delete(&path).auth(&ana).send().await.is(204);
    assert_eq!(remind(portal, &ana, &[&ids[1]]).await.is(200).json(), counts(1, 0, 0, 0));
    let events = "activity?event=in.(document.delivered,contact.deleted)&select=event,subject";
    let events = read(portal, &ana, &format!("{events}&order=number")).await;
    assert_eq!(column(&events, "event"), ["document.delivered", "contact.deleted"]);
    assert_eq!(column(&events, "subject"), ["entregue.pdf", "entregue.pdf"]);
});

portal_test!(client_without_mails_is_counted_as_unreachable, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let of_joao = portal.document(&joao, "faturas", "a.pdf").await.id;
    let of_maria = portal.document(&maria, "faturas", "b.pdf").await.id;
    let mute = json!({"topic": "documents"});
    portal.post("/rest/v1/muted_topics").auth(&joao).json(&mute).send().await.is(201);
    let done = remind(portal, &ana, &[&of_joao, &of_maria]).await.is(200).json();
    assert_eq!(done, counts(1, 0, 1, 0));
    let contacts = read(portal, &ana, "document_contacts?select=client_id").await;
    assert_eq!(contacts, json!([{"client_id": maria.id}]));

    let off = json!({"document_type_event": "document_reminder", "enabled": false});
    portal.post("/rest/v1/email_notification_settings").auth(&ana).json(&off).send().await.is(201);
    remind(portal, &ana, &[&of_maria]).await.refused(409, "reminders_off");
    remind(portal, &ana, &[]).await.refused(400, "22023");
    remind(portal, &ana, &["x"; 1]).await.refused(409, "reminders_off");
});

portal_test!(contacts_are_recorded_by_staff_and_visible_to_their_client, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let id = portal.document(&joao, "faturas", "guia.pdf").await.id;
    let of = |kind: &str, note: Value| json!({"document_id": id, "kind": kind, "note": note});
    for (row, code) in [
        (of("mail", json!(null)), "23514"),
        (of("delivery", json!(null)), "23514"),
        (of("delivery", json!("  ")), "23514"),
        (of("pombo", json!(null)), "23514"),
    ] {
        contact(portal, &ana, row).await.refused(400, code);
    }
    contact(portal, &joao, of("whatsapp", json!(null))).await.is(403);
    // Author, client and day are the server's.
    let mut given = of("delivery", json!("Entregue no balcão"));
    given["author_id"] = json!(maria.id);
    given["client_id"] = json!(maria.id);
    given["contacted_on"] = json!("2020-01-01");
    let stored = contact(portal, &ana, given).await.is(201).json();
    assert_eq!(stored["author_id"], json!(ana.id));
    assert_eq!(stored["client_id"], json!(joao.id));
    assert_eq!(stored["contacted_on"], "2026-11-21");
    // A second one of the day is the first one.
    let again = contact(portal, &ana, of("delivery", json!("De novo"))).await.is(201).json();
    assert_eq!(again, stored);
    // The client sees that and when, not by whom and how.
    let seen = read(portal, &joao, "document_contacts").await;
    let columns: Vec<&String> = seen[0].as_object().unwrap().keys().collect();
    assert_eq!(columns, ["id", "document_id", "kind", "contacted_on", "created_at"]);
    assert_eq!(read(portal, &maria, "document_contacts").await, json!([]));
    // A document without a client has no one to contact.
    let row = json!({"name": "Sem arquivo", "folder_id_supabase": "faturas"});
    let orphan = portal.insert("documents", row).await;
    let row = json!({"document_id": orphan, "kind": "whatsapp"});
    contact(portal, &ana, row).await.refused(409, "23503");
});
