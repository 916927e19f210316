//! Mails that wait while their reason goes away: the document is deleted, withdrawn or expired, or the client is banned
//! or deleted. They are canceled with the reason in the mail log.

use std::sync::Arc;

use jiff::SignedDuration;
use portaria::db;
use postgres::{Client, NoTls};
use sea_query::{Expr, ExprTrait, Query};
use serde_json::{Value, json};

use crate::delivery::{
    Recipient,
    fake_smtp::{AcceptedMail, Act, At, Server},
    recipient_of, spawn_send, start_with_smtp_server,
};
use crate::harness::{
    Document, TestPortal, TestUser, portal_test, run_blocking, run_on_postgres, wait::until_awaited,
};

const DELETED: &str = "O documento foi excluído.";
const WITHDRAWN: &str = "O documento foi retirado do cliente.";
const EXPIRED: &str = "O documento venceu antes do envio.";
const BANNED: &str = "O acesso do cliente está suspenso.";

/// Creates a document with a due date, and the notification of it.
async fn notified(portal: &TestPortal, client: &TestUser, name: &str) -> (Document, String) {
    let due = json!({"expires_at": "2026-11-25"});
    let document = portal.document_with(client, "faturas", name, due).await;
    let to = Recipient { document: Some(&document.id), ..recipient_of(client, "documents") };
    let mail = portal.queue(&to, &format!("Documento: {name}")).await;
    (document, mail)
}

/// Changes a document as the office.
async fn change(portal: &TestPortal, document: &Document, fields: Value) {
    let request = portal.patch(&format!("/rest/v1/documents?id=eq.{}", document.id));
    let request = request.bearer(&portal.app.keys.service_role).json(&fields);
    request.send().await.is(204);
}

async fn delete(portal: &TestPortal, document: &Document) {
    let request = portal.delete(&format!("/rest/v1/documents?id=eq.{}", document.id));
    request.bearer(&portal.app.keys.service_role).send().await.is(204);
}

async fn ban(portal: &TestPortal, user: &TestUser) {
    let request = portal.put(&format!("/auth/v1/admin/users/{}", user.id));
    let request = request.bearer(&portal.app.keys.service_role);
    request.json(&json!({"ban_duration": "24h"})).send().await.is(200);
}

/// Asserts that the mail log shows a mail as canceled for this reason.
async fn assert_canceled(portal: &TestPortal, mail: &str, reason: &str) {
    let path = format!("/rest/v1/outbox?id=eq.{mail}&select=state,last_error");
    let row = portal.get(&path).bearer(&portal.app.keys.service_role).send().await.is(200).json();
    assert_eq!(row, json!([{"state": "cancelled", "last_error": reason}]));
}

portal_test!(waiting_mail_is_canceled_with_its_document, async |portal| {
    let joao = portal.client("joao").await;
    let (deleted, first) = notified(portal, &joao, "um.pdf").await;
    let (withdrawn, second) = notified(portal, &joao, "dois.pdf").await;
    let (_, kept) = notified(portal, &joao, "tres.pdf").await;
    // Without a mail server the mails wait.
    delete(portal, &deleted).await;
    change(portal, &withdrawn, json!({"status": "pending"})).await;
    assert_canceled(portal, &first, DELETED).await;
    assert_canceled(portal, &second, WITHDRAWN).await;

    let server = start_with_smtp_server(portal).await;
    portal.deliver().await;
    assert_eq!(server.ids(), [format!("{kept}@127.0.0.1")]);
});

portal_test!(waiting_mail_is_canceled_when_its_document_expires, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let joao = portal.client("joao").await;
    server.script([Act::Say(At::Rcpt, "451 later")]);
    let (_, mail) = notified(portal, &joao, "um.pdf").await;
    portal.deliver().await;
    portal.advance(SignedDuration::from_hours(5 * 24));
    portal.deliver().await;
    assert_canceled(portal, &mail, EXPIRED).await;
    // A document that had expired when it was notified is a reason to write.
    let (_, late) = notified(portal, &joao, "dois.pdf").await;
    portal.deliver().await;
    assert_eq!(server.ids(), [format!("{late}@127.0.0.1")]);
});

portal_test!(waiting_mail_is_canceled_with_its_clients_access, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let (_, banned) = notified(portal, &joao, "um.pdf").await;
    let (_, deleted) = notified(portal, &maria, "dois.pdf").await;
    ban(portal, &joao).await;
    assert_canceled(portal, &banned, BANNED).await;
    let account = portal.delete(&format!("/auth/v1/admin/users/{}", maria.id));
    account.bearer(&portal.app.keys.service_role).send().await.is(200);
    // The mails of a deleted account are deleted with it.
    assert!(portal.outbox().await.iter().all(|row| row.id != deleted));
    let server = start_with_smtp_server(portal).await;
    portal.deliver().await;
    assert_eq!(server.ids(), [""; 0]);
});

