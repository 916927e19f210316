//! The mailbox: answers to mails about tickets, reports of failed deliveries, and files for the inbox, read from Dovecot.
//! A message has its consequence once, and the mailbox does not change.

use std::{fmt::Write, fs};

use jiff::SignedDuration;
use portaria::{jobs::poll_mailbox, mail::imap::OpenMailbox};
use serde_json::{Value, json};

use crate::delivery::{
    fake_smtp::{AcceptedMail, Server},
    send, start_with_smtp_server,
};
use crate::harness::{TestPortal, TestUser, dovecot::Dovecot, portal_test};

pub(crate) const MAILBOX: &str = "portal@prado.com.br";

/// The portal with a mail server, and with a mailbox that it has read once.
pub(crate) async fn start(portal: &mut TestPortal) -> (Server, Dovecot) {
    let (smtp, dovecot) = (start_with_smtp_server(portal).await, Dovecot::start());
    dovecot
        .deliver(MAILBOX, b"From: ana@exemplo.com.br\r\nTo: portal@prado.com.br\r\n\r\nAntiga\r\n");
    portal.set("smtp_ca", dovecot.certificate().to_str().unwrap());
    portal.set("imap_url", &dovecot.url(MAILBOX));
    portal.set("reply_address", MAILBOX);
    read_mailbox(portal).await;
    (smtp, dovecot)
}

pub(crate) async fn read_mailbox(portal: &TestPortal) {
    portal.advance(SignedDuration::from_mins(1));
    poll_mailbox::poll(&portal.app).await;
}

/// Lets the office answer, and returns the address for the client's answer.
async fn answer_by_office(portal: &TestPortal, smtp: &Server, ticket: &str) -> String {
    let row = json!({"ticket_id": ticket, "body": "Pode nos enviar o recibo?"});
    let request = portal.post("/rest/v1/ticket_messages").bearer(&portal.app.keys.service_role);
    request.json(&row).send().await.is(201);
    portal.advance(SignedDuration::from_mins(11));
    send(&portal.delivery()).await;
    let accepted = smtp.accepted();
    // The order of the mails varies, since several are delivered at a time.
    let mail = accepted.iter().rfind(|mail| mail.html().contains(ticket));
    let mail = mail.expect("the client gets a mail about the ticket").message();
    let text = mail.body_text(0).unwrap();
    assert!(text.starts_with("Para responder, escreva acima desta linha."), "{text}");
    mail.reply_to().unwrap().first().unwrap().address().unwrap().to_owned()
}

/// A message to an address with a text and files.
pub(crate) fn message(
    from: &str,
    to: &str,
    id: &str,
    headers: &str,
    files: &[(&str, &str)],
) -> Vec<u8> {
    let mut text = format!(
        "From: Pessoa <{from}>\r\nTo: Prado <{to}>\r\nMessage-ID: <{id}@exemplo>\r\n{headers}\
         MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=limite\r\n\r\n\
         --limite\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nSegue o recibo, obrigado!\r\n\r\n\
         Em sex., 27 de nov. de 2026, Prado escreveu:\r\n> Pode nos enviar o recibo?\r\n"
    );
    for (name, content) in files {
        write!(
            text,
            "--limite\r\nContent-Type: application/octet-stream\r\n\
             Content-Disposition: attachment; filename=\"{name}\"\r\n\r\n{content}\r\n"
        )
        .unwrap();
    }
    text.push_str("--limite--\r\n");
    text.into_bytes()
}

pub(crate) async fn messages(portal: &TestPortal, user: &TestUser) -> Vec<Value> {
    let columns = "body,from_staff,member_name,ticket_attachments(name,file_url)";
    let path = format!("/rest/v1/ticket_messages?select={columns}&order=created_at");
    portal.get(&path).auth(user).send().await.is(200).json().as_array().unwrap().clone()
}

