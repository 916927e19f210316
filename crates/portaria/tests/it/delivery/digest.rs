//! Digests: several notifications in one mail, and the maximum number of mails per person.

use jiff::SignedDuration;
use serde_json::json;

use crate::delivery::{
    Recipient, Row,
    fake_smtp::{AcceptedMail, Act, At},
    recipient_of, send, start_with_smtp_server, stranger,
};
use crate::harness::{TestPortal, TestUser, portal_test};

const MINUTE: SignedDuration = SignedDuration::from_mins(1);

/// Creates a document of a client with its notification.
async fn document(portal: &TestPortal, client: &TestUser, topic: &str, name: &str) -> String {
    let fields = json!({"expires_at": "2026-11-25", "name": name});
    let file: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let document = portal.document_with(client, "faturas", &format!("{file}.pdf"), fields).await;
    let to = Recipient { document: Some(&document.id), ..recipient_of(client, topic) };
    portal.queue(&to, &format!("Documento: {name}")).await
}

/// The rows whose notifications were part of another mail.
fn merged(rows: &[Row]) -> Vec<&Row> {
    rows.iter().filter(|row| row.digest_id.is_some()).collect()
}

portal_test!(first_notification_is_sent_at_once_and_later_ones_as_a_digest, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let joao = portal.client("joao").await;
    let delivery = portal.delivery();
    document(portal, &joao, "documents", "um.pdf").await;
    send(&delivery).await;
    assert_eq!(server.accepted().len(), 1);
    for name in ["dois.pdf", "três & <b>meio</b>.pdf", "{{office.name}}.pdf"] {
        portal.advance(MINUTE);
        document(portal, &joao, "documents", name).await;
        send(&delivery).await;
        assert_eq!(server.accepted().len(), 1, "{name} has to wait");
    }
    portal.advance(MINUTE * 7);
    send(&delivery).await;
    let taken = server.accepted();
    assert_eq!(taken.len(), 2);
    assert_eq!(taken[1].subject(), "3 novos documentos");
    let html = taken[1].html();
    assert!(html.contains("três &amp; &lt;b&gt;meio&lt;/b&gt;.pdf"), "{html}");
    assert!(html.contains("{{office.name}}.pdf") && !html.contains("um.pdf"), "{html}");
    let rows = portal.outbox().await;
    let listed = merged(&rows);
    assert_eq!(listed.len(), 3);
    for row in listed {
        assert_eq!((row.state.as_str(), row.sent_at), ("sent", Some(portal.now())));
        let digest = portal.mail_row(row.digest_id.as_ref().unwrap()).await;
        assert_eq!((digest.event.as_str(), digest.state.as_str()), ("digest", "sent"));
        assert_eq!(taken[1].id(), format!("{}@127.0.0.1", digest.id));
    }
    // Each document is listed once, with its link.
    let links = html.matches("http://127.0.0.1:8080/documents/view/").count();
    assert_eq!(links, 3);
    // Ten minutes later the next notification is the first again.
    portal.advance(MINUTE * 10);
    document(portal, &joao, "documents", "cinco.pdf").await;
    send(&delivery).await;
    assert_eq!(server.accepted()[2].subject(), "Documento: cinco.pdf");
});

portal_test!(digest_of_reminders_does_not_call_them_new, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let delivery = portal.delivery();
    let mut ids = Vec::new();
    for name in ["um.pdf", "dois.pdf"] {
        ids.push(portal.document(&joao, "faturas", name).await.id);
    }
    let request = portal.post("/rest/v1/rpc/remind_documents").auth(&ana);
    request.json(&json!({"documents": ids})).send().await.is(200);
    send(&delivery).await;
    assert_eq!(server.accepted()[0].subject(), "2 documentos esperam por você");
});

portal_test!(digest_lists_a_document_once_and_names_another_client, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    portal.add_member(&joao, &maria).await;
    let delivery = portal.delivery();
    document(portal, &maria, "documents", "um.pdf").await;
    send(&delivery).await;
    document(portal, &maria, "documents", "nota.pdf").await;
    let guia = portal.document(&joao, "faturas", "guia.pdf").await;
    for subject in ["Documento: guia.pdf", "Lembrete: guia.pdf"] {
        let to = Recipient { document: Some(&guia.id), ..recipient_of(&maria, "documents") };
        portal.queue(&to, subject).await;
    }
    portal.advance(MINUTE * 10);
    send(&delivery).await;
    let digest = server.accepted().pop().unwrap();
    assert_eq!(digest.subject(), "2 novos documentos");
    let html = digest.html();
    assert!(html.contains("nota.pdf</a>: vence em"), "{html}");
    assert_eq!(html.matches("guia.pdf</a>: joao<").count(), 1, "{html}");
});

portal_test!(single_waiting_notification_is_sent_unchanged, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let joao = portal.client("joao").await;
    let delivery = portal.delivery();
    document(portal, &joao, "documents", "um.pdf").await;
    send(&delivery).await;
    document(portal, &joao, "documents", "dois.pdf").await;
    send(&delivery).await;
    portal.advance(MINUTE * 10);
    send(&delivery).await;
    assert_eq!(server.accepted()[1].subject(), "Documento: dois.pdf");
    assert!(merged(&portal.outbox().await).is_empty());
});

