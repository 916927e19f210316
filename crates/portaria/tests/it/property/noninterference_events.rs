//! Non-interference of changes: in two portals that agree exactly on what a client may see, the same work of the office
//! sends this client the same events.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::harness::{Engine, TestPortal, run_on_two, served::serve};
use crate::property::fixture::Office;
use crate::realtime::socket::Socket;

/// The tables that a client may listen to.
const TABLES: [&str; 14] = [
    "folders",
    "documents",
    "tickets",
    "ticket_messages",
    "ticket_attachments",
    "ticket_history",
    "document_receipts",
    "document_payments",
    "document_approvals",
    "document_contacts",
    "request_items",
    "received_files",
    "sessions",
    "muted_topics",
];

/// The work of the office: changes and deletions of all rows.
fn work() -> [(&'static str, &'static str, Value); 11] {
    let all = "id=neq.00000000-0000-0000-0000-000000000000";
    let none = Value::Null;
    [
        ("tickets", all, json!({"priority": "urgent"})),
        ("documents", all, json!({"name": "Renomeado.pdf"})),
        ("folders", all, json!({"icon": "star"})),
        ("muted_topics", all, none.clone()),
        ("request_items", all, json!({"hint": "Em PDF"})),
        ("received_files", all, none.clone()),
        ("document_payments", all, none.clone()),
        ("document_contacts", all, none.clone()),
        ("ticket_messages", all, none.clone()),
        ("documents", "status=eq.active&legal_hold_reason=is.null", none.clone()),
        ("tickets", "status=neq.closed", none),
    ]
}

/// The events of the client, per request in the order of their texts: the order of rows within one statement is not
/// defined.
async fn events(portal: &TestPortal, token: &str) -> Vec<String> {
    let served = serve(portal);
    let mut socket = Socket::open(served.address, &portal.app.keys.anon).await;
    let changes: Vec<Value> =
        TABLES.map(|table| json!({"event": "*", "schema": "public", "table": table})).into();
    let reply = socket.join("realtime:a", token, changes.into()).await;
    assert_eq!(reply["status"], "ok", "{reply}");
    let mut all = Vec::new();
    let mut markers = Markers::default();
    for (table, which, change) in work() {
        let path = format!("/rest/v1/{table}?{which}");
        let request =
            if change.is_null() { portal.delete(&path) } else { portal.patch(&path).json(&change) };
        request.bearer(&portal.app.keys.service_role).send().await.is(204);
        // The record of an event is the row as it is read, so the events of each request are awaited.
        let marker = markers.insert(portal, token).await;
        let mut events = Vec::new();
        loop {
            let change = socket.change().await;
            if change["record"]["id"] == marker {
                break;
            }
            if !markers.contain(&change) {
                events.push(change.to_string());
            }
        }
        events.sort();
        all.append(&mut events);
    }
    all
}

/// The ids of tickets that the client opens to mark the end of a request, and of their rows in other tables.
#[derive(Default)]
struct Markers(HashSet<String>);

impl Markers {
    async fn insert(&mut self, portal: &TestPortal, token: &str) -> String {
        // A repeated ticket would not be inserted.
        let subject = format!("Fim {}", self.0.len());
        let row = json!({"subject": subject, "message": "Uma mensagem longa o bastante."});
        let insert = portal.post("/rest/v1/tickets?select=id").bearer(token);
        let insert = insert.header("prefer", "return=representation").json(&row);
        let rows = insert.send().await.is(201).json();
        let id = rows[0]["id"].as_str().unwrap().to_owned();
        self.0.insert(id.clone());
        id
    }

    fn contain(&mut self, change: &Value) -> bool {
        let has = |id: &Value| id.as_str().is_some_and(|id| self.0.contains(id));
        let (record, old) = (&change["record"], &change["old_record"]);
        let is_marker = [&record["id"], &record["ticket_id"], &old["id"]].into_iter().any(has);
        if is_marker && let Some(id) = record["id"].as_str() {
            self.0.insert(id.to_owned());
        }
        is_marker
    }
}

fn offices() -> [Office; 2] {
    [Office::new(11, 22), Office::new(11, 33)]
}

fn limited_offices() -> [Office; 2] {
    [Office::limited(11, 22), Office::limited(11, 33)]
}

fn check(engine: Engine, offices: &[Office; 2]) {
    run_on_two([engine, engine], async |worlds: [&TestPortal; 2]| {
        let mut seen = Vec::new();
        for (portal, office) in worlds.into_iter().zip(offices) {
            office.move_in(portal).await;
            let member = office.limited.as_ref().unwrap_or(&office.client);
            let token = Office::token(portal, member);
            seen.push(events(portal, &token).await);
        }
        assert!(seen[0].len() > 10, "{seen:?}");
        for (one, two) in seen[0].iter().zip(&seen[1]) {
            assert_eq!(one, two);
        }
        assert_eq!(seen[0].len(), seen[1].len());
    });
}

#[test]
fn events_of_others_do_not_show() {
    check(Engine::Sqlite, &offices());
}

#[test]
fn events_of_others_do_not_show_on_postgres() {
    check(Engine::Postgres, &offices());
}

#[test]
fn events_of_other_folders_do_not_show() {
    check(Engine::Sqlite, &limited_offices());
}

#[test]
fn events_of_other_folders_do_not_show_on_postgres() {
    check(Engine::Postgres, &limited_offices());
}
