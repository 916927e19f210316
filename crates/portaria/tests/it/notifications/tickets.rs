//! Ticket notifications: actions of the office, and confirmations of new tickets.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, portal_test};
use crate::notifications::{queued_mails, settings};

async fn reply(portal: &TestPortal, user: &TestUser, row: &Value) {
    portal.post("/rest/v1/ticket_messages").auth(user).json(row).send().await.is(201);
}

async fn set(portal: &TestPortal, user: &TestUser, ticket: &str, change: &Value) {
    let request = portal.patch(&format!("/rest/v1/tickets?id=eq.{ticket}")).auth(user);
    request.json(change).send().await.is(204);
}

portal_test!(new_ticket_is_confirmed_unless_disabled, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let ticket = portal.ticket(&joao, "Segunda via").await;
    let mail = portal.mail("ticket_created_user", &joao.email).await;
    assert_eq!(mail.subject, "Ticket registrado: Segunda via");
    assert_eq!(mail.link(), format!("http://127.0.0.1:8080/tickets/{ticket}"));
    // A repeated submission is the same ticket.
    portal.ticket(&joao, "Segunda via").await;
    assert_eq!(queued_mails(portal).await, ["ticket_created_user joao"]);

    let by_staff =
        json!({"subject": "Documentos", "message": "Faltam documentos.", "user_id": joao.id});
    portal.post("/rest/v1/tickets").auth(&ana).json(&by_staff).send().await.is(201);
    assert_eq!(portal.mails_about("ticket_created_user").await, 2);

    // Imported tickets are not confirmed, and tickets without a client notify no one.
    let mut closed = by_staff.clone();
    closed["status"] = json!("closed");
    closed["closed_at"] = json!("2026-01-01T12:00:00Z");
    portal.post("/rest/v1/tickets").auth(&ana).json(&closed).send().await.is(201);
    let own = json!({"subject": "Da casa", "message": "Comprar mais papel."});
    portal.post("/rest/v1/tickets").auth(&ana).json(&own).send().await.is(201);
    portal
        .post("/rest/v1/tickets")
        .bearer(&portal.app.keys.service_role)
        .json(&own)
        .send()
        .await
        .is(201);
    settings(portal, &[("ticket_created_user", false)]).await;
    portal.ticket(&joao, "Outra dúvida").await;
    assert_eq!(queued_mails(portal).await, ["ticket_created_user joao"; 2]);
});

portal_test!(clients_are_notified_of_office_actions_only, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let ticket = portal.ticket(&joao, "Dúvida").await;
    let updates = async || portal.mails_about("ticket_updated_user").await;
    let message = |body: &str| json!({"ticket_id": ticket, "body": body});
    reply(portal, &joao, &message("Alguém aí?")).await;
    reply(portal, &ana, &json!({"ticket_id": ticket, "body": "Nota", "internal": true})).await;
    set(portal, &ana, &ticket, &json!({"assignee_id": ana.id})).await;
    set(portal, &ana, &ticket, &json!({"priority": "high"})).await;
    set(portal, &ana, &ticket, &json!({"status": "open"})).await;
    assert_eq!(updates().await, 0);

    reply(portal, &ana, &message("Pois não.")).await;
    let mail = portal.mail("ticket_updated_user", &joao.email).await;
    assert_eq!(mail.subject, "Novidade no seu ticket: Dúvida");
    assert!(!mail.html.contains("Pois não"), "the mail must not contain the reply");
    set(portal, &ana, &ticket, &json!({"status": "in-progress"})).await;
    assert_eq!(updates().await, 2);
    // Closed by either side; reopened by a reply of the client, and closed again by the office.
    set(portal, &joao, &ticket, &json!({"status": "closed"})).await;
    reply(portal, &joao, &message("Ainda não.")).await;
    assert_eq!(updates().await, 2);
    set(portal, &ana, &ticket, &json!({"status": "closed"})).await;
    assert_eq!(updates().await, 3);
    // The same reply sent twice counts once.
    let once =
        json!({"ticket_id": ticket, "body": "Feito", "idempotency_key": uuid::Uuid::from_u128(9)});
    reply(portal, &ana, &once).await;
    reply(portal, &ana, &once).await;
    assert_eq!(updates().await, 4);
    // The service key replies in the name of the office.
    let answer = portal.post("/rest/v1/ticket_messages").bearer(&portal.app.keys.service_role);
    answer.json(&message("Automática")).send().await.is(201);
    assert_eq!(updates().await, 5);

    let request = portal.post("/rest/v1/muted_topics").auth(&joao);
    request.json(&json!({"topic": "tickets"})).send().await.is(201);
    reply(portal, &ana, &message("Mais uma")).await;
    portal.ticket(&joao, "Outra dúvida").await;
    assert_eq!((updates().await, portal.mails_about("ticket_created_user").await), (5, 1));
});

portal_test!(reply_that_closes_its_ticket_is_one_mail, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let cases = [("Dúvida", SignedDuration::ZERO, 1), ("Outra", SignedDuration::from_mins(2), 3)];
    for (subject, wait, mails) in cases {
        let ticket = portal.ticket(&joao, subject).await;
        reply(portal, &ana, &json!({"ticket_id": ticket, "body": "Pronto."})).await;
        portal.advance(wait);
        set(portal, &ana, &ticket, &json!({"status": "closed"})).await;
        assert_eq!(portal.mails_about("ticket_updated_user").await, mails);
    }
});

portal_test!(bulk_update_notifies_each_client_and_a_rollback_none, async |portal| {
    let ana = portal.admin().await;
    for name in ["joao", "maria", "pedro"] {
        let client = portal.client(name).await;
        portal.ticket(&client, "Dúvida").await;
    }
    let close = || {
        let request = portal.patch("/rest/v1/tickets?status=eq.open").auth(&ana);
        request.json(&json!({"status": "closed"}))
    };
    close().prefer("tx=rollback").send().await.is(204);
    assert_eq!(portal.mails_about("ticket_updated_user").await, 0);
    close().send().await.is(204);
    assert_eq!(portal.mails_about("ticket_updated_user").await, 3);
});

portal_test!(ticket_notifications_do_not_use_the_account_mail_limit, async |portal| {
    portal.set("rate_all_mail", "1/1h");
    let joao = portal.client("joao").await;
    portal.ticket(&joao, "Dúvida").await;
    let recover = || portal.post("/auth/v1/recover").json(&json!({"email": joao.email})).send();
    recover().await.is(200);
    assert_eq!(queued_mails(portal).await, ["recovery joao", "ticket_created_user joao"]);
});
