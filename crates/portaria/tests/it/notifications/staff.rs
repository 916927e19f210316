//! Mails to staff about what clients did.

use jiff::Timestamp;
use portaria::jobs::staff_digest;
use serde_json::{Value, json};

use crate::delivery::start_with_smtp_server;
use crate::harness::{TestPortal, TestUser, portal_test};
use crate::rest::read;

async fn choose(portal: &TestPortal, who: &TestUser, topic: &str, delivery: &str) {
    let choice = json!({"topic": topic, "delivery": delivery});
    portal.post("/rest/v1/staff_mail_choices").auth(who).json(&choice).send().await.is(201);
}

async fn second_admin(portal: &TestPortal) -> TestUser {
    let email = "bia@escritorio.com.br";
    portal.create_user(json!({"email": email, "app_metadata": {"roles": ["admin"]}})).await;
    portal.sign_in(email).await
}

async fn reply(portal: &TestPortal, who: &TestUser, ticket: &str) {
    let row = json!({"ticket_id": ticket, "body": "Segue a resposta."});
    portal.post("/rest/v1/ticket_messages").auth(who).json(&row).send().await.is(201);
}

async fn mark_all_read(portal: &TestPortal, who: &TestUser) {
    let change = portal.patch("/rest/v1/notifications?read_at=is.null").auth(who);
    change.json(&json!({"read_at": "2026-11-21T15:00:00Z"})).send().await.is(204);
}

/// The subjects of the mails to staff, oldest first, each with its recipient.
async fn mails(portal: &TestPortal) -> Vec<String> {
    let path =
        "/rest/v1/outbox?select=recipient,subject,event&event=like.staff*&order=created_at,id";
    let rows = portal.get(path).bearer(&portal.app.keys.service_role).send().await.is(200).json();
    let line = |mail: &Value| {
        let to = mail["recipient"].as_str().unwrap().split('@').next().unwrap();
        format!("{to}: {}", mail["subject"].as_str().unwrap())
    };
    rows.as_array().unwrap().iter().map(line).collect()
}

async fn run_at(portal: &TestPortal, moment: &str) {
    let moment: Timestamp = format!("{moment}:00-03:00").parse().unwrap();
    portal.advance(moment.duration_since(portal.now()));
    staff_digest::run(&portal.app).await.unwrap();
}

portal_test!(mail_at_once_goes_to_those_who_chose_it, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let bia = second_admin(portal).await;
    portal.ticket(&joao, "Antes da escolha").await;
    assert_eq!(mails(portal).await, [""; 0]);

    choose(portal, &ana, "new_tickets", "at_once").await;
    choose(portal, &ana, "client_replies", "at_once").await;
    choose(portal, &bia, "new_tickets", "at_once").await;
    // The later choice counts.
    choose(portal, &bia, "new_tickets", "none").await;
    let chosen = read(portal, &bia, "staff_mail_choices?select=topic,delivery").await;
    assert_eq!(chosen, json!([{"topic": "new_tickets", "delivery": "none"}]));
    let ticket = portal.ticket(&joao, "Contrato <social>").await;
    reply(portal, &joao, &ticket).await;
    // The reply is unread, so it was mailed already.
    reply(portal, &joao, &ticket).await;
    // Own actions, and those of colleagues, cause no mail.
    reply(portal, &ana, &ticket).await;
    let expected =
        ["ana: Novo ticket: Contrato <social>", "ana: joao respondeu: Contrato <social>"];
    assert_eq!(mails(portal).await, expected);
    let texts = portal.mails().await;
    let mail = texts.iter().find(|mail| mail.event == "staff_new_ticket").unwrap();
    assert!(mail.html.contains(&format!("/admin/tickets/{ticket}")), "{}", mail.html);
    assert!(mail.html.contains("Contrato &lt;social&gt;"), "{}", mail.html);
    let quoted = texts.iter().find(|mail| mail.event == "staff_client_reply").unwrap();
    assert!(quoted.html.contains(">Segue a resposta.</blockquote>"), "{}", quoted.html);

    mark_all_read(portal, &ana).await;
    reply(portal, &joao, &ticket).await;
    assert_eq!(mails(portal).await.len(), 3);
});