portal_test!(answer_by_mail_becomes_a_message_with_its_files_once, async |portal| {
    let (smtp, dovecot) = start(portal).await;
    let joao = portal.client("joao").await;
    let ticket = portal.ticket(&joao, "Recibo").await;
    let address = answer_by_office(portal, &smtp, &ticket).await;
    let files = [("Recibo nº 1.pdf", "%PDF-1.7\r\n"), ("programa.exe", "MZ")];
    // Senders and mail servers change the case of addresses.
    let upper = address.replace("portal", "Portal");
    let answer = message(&joao.email.to_uppercase(), &upper, "1", "", &files);
    dovecot.deliver(MAILBOX, &answer);
    read_mailbox(portal).await;
    let thread = messages(portal, &joao).await;
    assert_eq!(thread.len(), 2, "{thread:?}");
    let refusal = "[O arquivo programa.exe não foi aceito. O tipo exe não é aceito.]";
    assert_eq!(thread[1]["body"], format!("Segue o recibo, obrigado!\n\n{refusal}"));
    assert_eq!(thread[1]["from_staff"], false);
    let attached = &thread[1]["ticket_attachments"];
    assert_eq!(attached[0]["name"], "Recibo nº 1.pdf", "{thread:?}");
    let path = attached[0]["file_url"].as_str().unwrap();
    let file = portal.get(&format!("/storage/v1/object/ticket-attachments/{path}")).auth(&joao);
    assert_eq!(file.send().await.is(200).text(), "%PDF-1.7\r\n");

    // A mail server delivers the same message again.
    dovecot.deliver(MAILBOX, &answer);
    read_mailbox(portal).await;
    read_mailbox(portal).await;
    assert_eq!(messages(portal, &joao).await.len(), 2);
    assert_eq!(
        fs::read_dir(dovecot.new_messages(MAILBOX)).unwrap().count(),
        3,
        "nothing is marked"
    );
});

portal_test!(long_answer_by_mail_is_kept_whole_as_a_file, async |portal| {
    let (smtp, dovecot) = start(portal).await;
    let joao = portal.client("joao").await;
    let ticket = portal.ticket(&joao, "Recibo").await;
    let address = answer_by_office(portal, &smtp, &ticket).await;
    let lines = "Uma linha do relatório de despesas.\r\n".repeat(300);
    let answer = String::from_utf8(message(&joao.email, &address, "1", "", &[])).unwrap();
    dovecot.deliver(MAILBOX, answer.replace("Segue o recibo", &format!("{lines}Fim")).as_bytes());
    read_mailbox(portal).await;
    let thread = messages(portal, &joao).await;
    let body = thread[1]["body"].as_str().unwrap();
    assert!(body.ends_with("\n\n[O texto completo está no arquivo mensagem.txt.]"), "{body}");
    let attached = &thread[1]["ticket_attachments"][0];
    assert_eq!(attached["name"], "mensagem.txt");
    let path = attached["file_url"].as_str().unwrap();
    let file = portal.get(&format!("/storage/v1/object/ticket-attachments/{path}")).auth(&joao);
    let text = file.send().await.is(200).text();
    assert_eq!(text.matches("despesas").count(), 300);
    assert!(text.ends_with("Fim, obrigado!"), "{text}");
});

portal_test!(answer_counts_only_from_the_person_to_whom_the_address_was_given, async |portal| {
    let (smtp, dovecot) = start(portal).await;
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let ticket = portal.ticket(&joao, "Recibo").await;
    let address = answer_by_office(portal, &smtp, &ticket).await;
    let (name, domain) = address.split_once('@').unwrap();
    let tampered = format!(
        "{}{}@{domain}",
        &name[..name.len() - 1],
        if name.ends_with('a') { 'b' } else { 'a' }
    );
    let absence = "Auto-Submitted: auto-replied\r\n";
    for (id, (from, to, headers)) in [
        (maria.email.as_str(), address.as_str(), ""),
        ("estranho@exemplo.com.br", &address, ""),
        (&joao.email, &tampered, ""),
        (&joao.email, MAILBOX, ""),
        (&joao.email, &address.replace(domain, "outro.com.br"), ""),
        (&joao.email, &address, absence),
    ]
    .into_iter()
    .enumerate()
    {
        dovecot.deliver(MAILBOX, &message(from, to, &id.to_string(), headers, &[]));
    }
    read_mailbox(portal).await;
    assert_eq!(messages(portal, &joao).await.len(), 1);
    let ban = json!({"ban_duration": "24h"});
    let path = format!("/auth/v1/admin/users/{}", joao.id);
    portal.put(&path).bearer(&portal.app.keys.service_role).json(&ban).send().await.is(200);
    dovecot.deliver(MAILBOX, &message(&joao.email, &address, "banned", "", &[]));
    read_mailbox(portal).await;
    let service = portal.get("/rest/v1/ticket_messages").bearer(&portal.app.keys.service_role);
    assert_eq!(service.send().await.json().as_array().unwrap().len(), 1);
});

