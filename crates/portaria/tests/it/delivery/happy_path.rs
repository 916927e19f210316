//! Delivery without failures, from the request to the server of the recipient.

use jiff::SignedDuration;
use portaria::jobs::deliver_mail::Delivery;
use serde_json::json;
use tokio::{sync::watch, time::sleep};

use crate::delivery::{
    FALL_ASLEEP, WAKE,
    fake_smtp::{Act, At, Server, Tls},
    send, start_with_smtp_server, stranger,
};
use crate::harness::{TestPortal, portal_test, wait::wait_until};

portal_test!(recovery_mail_is_delivered_and_its_link_works, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let joao = portal.client("joao").await;
    portal.post("/auth/v1/recover").json(&json!({"email": joao.email})).send().await.is(200);
    portal.deliver().await;

    let [mail] = &server.accepted()[..] else { panic!("{:?}", server.accepted()) };
    assert_eq!(
        (mail.from.as_str(), mail.to.as_str()),
        ("portal@escritorio.com.br", "joao@cliente.com.br")
    );
    assert_eq!(mail.subject(), "Redefinição de senha");
    let html = mail.html();
    let token = html.split("token_hash=").nth(1).unwrap().split(['&', '"']).next().unwrap();
    let proof = json!({"type": "recovery", "token_hash": token});
    portal.post("/auth/v1/verify").json(&proof).send().await.is(200);

    let [row] = &portal.outbox().await[..] else { panic!("expected one mail") };
    assert_eq!((row.state.as_str(), row.attempts, row.sent_at), ("sent", 1, Some(portal.now())));
    // The link is deleted from the sent row.
    assert_eq!(row.html, "");
    assert_eq!(mail.id(), format!("{}@127.0.0.1", row.id));
});

portal_test!(mails_stay_queued_without_a_server, async |portal| {
    portal.queue(&stranger("ana@exemplo.com.br"), "Espera").await;
    assert!(Delivery::open(&portal.app).unwrap().is_none());
    assert_eq!(portal.states().await, ["queued"]);
    let server = start_with_smtp_server(portal).await;
    portal.deliver().await;
    assert_eq!(server.accepted().len(), 1);
});

portal_test!(mails_share_few_connections_and_are_sent_once, async |portal| {
    portal.set("mail_rate", "");
    let server = start_with_smtp_server(portal).await;
    for number in 0..60 {
        portal.queue(&stranger(&format!("ana{number}@exemplo.com.br")), "Muitos").await;
    }
    portal.deliver().await;
    let mut recipients: Vec<String> = server.accepted().into_iter().map(|mail| mail.to).collect();
    assert_eq!(recipients.len(), 60);
    recipients.sort();
    recipients.dedup();
    assert_eq!(recipients.len(), 60);
    assert!(server.connections() <= 8, "{}", server.connections());
});

portal_test!(connection_closed_while_idle_is_no_failure, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let delivery = portal.delivery();
    for number in 0..3 {
        // After a mail the server closes the connection at the next command.
        server.script([Act::Take, Act::HangUp(At::Mail)]);
        portal.queue(&stranger("ana@exemplo.com.br"), "Um").await;
        send(&delivery).await;
        portal.queue(&stranger("ana@exemplo.com.br"), "Outro").await;
        send(&delivery).await;
        assert_eq!(server.accepted().len(), 2 * number + 2);
    }
    assert!(portal.outbox().await.iter().all(|row| row.attempts == 1));
});

portal_test!(mail_is_sent_immediately_after_its_commit, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let joao = portal.client("joao").await;
    let (stop, stopping) = watch::channel(false);
    let running = tokio::spawn(portal.delivery().run(stopping));
    sleep(FALL_ASLEEP).await;
    portal.post("/auth/v1/recover").json(&json!({"email": joao.email})).send().await.is(200);
    wait_until(WAKE, "the mail arrives", async || !server.accepted().is_empty()).await;
    stop.send(true).unwrap();
    running.await.unwrap();
    assert_eq!(portal.states().await, ["sent"]);
});

