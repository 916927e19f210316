//! Mail administration by the office: status, retry, cancellation.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::delivery::{
    SENDER,
    fake_smtp::{Act, At},
    recipient_of, start_with_smtp_server, stranger,
};
use crate::harness::{TestPortal, TestUser, portal_test};

async fn set_state(
    portal: &TestPortal,
    user: &TestUser,
    id: &str,
    state: &str,
) -> crate::harness::request::Answer {
    let request = portal.patch(&format!("/rest/v1/outbox?id=eq.{id}")).auth(user);
    request.json(&json!({"state": state})).send().await
}

async fn status(portal: &TestPortal, user: &TestUser) -> Value {
    let request = portal.post("/rest/v1/rpc/mail_status").auth(user).json(&json!({}));
    request.send().await.is(200).json()
}

portal_test!(delivery_status_is_shown_to_the_office, async |portal| {
    let ana = portal.admin().await;
    portal.queue(&stranger("x@exemplo.com.br"), "Um").await;
    assert_eq!(
        status(portal, &ana).await,
        json!({
            "configured": false, "sender": null, "server": null, "waiting": 1, "retrying": 0,
            "waiting_since": "2026-11-21T15:00:00.000000+00:00", "next_attempt_at": "2026-11-21T15:00:00.000000+00:00",
            "failed": 0, "last_error": null, "last_sent_at": null,
        })
    );
    let server = start_with_smtp_server(portal).await;
    server.script([Act::Say(At::Rcpt, "550 no"), Act::Take]);
    portal.deliver().await;
    portal.queue(&stranger("x@exemplo.com.br"), "Outro").await;
    portal.deliver().await;
    let url = server.url();
    assert_eq!(
        status(portal, &ana).await,
        json!({
            "configured": true, "sender": SENDER, "server": url.trim_start_matches("smtp://"), "waiting": 0,
            "retrying": 0, "waiting_since": null, "next_attempt_at": null, "failed": 1, "last_error": null,
            "last_sent_at": "2026-11-21T15:00:00.000000+00:00",
        })
    );
});

portal_test!(delivery_status_names_an_outage_and_its_mails, async |portal| {
    let ana = portal.admin().await;
    // Nothing listens on this port.
    portal.mails_by("smtp://127.0.0.1:9");
    let id = portal.queue(&stranger("x@exemplo.com.br"), "Um").await;
    portal.deliver().await;
    let outage = "O servidor de e-mail 127.0.0.1 recusou a conexão.";
    let shown = status(portal, &ana).await;
    let next = "2026-11-21T15:01:00+00:00";
    for (name, value) in [
        ("waiting", json!(1)),
        ("retrying", json!(1)),
        ("waiting_since", json!("2026-11-21T15:00:00.000000+00:00")),
        ("next_attempt_at", json!("2026-11-21T15:01:00.000000+00:00")),
        ("last_error", json!(outage)),
    ] {
        assert_eq!(shown[name], value, "{name}: {shown}");
    }
    let path = "/rest/v1/outbox?select=id,state,attempts,next_attempt_at,last_error";
    assert_eq!(
        portal.get(path).auth(&ana).send().await.is(200).json(),
        json!([{
            "id": id, "state": "queued", "attempts": 1, "next_attempt_at": next, "last_error": outage,
        }])
    );
});

portal_test!(waiting_mail_is_sent_now, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let ana = portal.admin().await;
    server.script([Act::Say(At::Rcpt, "451 later")]);
    let id = portal.queue(&stranger("x@exemplo.com.br"), "Um").await;
    portal.deliver().await;
    portal.advance(SignedDuration::from_secs(5));
    portal.deliver().await;
    assert_eq!(server.ids(), [""; 0]);

    set_state(portal, &ana, &id, "queued").await.is(204);
    let row = portal.mail_row(&id).await;
    // The attempts and the last error remain, because the mail may have arrived.
    assert_eq!((row.attempts, row.next_attempt_at), (1, portal.now()));
    assert!(row.last_error.is_some());
    portal.deliver().await;
    assert_eq!(server.ids(), [format!("{id}@127.0.0.1")]);
    let events = portal.get("/rest/v1/activity?event=like.mail.*&select=event").auth(&ana);
    assert_eq!(events.send().await.is(200).json(), json!([{"event": "mail.resent"}]));
});

portal_test!(delivery_status_is_hidden_from_others, async |portal| {
    let joao = portal.client("joao").await;
    let ask = |token: &str| portal.post("/rest/v1/rpc/mail_status").bearer(token).json(&json!({}));
    for token in [&joao.token, &portal.app.keys.anon] {
        ask(token).send().await.refused(404, "PGRST202");
        let known = ask(token).send().await.seen();
        let unknown = portal.post("/rest/v1/rpc/mail_statut").bearer(token).json(&json!({}));
        let unknown = unknown.send().await.seen();
        let text = |body: &[u8]| String::from_utf8_lossy(body).replace("statut", "status");
        assert_eq!((known.0, text(&known.2)), (unknown.0, text(&unknown.2)));
    }
    let odd = portal.post("/rest/v1/rpc/mail_status").bearer(&portal.app.keys.service_role);
    odd.json(&json!({"of": "all"})).send().await.refused(404, "PGRST202");
});

