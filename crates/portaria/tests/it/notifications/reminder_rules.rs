//! Automatic reminders: rules in business days before and after the due date.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use portaria::jobs::send_reminders;
use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, portal_test};

async fn add_rule(portal: &TestPortal, ana: &TestUser, rule: Value, status: u16) {
    let request = portal.post("/rest/v1/reminder_rules").auth(ana).json(&rule);
    request.send().await.is(status);
}

async fn expires(portal: &TestPortal, client: &TestUser, name: &str, day: &str, category: &str) {
    let fields = json!({"expires_at": day, "name": name, "category": category});
    portal.document_with(client, "faturas", &format!("{name}.pdf"), fields).await;
}

/// Runs the job at eight in the morning of each day, and returns the reminders: day and document.
async fn mornings(portal: &TestPortal, days: &[&str]) -> Vec<String> {
    for day in days {
        let moment: Timestamp = format!("{day}T08:00:00-03:00").parse().unwrap();
        portal.advance(moment.duration_since(portal.now()));
        send_reminders::run(&portal.app).await.unwrap();
    }
    let path = "/rest/v1/document_contacts?select=contacted_on,author_id,documents(name)&order=contacted_on,document_id";
    let contacts = portal.get(path).bearer(&portal.app.keys.service_role).send().await.is(200);
    let line = |contact: &Value| {
        assert_eq!(contact["author_id"], Value::Null);
        let (day, document) = (&contact["contacted_on"], &contact["documents"]["name"]);
        format!("{} {}", day.as_str().unwrap(), document.as_str().unwrap())
    };
    contacts.json().as_array().unwrap().iter().map(line).collect()
}

/// From Tuesday on. Friday, 25 December, is a holiday.
const DAYS: [&str; 8] = [
    "2026-12-22",
    "2026-12-23",
    "2026-12-24",
    "2026-12-25",
    "2026-12-26",
    "2026-12-27",
    "2026-12-28",
    "2026-12-29",
];

portal_test!(rules_count_business_days_before_and_after_the_due_date, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    // The first run only schedules the next one.
    send_reminders::run(&portal.app).await.unwrap();
    for days in [2, 0, -1] {
        add_rule(portal, &ana, json!({"days": days}), 201).await;
    }
    // A Sunday after a holiday: a DARF is paid on the Thursday before it, a DAS on the Monday after it.
    expires(portal, &joao, "guia", "2026-12-27", "darf").await;
    expires(portal, &joao, "simples", "2026-12-27", "das").await;
    expires(portal, &joao, "distante", "2027-02-20", "das").await;
    portal.document(&joao, "faturas", "sem-data.pdf").await;
    let expected = [
        "2026-12-22 guia",
        "2026-12-23 simples",
        "2026-12-24 guia",
        "2026-12-28 guia",
        "2026-12-28 simples",
        "2026-12-29 simples",
    ];
    assert_eq!(mornings(portal, &DAYS).await, expected);
    assert_eq!(
        portal.mail("document_reminder", &joao.email).await.subject,
        "Ainda não aberto: simples"
    );
});

portal_test!(rule_of_a_category_is_for_its_documents, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    send_reminders::run(&portal.app).await.unwrap();
    add_rule(portal, &ana, json!({"days": 1, "category": "das"}), 201).await;
    add_rule(portal, &ana, json!({"days": 1, "category": "das"}), 409).await;
    add_rule(portal, &ana, json!({"days": 99}), 400).await;
    add_rule(portal, &joao, json!({"days": 1}), 404).await;
    expires(portal, &joao, "das", "2026-12-23", "das").await;
    expires(portal, &joao, "iss", "2026-12-23", "iss").await;
    let opened = json!({"expires_at": "2026-12-23", "category": "das", "name": "aberta"});
    let opened = portal.document_with(&joao, "faturas", "aberta.pdf", opened).await.id;
    let receipt = json!({"document_id": opened, "action": "opened"});
    portal.post("/rest/v1/document_receipts").auth(&joao).json(&receipt).send().await.is(201);
    assert_eq!(mornings(portal, &DAYS[..2]).await, ["2026-12-22 das"]);
    // A second node on the same morning.
    portal.advance(SignedDuration::from_hours(1));
    send_reminders::run(&portal.another_node()).await.unwrap();
    assert_eq!(mornings(portal, &[]).await, ["2026-12-22 das"]);
});