portal_test!(requests_do_not_wait_for_a_slow_server, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let joao = portal.client("joao").await;
    server.script([Act::Hold(At::Banner)]);
    let (stop, stopping) = watch::channel(false);
    let running = tokio::spawn(portal.delivery().run(stopping));
    portal.post("/auth/v1/recover").json(&json!({"email": joao.email})).send().await.is(200);
    server.holds.notified().await;
    // The server does not reply; requests are served meanwhile.
    portal.sign_in(&joao.email).await;
    let ticket = json!({"subject": "Dúvida", "message": "Uma mensagem longa o bastante."});
    portal.post("/rest/v1/tickets").auth(&joao).json(&ticket).send().await.is(201);
    let rows = portal.outbox().await;
    let mail = rows.iter().find(|row| row.event == "recovery").unwrap();
    assert_eq!(mail.state, "sending");
    server.go.notify_one();
    // On shutdown the worker finishes the current mail.
    stop.send(true).unwrap();
    running.await.unwrap();
    assert_eq!(portal.mail_row(&mail.id).await.state, "sent");
    assert_eq!(server.ids().iter().filter(|id| id.starts_with(&mail.id)).count(), 1);
});

portal_test!(shutdown_finishes_the_current_mail, async |portal| {
    let server = start_with_smtp_server(portal).await;
    server.script([Act::Hold(At::Dot)]);
    let one = portal.queue(&stranger("ana@exemplo.com.br"), "Um").await;
    let (stop, stopping) = watch::channel(false);
    let running = tokio::spawn(portal.delivery().run(stopping));
    server.holds.notified().await;
    stop.send(true).unwrap();
    let other = portal.queue(&stranger("ana@exemplo.com.br"), "Outro").await;
    server.go.notify_one();
    running.await.unwrap();
    // Mails that were not started wait for the next start.
    assert_eq!(portal.mail_row(&one).await.state, "sent");
    assert_eq!(portal.mail_row(&other).await.state, "queued");
    portal.restart();
    portal.deliver().await;
    assert_eq!(portal.states().await, ["sent", "sent"]);
    assert_eq!(server.accepted().len(), 2);
});

portal_test!(delivery_rate_is_configurable, async |portal| {
    portal.set("mail_rate", "10/1s");
    let server = start_with_smtp_server(portal).await;
    for _ in 0..25 {
        portal.queue(&stranger("ana@exemplo.com.br"), "Um de muitos").await;
    }
    let delivery = portal.delivery();
    let next = send(&delivery).await.unwrap();
    assert_eq!(server.accepted().len(), 10);
    assert_eq!(next.duration_since(portal.now()), SignedDuration::from_millis(100));
    portal.advance(SignedDuration::from_secs(1));
    send(&delivery).await;
    assert_eq!(server.accepted().len(), 20);
    portal.advance(SignedDuration::from_millis(100));
    send(&delivery).await;
    assert_eq!(server.accepted().len(), 21);
});

async fn over_tls(portal: &mut TestPortal, tls: Tls) {
    let server = Server::with(tls, "127.0.0.1").await;
    trust(portal, &server);
    portal.mails_by(&server.url_as("senha do servidor"));
    portal.queue(&stranger("ana@exemplo.com.br"), "Em segredo").await;
    portal.deliver().await;
    let [mail] = &server.accepted()[..] else { panic!("{:?}", portal.outbox().await) };
    assert!(mail.encrypted && mail.signed_in);
}

/// Makes the portal trust the authority of the server.
pub(crate) fn trust(portal: &mut TestPortal, server: &Server) {
    let file = portal.folder("authority.pem");
    std::fs::write(&file, &server.authority).unwrap();
    portal.set("smtp_ca", file.to_str().unwrap());
}

portal_test!(starttls_with_password, async |portal| {
    over_tls(portal, Tls::Start).await;
});

portal_test!(implicit_tls_with_password, async |portal| {
    over_tls(portal, Tls::Implicit).await;
});
