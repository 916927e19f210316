//! Held mails: the outbox states until when and why, and the office sends them at once.

use serde_json::{Value, json};

use crate::delivery::{
    fake_smtp::{Act, At},
    recipient_of, start_with_smtp_server, stranger,
};
use crate::harness::{TestPortal, TestUser, portal_test, request::Answer};

async fn send_now(portal: &TestPortal, ana: &TestUser, id: &str) -> Answer {
    let request = portal.patch(&format!("/rest/v1/outbox?id=eq.{id}")).auth(ana);
    request.json(&json!({"state": "queued"})).send().await
}

/// The state of a mail and the cause of its delay, as the mail log shows them.
async fn seen(portal: &TestPortal, ana: &TestUser, id: &str) -> Value {
    let columns = "select=state,hold_reason,next_attempt_at";
    let request = portal.get(&format!("/rest/v1/outbox?id=eq.{id}&{columns}")).auth(ana);
    request.send().await.is(200).json()[0].clone()
}

fn held(reason: &str, until: &str) -> Value {
    json!({"state": "queued", "hold_reason": reason, "next_attempt_at": until})
}

portal_test!(held_mail_states_its_reason_and_is_sent_now, async |portal| {
    portal.set("rate_recipient_mail", "1/1h");
    let server = start_with_smtp_server(portal).await;
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    portal.queue(&recipient_of(&joao, "tickets"), "Primeiro").await;
    portal.deliver().await;
    let limited = portal.queue(&recipient_of(&joao, "tickets"), "Segundo").await;
    let other = portal.queue(&recipient_of(&joao, "tickets"), "Terceiro").await;
    portal.deliver().await;
    let until = held("recipient_limit", "2026-11-21T16:00:00+00:00");
    assert_eq!(seen(portal, &ana, &limited).await, until);
    assert_eq!(server.accepted().len(), 1);

    send_now(portal, &ana, &limited).await.is(204);
    portal.deliver().await;
    assert_eq!(server.accepted()[1].subject(), "Segundo");
    let sent = seen(portal, &ana, &limited).await;
    assert_eq!((&sent["state"], &sent["hold_reason"]), (&json!("sent"), &Value::Null));
    // The other mail still waits.
    assert_eq!(seen(portal, &ana, &other).await["hold_reason"], "recipient_limit");

    portal.set("rate_recipient_mail", "");
    portal.queue(&recipient_of(&maria, "documents"), "Um documento").await;
    portal.deliver().await;
    let collected = portal.queue(&recipient_of(&maria, "documents"), "Outro documento").await;
    portal.deliver().await;
    let until = held("digest", "2026-11-21T15:10:00+00:00");
    assert_eq!(seen(portal, &ana, &collected).await, until);
    send_now(portal, &ana, &collected).await.is(204);
    portal.deliver().await;
    assert_eq!(server.accepted().last().unwrap().subject(), "Outro documento");
});

portal_test!(mail_that_waits_for_a_retry_is_sent_now, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let ana = portal.admin().await;
    server.script([Act::Say(At::Rcpt, "451 later"), Act::Take]);
    let id = portal.queue(&stranger("x@exemplo.com.br"), "Um").await;
    portal.deliver().await;
    portal.deliver().await;
    assert!(server.accepted().is_empty());
    let status = portal.post("/rest/v1/rpc/mail_status").auth(&ana).json(&json!({}));
    assert_eq!(status.send().await.is(200).json()["retrying"], 1);
    send_now(portal, &ana, &id).await.is(204);
    portal.deliver().await;
    assert_eq!(server.accepted().len(), 1);
    let events = portal.get("/rest/v1/activity?event=like.mail.*&select=event,subject_id");
    let events = events.auth(&ana).send().await.is(200).json();
    assert_eq!(events, json!([{"event": "mail.resent", "subject_id": id}]));
    send_now(portal, &ana, &id).await.refused(409, "mail_state");
});