portal_test!(failed_mail_is_sent_again, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    server.script([Act::Say(At::Rcpt, "550 no such user")]);
    let id = portal.queue(&recipient_of(&joao, "tickets"), "Seu ticket").await;
    portal.deliver().await;
    portal.advance(SignedDuration::from_hours(1));
    set_state(portal, &ana, &id, "queued").await.is(204);
    let row = portal.mail_row(&id).await;
    assert_eq!((row.attempts, row.last_error, row.next_attempt_at), (0, None, portal.now()));
    portal.deliver().await;
    assert_eq!(server.ids(), [format!("{id}@127.0.0.1")]);
    let lines = "/rest/v1/activity?event=like.mail.*&select=event,actor_name,person_name,subject_id,subject";
    let events = portal.get(lines).auth(&ana).send().await.is(200).json();
    assert_eq!(
        events,
        json!([{"event": "mail.resent", "actor_name": "Ana Prado", "person_name": "joao", "subject_id": id, "subject": "Seu ticket"}])
    );
});

portal_test!(queued_mail_is_canceled_and_requeued, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let ana = portal.admin().await;
    let id = portal.queue(&stranger("x@exemplo.com.br"), "Um").await;
    set_state(portal, &ana, &id, "cancelled").await.is(204);
    portal.deliver().await;
    assert!(server.accepted().is_empty());
    set_state(portal, &ana, &id, "queued").await.is(204);
    portal.deliver().await;
    assert_eq!(server.accepted().len(), 1);
    let events =
        portal.get("/rest/v1/activity?event=like.mail.*&select=event&order=number").auth(&ana);
    let events = events.send().await.is(200).json();
    assert_eq!(events, json!([{"event": "mail.cancelled"}, {"event": "mail.resent"}]));
});

portal_test!(mail_rows_allow_no_other_changes, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let ana = portal.admin().await;
    let waiting = portal.queue(&stranger("x@exemplo.com.br"), "Um").await;
    for state in ["sending", "sent", "failed", "nada"] {
        set_state(portal, &ana, &waiting, state).await.refused(409, "mail_state");
    }
    let path = format!("/rest/v1/outbox?id=eq.{waiting}");
    for change in [
        json!({"recipient": "eu@exemplo.com.br"}),
        json!({"state": "cancelled", "recipient": "eu@exemplo.com.br"}),
        json!({"attempts": 0}),
    ] {
        portal.patch(&path).auth(&ana).json(&change).send().await.refused(409, "mail_state");
    }
    for hidden in ["html", "dedupe_key", "claimed_by", "lease_until"] {
        let change = portal.patch(&path).auth(&ana).json(&json!({hidden: "x"}));
        change.send().await.refused(400, "PGRST204");
        let select = portal.get(&format!("/rest/v1/outbox?select={hidden}")).auth(&ana);
        select.send().await.refused(400, "42703");
    }
    portal.deliver().await;
    assert_eq!(server.accepted().len(), 1);
    // A mail that was sent can neither be canceled nor sent again. A change of several mails applies to all or none.
    let other = portal.queue(&stranger("x@exemplo.com.br"), "Outro").await;
    set_state(portal, &ana, &waiting, "queued").await.refused(409, "mail_state");
    let both = portal.patch(&format!("/rest/v1/outbox?id=in.({waiting},{other})")).auth(&ana);
    both.json(&json!({"state": "cancelled"})).send().await.refused(409, "mail_state");
    assert_eq!(portal.mail_row(&other).await.state, "queued");
});

portal_test!(mail_content_is_deleted_after_a_month, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    server.script([Act::Say(At::Rcpt, "550 no such user"), Act::Take]);
    let failed = portal.queue(&recipient_of(&joao, "tickets"), "Um").await;
    portal.deliver().await;
    let sent = portal.queue(&recipient_of(&joao, "tickets"), "Outro").await;
    portal.deliver().await;
    portal.advance(SignedDuration::from_hours(29 * 24));
    portaria::jobs::garbage_collect::run(&portal.app).await.unwrap();
    for id in [&failed, &sent] {
        assert_ne!(portal.mail_row(id).await.html, "");
    }
    let waiting = portal.queue(&stranger("x@exemplo.com.br"), "Espera").await;
    portal.advance(SignedDuration::from_hours(2 * 24));
    portaria::jobs::garbage_collect::run(&portal.app).await.unwrap();
    for id in [&failed, &sent] {
        assert_eq!(portal.mail_row(id).await.html, "");
    }
    assert_ne!(portal.mail_row(&waiting).await.html, "");
    let ana = portal.sign_in(&ana.email).await;
    set_state(portal, &ana, &failed, "queued").await.refused(409, "mail_gone");
});