/// The clients of the notifications of a kind that a person has.
async fn notified(portal: &TestPortal, person: &TestUser, kind: &str) -> Vec<String> {
    let person = &person.id;
    let path =
        format!("/rest/v1/notifications?person_id=eq.{person}&kind=eq.{kind}&select=client_id");
    let rows = portal.get(&path).bearer(&portal.app.keys.service_role).send().await.is(200).json();
    let client = |row: &Value| row["client_id"].as_str().unwrap().to_owned();
    rows.as_array().unwrap().iter().map(client).collect()
}

portal_test!(rule_for_staff_notifies_the_responsible_person_of_each_client, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let (bruno, maria) =
        (portal.colleague("bruno", "employee", false).await, portal.client("maria").await);
    let assignment = json!({"client_id": joao.id, "staff_id": bruno.id, "is_responsible": true});
    let request = portal.post("/rest/v1/client_assignments").auth(&ana).json(&assignment);
    request.send().await.is(201);
    send_reminders::run(&portal.app).await.unwrap();
    add_rule(portal, &ana, json!({"days": -1, "recipient": "staff", "category": "das"}), 201).await;
    add_rule(portal, &ana, json!({"days": -1, "recipient": "client", "category": "das"}), 201)
        .await;
    add_rule(portal, &ana, json!({"days": -1, "recipient": "staff", "category": "das"}), 409).await;
    add_rule(portal, &ana, json!({"days": -1, "recipient": "all"}), 400).await;
    for name in ["a", "b"] {
        expires(portal, &joao, name, "2026-12-21", "das").await;
    }
    expires(portal, &maria, "c", "2026-12-21", "das").await;
    expires(portal, &maria, "iss", "2026-12-21", "iss").await;
    let item = json!({"client_id": maria.id, "name": "Extrato", "month": "2026-12", "due_on": "2026-12-21"});
    portal.post("/rest/v1/request_items").auth(&ana).json(&item).send().await.is(201);
    // Clients are reminded by their own rule.
    assert_eq!(mornings(portal, &DAYS[..1]).await.len(), 3);

    let unopened = "documents_unopened";
    let of_bruno = notified(portal, &bruno, unopened).await;
    // Maria has no responsible person, so all staff are notified. A client is named once.
    assert_eq!(of_bruno.len(), 2);
    let clients = BTreeSet::from([joao.id.clone(), maria.id.clone()]);
    assert_eq!(of_bruno.into_iter().collect::<BTreeSet<_>>(), clients);
    assert_eq!(notified(portal, &ana, unopened).await, std::slice::from_ref(&maria.id));
    assert!(notified(portal, &ana, "requests_unanswered").await.is_empty());
    assert!(notified(portal, &joao, unopened).await.is_empty());
});