portal_test!(thousand_notifications_become_few_mails, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let joao = portal.client("joao").await;
    let maria = portal.client("maria").await;
    let delivery = portal.delivery();
    for number in 0..1000 {
        portal.queue(&recipient_of(&joao, "documents"), &format!("Documento {number}")).await;
        if number % 100 == 0 {
            send(&delivery).await;
        }
    }
    portal.queue(&recipient_of(&maria, "documents"), "Documento de Maria").await;
    send(&delivery).await;
    portal.advance(MINUTE * 10);
    send(&delivery).await;
    let to = |user: &TestUser| {
        let taken = server.accepted().into_iter().filter(|mail| mail.to == user.email);
        taken.map(|mail| mail.subject()).collect::<Vec<_>>()
    };
    assert_eq!(to(&joao), ["Documento 0", "999 novos documentos"]);
    assert_eq!(to(&maria), ["Documento de Maria"]);
    let digest = server.accepted().into_iter().find(|mail| mail.subject().starts_with("999"));
    assert!(digest.unwrap().html().contains("E mais 969"));
    assert!(portal.states().await.iter().all(|state| state == "sent"));
});

portal_test!(notifications_of_the_nightly_run_become_one_digest, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let joao = portal.client("joao").await;
    let delivery = portal.delivery();
    document(portal, &joao, "expiries", "um.pdf").await;
    send(&delivery).await;
    portal.advance(MINUTE);
    document(portal, &joao, "expiries", "dois.pdf").await;
    send(&delivery).await;
    assert!(server.accepted().is_empty());
    portal.advance(MINUTE);
    send(&delivery).await;
    let taken = server.accepted();
    assert_eq!(taken.len(), 1);
    assert_eq!(taken[0].subject(), "2 avisos de vencimento");
    assert_eq!(taken[0].html().matches("vence em 25/11/2026").count(), 2);
    // The unsubscribe link in the text and in the header.
    let message = taken[0].message();
    let header = message.header_raw("List-Unsubscribe").unwrap().trim().to_owned();
    assert!(header.starts_with("<http://127.0.0.1:8080/cancelar-avisos/expiries."), "{header}");
});

portal_test!(digest_survives_a_failed_delivery, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let joao = portal.client("joao").await;
    let delivery = portal.delivery();
    server.script([Act::Say(At::Rcpt, "451 later")]);
    document(portal, &joao, "documents", "um.pdf").await;
    document(portal, &joao, "documents", "dois.pdf").await;
    send(&delivery).await;
    assert!(merged(&portal.outbox().await).iter().all(|row| row.sent_at.is_none()));
    portal.advance(MINUTE);
    send(&delivery).await;
    assert_eq!(server.accepted()[0].subject(), "2 novos documentos");
    assert!(portal.outbox().await.iter().all(|row| row.sent_at.is_some()));
});

portal_test!(attempted_mail_does_not_join_a_digest, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let joao = portal.client("joao").await;
    let delivery = portal.delivery();
    // The server may have accepted this mail.
    server.script([Act::HangUp(At::Dot)]);
    let first = document(portal, &joao, "documents", "um.pdf").await;
    send(&delivery).await;
    document(portal, &joao, "documents", "dois.pdf").await;
    document(portal, &joao, "documents", "três.pdf").await;
    portal.advance(MINUTE);
    send(&delivery).await;
    let mine = format!("{first}@127.0.0.1");
    assert_eq!(server.ids().iter().filter(|id| **id == mine).count(), 2);
    let mut subjects: Vec<_> = server.accepted().iter().map(AcceptedMail::subject).collect();
    subjects.sort();
    assert_eq!(subjects, ["2 novos documentos", "Documento: um.pdf", "Documento: um.pdf"]);
});

portal_test!(mails_per_person_are_capped, async |portal| {
    portal.set("mail_rate", "");
    portal.set("rate_recipient_mail", "5/1h");
    let server = start_with_smtp_server(portal).await;
    let joao = portal.client("joao").await;
    let delivery = portal.delivery();
    for number in 0..12 {
        portal.queue(&recipient_of(&joao, "tickets"), &format!("Ticket {number}")).await;
        send(&delivery).await;
        portal.advance(MINUTE);
    }
    assert_eq!(server.accepted().len(), 5);
    // Account mails are never delayed.
    let to = Recipient { topic: None, ..recipient_of(&joao, "tickets") };
    portal.queue(&to, "Redefinição de senha").await;
    send(&delivery).await;
    assert_eq!(server.accepted()[5].subject(), "Redefinição de senha");
    portal.advance(MINUTE * 49);
    send(&delivery).await;
    let taken = server.accepted();
    assert_eq!(taken.len(), 7);
    assert_eq!(taken[6].subject(), "7 novidades em seus tickets");
    assert!(taken[6].html().contains("Ticket 11"));
    assert!(portal.states().await.iter().all(|state| state == "sent"));
});

portal_test!(ticket_notifications_within_the_cap_are_sent_individually, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let joao = portal.client("joao").await;
    for number in 0..3 {
        portal.queue(&recipient_of(&joao, "tickets"), &format!("Ticket {number}")).await;
    }
    portal.queue(&stranger("ana@exemplo.com.br"), "Outro").await;
    portal.deliver().await;
    let mut subjects: Vec<_> = server.accepted().iter().map(AcceptedMail::subject).collect();
    subjects.sort();
    assert_eq!(subjects, ["Outro", "Ticket 0", "Ticket 1", "Ticket 2"]);
});