portal_test!(waiting_mail_is_canceled_when_its_record_or_topic_is_gone, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let rh = portal.client("rh").await;
    portal.add_member(&joao, &rh).await;
    let ticket = portal.ticket(&maria, "Dúvida").await;
    let document = portal.document(&joao, "faturas", "um.pdf").await;
    let to_member = Recipient { document: Some(&document.id), ..recipient_of(&rh, "documents") };
    let of_banned = portal.queue(&to_member, "Um").await;
    let about = Recipient { ticket: Some(&ticket), ..recipient_of(&maria, "tickets") };
    let of_ticket = portal.queue(&about, "Dúvida").await;
    let muted = portal.queue(&recipient_of(&maria, "expiries"), "Vence").await;
    ban(portal, &joao).await;
    let deletion = portal.delete(&format!("/rest/v1/tickets?id=eq.{ticket}"));
    deletion.bearer(&portal.app.keys.service_role).send().await.is(204);
    let mute = portal.post("/rest/v1/muted_topics").auth(&maria);
    mute.json(&json!({"topic": "expiries"})).send().await.is(201);
    let server = start_with_smtp_server(portal).await;
    portal.deliver().await;
    assert_canceled(portal, &of_banned, BANNED).await;
    assert_canceled(portal, &of_ticket, "O ticket foi excluído.").await;
    assert_canceled(portal, &muted, "A pessoa não quer mais estes avisos.").await;
    assert!(
        server.accepted().iter().all(|mail| !["Um", "Dúvida", "Vence"].contains(&&*mail.subject()))
    );
});

/// Starts a delivery that the server holds up before the mail, runs `change`, and lets the server continue.
async fn change_while_sending(
    portal: &TestPortal,
    server: &Server,
    change: impl AsyncFnOnce(&TestPortal),
) {
    server.script([Act::Hold(At::Banner)]);
    let sending = spawn_send(&Arc::new(portal.delivery()));
    server.holds.notified().await;
    change(portal).await;
    server.go.notify_one();
    sending.await.unwrap();
}

portal_test!(claimed_mail_is_not_sent_when_its_reason_is_gone, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let joao = portal.client("joao").await;
    let (document, mail) = notified(portal, &joao, "um.pdf").await;
    change_while_sending(portal, &server, async |portal| delete(portal, &document).await).await;
    assert_canceled(portal, &mail, DELETED).await;

    let (document, mail) = notified(portal, &joao, "dois.pdf").await;
    change_while_sending(portal, &server, async |portal| {
        change(portal, &document, json!({"status": "pending"})).await;
    })
    .await;
    assert_canceled(portal, &mail, WITHDRAWN).await;

    let (_, mail) = notified(portal, &joao, "tres.pdf").await;
    change_while_sending(portal, &server, async |portal| {
        portal.advance(SignedDuration::from_hours(5 * 24));
    })
    .await;
    assert_canceled(portal, &mail, EXPIRED).await;

    let (_, mail) = notified(portal, &joao, "quatro.pdf").await;
    change_while_sending(portal, &server, async |portal| ban(portal, &joao).await).await;
    assert_canceled(portal, &mail, BANNED).await;

    let maria = portal.client("maria").await;
    notified(portal, &maria, "cinco.pdf").await;
    change_while_sending(portal, &server, async |portal| {
        let account = portal.delete(&format!("/auth/v1/admin/users/{}", maria.id));
        account.bearer(&portal.app.keys.service_role).send().await.is(200);
    })
    .await;
    assert_eq!(server.ids(), [""; 0]);
});

