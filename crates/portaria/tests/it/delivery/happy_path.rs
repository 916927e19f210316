//! Delivery without failures, from the request to the server of the recipient.

use std::time::Duration;

use jiff::SignedDuration;
use portaria::jobs::deliver_mail::Delivery;
use serde_json::json;
use tokio::sync::watch;

use crate::delivery::{
    fake_smtp::{Act, At, Server, Tls},
    send, served, stranger,
};
use crate::harness::{TestPortal, portal_test};

portal_test!(recovery_mail_is_delivered_and_its_link_works, async |world| {
    let server = served(world).await;
    let joao = world.client("joao").await;
    world.post("/auth/v1/recover").json(&json!({"email": joao.email})).send().await.is(200);
    world.deliver().await;

    let [mail] = &server.taken()[..] else { panic!("{:?}", server.taken()) };
    assert_eq!(
        (mail.from.as_str(), mail.to.as_str()),
        ("portal@escritorio.com.br", "joao@cliente.com.br")
    );
    assert_eq!(mail.subject(), "Redefinição de senha");
    let html = mail.html();
    let token = html.split("token_hash=").nth(1).unwrap().split(['&', '"']).next().unwrap();
    let proof = json!({"type": "recovery", "token_hash": token});
    world.post("/auth/v1/verify").json(&proof).send().await.is(200);

    let [row] = &world.outbox().await[..] else { panic!("expected one mail") };
    assert_eq!((row.state.as_str(), row.attempts, row.sent_at), ("sent", 1, Some(world.now())));
    // The link is deleted from the sent row.
    assert_eq!(row.html, "");
    assert_eq!(mail.id(), format!("{}@127.0.0.1", row.id));
});

portal_test!(mails_stay_queued_without_a_server, async |world| {
    world.queue(&stranger("ana@exemplo.com.br"), "Espera").await;
    assert!(Delivery::open(&world.app).unwrap().is_none());
    assert_eq!(world.states().await, ["queued"]);
    let server = served(world).await;
    world.deliver().await;
    assert_eq!(server.taken().len(), 1);
});

portal_test!(mails_share_few_connections_and_are_sent_once, async |world| {
    world.set("mail_rate", "");
    let server = served(world).await;
    for number in 0..60 {
        world.queue(&stranger(&format!("ana{number}@exemplo.com.br")), "Muitos").await;
    }
    world.deliver().await;
    let mut recipients: Vec<String> = server.taken().into_iter().map(|mail| mail.to).collect();
    assert_eq!(recipients.len(), 60);
    recipients.sort();
    recipients.dedup();
    assert_eq!(recipients.len(), 60);
    assert!(server.connections() <= 8, "{}", server.connections());
});

portal_test!(connection_closed_while_idle_is_no_failure, async |world| {
    let server = served(world).await;
    let delivery = world.delivery();
    for number in 0..3 {
        // After a mail the server closes the connection at the next command.
        server.will([Act::Take, Act::HangUp(At::Mail)]);
        world.queue(&stranger("ana@exemplo.com.br"), "Um").await;
        send(&delivery).await;
        world.queue(&stranger("ana@exemplo.com.br"), "Outro").await;
        send(&delivery).await;
        assert_eq!(server.taken().len(), 2 * number + 2);
    }
    assert!(world.outbox().await.iter().all(|row| row.attempts == 1));
});

portal_test!(mail_is_sent_immediately_after_its_commit, async |world| {
    let server = served(world).await;
    let joao = world.client("joao").await;
    let (stop, stopping) = watch::channel(false);
    let running = tokio::spawn(world.delivery().run(stopping));
    // The worker found no mail and sleeps.
    tokio::time::sleep(Duration::from_millis(200)).await;
    let asked = std::time::Instant::now();
    world.post("/auth/v1/recover").json(&json!({"email": joao.email})).send().await.is(200);
    while server.taken().is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
        assert!(asked.elapsed() < Duration::from_secs(2), "the mail waits for the next poll");
    }
    stop.send(true).unwrap();
    running.await.unwrap();
    assert_eq!(world.states().await, ["sent"]);
});

