//! Mails, notifications and the calendar of a member who is limited to folders.

use jiff::SignedDuration;
use portaria::jobs::notify_expiry;
use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, portal_test};
use crate::rest::read;

/// The documents of the mails to a person about an event, and the states of the mails.
async fn mails(portal: &TestPortal, to: &TestUser, event: &str) -> Value {
    let path = format!(
        "/rest/v1/outbox?event=eq.{event}&user_id=eq.{}&select=document_id,state&order=id",
        to.id
    );
    portal.get(&path).bearer(&portal.app.keys.service_role).send().await.is(200).json()
}

async fn enable(portal: &TestPortal, events: &[&str]) {
    let on = |event: &&str| json!({"document_type_event": event, "enabled": true});
    let settings: Vec<Value> = events.iter().map(on).collect();
    let request = portal.post("/rest/v1/email_notification_settings");
    let request = request.bearer(&portal.app.keys.service_role);
    request.json(&json!(settings)).send().await.is(201);
}

portal_test!(limited_member_gets_mails_about_documents_of_the_folders_only, async |portal| {
    let (joao, rh) = (portal.client("joao").await, portal.client("rh").await);
    let membership = portal.limit(&joao, &rh, &["faturas"]).await;
    // The first run only schedules the next one.
    notify_expiry::run(&portal.app).await.unwrap();
    enable(portal, &["fatura_new", "fatura_expiring_soon"]).await;
    let fields = json!({"kind": "fatura", "expires_at": "2026-11-23"});
    let own = portal.document_with(&joao, "faturas", "folha.pdf", fields.clone()).await.id;
    let other = portal.document_with(&joao, "contratos", "guia.pdf", fields).await.id;
    let queued = |id: &str| json!({"document_id": id, "state": "queued"});
    assert_eq!(mails(portal, &rh, "fatura_new").await, json!([queued(&own)]));
    assert_eq!(mails(portal, &joao, "fatura_new").await, json!([queued(&own), queued(&other)]));
    let reminder = json!({"documents": [own, other]});
    let remind = portal.post("/rest/v1/rpc/remind_documents");
    let remind = remind.bearer(&portal.app.keys.service_role).json(&reminder).send().await;
    assert_eq!(remind.is(200).json()["reminded"], 2);
    assert_eq!(mails(portal, &rh, "document_reminder").await, json!([queued(&own)]));
    portal.advance(SignedDuration::from_hours(20));
    notify_expiry::run(&portal.app).await.unwrap();
    assert_eq!(mails(portal, &rh, "fatura_expiring_soon").await, json!([queued(&own)]));
    assert_eq!(mails(portal, &joao, "fatura_expiring_soon").await.as_array().unwrap().len(), 2);

    // A mail that waits does not leave when the document moves to another folder, or the person is limited to another.
    let joao = portal.sign_in(&joao.email).await;
    let path = format!("/rest/v1/documents?id=eq.{own}");
    let moved = json!({"folder_id_supabase": "contratos"});
    let request = portal.patch(&path).bearer(&portal.app.keys.service_role).json(&moved);
    request.send().await.is(204);
    let cancelled = json!([{"document_id": own, "state": "cancelled"}]);
    assert_eq!(mails(portal, &rh, "fatura_new").await, cancelled);
    assert_eq!(mails(portal, &joao, "fatura_new").await, json!([queued(&own), queued(&other)]));
    let third = portal.document_with(&joao, "faturas", "holerite.pdf", json!({"kind": "fatura"}));
    let third = third.await.id;
    portal.change_folders(&joao, &membership, Some(&["contratos"])).await;
    let states = mails(portal, &rh, "fatura_new").await;
    assert_eq!(states[1], json!({"document_id": third, "state": "cancelled"}));
});

portal_test!(limited_member_hears_of_withdrawals_from_the_folders_only, async |portal| {
    let (joao, rh) = (portal.client("joao").await, portal.client("rh").await);
    portal.limit(&joao, &rh, &["faturas"]).await;
    let own = portal.document(&joao, "faturas", "folha.pdf").await.id;
    let other = portal.document(&joao, "contratos", "contrato.pdf").await.id;
    let kinds = async |who: &TestUser| {
        read(portal, who, "notifications?select=kind,document_id&order=kind").await
    };
    assert_eq!(kinds(&rh).await, json!([{"kind": "document_new", "document_id": own}]));
    let withdraw = async |id: &str| {
        let request = portal.post("/rest/v1/rpc/withdraw_documents");
        let request = request.bearer(&portal.app.keys.service_role);
        request.json(&json!({"documents": [id]})).send().await.is(204);
    };
    withdraw(&other).await;
    assert_eq!(kinds(&rh).await, json!([{"kind": "document_new", "document_id": own}]));
    assert_eq!(kinds(&joao).await.as_array().unwrap().len(), 2);
    withdraw(&own).await;
    assert_eq!(kinds(&rh).await, json!([{"kind": "document_withdrawn", "document_id": null}]));
});

portal_test!(calendar_of_limited_member_contains_the_folders_only, async |portal| {
    let (joao, rh) = (portal.client("joao").await, portal.client("rh").await);
    let membership = portal.limit(&joao, &rh, &["faturas"]).await;
    let fields = json!({"expires_at": "2026-11-30"});
    portal.document_with(&joao, "faturas", "folha.pdf", fields.clone()).await;
    portal.document_with(&joao, "contratos", "contrato.pdf", fields).await;
    let feed = portal.post("/account/v1/calendar").auth(&rh).send().await.is(200).json();
    let url = feed["url"].as_str().unwrap().strip_prefix("http://127.0.0.1:8080").unwrap();
    let calendar = async || portal.get(url).without("apikey").send().await.is(200).text();
    let text = calendar().await;
    assert!(text.contains("folha.pdf") && !text.contains("contrato.pdf"), "{text}");
    portal.change_folders(&joao, &membership, None).await;
    assert!(calendar().await.contains("contrato.pdf"));
});
