//! Answers of staff to mails about tickets.

use serde_json::{Value, json};

use crate::delivery::{fake_smtp::Server, send};
use crate::harness::{TestPortal, TestUser, dovecot::Dovecot, portal_test};
use crate::mailbox::{MAILBOX, message, messages, read_mailbox, refusals, start};

/// [`start`] with answers of staff.
async fn start_for_staff(portal: &mut TestPortal) -> (Server, Dovecot) {
    let servers = start(portal).await;
    portal.set("staff_reply_by_mail", "true");
    servers
}

/// Chooses a mail for each new ticket.
async fn choose_mails(portal: &TestPortal, staff: &TestUser) {
    let choice = json!({"topic": "new_tickets", "delivery": "at_once"});
    portal.post("/rest/v1/staff_mail_choices").auth(staff).json(&choice).send().await.is(201);
}

/// Delivers the mails that wait, and returns the address to which a person can answer the last one about a new ticket.
async fn reply_address(portal: &TestPortal, smtp: &Server, staff: &TestUser) -> Option<String> {
    send(&portal.delivery()).await;
    let mails = smtp.accepted();
    let is_it = |subject: String| subject.starts_with("Novo ticket");
    let mail = mails.iter().rfind(|mail| mail.to.contains(&staff.email) && is_it(mail.subject()));
    let mail = mail.expect("the person gets a mail about the ticket").message();
    let address = mail.reply_to()?.first().unwrap().address().unwrap().to_owned();
    let text = mail.body_text(0).unwrap();
    assert!(text.starts_with("Para responder, escreva acima desta linha."), "{text}");
    Some(address)
}

/// The table's rows, as the service key reads them.
async fn all(portal: &TestPortal, path: &str) -> Value {
    let request = portal.get(&format!("/rest/v1/{path}")).bearer(&portal.app.keys.service_role);
    request.send().await.is(200).json()
}

async fn set_rights(portal: &TestPortal, staff: &TestUser, rights: Value) {
    let request = portal.put(&format!("/auth/v1/admin/users/{}", staff.id));
    let request = request.bearer(&portal.app.keys.service_role);
    request.json(&json!({"app_metadata": rights})).send().await.is(200);
}

portal_test!(staff_answer_by_mail_is_published_once_like_a_reply_in_the_portal, async |portal| {
    let (smtp, dovecot) = start_for_staff(portal).await;
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    choose_mails(portal, &ana).await;
    let ticket = portal.ticket(&joao, "Recibo").await;
    let address = reply_address(portal, &smtp, &ana).await.unwrap();
    let files = [("Recibo nº 1.pdf", "%PDF-1.7\r\n")];
    let answer = message(&ana.email, &address, "1", "", &files);
    dovecot.deliver(MAILBOX, &answer);
    // A mail server delivers the same message again.
    dovecot.deliver(MAILBOX, &answer);
    read_mailbox(portal).await;
    read_mailbox(portal).await;

    let thread = messages(portal, &joao).await;
    assert_eq!(thread.len(), 1, "{thread:?}");
    assert_eq!(thread[0]["body"], "Segue o recibo, obrigado!");
    assert_eq!(thread[0]["from_staff"], true);
    let path = thread[0]["ticket_attachments"][0]["file_url"].as_str().unwrap();
    let file = portal.get(&format!("/storage/v1/object/ticket-attachments/{path}")).auth(&joao);
    assert_eq!(file.send().await.is(200).text(), "%PDF-1.7\r\n");
    let written = all(portal, "ticket_messages?select=author_id,internal").await;
    assert_eq!(written, json!([{"author_id": ana.id, "internal": false}]));

    // The client is notified, and the log names the person.
    let mails = all(portal, "outbox?select=recipient&event=eq.ticket_updated_user").await;
    assert_eq!(mails, json!([{"recipient": joao.email}]));
    let center = portal.get("/rest/v1/notifications?select=kind,ticket_id").auth(&joao);
    let expected = json!([{"kind": "ticket_reply", "ticket_id": ticket}]);
    assert_eq!(center.send().await.is(200).json(), expected);
    // The first reply assigns the ticket.
    let tickets = all(portal, "tickets?select=assignee_id").await;
    assert_eq!(tickets, json!([{"assignee_id": ana.id}]));
    let events = all(portal, "activity?select=actor_id&event=eq.ticket.answered").await;
    assert_eq!(events, json!([{"actor_id": ana.id}]));

    // Ana would notice an answer that somebody else wrote in her name.
    send(&portal.delivery()).await;
    let posted = "Sua resposta por e-mail foi publicada";
    let mails = smtp.accepted();
    let mails: Vec<_> = mails.iter().filter(|mail| mail.subject() == posted).collect();
    assert_eq!(mails.len(), 1);
    assert!(mails[0].to.contains(&ana.email) && mails[0].message().reply_to().is_none());
    assert!(mails[0].html().contains(&format!("/admin/tickets/{ticket}")), "{}", mails[0].html());
});