/// Delivers the mails that wait, and returns subject, text and reply address of those about answers that were not taken.
pub(crate) async fn refusals(portal: &TestPortal, smtp: &Server) -> Vec<(String, String, bool)> {
    send(&portal.delivery()).await;
    let is_refusal = |subject: &str| {
        subject.ends_with("não foi recebida") || subject.ends_with("não foi recebido")
    };
    let mails = smtp.accepted().into_iter().filter(|mail| is_refusal(&mail.subject()));
    mails.map(|mail| (mail.subject(), mail.html(), mail.message().reply_to().is_some())).collect()
}

portal_test!(refused_answer_is_explained_once_and_never_to_a_program, async |portal| {
    let (smtp, dovecot) = start(portal).await;
    let joao = portal.client("joao").await;
    let ticket = portal.ticket(&joao, "Recibo <1>").await;
    let address = answer_by_office(portal, &smtp, &ticket).await;
    let closed = json!({"status": "closed"});
    let path = format!("/rest/v1/tickets?id=eq.{ticket}");
    portal.patch(&path).bearer(&portal.app.keys.service_role).json(&closed).send().await.is(204);
    portal.advance(SignedDuration::from_hours(24 * 8));
    let absence = "Auto-Submitted: auto-replied\r\n";
    dovecot.deliver(MAILBOX, &message(&joao.email, &address, "absence", absence, &[]));
    dovecot.deliver(MAILBOX, &message("estranho@exemplo.com.br", &address, "stranger", "", &[]));
    let late = message(&joao.email, &address, "late", "", &[]);
    dovecot.deliver(MAILBOX, &late);
    dovecot.deliver(MAILBOX, &late);
    read_mailbox(portal).await;
    read_mailbox(portal).await;
    let mails = refusals(portal, &smtp).await;
    assert_eq!(mails.len(), 1, "{mails:?}");
    let (subject, html, has_reply_address) = &mails[0];
    assert_eq!(subject, "Sua resposta por e-mail não foi recebida");
    assert!(html.contains("Recibo &lt;1&gt;"), "{html}");
    assert!(html.contains("O ticket foi fechado há mais de sete dias."), "{html}");
    assert!(html.contains(&format!("/tickets/{ticket}")), "{html}");
    // An answer to it reaches no ticket, so that two programs do not write to each other.
    assert!(!has_reply_address);
    let joao = portal.sign_in(&joao.email).await;
    assert_eq!(messages(portal, &joao).await.len(), 1);
});

portal_test!(answer_without_some_of_its_files_is_explained, async |portal| {
    let (smtp, dovecot) = start(portal).await;
    let joao = portal.client("joao").await;
    let ticket = portal.ticket(&joao, "Recibo").await;
    let address = answer_by_office(portal, &smtp, &ticket).await;
    let files = [("Recibo.pdf", "%PDF-1.7\r\n"), ("programa.exe", "MZ")];
    dovecot.deliver(MAILBOX, &message(&joao.email, &address, "files", "", &files));
    dovecot.deliver(MAILBOX, &message(&joao.email, &address, "whole", "", &files[..1]));
    read_mailbox(portal).await;
    let mails = refusals(portal, &smtp).await;
    assert_eq!(mails.len(), 1, "{mails:?}");
    assert_eq!(mails[0].0, "Um arquivo da sua resposta não foi recebido");
    let reason = "O arquivo programa.exe não foi aceito. O tipo exe não é aceito.";
    assert!(mails[0].1.contains(reason), "{}", mails[0].1);
    assert_eq!(messages(portal, &joao).await.len(), 3);
});

portal_test!(answer_that_is_too_large_is_explained, async |portal| {
    let (smtp, dovecot) = start(portal).await;
    let joao = portal.client("joao").await;
    let ticket = portal.ticket(&joao, "Recibo").await;
    let address = answer_by_office(portal, &smtp, &ticket).await;
    let large = "A".repeat(37 * 1024 * 1024);
    dovecot.deliver(MAILBOX, &message(&joao.email, &address, "large", "", &[("a.pdf", &large)]));
    dovecot.deliver(MAILBOX, &message(&joao.email, MAILBOX, "other", "", &[("a.pdf", &large)]));
    read_mailbox(portal).await;
    let mails = refusals(portal, &smtp).await;
    assert_eq!(mails.len(), 1, "{mails:?}");
    assert!(mails[0].1.contains("A mensagem é grande demais."), "{}", mails[0].1);
    assert_eq!(messages(portal, &joao).await.len(), 1);
});

