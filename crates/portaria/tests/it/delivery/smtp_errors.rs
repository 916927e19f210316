//! SMTP errors, one at a time.

use jiff::SignedDuration;
use serde_json::json;
use tokio::net::TcpListener;

use crate::delivery::{
    Row,
    fake_smtp::{Act, At, Server, Tls},
    happy_path::trust,
    send, start_with_smtp_server, stranger,
};
use crate::harness::{TestPortal, portal_test};

const MINUTE: SignedDuration = SignedDuration::from_mins(1);

/// Queues one mail, attempts delivery once, and returns the row.
async fn deliver_one(portal: &TestPortal) -> Row {
    let id = portal.queue(&stranger("ana@exemplo.com.br"), "Um aviso").await;
    portal.deliver().await;
    portal.mail_row(&id).await
}

/// Asserts that the delivery failed permanently with this error.
fn assert_failed(row: &Row, words: &str) {
    assert_eq!((row.state.as_str(), row.attempts), ("failed", 1), "{row:?}");
    assert_eq!(row.last_error.as_deref(), Some(words));
}

/// Asserts that the delivery will be retried after this error.
fn assert_deferred(portal: &TestPortal, row: &Row, after: SignedDuration, words: &str) {
    assert_eq!(row.state, "queued", "{row:?}");
    assert_eq!(row.last_error.as_deref(), Some(words));
    assert_eq!(row.next_attempt_at.duration_since(portal.now()), after);
}

/// The alert about the SMTP server.
async fn smtp_alert(portal: &TestPortal) -> serde_json::Value {
    let request = portal.post("/rest/v1/rpc/mail_status").bearer(&portal.app.keys.service_role);
    request.json(&json!({})).send().await.is(200).json()["last_error"].clone()
}

portal_test!(unknown_recipient_fails_permanently, async |portal| {
    let server = start_with_smtp_server(portal).await;
    server.script([Act::Say(At::Rcpt, "550 5.1.1 no such user")]);
    assert_failed(
        &deliver_one(portal).await,
        "O destinatário foi recusado (550 5.1.1 no such user).",
    );
    // The failure is no alert about the server.
    assert_eq!(smtp_alert(portal).await, json!(null));
    portal.advance(SignedDuration::from_hours(100));
    portal.deliver().await;
    assert!(server.accepted().is_empty());
});

portal_test!(rejected_message_fails_permanently, async |portal| {
    let server = start_with_smtp_server(portal).await;
    server.script([Act::Say(At::Data, "554 no thanks")]);
    assert_failed(&deliver_one(portal).await, "A mensagem foi recusada (554 no thanks).");
    server.script([Act::Say(At::Dot, "554 5.7.1 looks like spam")]);
    assert_failed(
        &deliver_one(portal).await,
        "A mensagem foi recusada (554 5.7.1 looks like spam).",
    );
    assert!(server.accepted().is_empty());
});

portal_test!(temporary_rejection_is_retried, async |portal| {
    let server = start_with_smtp_server(portal).await;
    // Greylisting, a full mailbox, and a temporary server failure. Then the mail is accepted.
    let refusals = [
        Act::Say(At::Rcpt, "451 4.7.1 greylisted, try again"),
        Act::Say(At::Rcpt, "452 4.2.2 mailbox full"),
        Act::Say(At::Dot, "451 4.3.0 out of space"),
        Act::Take,
    ];
    server.script(refusals);
    let row = deliver_one(portal).await;
    let words = "O servidor pediu para tentar mais tarde (451 4.7.1 greylisted, try again).";
    assert_deferred(portal, &row, MINUTE, words);
    portal.deliver().await;
    assert_eq!(portal.mail_row(&row.id).await.attempts, 1, "sent before its retry time");
    for (pause, expected) in [(1, 2), (5, 3), (15, 4)] {
        portal.advance(MINUTE * pause);
        portal.deliver().await;
        assert_eq!(portal.mail_row(&row.id).await.attempts, expected);
    }
    let row = portal.mail_row(&row.id).await;
    assert_eq!((row.state.as_str(), row.last_error), ("sent", None));
    assert_eq!(server.ids(), [format!("{}@127.0.0.1", row.id)]);
});

portal_test!(temporary_rejection_fails_permanently_after_two_days, async |portal| {
    let server = start_with_smtp_server(portal).await;
    server.script([Act::Say(At::Rcpt, "451 later"); 40]);
    let began = portal.now();
    let row = deliver_one(portal).await;
    while portal.mail_row(&row.id).await.state == "queued" {
        portal.advance(MINUTE);
        portal.deliver().await;
    }
    let row = portal.mail_row(&row.id).await;
    assert_eq!((row.state.as_str(), row.attempts), ("failed", 12));
    let words =
        "O servidor pediu para tentar mais tarde (451 later). Foi a última de 12 tentativas.";
    assert_eq!(row.last_error.as_deref(), Some(words));
    let took = portal.now().duration_since(began).as_hours();
    assert!((44..=48).contains(&took), "{took} hours");
});

