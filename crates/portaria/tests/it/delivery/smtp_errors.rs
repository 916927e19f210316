//! SMTP errors, one at a time.

use jiff::SignedDuration;
use serde_json::json;
use tokio::net::TcpListener;

use crate::delivery::{
    Row,
    fake_smtp::{Act, At, Server, Tls},
    happy_path::trust,
    send, served, stranger,
};
use crate::harness::{TestPortal, portal_test};

const MINUTE: SignedDuration = SignedDuration::from_mins(1);

/// Queues one mail, attempts delivery once, and returns the row.
async fn try_one(world: &TestPortal) -> Row {
    let id = world.queue(&stranger("ana@exemplo.com.br"), "Um aviso").await;
    world.deliver().await;
    world.mail_row(&id).await
}

/// Asserts that the delivery failed permanently with this error.
fn failed(row: &Row, words: &str) {
    assert_eq!((row.state.as_str(), row.attempts), ("failed", 1), "{row:?}");
    assert_eq!(row.last_error.as_deref(), Some(words));
}

/// Asserts that the delivery will be retried after this error.
fn waits(world: &TestPortal, row: &Row, after: SignedDuration, words: &str) {
    assert_eq!(row.state, "queued", "{row:?}");
    assert_eq!(row.last_error.as_deref(), Some(words));
    assert_eq!(row.next_attempt_at.duration_since(world.now()), after);
}

/// The alert about the SMTP server.
async fn told(world: &TestPortal) -> serde_json::Value {
    let request = world.post("/rest/v1/rpc/mail_status").bearer(&world.app.keys.service_role);
    request.json(&json!({})).send().await.is(200).json()["last_error"].clone()
}

portal_test!(unknown_recipient_fails_permanently, async |world| {
    let server = served(world).await;
    server.will([Act::Say(At::Rcpt, "550 5.1.1 no such user")]);
    failed(&try_one(world).await, "O destinatário foi recusado (550 5.1.1 no such user).");
    // The failure is no alert about the server.
    assert_eq!(told(world).await, json!(null));
    world.wait(SignedDuration::from_hours(100));
    world.deliver().await;
    assert!(server.taken().is_empty());
});

portal_test!(rejected_message_fails_permanently, async |world| {
    let server = served(world).await;
    server.will([Act::Say(At::Data, "554 no thanks")]);
    failed(&try_one(world).await, "A mensagem foi recusada (554 no thanks).");
    server.will([Act::Say(At::Dot, "554 5.7.1 looks like spam")]);
    failed(&try_one(world).await, "A mensagem foi recusada (554 5.7.1 looks like spam).");
    assert!(server.taken().is_empty());
});

portal_test!(temporary_rejection_is_retried, async |world| {
    let server = served(world).await;
    // Greylisting, a full mailbox, and a temporary server failure. Then the mail is accepted.
    let refusals = [
        Act::Say(At::Rcpt, "451 4.7.1 greylisted, try again"),
        Act::Say(At::Rcpt, "452 4.2.2 mailbox full"),
        Act::Say(At::Dot, "451 4.3.0 out of space"),
        Act::Take,
    ];
    server.will(refusals);
    let row = try_one(world).await;
    let words = "O servidor pediu para tentar mais tarde (451 4.7.1 greylisted, try again).";
    waits(world, &row, MINUTE, words);
    world.deliver().await;
    assert_eq!(world.mail_row(&row.id).await.attempts, 1, "sent before its retry time");
    for (pause, expected) in [(1, 2), (5, 3), (15, 4)] {
        world.wait(MINUTE * pause);
        world.deliver().await;
        assert_eq!(world.mail_row(&row.id).await.attempts, expected);
    }
    let row = world.mail_row(&row.id).await;
    assert_eq!((row.state.as_str(), row.last_error), ("sent", None));
    assert_eq!(server.ids(), [format!("{}@127.0.0.1", row.id)]);
});