portal_test!(messages_behind_a_refused_one_are_read, async |portal| {
    let (smtp, dovecot) = start(portal).await;
    let joao = portal.client("joao").await;
    let ticket = portal.ticket(&joao, "Recibo").await;
    let address = answer_by_office(portal, &smtp, &ticket).await;
    let closed = json!({"status": "closed"});
    let path = format!("/rest/v1/tickets?id=eq.{ticket}");
    portal.patch(&path).bearer(&portal.app.keys.service_role).json(&closed).send().await.is(204);
    portal.advance(SignedDuration::from_hours(24 * 31));
    dovecot.deliver(MAILBOX, &message(&joao.email, &address, "late", "", &[]));
    let ticket = portal.ticket(&portal.sign_in(&joao.email).await, "Outro").await;
    let second = answer_by_office(portal, &smtp, &ticket).await;
    dovecot.deliver(MAILBOX, b"\0\xff no message");
    dovecot.deliver(MAILBOX, &message(&joao.email, &second, "in time", "", &[]));
    read_mailbox(portal).await;
    let joao = portal.sign_in(&joao.email).await;
    let bodies: Vec<Value> =
        messages(portal, &joao).await.into_iter().map(|row| row["body"].clone()).collect();
    let own = bodies.iter().filter(|body| *body == "Segue o recibo, obrigado!").count();
    assert_eq!(own, 1, "{bodies:?}");
});

portal_test!(mail_to_an_unconfirmed_address_offers_no_answer, async |portal| {
    let (smtp, _dovecot) = start(portal).await;
    let account = json!({"email": "nova@cliente.com.br"});
    let request = portal.post("/auth/v1/admin/users").bearer(&portal.app.keys.service_role);
    let client = request.json(&account).send().await.is(200).json();
    let row = json!({"subject": "Recibo", "message": "Olá, nova.", "user_id": client["id"]});
    let ticket = portal.insert("tickets", row).await;
    portal.insert("ticket_messages", json!({"ticket_id": ticket, "body": "Falta ele."})).await;
    portal.advance(SignedDuration::from_mins(11));
    send(&portal.delivery()).await;
    let accepted = smtp.accepted();
    let mail = accepted.iter().find(|mail| mail.html().contains(&ticket));
    let mail = mail.expect("the client gets a mail about the ticket").message();
    assert!(mail.reply_to().is_none());
    let text = mail.body_text(0).unwrap();
    assert!(!text.contains("escreva acima desta linha"), "{text}");
});

portal_test!(returned_mail_is_marked_as_failed_with_its_reason, async |portal| {
    let (smtp, dovecot) = start(portal).await;
    let joao = portal.client("joao").await;
    let ticket = portal.ticket(&joao, "Recibo").await;
    answer_by_office(portal, &smtp, &ticket).await;
    let outbox = async || {
        let path = "/rest/v1/outbox?select=id,state,last_error&event=eq.ticket_updated_user";
        let request = portal.get(path).bearer(&portal.app.keys.service_role);
        request.send().await.is(200).json()[0].clone()
    };
    // The order of the mails varies, since several are delivered at a time.
    let answer = outbox().await["id"].as_str().unwrap().to_owned();
    let ids: Vec<String> = smtp.accepted().iter().map(AcceptedMail::id).collect();
    let id = ids.iter().find(|id| id.starts_with(&answer)).expect("the client gets the answer");
    let report = |recipient: &str| {
        format!(
            "From: MAILER-DAEMON@mx\r\nReturn-Path: <>\r\nTo: {MAILBOX}\r\nMIME-Version: 1.0\r\n\
             Content-Type: multipart/report; report-type=delivery-status; boundary=r\r\n\r\n\
             --r\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx\r\n\r\n\
             Final-Recipient: rfc822; {recipient}\r\nAction: failed\r\nStatus: 5.1.1\r\n\
             Diagnostic-Code: smtp; 550 5.1.1 mailbox unknown\r\n\
             --r\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: <{id}>\r\n\r\n--r--\r\n"
        )
    };
    dovecot.deliver(MAILBOX, report("outra@exemplo.com.br").as_bytes());
    read_mailbox(portal).await;
    assert_eq!(outbox().await["state"], "sent");
    dovecot.deliver(MAILBOX, report(&joao.email).as_bytes());
    read_mailbox(portal).await;
    let state = outbox().await;
    assert_eq!(state["state"], "failed");
    assert_eq!(state["last_error"], "O e-mail foi devolvido: 550 5.1.1 mailbox unknown");

    // Sent again, it is subject to everything that ends a mail.
    let mute = json!({"topic": "tickets"});
    portal.post("/rest/v1/muted_topics").auth(&joao).json(&mute).send().await.is(201);
    let again = portal.patch(&format!("/rest/v1/outbox?id=eq.{answer}"));
    let again = again.bearer(&portal.app.keys.service_role).json(&json!({"state": "queued"}));
    again.send().await.is(204);
    send(&portal.delivery()).await;
    assert_eq!(outbox().await["state"], "cancelled");
});

