//! The table API: access, queries, responses.

mod access;
mod aggregates;
mod answer_limits;
mod approvals;
mod assigned_clients;
mod bodies;
mod contacts;
mod content_negotiation;
mod documents;
mod edge_cases;
mod edit_conflict;
mod embeds;
mod folders;
mod forgery;
mod idempotency;
mod json_paths;
mod limited_members;
mod notification_preferences;
mod notifications;
mod payments;
mod put;
mod reach;
mod replies;
mod requests;
mod round_trips;
mod searches;
mod select;
mod sessions;
mod staff_access;
mod threads;
mod ticket_queue;
mod tickets;
mod trash;
mod values;
mod versions;
mod work;
mod write;

use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, request::Request};

/// A row that the office may insert, or a client where clients may insert.
fn sample(table: &str) -> Value {
    match table {
        "folders" => json!({"id_supabase": "guias", "name": "Guias"}),
        "documents" => json!({"folder_id_supabase": "contratos", "name": "Sem arquivo"}),
        "tickets" => json!({"subject": "Dúvida", "message": "Como pago a guia deste mês?"}),
        "email_notification_settings" => {
            json!({"document_type_event": "fatura_new", "enabled": true})
        }
        "email_templates" => {
            json!({"name": "n", "subject": "s", "html_content": "<p>", "event_trigger": "fatura_new"})
        }
        "ticket_messages" => json!({"ticket_id": uuid::Uuid::nil(), "body": "Pois não?"}),
        "ticket_presence" => json!({"ticket_id": uuid::Uuid::nil()}),
        "ticket_attachments" => {
            json!({"message_id": uuid::Uuid::nil(), "name": "a.pdf", "file_url": "a/b/c.pdf"})
        }
        "ticket_history" => json!({"ticket_id": uuid::Uuid::nil(), "status": "closed"}),
        "document_receipts" => json!({"document_id": uuid::Uuid::nil(), "action": "opened"}),
        "document_payments" => json!({"document_id": uuid::Uuid::nil(), "paid_on": "2026-11-20"}),
        "document_approvals" => {
            json!({"document_id": uuid::Uuid::nil(), "file_url": "a", "outcome": "approved"})
        }
        "document_contacts" => json!({"document_id": uuid::Uuid::nil(), "kind": "whatsapp"}),
        "request_items" => {
            json!({"client_id": uuid::Uuid::nil(), "name": "Extrato", "month": "2026-11"})
        }
        "received_files" => json!({"name": "a.pdf", "file_url": "a/b/c.pdf"}),
        "request_templates" => {
            json!({"name": "Mensal", "items": [{"name": "Extrato", "repeats_monthly": true}]})
        }
        "office_settings" => json!({"name": "Prado Contábil"}),
        "sessions" => json!({"user_agent": "Um programa"}),
        "muted_topics" => json!({"topic": "tickets"}),
        "notifications" => json!({"kind": "document_new"}),
        "staff_mail_choices" => json!({"topic": "new_tickets", "delivery": "at_once"}),
        "saved_views" => {
            json!({"list": "tickets", "name": "Urgentes", "search": "prioridade=urgent"})
        }
        "activity" => json!({"event": "nothing"}),
        "outbox" => json!({"event": "test", "recipient": "x@y.com", "subject": "s"}),
        "inbox_files" => json!({"document_name": "Guia"}),
        "inbox_rules" => {
            json!({"kind": "alias", "pattern": "nome", "client_id": uuid::Uuid::nil()})
        }
        "reminder_rules" => json!({"days": 2}),
        "recognition_rules" => json!({"name": "Condomínio", "phrases": ["taxa de condomínio"]}),
        "client_assignments" => {
            json!({"client_id": uuid::Uuid::nil(), "staff_id": uuid::Uuid::nil()})
        }
        "saved_replies" => json!({"title": "Segunda via", "body": "Segue a segunda via."}),
        _ => json!({"email": "x@y.com"}),
    }
}

/// A request for the rows of a table as a user.
fn rows(portal: &TestPortal, user: &TestUser, path: &str) -> Request {
    portal.get(&format!("/rest/v1/{path}")).auth(user)
}

/// The rows that a user sees.
pub(crate) async fn read(portal: &TestPortal, user: &TestUser, path: &str) -> Value {
    rows(portal, user, path).send().await.is(200).json()
}

/// The values of one column in the order of the response.
pub(crate) fn column(rows: &Value, name: &str) -> Vec<Value> {
    rows.as_array().unwrap().iter().map(|row| row[name].clone()).collect()
}