portal_test!(server_down_for_a_day_loses_no_mail, async |portal| {
    portal.set("mail_rate", "");
    // Nothing listens on the port.
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    portal.mails_by(&format!("smtp://{closed}"));
    let mut ids = Vec::new();
    let delivery = portal.delivery();
    for hour in 0..24 {
        for number in 0..3 {
            ids.push(portal.queue(&stranger(&format!("ana{number}@exemplo.com.br")), "Um").await);
        }
        for _ in 0..60 {
            send(&delivery).await;
            portal.advance(MINUTE);
        }
        let said = smtp_alert(portal).await;
        assert_eq!(said, "O servidor de e-mail 127.0.0.1 recusou a conexão.", "hour {hour}");
    }
    assert!(portal.states().await.iter().all(|state| state == "queued"));
    drop(delivery);

    let server = start_with_smtp_server(portal).await;
    let delivery = portal.delivery();
    // The mails that were attempted wait for their backoff, at most eight hours.
    for _ in 0..8 * 60 {
        send(&delivery).await;
        portal.advance(MINUTE);
    }
    let mut expected: Vec<String> = ids.iter().map(|id| format!("{id}@127.0.0.1")).collect();
    let mut found = server.ids();
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
    assert_eq!(smtp_alert(portal).await, json!(null));
});

portal_test!(server_that_is_down_is_probed_with_one_mail, async |portal| {
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    portal.mails_by(&format!("smtp://{closed}"));
    for _ in 0..50 {
        portal.queue(&stranger("ana@exemplo.com.br"), "Um").await;
    }
    let delivery = portal.delivery();
    send(&delivery).await;
    let tried = |rows: Vec<Row>| rows.iter().map(|row| row.attempts).sum::<i64>();
    let at_once = tried(portal.outbox().await);
    assert!((1..=4).contains(&at_once), "{at_once}");
    // No attempt follows before the backoff ends.
    send(&delivery).await;
    assert_eq!(tried(portal.outbox().await), at_once);
    portal.advance(SignedDuration::from_secs(10));
    send(&delivery).await;
    let again = tried(portal.outbox().await);
    assert!((at_once + 1..=at_once + 4).contains(&again), "{again}");
});

portal_test!(server_rejecting_connections_does_not_fail_the_mail, async |portal| {
    let server = start_with_smtp_server(portal).await;
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
        server.script([act]);
        let row = deliver_one(portal).await;
        assert_deferred(portal, &row, MINUTE, words);
        assert_eq!(smtp_alert(portal).await, words);
        portal.advance(MINUTE);
        portal.deliver().await;
        assert_eq!(portal.mail_row(&row.id).await.state, "sent", "{words}");
        assert_eq!(smtp_alert(portal).await, json!(null));
    }
    assert_eq!(server.accepted().len(), 6);
});

portal_test!(rejected_credentials_are_reported_without_the_password, async |portal| {
    let server = Server::start().await;
    portal.mails_by(&server.url_as("a senha errada"));
    let row = deliver_one(portal).await;
    let words = "O servidor de e-mail 127.0.0.1 recusou o usuário ou a senha (535).";
    assert_deferred(portal, &row, MINUTE, words);
    assert_eq!(smtp_alert(portal).await, words);
    portal.mails_by(&server.url_as("senha do servidor"));
    portal.advance(MINUTE);
    portal.deliver().await;
    assert!(server.accepted()[0].signed_in);
    assert_eq!(smtp_alert(portal).await, json!(null));
});

portal_test!(certificate_for_another_name_is_rejected, async |portal| {
    let server = Server::with(Tls::Implicit, "outro.example.com").await;
    trust(portal, &server);
    portal.mails_by(&server.url_as("senha do servidor"));
    let row = deliver_one(portal).await;
    let words = "A conexão segura falhou: o certificado do servidor não é de 127.0.0.1.";
    assert_deferred(portal, &row, MINUTE, words);
    assert_eq!(smtp_alert(portal).await, words);
    assert!(server.accepted().is_empty());
});

portal_test!(certificate_of_an_unknown_authority_is_rejected, async |portal| {
    let server = Server::with(Tls::Start, "127.0.0.1").await;
    portal.mails_by(&server.url_as("senha do servidor"));
    let row = deliver_one(portal).await;
    let words = "A conexão segura falhou: o certificado de 127.0.0.1 não é de confiança.";
    assert_deferred(portal, &row, MINUTE, words);
    assert!(server.accepted().is_empty());
});

portal_test!(missing_tls_support_is_rejected, async |portal| {
    let server = Server::start().await;
    portal.mails_by(&format!("{}?tls=required", server.url_as("senha do servidor")));
    let row = deliver_one(portal).await;
    let words = "O servidor de e-mail 127.0.0.1 não oferece conexão segura (STARTTLS), e o portal não envia sem ela.";
    assert_deferred(portal, &row, MINUTE, words);
    // The password is not sent either.
    assert!(server.accepted().is_empty());
});

portal_test!(invalid_address_is_never_sent, async |portal| {
    portal.set("mail_rate", "");
    let server = start_with_smtp_server(portal).await;
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
        let id = portal.queue(&stranger(&address.replace('\0', "\u{1}")), "Um").await;
        portal.deliver().await;
        let row = portal.mail_row(&id).await;
        assert_failed(&row, "O destinatário não é um endereço de e-mail válido.");
    }
    assert_eq!(server.connections(), 0);
});

portal_test!(non_ascii_address_requires_smtputf8, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let id = portal.queue(&stranger("joão@exemplo.com.br"), "Um").await;
    portal.deliver().await;
    assert_failed(
        &portal.mail_row(&id).await,
        "O servidor de e-mail não aceita endereços com acentos.",
    );
    // An internationalized domain has an ASCII form.
    portal.queue(&stranger("joao@promoção.com.br"), "Um").await;
    portal.deliver().await;
    assert_eq!(server.accepted()[0].to, "joao@xn--promoo-7ta5a.com.br");
});