portal_test!(mail_quotes_lines_of_the_client_and_cuts_long_texts, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    choose(portal, &ana, "client_replies", "at_once").await;
    let ticket = portal.ticket(&joao, "Contrato").await;
    let text = format!("Bom dia.\n\n<b>{{{{link}}}}</b>\n{}", "ã".repeat(3_000));
    let row = json!({"ticket_id": ticket, "body": text});
    portal.post("/rest/v1/ticket_messages").auth(&joao).json(&row).send().await.is(201);
    let mails = portal.mails().await;
    let html = &mails.iter().find(|mail| mail.event == "staff_client_reply").unwrap().html;
    assert!(html.contains(">Bom dia.<br><br>&lt;b&gt;{{link}}&lt;/b&gt;<br>ã"), "{html}");
    assert!(html.contains("ã…</blockquote>") && !html.contains(&"ã".repeat(2_000)), "{html}");
});

portal_test!(own_reply_makes_the_next_message_news_again, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    choose(portal, &ana, "client_replies", "at_once").await;
    let ticket = portal.ticket(&joao, "Contrato").await;
    reply(portal, &joao, &ticket).await;
    reply(portal, &ana, &ticket).await;
    reply(portal, &joao, &ticket).await;
    assert_eq!(mails(portal).await, ["ana: joao respondeu: Contrato"; 2]);
});

portal_test!(files_and_answers_are_mailed_with_client_and_record, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    choose(portal, &ana, "received_files", "at_once").await;
    choose(portal, &ana, "approval_answers", "at_once").await;
    let item = json!({"client_id": joao.id, "name": "Extrato", "month": "2026-11"});
    let item = portal.insert("request_items", item).await;
    let nothing = portal.patch(&format!("/rest/v1/request_items?id=eq.{item}")).auth(&joao);
    nothing.json(&json!({"status": "nothing"})).send().await.is(204);
    let ask = json!({"approval_request": "acknowledge"});
    let document = portal.document_with(&joao, "contratos", "aviso.pdf", ask).await;
    let answer = json!({
        "document_id": document.id, "file_url": document.path, "outcome": "acknowledged",
    });
    portal.post("/rest/v1/document_approvals").auth(&joao).json(&answer).send().await.is(201);
    let expected = ["ana: Enviado por joao", "ana: joao respondeu a um documento: aviso.pdf"];
    assert_eq!(mails(portal).await, expected);
});

portal_test!(digest_lists_unread_notifications_on_business_days, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    // The first run only schedules the next one. The 21st is a Saturday.
    run_at(portal, "2026-11-21T12:00").await;
    choose(portal, &ana, "new_tickets", "daily").await;
    let seen = portal.ticket(&joao, "Já visto").await;
    let path = format!("/rest/v1/notifications?ticket_id=eq.{seen}");
    let read = portal.patch(&path).auth(&ana).json(&json!({"read_at": "2026-11-21T15:00:00Z"}));
    read.send().await.is(204);
    let ticket = portal.ticket(&joao, "Dúvida").await;
    portal.ticket(&joao, "Outra dúvida").await;
    // A topic without a digest.
    reply(portal, &joao, &ticket).await;
    run_at(portal, "2026-11-22T08:00").await;
    assert_eq!(mails(portal).await, [""; 0]);
    run_at(portal, "2026-11-23T08:00").await;
    let expected = ["ana: Resumo do dia: 2 novidades"];
    assert_eq!(mails(portal).await, expected);
    let texts = portal.mails().await;
    let html = &texts.iter().find(|mail| mail.event == "staff_digest").unwrap().html;
    assert!(html.contains("Dúvida") && html.contains("Outra dúvida") && html.contains("joao"));
    assert!(!html.contains("Já visto") && html.contains(&format!("/admin/tickets/{ticket}")));
    // A digest does not repeat what an earlier one listed.
    run_at(portal, "2026-11-24T08:00").await;
    assert_eq!(mails(portal).await, expected);
    let joao = portal.sign_in(&joao.email).await;
    portal.ticket(&joao, "Mais uma").await;
    run_at(portal, "2026-11-25T08:00").await;
    let expected = ["ana: Resumo do dia: 2 novidades", "ana: Resumo do dia: 1 novidade"];
    assert_eq!(mails(portal).await, expected);
});

portal_test!(digest_follows_a_changed_time_zone_at_once, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    run_at(portal, "2026-11-21T12:00").await;
    choose(portal, &ana, "new_tickets", "daily").await;
    portal.ticket(&joao, "Dúvida").await;
    run_at(portal, "2026-11-22T08:00").await;
    // Eight o'clock in Manaus is nine o'clock in Brasília.
    portal.set("time_zone", "America/Manaus");
    run_at(portal, "2026-11-22T09:00").await;
    run_at(portal, "2026-11-23T08:00").await;
    assert_eq!(mails(portal).await, [""; 0]);
    run_at(portal, "2026-11-23T09:00").await;
    assert_eq!(mails(portal).await, ["ana: Resumo do dia: 1 novidade"]);
});

