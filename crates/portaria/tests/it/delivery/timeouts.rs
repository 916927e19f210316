//! Silent SMTP servers: the connection times out, and the mail is retried.

use std::{sync::Arc, time::Duration};

use jiff::SignedDuration;
use portaria::{jobs::deliver_mail::Delivery, mail::smtp::SmtpTimeouts};
use serde_json::json;
use tokio::{sync::watch, time::sleep};

use crate::delivery::{
    FALL_ASLEEP, WAKE,
    fake_smtp::{Act, At},
    send, spawn_send, start_with_smtp_server, stranger,
};
use crate::harness::{TestPortal, portal_test, wait::wait_until};

const MINUTE: SignedDuration = SignedDuration::from_mins(1);
/// Timeout for a reply in the tests.
const SHORT: Duration = Duration::from_millis(50);
const LATE: &str = "O servidor de e-mail 127.0.0.1 não respondeu a tempo.";
const UNCONFIRMED: &str =
    "O servidor de e-mail 127.0.0.1 não confirmou a tempo que recebeu a mensagem.";

/// Uses a short timeout for the silent step, and the defaults for all others.
fn delivery_with_short_timeout(portal: &TestPortal, at: At) -> Delivery {
    let patience = SmtpTimeouts { quit: SHORT, ..SmtpTimeouts::default() };
    let patience = match at {
        At::Banner | At::Hello | At::Auth => SmtpTimeouts { connect: SHORT, ..patience },
        At::Mail | At::Rcpt | At::Data => SmtpTimeouts { command: SHORT, ..patience },
        At::Dot => SmtpTimeouts { data: SHORT, ..patience },
    };
    Delivery::with_timeouts(&portal.app, patience).unwrap().expect("smtp_url is set")
}

/// The alert about the SMTP server.
async fn smtp_alert(portal: &TestPortal) -> serde_json::Value {
    let request = portal.post("/rest/v1/rpc/mail_status").bearer(&portal.app.keys.service_role);
    request.json(&json!({})).send().await.is(200).json()["last_error"].clone()
}

portal_test!(exclusive silent_server_times_out_and_is_retried, async |portal| {
    for (at, words) in [
        (At::Banner, LATE),
        (At::Hello, LATE),
        (At::Mail, LATE),
        (At::Data, UNCONFIRMED),
        (At::Dot, UNCONFIRMED),
    ] {
        let server = start_with_smtp_server(portal).await;
        server.script([Act::Mute(at); 3]);
        let id = portal.queue(&stranger("ana@exemplo.com.br"), "Um").await;
        for (attempt, pause) in [(1, 1), (2, 5), (3, 15)] {
            send(&delivery_with_short_timeout(portal, at)).await;
            let row = portal.mail_row(&id).await;
            assert_eq!((row.state.as_str(), row.attempts), ("queued", attempt), "{at:?}");
            assert_eq!(row.last_error.as_deref(), Some(words), "{at:?}");
            assert_eq!(row.next_attempt_at.duration_since(portal.now()), MINUTE * pause, "{at:?}");
            // A server that was silent about one message raises no alert.
            let trouble = if words == LATE { json!(LATE) } else { json!(null) };
            assert_eq!(smtp_alert(portal).await, trouble, "{at:?}");
            portal.advance(MINUTE * pause - SignedDuration::from_secs(1));
            portal.deliver().await;
            assert_eq!(
                portal.mail_row(&id).await.attempts,
                attempt,
                "{at:?}: sent before its retry time"
            );
            portal.advance(SignedDuration::from_secs(1));
        }
        portal.deliver().await;
        let row = portal.mail_row(&id).await;
        assert_eq!((row.state.as_str(), row.attempts, row.last_error), ("sent", 4, None), "{at:?}");
        assert_eq!(smtp_alert(portal).await, json!(null));
        // A server that accepted the message without a reply receives it again under the same Message-ID.
        let times = if at == At::Dot { 4 } else { 1 };
        assert_eq!(server.ids(), vec![format!("{id}@127.0.0.1"); times], "{at:?}");
    }
});