portal_test!(temporary_rejection_fails_permanently_after_two_days, async |world| {
    let server = served(world).await;
    server.will([Act::Say(At::Rcpt, "451 later"); 40]);
    let began = world.now();
    let row = try_one(world).await;
    while world.mail_row(&row.id).await.state == "queued" {
        world.wait(MINUTE);
        world.deliver().await;
    }
    let row = world.mail_row(&row.id).await;
    assert_eq!((row.state.as_str(), row.attempts), ("failed", 12));
    let words =
        "O servidor pediu para tentar mais tarde (451 later). Foi a última de 12 tentativas.";
    assert_eq!(row.last_error.as_deref(), Some(words));
    let took = world.now().duration_since(began).as_hours();
    assert!((44..=48).contains(&took), "{took} hours");
});

portal_test!(server_down_for_a_day_loses_no_mail, async |world| {
    world.set("mail_rate", "");
    // Nothing listens on the port.
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    world.mails_by(&format!("smtp://{closed}"));
    let mut ids = Vec::new();
    let delivery = world.delivery();
    for hour in 0..24 {
        for number in 0..3 {
            ids.push(world.queue(&stranger(&format!("ana{number}@exemplo.com.br")), "Um").await);
        }
        for _ in 0..60 {
            send(&delivery).await;
            world.wait(MINUTE);
        }
        let said = told(world).await;
        assert_eq!(said, "O servidor de e-mail 127.0.0.1 recusou a conexão.", "hour {hour}");
    }
    assert!(world.states().await.iter().all(|state| state == "queued"));
    drop(delivery);

    let server = served(world).await;
    let delivery = world.delivery();
    // The mails that were attempted wait for their backoff, at most eight hours.
    for _ in 0..8 * 60 {
        send(&delivery).await;
        world.wait(MINUTE);
    }
    let mut expected: Vec<String> = ids.iter().map(|id| format!("{id}@127.0.0.1")).collect();
    let mut found = server.ids();
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
    assert_eq!(told(world).await, json!(null));
});

portal_test!(server_that_is_down_is_probed_with_one_mail, async |world| {
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    world.mails_by(&format!("smtp://{closed}"));
    for _ in 0..50 {
        world.queue(&stranger("ana@exemplo.com.br"), "Um").await;
    }
    let delivery = world.delivery();
    send(&delivery).await;
    let tried = |rows: Vec<Row>| rows.iter().map(|row| row.attempts).sum::<i64>();
    let at_once = tried(world.outbox().await);
    assert!((1..=4).contains(&at_once), "{at_once}");
    // No attempt follows before the backoff ends.
    send(&delivery).await;
    assert_eq!(tried(world.outbox().await), at_once);
    world.wait(SignedDuration::from_secs(10));
    send(&delivery).await;
    let again = tried(world.outbox().await);
    assert!((at_once + 1..=at_once + 4).contains(&again), "{again}");
});

portal_test!(server_rejecting_connections_does_not_fail_the_mail, async |world| {
    let server = served(world).await;
    for (act, words) in [
        (
            Act::Say(At::Banner, "554 no service"),
            "O servidor de e-mail 127.0.0.1 não atende (554 no service).",
        ),
        (
            Act::Say(At::Banner, "HTTP/1.1 400 Bad Request"),
            "O que responde em 127.0.0.1 não é um servidor de e-mail, ou desligou no meio.",
        ),
        (
            Act::HangUp(At::Banner),
            "O que responde em 127.0.0.1 não é um servidor de e-mail, ou desligou no meio.",
        ),
        (
            Act::Say(At::Mail, "550 5.7.1 not your address"),
            "O servidor de e-mail 127.0.0.1 recusou o remetente (550 5.7.1 not your address).",
        ),
        (
            Act::Say(At::Rcpt, "421 too many, come back"),
            "O servidor de e-mail 127.0.0.1 encerrou a conversa (421 too many, come back).",
        ),
        (
            Act::HangUp(At::Rcpt),
            "O que responde em 127.0.0.1 não é um servidor de e-mail, ou desligou no meio.",
        ),
    ] {
        server.will([act]);
        let row = try_one(world).await;
        waits(world, &row, MINUTE, words);
        assert_eq!(told(world).await, words);
        world.wait(MINUTE);
        world.deliver().await;
        assert_eq!(world.mail_row(&row.id).await.state, "sent", "{words}");
        assert_eq!(told(world).await, json!(null));
    }
    assert_eq!(server.taken().len(), 6);
});

