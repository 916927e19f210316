//! Notifications to clients: events, templates, and unsubscription. Mails to staff. Push messages.

mod documents;
mod expiry;
mod push;
pub(crate) mod push_service;
mod reminder_rules;
mod staff;
mod templates;
mod tickets;
mod unsubscribe;

use serde_json::{Value, json};

use crate::harness::{TestPortal, request::Answer};

/// Enables or disables notification events.
async fn settings(portal: &TestPortal, which: &[(&str, bool)]) {
    let rows: Vec<Value> = which
        .iter()
        .map(|(name, on)| json!({"document_type_event": name, "enabled": on}))
        .collect();
    let path = "/rest/v1/email_notification_settings?on_conflict=document_type_event";
    let request = portal.post(path).bearer(&portal.app.keys.service_role);
    let request = request.prefer("resolution=merge-duplicates").json(&json!(rows));
    assert!(request.send().await.status.is_success());
}

/// The events and recipients of all mails, sorted by text.
async fn queued_mails(portal: &TestPortal) -> Vec<String> {
    let mails = portal.mails().await;
    let mut queued_mails: Vec<String> = mails
        .iter()
        .map(|mail| format!("{} {}", mail.event, mail.to.split('@').next().unwrap()))
        .collect();
    queued_mails.sort_unstable();
    queued_mails
}

/// Calls a function of the table API as a user.
async fn call(portal: &TestPortal, token: &str, function: &str, arguments: &Value) -> Answer {
    let request = portal.post(&format!("/rest/v1/rpc/{function}")).bearer(token);
    request.json(arguments).send().await
}

/// Creates a template of the office and returns its id.
async fn template(portal: &TestPortal, trigger: &str, subject: &str, html: &str) -> String {
    let row = json!({
        "name": "Nosso", "subject": subject, "html_content": html, "event_trigger": trigger,
    });
    portal.insert("email_templates", row).await
}