portal_test!(silent_server_does_not_delay_requests, async |portal| {
    for at in [At::Banner, At::Hello, At::Mail, At::Dot] {
        let server = start_with_smtp_server(portal).await;
        let joao = portal.client(&format!("joao-{at:?}").to_lowercase()).await;
        server.script([Act::Mute(at)]);
        let id = portal.queue(&stranger("ana@exemplo.com.br"), "Um").await;
        let silent = spawn_send(&Arc::new(portal.delivery()));
        server.holds.notified().await;
        // Requests continue and queue more mails.
        portal.sign_in(&joao.email).await;
        let ticket = json!({"subject": "Dúvida", "message": "Uma mensagem longa o bastante."});
        portal.post("/rest/v1/tickets").auth(&joao).json(&ticket).send().await.is(201);
        // Another node runs: the mail is leased, and the others are sent.
        portal.deliver().await;
        let row = portal.mail_row(&id).await;
        assert_eq!((row.state.as_str(), row.attempts), ("sending", 1), "{at:?}");
        // The first node may have claimed the ticket's mail with another of its connections.
        wait_until(WAKE, "the mail about the ticket is sent", async || {
            let mails = portal.outbox().await;
            let ticket = mails.into_iter().rfind(|row| row.event == "ticket_created_user");
            ticket.unwrap().state == "sent"
        })
        .await;
        // The waiting worker is aborted. After the lease expires, the next one sends the mail.
        silent.abort();
        assert!(silent.await.unwrap_err().is_cancelled());
        portal.deliver().await;
        assert_eq!(
            portal.mail_row(&id).await.state,
            "sending",
            "{at:?}: the lease has not expired"
        );
        portal.advance(SignedDuration::from_mins(2));
        portal.deliver().await;
        assert_eq!(portal.mail_row(&id).await.state, "sent", "{at:?}");
        let times = if at == At::Dot { 2 } else { 1 };
        let came = server.ids().into_iter().filter(|came| came.starts_with(&id)).count();
        assert_eq!(came, times, "{at:?}");
    }
});

portal_test!(silent_server_delays_no_other_mail, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let mut users = Vec::new();
    for name in ["joao", "maria", "pedro"] {
        users.push(portal.client(name).await);
    }
    let (_stop, stopping) = watch::channel(false);
    let running = tokio::spawn(portal.delivery().run(stopping));
    sleep(FALL_ASLEEP).await;
    // One notification covers three mails, and the server is silent about the first.
    server.script([Act::Mute(At::Dot)]);
    for _ in 0..2 {
        portal.queue(&stranger("ana@exemplo.com.br"), "Um").await;
    }
    for (mails, user) in (3..).zip(users) {
        portal.post("/auth/v1/recover").json(&json!({"email": user.email})).send().await.is(200);
        wait_until(WAKE, "the mail arrives", async || server.accepted().len() >= mails).await;
    }
    // The last mail was accepted; its state is recorded a moment later.
    wait_until(WAKE, "all mails but one are sent", async || {
        portal.states().await.iter().filter(|state| *state != "sent").count() == 1
    })
    .await;
    assert!(portal.states().await.iter().any(|state| state == "sending"));
    running.abort();
});

portal_test!(stale_pooled_connection_is_replaced, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let patience =
        SmtpTimeouts { command: Duration::from_secs(1), quit: SHORT, ..SmtpTimeouts::default() };
    let delivery = Delivery::with_timeouts(&portal.app, patience).unwrap().unwrap();
    portal.queue(&stranger("ana@exemplo.com.br"), "Um").await;
    send(&delivery).await;
    server.script([Act::Mute(At::Mail)]);
    let id = portal.queue(&stranger("ana@exemplo.com.br"), "Outro").await;
    send(&delivery).await;
    // The second mail was not transmitted yet, so this counts as one attempt.
    let row = portal.mail_row(&id).await;
    assert_eq!((row.state.as_str(), row.attempts), ("sent", 1));
    assert_eq!((server.accepted().len(), server.connections()), (2, 2));
});