portal_test!(attachments_of_permitted_senders_reach_the_inbox, async |portal| {
    let (_smtp, dovecot) = start(portal).await;
    portal.set("inbox_senders", "scanner@prado.com.br");
    let files = [("digitalizado.pdf", "%PDF-1.7\r\n"), ("leia.html", "<html>")];
    dovecot.deliver(MAILBOX, &message("estranho@exemplo.com.br", MAILBOX, "1", "", &files));
    dovecot.deliver(MAILBOX, &message("Scanner@prado.com.br", MAILBOX, "2", "", &files));
    read_mailbox(portal).await;
    let ana = portal.admin().await;
    let inbox = portal.get("/rest/v1/inbox_files?select=name,source,size").auth(&ana);
    let expected = json!([{"name": "digitalizado.pdf", "source": "mail", "size": 10}]);
    assert_eq!(inbox.send().await.is(200).json(), expected);
});

portal_test!(outage_of_the_store_loses_no_message, async |portal| {
    let (_smtp, dovecot) = start(portal).await;
    portal.set("inbox_senders", "scanner@prado.com.br");
    let (blobs, aside) = (portal.folder("blobs"), portal.folder("aside"));
    fs::create_dir_all(&blobs).unwrap();
    fs::rename(&blobs, &aside).unwrap();
    fs::write(&blobs, "").unwrap();
    let files = [("digitalizado.pdf", "%PDF-1.7\r\n")];
    dovecot.deliver(MAILBOX, &message("scanner@prado.com.br", MAILBOX, "1", "", &files));
    for _ in 0..5 {
        read_mailbox(portal).await;
    }
    let ana = portal.admin().await;
    let inbox = async || {
        let request = portal.get("/rest/v1/inbox_files?select=name").auth(&ana);
        request.send().await.is(200).json()
    };
    assert_eq!(inbox().await, json!([]));
    fs::remove_file(&blobs).unwrap();
    fs::rename(&aside, &blobs).unwrap();
    read_mailbox(portal).await;
    assert_eq!(inbox().await, json!([{"name": "digitalizado.pdf"}]));
});

portal_test!(a_mailbox_that_cannot_be_read_is_named_without_its_password, async |portal| {
    let dovecot = Dovecot::start();
    dovecot.deliver(MAILBOX, b"From: a@b.com.br\r\n\r\nOi\r\n");
    portal.set("imap_url", &dovecot.plain_url(MAILBOX));
    let open = async |portal: &TestPortal| {
        let location = portal.app.config.mailbox.clone().unwrap();
        OpenMailbox::open(&location).await.map(|mailbox| mailbox.end().next_uid)
    };
    assert_eq!(open(portal).await.unwrap(), 2);
    for (url, expected) in [
        (
            dovecot.plain_url(MAILBOX).replace("senha%2Fda-caixa", "errada"),
            "recusou usuário ou senha",
        ),
        (format!("{}/Outra", dovecot.plain_url(MAILBOX)), "não tem a pasta Outra"),
        (dovecot.url(MAILBOX), "TLS com localhost"),
        ("imap://a:senha@127.0.0.1:1".to_owned(), "127.0.0.1:1 não responde"),
    ] {
        portal.set("imap_url", &url);
        let error = open(portal).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(!error.contains("da-caixa") && !error.contains("errada"), "{error}");
        read_mailbox(portal).await;
    }
});
