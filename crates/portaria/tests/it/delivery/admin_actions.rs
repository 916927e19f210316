//! Mail administration by the office: status, retry, cancellation.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::delivery::{
    SENDER, about,
    fake_smtp::{Act, At},
    served, stranger,
};
use crate::harness::{TestPortal, TestUser, portal_test};

async fn set_state(
    world: &TestPortal,
    person: &TestUser,
    id: &str,
    state: &str,
) -> crate::harness::request::Answer {
    let request = world.patch(&format!("/rest/v1/outbox?id=eq.{id}")).as_(person);
    request.json(&json!({"state": state})).send().await
}

async fn status(world: &TestPortal, person: &TestUser) -> Value {
    let request = world.post("/rest/v1/rpc/mail_status").as_(person).json(&json!({}));
    request.send().await.is(200).json()
}

portal_test!(delivery_status_is_shown_to_the_office, async |world| {
    let ana = world.admin().await;
    world.queue(&stranger("x@exemplo.com.br"), "Um").await;
    assert_eq!(
        status(world, &ana).await,
        json!({"configured": false, "sender": null, "server": null, "waiting": 1, "failed": 0, "last_error": null, "last_sent_at": null})
    );
    let server = served(world).await;
    server.will([Act::Say(At::Rcpt, "550 no"), Act::Take]);
    world.deliver().await;
    world.queue(&stranger("x@exemplo.com.br"), "Outro").await;
    world.deliver().await;
    let url = server.url();
    assert_eq!(
        status(world, &ana).await,
        json!({
            "configured": true, "sender": SENDER, "server": url.trim_start_matches("smtp://"), "waiting": 0,
            "failed": 1, "last_error": null, "last_sent_at": "2026-11-21T15:00:00.000000+00:00",
        })
    );
});

portal_test!(delivery_status_is_hidden_from_others, async |world| {
    let joao = world.client("joao").await;
    let ask = |token: &str| world.post("/rest/v1/rpc/mail_status").bearer(token).json(&json!({}));
    for token in [&joao.token, &world.app.keys.anon] {
        ask(token).send().await.refused(404, "PGRST202");
        let known = ask(token).send().await.seen();
        let unknown = world.post("/rest/v1/rpc/mail_statut").bearer(token).json(&json!({}));
        let unknown = unknown.send().await.seen();
        let text = |body: &[u8]| String::from_utf8_lossy(body).replace("statut", "status");
        assert_eq!((known.0, text(&known.2)), (unknown.0, text(&unknown.2)));
    }
    let odd = world.post("/rest/v1/rpc/mail_status").bearer(&world.app.keys.service_role);
    odd.json(&json!({"of": "all"})).send().await.refused(404, "PGRST202");
});

portal_test!(failed_mail_is_sent_again, async |world| {
    let server = served(world).await;
    let (ana, joao) = (world.admin().await, world.client("joao").await);
    server.will([Act::Say(At::Rcpt, "550 no such user")]);
    let id = world.queue(&about(&joao, "tickets"), "Seu ticket").await;
    world.deliver().await;
    world.wait(SignedDuration::from_hours(1));
    set_state(world, &ana, &id, "queued").await.is(204);
    let row = world.mail_row(&id).await;
    assert_eq!((row.attempts, row.last_error, row.next_attempt_at), (0, None, world.now()));
    world.deliver().await;
    assert_eq!(server.ids(), [format!("{id}@127.0.0.1")]);
    let lines = "/rest/v1/activity?event=like.mail.*&select=event,actor_name,person_name,subject_id,subject";
    let told = world.get(lines).as_(&ana).send().await.is(200).json();
    assert_eq!(
        told,
        json!([{"event": "mail.resent", "actor_name": "Ana Prado", "person_name": "joao", "subject_id": id, "subject": "Seu ticket"}])
    );
});

portal_test!(queued_mail_is_canceled_and_requeued, async |world| {
    let server = served(world).await;
    let ana = world.admin().await;
    let id = world.queue(&stranger("x@exemplo.com.br"), "Um").await;
    set_state(world, &ana, &id, "cancelled").await.is(204);
    world.deliver().await;
    assert!(server.taken().is_empty());
    set_state(world, &ana, &id, "queued").await.is(204);
    world.deliver().await;
    assert_eq!(server.taken().len(), 1);
    let events =
        world.get("/rest/v1/activity?event=like.mail.*&select=event&order=number").as_(&ana);
    let events = events.send().await.is(200).json();
    assert_eq!(events, json!([{"event": "mail.cancelled"}, {"event": "mail.resent"}]));
});

portal_test!(mail_rows_allow_no_other_changes, async |world| {
    let server = served(world).await;
    let ana = world.admin().await;
    let waiting = world.queue(&stranger("x@exemplo.com.br"), "Um").await;
    for state in ["queued", "sending", "sent", "failed", "nada"] {
        set_state(world, &ana, &waiting, state).await.refused(409, "mail_state");
    }
    let path = format!("/rest/v1/outbox?id=eq.{waiting}");
    for change in [
        json!({"recipient": "eu@exemplo.com.br"}),
        json!({"state": "cancelled", "recipient": "eu@exemplo.com.br"}),
        json!({"attempts": 0}),
    ] {
        world.patch(&path).as_(&ana).json(&change).send().await.refused(409, "mail_state");
    }
    for hidden in ["html", "dedupe_key", "claimed_by", "lease_until"] {
        let change = world.patch(&path).as_(&ana).json(&json!({hidden: "x"}));
        change.send().await.refused(400, "PGRST204");
        let select = world.get(&format!("/rest/v1/outbox?select={hidden}")).as_(&ana);
        select.send().await.refused(400, "42703");
    }
    world.deliver().await;
    assert_eq!(server.taken().len(), 1);
    // A mail that was sent can neither be canceled nor sent again. A change of several mails applies to all or none.
    let other = world.queue(&stranger("x@exemplo.com.br"), "Outro").await;
    set_state(world, &ana, &waiting, "queued").await.refused(409, "mail_state");
    let both = world.patch(&format!("/rest/v1/outbox?id=in.({waiting},{other})")).as_(&ana);
    both.json(&json!({"state": "cancelled"})).send().await.refused(409, "mail_state");
    assert_eq!(world.mail_row(&other).await.state, "queued");
});

portal_test!(mail_content_is_deleted_after_a_month, async |world| {
    let server = served(world).await;
    let (ana, joao) = (world.admin().await, world.client("joao").await);
    server.will([Act::Say(At::Rcpt, "550 no such user"), Act::Take]);
    let failed = world.queue(&about(&joao, "tickets"), "Um").await;
    world.deliver().await;
    let sent = world.queue(&about(&joao, "tickets"), "Outro").await;
    world.deliver().await;
    world.wait(SignedDuration::from_hours(29 * 24));
    portaria::jobs::garbage_collect::run(&world.app).await.unwrap();
    for id in [&failed, &sent] {
        assert_ne!(world.mail_row(id).await.html, "");
    }
    let waiting = world.queue(&stranger("x@exemplo.com.br"), "Espera").await;
    world.wait(SignedDuration::from_hours(2 * 24));
    portaria::jobs::garbage_collect::run(&world.app).await.unwrap();
    for id in [&failed, &sent] {
        assert_eq!(world.mail_row(id).await.html, "");
    }
    assert_ne!(world.mail_row(&waiting).await.html, "");
    let ana = world.sign_in(&ana.email).await;
    set_state(world, &ana, &failed, "queued").await.refused(409, "mail_gone");
});