portal_test!(waiting_digest_leaves_out_what_is_gone, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let joao = portal.client("joao").await;
    let (first, mail) = notified(portal, &joao, "um.pdf").await;
    let (second, _) = notified(portal, &joao, "dois.pdf").await;
    let (third, _) = notified(portal, &joao, "tres.pdf").await;
    server.script([Act::Say(At::Rcpt, "451 later")]);
    portal.deliver().await;
    delete(portal, &first).await;
    assert_canceled(portal, &mail, DELETED).await;
    change(portal, &second, json!({"status": "pending"})).await;
    portal.advance(SignedDuration::from_mins(1));
    portal.deliver().await;
    let [digest] = &server.accepted()[..] else { panic!("{:?}", portal.outbox().await) };
    assert_eq!(digest.subject(), "1 novo documento");
    assert!(digest.html().contains("tres.pdf") && !digest.html().contains("dois.pdf"));

    // A digest of which nothing is left is not sent.
    portal.advance(SignedDuration::from_mins(10));
    let (one, _) = notified(portal, &joao, "quatro.pdf").await;
    let (other, _) = notified(portal, &joao, "cinco.pdf").await;
    server.script([Act::Say(At::Rcpt, "451 later")]);
    portal.deliver().await;
    for document in [&one, &other, &third] {
        delete(portal, document).await;
    }
    portal.advance(SignedDuration::from_mins(1));
    portal.deliver().await;
    assert_eq!(server.accepted().len(), 1);
    let states = portal.outbox().await;
    let unsent = states.iter().filter(|row| row.sent_at.is_none());
    assert!(unsent.into_iter().all(|row| row.state == "cancelled"), "{states:?}");
});

portal_test!(failed_digest_is_sent_again_without_what_is_gone, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let joao = portal.client("joao").await;
    // The second digest has nothing left, so it is not sent.
    for (names, deleted) in [(["um.pdf", "dois.pdf"], 1), (["tres.pdf", "quatro.pdf"], 2)] {
        let (first, _) = notified(portal, &joao, names[0]).await;
        let (second, _) = notified(portal, &joao, names[1]).await;
        server.script([Act::Say(At::Rcpt, "550 no such user")]);
        portal.deliver().await;
        let rows = portal.outbox().await;
        let failed = rows.into_iter().find(|row| row.state == "failed").expect("a digest").id;
        for document in [&first, &second].into_iter().take(deleted) {
            delete(portal, document).await;
        }
        let again = portal.patch(&format!("/rest/v1/outbox?id=eq.{failed}"));
        let again = again.bearer(&portal.app.keys.service_role).json(&json!({"state": "queued"}));
        again.send().await.is(204);
        portal.deliver().await;
        let sent: Vec<String> = server.accepted().iter().map(AcceptedMail::subject).collect();
        assert_eq!(sent, ["1 novo documento"]);
        let html = server.accepted()[0].html();
        assert!(html.contains("dois.pdf") && !html.contains("um.pdf"), "{html}");
        portal.advance(SignedDuration::from_mins(10));
    }
});

portal_test!(document_that_is_released_again_is_notified_again, async |portal| {
    let joao = portal.client("joao").await;
    let setting = json!({"document_type_event": "fatura_new", "enabled": true});
    let settings = portal.post("/rest/v1/email_notification_settings");
    let settings = settings.bearer(&portal.app.keys.service_role).json(&setting);
    settings.send().await.is(201);
    let document = portal.document(&joao, "faturas", "um.pdf").await;
    for status in ["pending", "active"] {
        change(portal, &document, json!({"status": status})).await;
    }
    assert_eq!(portal.states().await, ["cancelled", "queued"]);
    let server = start_with_smtp_server(portal).await;
    portal.deliver().await;
    for status in ["pending", "active"] {
        change(portal, &document, json!({"status": status})).await;
    }
    portal.deliver().await;
    assert_eq!(server.accepted().len(), 1);
});

/// A ban locks the person and then their mails. A worker in the opposite order would deadlock with it.
async fn check_worker_locks_the_person_before_their_mails(portal: &mut TestPortal) {
    let _server = start_with_smtp_server(portal).await;
    let joao = portal.client("joao").await;
    let (document, mail) = notified(portal, &joao, "um.pdf").await;
    let mut gone = Query::delete();
    gone.from_table("documents").and_where(Expr::col("id").eq(document.id));
    portal.app.db.write::<_, db::Error, _>(move |tx| tx.execute(&gone)).await.unwrap();

    let mut other = run_blocking(|| {
        let mut other = Client::connect(portal.database_url(), NoTls).unwrap();
        let lock = "SELECT 1 FROM users WHERE id =";
        other.batch_execute(&format!("BEGIN; {lock} '{}' FOR NO KEY UPDATE", joao.id)).unwrap();
        other
    });
    let sending = spawn_send(&Arc::new(portal.delivery()));
    let locks_mails = tokio::task::spawn_blocking(move || {
        until_awaited(&mut other);
        other.batch_execute("SELECT 1 FROM outbox FOR UPDATE NOWAIT; COMMIT").unwrap();
    });
    locks_mails.await.unwrap();
    sending.await.unwrap();
    assert_canceled(portal, &mail, DELETED).await;
}

#[test]
fn worker_locks_the_person_before_their_mails() {
    run_on_postgres(check_worker_locks_the_person_before_their_mails);
}
