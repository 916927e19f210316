//! Notifications to clients: events, templates, and unsubscription.

mod documents;
mod expiry;
mod templates;
mod tickets;
mod unsubscribe;

use serde_json::{Value, json};

use crate::harness::{TestPortal, request::Answer};

/// Enables or disables notification events.
async fn settings(world: &TestPortal, which: &[(&str, bool)]) {
    let rows: Vec<Value> = which
        .iter()
        .map(|(name, on)| json!({"document_type_event": name, "enabled": on}))
        .collect();
    let path = "/rest/v1/email_notification_settings?on_conflict=document_type_event";
    let request = world.post(path).bearer(&world.app.keys.service_role);
    let request = request.prefer("resolution=merge-duplicates").json(&json!(rows));
    assert!(request.send().await.status.is_success());
}

/// The events and recipients of all mails, sorted by text.
async fn told(world: &TestPortal) -> Vec<String> {
    let mails = world.mails().await;
    let mut told: Vec<String> = mails
        .iter()
        .map(|mail| format!("{} {}", mail.event, mail.to.split('@').next().unwrap()))
        .collect();
    told.sort_unstable();
    told
}

/// Calls a function of the table API as a user.
async fn call(world: &TestPortal, token: &str, function: &str, arguments: &Value) -> Answer {
    let request = world.post(&format!("/rest/v1/rpc/{function}")).bearer(token);
    request.json(arguments).send().await
}

/// Creates a template of the office and returns its id.
async fn template(world: &TestPortal, trigger: &str, subject: &str, html: &str) -> String {
    let row = json!({
        "name": "Nosso", "subject": subject, "html_content": html, "event_trigger": trigger,
    });
    world.insert("email_templates", row).await
}