portal_test!(rejected_credentials_are_reported_without_the_password, async |world| {
    let server = Server::start().await;
    world.mails_by(&server.url_as("a senha errada"));
    let row = try_one(world).await;
    let words = "O servidor de e-mail 127.0.0.1 recusou o usuário ou a senha (535).";
    waits(world, &row, MINUTE, words);
    assert_eq!(told(world).await, words);
    world.mails_by(&server.url_as("senha do servidor"));
    world.wait(MINUTE);
    world.deliver().await;
    assert!(server.taken()[0].signed_in);
    assert_eq!(told(world).await, json!(null));
});

portal_test!(certificate_for_another_name_is_rejected, async |world| {
    let server = Server::with(Tls::Implicit, "outro.example.com").await;
    trust(world, &server);
    world.mails_by(&server.url_as("senha do servidor"));
    let row = try_one(world).await;
    let words = "A conexão segura falhou: o certificado do servidor não é de 127.0.0.1.";
    waits(world, &row, MINUTE, words);
    assert_eq!(told(world).await, words);
    assert!(server.taken().is_empty());
});

portal_test!(certificate_of_an_unknown_authority_is_rejected, async |world| {
    let server = Server::with(Tls::Start, "127.0.0.1").await;
    world.mails_by(&server.url_as("senha do servidor"));
    let row = try_one(world).await;
    let words = "A conexão segura falhou: o certificado de 127.0.0.1 não é de confiança.";
    waits(world, &row, MINUTE, words);
    assert!(server.taken().is_empty());
});

portal_test!(missing_tls_support_is_rejected, async |world| {
    let server = Server::start().await;
    world.mails_by(&format!("{}?tls=required", server.url_as("senha do servidor")));
    let row = try_one(world).await;
    let words = "O servidor de e-mail 127.0.0.1 não oferece conexão segura (STARTTLS), e o portal não envia sem ela.";
    waits(world, &row, MINUTE, words);
    // The password is not sent either.
    assert!(server.taken().is_empty());
});

portal_test!(invalid_address_is_never_sent, async |world| {
    world.set("mail_rate", "");
    let server = served(world).await;
    for address in [
        "ana",
        "ana@",
        "@exemplo.com.br",
        "ana@@exemplo.com.br",
        "ana maria@exemplo.com.br",
        "ana@exemplo.com.br\r\nRCPT TO:<outra@exemplo.com.br>",
        "\"ana\r\nBcc: x\"@exemplo.com.br",
        "ana@exemplo.com.br\0",
        "<ana@exemplo.com.br> NOTIFY=SUCCESS",
        "ana@exem>plo.com.br",
        "ana@127.0.0.1",
    ] {
        // PostgreSQL stores no NUL.
        let id = world.queue(&stranger(&address.replace('\0', "\u{1}")), "Um").await;
        world.deliver().await;
        let row = world.mail_row(&id).await;
        failed(&row, "O destinatário não é um endereço de e-mail válido.");
    }
    assert_eq!(server.connections(), 0);
});

portal_test!(non_ascii_address_requires_smtputf8, async |world| {
    let server = served(world).await;
    let id = world.queue(&stranger("joão@exemplo.com.br"), "Um").await;
    world.deliver().await;
    failed(&world.mail_row(&id).await, "O servidor de e-mail não aceita endereços com acentos.");
    // An internationalized domain has an ASCII form.
    world.queue(&stranger("joao@promoção.com.br"), "Um").await;
    world.deliver().await;
    assert_eq!(server.taken()[0].to, "joao@xn--promoo-7ta5a.com.br");
});