portal_test!(person_responsible_for_a_document_comes_before_that_of_its_client, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let bruno = portal.colleague("bruno", "employee", false).await;
    let assignment = json!({"client_id": joao.id, "staff_id": bruno.id, "is_responsible": true});
    let request = portal.post("/rest/v1/client_assignments").auth(&ana).json(&assignment);
    request.send().await.is(201);
    send_reminders::run(&portal.app).await.unwrap();
    let days = json!({"days": 0, "recipient": "staff"});
    add_rule(portal, &ana, days, 201).await;
    let own = json!({"expires_at": "2026-12-22", "name": "own", "responsible_id": ana.id});
    portal.document_with(&joao, "faturas", "own.pdf", own).await;
    let item = json!({"client_id": joao.id, "name": "Extrato", "month": "2026-12", "due_on": "2026-12-22"});
    portal.post("/rest/v1/request_items").auth(&ana).json(&item).send().await.is(201);
    assert!(mornings(portal, &DAYS[..1]).await.is_empty());
    assert_eq!(notified(portal, &ana, "documents_unopened").await.len(), 1);
    assert!(notified(portal, &bruno, "documents_unopened").await.is_empty());
    assert_eq!(notified(portal, &bruno, "requests_unanswered").await.len(), 1);
    // The rule for everything is about requests as well, and the one on the due date about this day only.
    mornings(portal, &DAYS[1..3]).await;
    assert_eq!(notified(portal, &ana, "documents_unopened").await.len(), 1);
});

portal_test!(responsible_person_of_the_client_is_responsible_for_new_documents, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let bruno = portal.colleague("bruno", "employee", false).await;
    let before = portal.document(&joao, "faturas", "antes.pdf").await.id;
    let assignment = json!({"client_id": joao.id, "staff_id": bruno.id, "is_responsible": true});
    let request = portal.post("/rest/v1/client_assignments").auth(&ana).json(&assignment);
    request.send().await.is(201);
    let after = portal.document(&joao, "faturas", "depois.pdf").await.id;
    let named = json!({"responsible_id": ana.id});
    let named = portal.document_with(&joao, "faturas", "escolhida.pdf", named).await.id;
    for (document, expected) in
        [(before, Value::Null), (after, json!(bruno.id)), (named, json!(ana.id))]
    {
        let path = format!("/rest/v1/documents?id=eq.{document}&select=responsible_id");
        let rows = portal.get(&path).auth(&ana).send().await.is(200).json();
        assert_eq!(rows[0]["responsible_id"], expected);
    }
});

portal_test!(more_documents_than_a_page_are_reminded_of, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    send_reminders::run(&portal.app).await.unwrap();
    add_rule(portal, &ana, json!({"days": 1}), 201).await;
    for number in 0..205 {
        expires(portal, &joao, &format!("g{number}"), "2026-12-23", "das").await;
    }
    assert_eq!(mornings(portal, &DAYS[..1]).await.len(), 205);
});

portal_test!(rule_for_notifications_reaches_the_people_of_the_client, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let maria = portal.client("maria").await;
    let member =
        json!({"client_id": joao.id, "email": maria.email, "name": "Maria", "role": "member"});
    let request = portal.post("/account/v1/members").bearer(&portal.app.keys.service_role);
    request.json(&member).send().await.is(204);
    send_reminders::run(&portal.app).await.unwrap();
    for category in ["das", "request"] {
        let rule = json!({"days": 0, "recipient": "client_notification", "category": category});
        add_rule(portal, &ana, rule, 201).await;
    }
    expires(portal, &joao, "das", "2026-12-22", "das").await;
    expires(portal, &joao, "iss", "2026-12-22", "iss").await;
    let item = json!({"client_id": joao.id, "name": "Extrato", "month": "2026-12", "due_on": "2026-12-23"});
    portal.post("/rest/v1/request_items").auth(&ana).json(&item).send().await.is(201);
    // No mail and so no contact.
    assert!(mornings(portal, &DAYS[..1]).await.is_empty());
    for person in [&joao, &maria] {
        let unopened = notified(portal, person, "documents_unopened").await;
        assert_eq!(unopened, std::slice::from_ref(&joao.id));
        assert!(notified(portal, person, "requests_unanswered").await.is_empty());
    }
    assert!(mornings(portal, &DAYS[1..2]).await.is_empty());
    let unanswered = notified(portal, &maria, "requests_unanswered").await;
    assert_eq!(unanswered, std::slice::from_ref(&joao.id));
    assert_eq!(notified(portal, &maria, "documents_unopened").await.len(), 1);
    assert!(notified(portal, &ana, "documents_unopened").await.is_empty());
});
