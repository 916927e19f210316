//! Automatic reminders: rules in business days before and after the due date.

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
    // A Sunday after a holiday: its last business day is Thursday.
    expires(portal, &joao, "guia", "2026-12-27", "das").await;
    expires(portal, &joao, "distante", "2027-02-20", "das").await;
    portal.document(&joao, "faturas", "sem-data.pdf").await;
    let expected = ["2026-12-22 guia", "2026-12-24 guia", "2026-12-28 guia"];
    assert_eq!(mornings(portal, &DAYS).await, expected);
    assert_eq!(
        portal.mail("document_reminder", &joao.email).await.subject,
        "Ainda não aberto: guia"
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

portal_test!(more_documents_than_a_page_are_reminded_of, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    send_reminders::run(&portal.app).await.unwrap();
    add_rule(portal, &ana, json!({"days": 1}), 201).await;
    for number in 0..205 {
        expires(portal, &joao, &format!("g{number}"), "2026-12-23", "das").await;
    }
    assert_eq!(mornings(portal, &DAYS[..1]).await.len(), 205);
});