portal_test!(mails_to_former_staff_and_about_erased_clients_do_not_leave, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let bia = second_admin(portal).await;
    run_at(portal, "2026-11-21T12:00").await;
    choose(portal, &bia, "new_tickets", "at_once").await;
    choose(portal, &ana, "new_tickets", "daily").await;
    portal.ticket(&joao, "Dúvida").await;
    let maria = portal.client("maria").await;
    choose(portal, &bia, "new_tickets", "none").await;
    portal.ticket(&maria, "De maria").await;
    run_at(portal, "2026-11-23T08:00").await;
    assert_eq!(mails(portal).await.len(), 2);
    let path = format!("/auth/v1/admin/users/{}/erasure", joao.id);
    let ana = portal.sign_in(&ana.email).await;
    portal.post(&path).auth(&ana).json(&json!({"email": joao.email})).send().await.is(200);
    // The mail names the client; the digest stays without its text.
    assert_eq!(mails(portal).await, ["ana: Resumo do dia: 2 novidades"]);
    let texts = portal.mails().await;
    assert!(
        texts.iter().filter(|mail| mail.event == "staff_digest").all(|mail| mail.html.is_empty())
    );
    // The next digest lists the rest of the canceled one.
    run_at(portal, "2026-11-24T08:00").await;
    let expected = ["ana: Resumo do dia: 2 novidades", "ana: Resumo do dia: 1 novidade"];
    assert_eq!(mails(portal).await, expected);
});

portal_test!(mail_about_a_client_out_of_reach_does_not_leave, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let bia = portal.colleague("bia", "employee", true).await;
    let assignment = portal.assign(&joao, &bia).await;
    portal.assign(&maria, &bia).await;
    choose(portal, &bia, "new_tickets", "at_once").await;
    portal.ticket(&joao, "De joao").await;
    portal.ticket(&maria, "De maria").await;
    let path = format!("/rest/v1/client_assignments?id=eq.{assignment}");
    let removal = portal.delete(&path).bearer(&portal.app.keys.service_role);
    removal.send().await.is(204);
    let server = start_with_smtp_server(portal).await;
    portal.deliver().await;
    let accepted = server.accepted();
    let subjects = accepted.iter().map(|mail| mail.message().subject().unwrap().to_owned());
    let to_staff = subjects.filter(|subject| subject.starts_with("Novo ticket"));
    assert_eq!(to_staff.collect::<Vec<_>>(), ["Novo ticket: De maria"]);
    let path = "/rest/v1/outbox?select=last_error&subject=eq.Novo%20ticket:%20De%20joao";
    let rows = portal.get(path).bearer(&portal.app.keys.service_role).send().await.is(200).json();
    assert_eq!(rows, json!([{"last_error": "A pessoa não acompanha mais este cliente."}]));
});

portal_test!(waiting_digest_leaves_out_what_is_out_of_reach_or_gone, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let bia = portal.colleague("bia", "employee", true).await;
    let assignment = portal.assign(&joao, &bia).await;
    portal.assign(&maria, &bia).await;
    run_at(portal, "2026-11-21T12:00").await;
    choose(portal, &bia, "new_tickets", "daily").await;
    portal.ticket(&joao, "De joao").await;
    portal.ticket(&maria, "De maria").await;
    let deleted = portal.ticket(&maria, "Por engano").await;
    run_at(portal, "2026-11-23T08:00").await;
    assert_eq!(mails(portal).await, ["bia: Resumo do dia: 3 novidades"]);
    for row in
        [format!("client_assignments?id=eq.{assignment}"), format!("tickets?id=eq.{deleted}")]
    {
        let removal = portal.delete(&format!("/rest/v1/{row}"));
        removal.bearer(&portal.app.keys.service_role).send().await.is(204);
    }
    let server = start_with_smtp_server(portal).await;
    portal.deliver().await;
    let accepted = server.accepted();
    let digest = accepted.iter().find(|mail| mail.to == bia.email).unwrap();
    assert_eq!(digest.subject(), "Resumo do dia: 1 novidade");
    let html = digest.html();
    assert!(html.contains("De maria") && !html.contains("De joao"), "{html}");
});