portal_test!(
    staff_answer_counts_only_from_the_person_to_whom_the_address_was_given,
    async |portal| {
        let (smtp, dovecot) = start_for_staff(portal).await;
        let (ana, joao) = (portal.admin().await, portal.client("joao").await);
        let bia = portal.colleague("bia", "employee", false).await;
        choose_mails(portal, &ana).await;
        portal.ticket(&joao, "Recibo").await;
        let address = reply_address(portal, &smtp, &ana).await.unwrap();
        for (id, from) in
            [&joao.email, &bia.email, "estranho@exemplo.com.br"].into_iter().enumerate()
        {
            dovecot.deliver(MAILBOX, &message(from, &address, &id.to_string(), "", &[]));
        }
        let absence = "Auto-Submitted: auto-replied\r\n";
        dovecot.deliver(MAILBOX, &message(&ana.email, &address, "absence", absence, &[]));
        read_mailbox(portal).await;
        assert_eq!(all(portal, "ticket_messages").await, json!([]));
        assert_eq!(refusals(portal, &smtp).await.len(), 0);
    }
);

portal_test!(staff_answer_needs_the_rights_of_its_moment, async |portal| {
    let (smtp, dovecot) = start_for_staff(portal).await;
    portal.admin().await;
    let joao = portal.client("joao").await;
    let former = portal.colleague("ex", "employee", false).await;
    let banned = portal.colleague("suspensa", "employee", false).await;
    let limited = portal.colleague("limitada", "employee", true).await;
    let reader = portal.colleague("leitora", "employee", false).await;
    let assignment = portal.assign(&joao, &limited).await;
    for colleague in [&former, &banned, &limited, &reader] {
        choose_mails(portal, colleague).await;
    }
    let ticket = portal.ticket(&joao, "Recibo").await;
    let mut answers = Vec::new();
    for colleague in [&former, &banned, &limited, &reader] {
        let address = reply_address(portal, &smtp, colleague).await.unwrap();
        answers.push(message(&colleague.email, &address, &colleague.id, "", &[]));
    }
    dovecot.deliver(MAILBOX, &answers[2]);
    read_mailbox(portal).await;
    let written = all(portal, "ticket_messages?select=author_id").await;
    assert_eq!(written, json!([{"author_id": limited.id}]), "an assigned client is in reach");

    // A former colleague who now belongs to the client has no address of that side.
    set_rights(portal, &former, json!({"roles": []})).await;
    let member =
        json!({"client_id": joao.id, "email": former.email, "name": "Ex", "role": "owner"});
    portal.post("/account/v1/members").auth(&joao).json(&member).send().await;
    let ban = json!({"ban_duration": "24h"});
    let path = format!("/auth/v1/admin/users/{}", banned.id);
    portal.put(&path).bearer(&portal.app.keys.service_role).json(&ban).send().await.is(200);
    let path = format!("/rest/v1/client_assignments?id=eq.{assignment}");
    portal.delete(&path).bearer(&portal.app.keys.service_role).send().await.is(204);
    set_rights(portal, &reader, json!({"roles": ["admin"], "office_role": "reader"})).await;
    for (id, answer) in answers.iter().enumerate() {
        let text = String::from_utf8(answer.clone()).unwrap();
        let text = text.replacen("Message-ID: <", &format!("Message-ID: <{id}"), 1);
        dovecot.deliver(MAILBOX, text.as_bytes());
    }
    read_mailbox(portal).await;
    assert_eq!(all(portal, "ticket_messages").await.as_array().unwrap().len(), 1);
    // The reader sees the ticket, so the mail may name it; the others learn nothing.
    let mails = refusals(portal, &smtp).await;
    assert_eq!(mails.len(), 1, "{mails:?}");
    let (_, html, has_reply_address) = &mails[0];
    assert!(html.contains("O seu acesso não permite responder a este ticket."), "{html}");
    assert!(html.contains(&format!("/admin/tickets/{ticket}")) && !has_reply_address, "{html}");
});

portal_test!(staff_answer_by_mail_is_off_by_default, async |portal| {
    let (smtp, dovecot) = start_for_staff(portal).await;
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    choose_mails(portal, &ana).await;
    portal.ticket(&joao, "Recibo").await;
    let address = reply_address(portal, &smtp, &ana).await.unwrap();
    portal.set("staff_reply_by_mail", "false");
    portal.ticket(&joao, "Outro").await;
    assert_eq!(reply_address(portal, &smtp, &ana).await, None);
    dovecot.deliver(MAILBOX, &message(&ana.email, &address, "1", "", &[]));
    read_mailbox(portal).await;
    assert_eq!(all(portal, "ticket_messages").await, json!([]));
});