portal_test!(requests_do_not_wait_for_a_slow_server, async |world| {
    let server = served(world).await;
    let joao = world.client("joao").await;
    server.will([Act::Hold(At::Banner)]);
    let (stop, stopping) = watch::channel(false);
    let running = tokio::spawn(world.delivery().run(stopping));
    world.post("/auth/v1/recover").json(&json!({"email": joao.email})).send().await.is(200);
    server.holds.notified().await;
    // The server does not reply; requests are served meanwhile.
    world.sign_in(&joao.email).await;
    let ticket = json!({"subject": "Dúvida", "message": "Uma mensagem longa o bastante."});
    world.post("/rest/v1/tickets").as_(&joao).json(&ticket).send().await.is(201);
    let rows = world.outbox().await;
    let mail = rows.iter().find(|row| row.event == "recovery").unwrap();
    assert_eq!(mail.state, "sending");
    server.go.notify_one();
    // On shutdown the worker finishes the current mail.
    stop.send(true).unwrap();
    running.await.unwrap();
    assert_eq!(world.mail_row(&mail.id).await.state, "sent");
    assert_eq!(server.ids().iter().filter(|id| id.starts_with(&mail.id)).count(), 1);
});

portal_test!(shutdown_finishes_the_current_mail, async |world| {
    let server = served(world).await;
    server.will([Act::Hold(At::Dot)]);
    let one = world.queue(&stranger("ana@exemplo.com.br"), "Um").await;
    let (stop, stopping) = watch::channel(false);
    let running = tokio::spawn(world.delivery().run(stopping));
    server.holds.notified().await;
    stop.send(true).unwrap();
    let other = world.queue(&stranger("ana@exemplo.com.br"), "Outro").await;
    server.go.notify_one();
    running.await.unwrap();
    // Mails that were not started wait for the next start.
    assert_eq!(world.mail_row(&one).await.state, "sent");
    assert_eq!(world.mail_row(&other).await.state, "queued");
    world.restart();
    world.deliver().await;
    assert_eq!(world.states().await, ["sent", "sent"]);
    assert_eq!(server.taken().len(), 2);
});

portal_test!(delivery_rate_is_configurable, async |world| {
    world.set("mail_rate", "10/1s");
    let server = served(world).await;
    for _ in 0..25 {
        world.queue(&stranger("ana@exemplo.com.br"), "Um de muitos").await;
    }
    let delivery = world.delivery();
    let next = send(&delivery).await.unwrap();
    assert_eq!(server.taken().len(), 10);
    assert_eq!(next.duration_since(world.now()), SignedDuration::from_millis(100));
    world.wait(SignedDuration::from_secs(1));
    send(&delivery).await;
    assert_eq!(server.taken().len(), 20);
    world.wait(SignedDuration::from_millis(100));
    send(&delivery).await;
    assert_eq!(server.taken().len(), 21);
});

async fn over_tls(world: &mut TestPortal, tls: Tls) {
    let server = Server::with(tls, "127.0.0.1").await;
    trust(world, &server);
    world.mails_by(&server.url_as("senha do servidor"));
    world.queue(&stranger("ana@exemplo.com.br"), "Em segredo").await;
    world.deliver().await;
    let [mail] = &server.taken()[..] else { panic!("{:?}", world.outbox().await) };
    assert!(mail.encrypted && mail.signed_in);
}

/// Makes the portal trust the authority of the server.
pub(crate) fn trust(world: &mut TestPortal, server: &Server) {
    let file = world.folder("authority.pem");
    std::fs::write(&file, &server.authority).unwrap();
    world.set("smtp_ca", file.to_str().unwrap());
}

portal_test!(starttls_with_password, async |world| {
    over_tls(world, Tls::Start).await;
});

portal_test!(implicit_tls_with_password, async |world| {
    over_tls(world, Tls::Implicit).await;
});
