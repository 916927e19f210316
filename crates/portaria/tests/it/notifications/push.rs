//! Web Push: subscriptions, the messages that a push service receives, and the end of subscriptions.

use jiff::{SignedDuration, Timestamp};
use portaria::jobs::{deliver_push::PushDelivery, send_reminders};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::harness::{TestPortal, TestUser, portal_test};
use crate::notifications::push_service::{Browser, PushService, Received};

const ENDPOINT: &str = "https://fcm.googleapis.com/fcm/send/telefone";

async fn subscribe(portal: &TestPortal, who: &TestUser, endpoint: &str) -> Browser {
    let browser = Browser::new(endpoint);
    let request = portal.post("/account/v1/push/devices").auth(who);
    request.json(&browser.subscription("Chrome no Android")).send().await.is(204);
    browser
}

async fn settings(portal: &TestPortal, who: &TestUser) -> Value {
    portal.get("/account/v1/push").auth(who).send().await.is(200).json()
}

async fn device_ids(portal: &TestPortal, who: &TestUser) -> Vec<String> {
    let devices = settings(portal, who).await["devices"].as_array().unwrap().clone();
    devices.iter().map(|device| device["id"].as_str().unwrap().to_owned()).collect()
}

/// Sends what is due, and returns what arrived with the time of the next attempt.
async fn deliver(portal: &TestPortal, service: &PushService) -> (Vec<Received>, Option<Timestamp>) {
    let delivery = PushDelivery::with_service(&portal.app, Some(&service.service)).unwrap();
    let (_stop, stopping) = watch::channel(false);
    let next = delivery.run_once(&stopping).await.unwrap();
    (service.take(), next)
}

async fn arrived(portal: &TestPortal, service: &PushService) -> Vec<Received> {
    deliver(portal, service).await.0
}

portal_test!(push_message_reaches_each_device_once, async |portal| {
    let service = PushService::start().await;
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let phone = subscribe(portal, &joao, ENDPOINT).await;
    let tablet = subscribe(portal, &joao, "https://web.push.apple.com/tablet").await;
    subscribe(portal, &maria, "https://fcm.googleapis.com/fcm/send/maria").await;
    let document = portal.document(&joao, "contratos", "guia-secreta.pdf").await;

    let mut messages = arrived(portal, &service).await;
    messages.sort_by_key(|message| message.path.clone());
    let paths: Vec<_> = messages.iter().map(|message| message.path.as_str()).collect();
    assert_eq!(paths, ["/fcm/send/telefone", "/tablet"]);
    let office = portal.app.office().await.name.clone();
    let expected = json!({
        "title": office,
        "body": "Há um documento novo para você.",
        "kind": "document_new",
        "path": format!("/documents/view/{}", document.id),
    });
    assert_eq!(phone.decrypt(&messages[0].body), expected);
    assert_eq!(tablet.decrypt(&messages[1].body), expected);

    // The headers of RFC 8030 and RFC 8292.
    let headers = &messages[0].headers;
    assert_eq!(headers["content-encoding"], "aes128gcm");
    assert_eq!(headers["ttl"], "86400");
    let (claims, key) = messages[0].claims();
    assert_eq!(claims["aud"], "https://fcm.googleapis.com");
    assert_eq!(messages[1].claims().0["aud"], "https://web.push.apple.com");
    let expiry = portal.now() + SignedDuration::from_hours(12);
    assert_eq!(claims["exp"], expiry.as_second());
    assert_eq!(settings(portal, &joao).await["public_key"], key);

    assert_eq!(arrived(portal, &service).await.len(), 0);
    let device = &settings(portal, &joao).await["devices"][0];
    assert!(device["last_used_at"].is_string());
    assert_eq!(device["endpoint"], Value::Null);
});

portal_test!(push_informs_staff_of_what_clients_do_until_they_read_it, async |portal| {
    let service = PushService::start().await;
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let desk = subscribe(portal, &ana, ENDPOINT).await;
    let ticket = portal.ticket(&joao, "Dúvida").await;
    let messages = arrived(portal, &service).await;
    let content = desk.decrypt(&messages[0].body);
    assert_eq!(content["body"], "Um cliente abriu um ticket.");
    assert_eq!(content["path"], format!("/admin/tickets/{ticket}"));

    // A second message in the thread renews the unread notification, which was sent.
    let reply = async || {
        let row = json!({"ticket_id": ticket, "body": "Segue a resposta."});
        portal.post("/rest/v1/ticket_messages").auth(&joao).json(&row).send().await.is(201);
    };
    reply().await;
    reply().await;
    assert_eq!(arrived(portal, &service).await.len(), 1);

    // Read before it left.
    let read = async || {
        let change = portal.patch("/rest/v1/notifications?read_at=is.null").auth(&ana);
        change.json(&json!({"read_at": "2026-11-21T15:00:00Z"})).send().await.is(204);
    };
    read().await;
    reply().await;
    read().await;
    assert_eq!(arrived(portal, &service).await.len(), 0);

    // The topic is muted.
    portal.delete("/account/v1/push/topics/tickets").auth(&ana).send().await.is(204);
    portal.delete("/account/v1/push/topics/tickets").auth(&ana).send().await.is(204);
    assert_eq!(settings(portal, &ana).await["muted_topics"], json!(["tickets"]));
    reply().await;
    assert_eq!(arrived(portal, &service).await.len(), 0);
    portal.put("/account/v1/push/topics/tickets").auth(&ana).send().await.is(204);
    portal.ticket(&joao, "Outra").await;
    assert_eq!(arrived(portal, &service).await.len(), 1);
    portal.put("/account/v1/push/topics/outro").auth(&ana).send().await.refused(404, "not_found");
});

portal_test!(push_is_retried_until_the_service_accepts_it, async |portal| {
    let service = PushService::start().await;
    let joao = portal.client("joao").await;
    let phone = subscribe(portal, &joao, ENDPOINT).await;
    portal.document(&joao, "contratos", "a.pdf").await;
    for (status, minutes) in [(503, 1), (429, 5), (500, 15)] {
        service.answer(status);
        let (messages, next) = deliver(portal, &service).await;
        assert_eq!(messages.len(), 1, "{status}");
        let wait = SignedDuration::from_mins(minutes);
        assert_eq!(next, Some(portal.now() + wait), "{status}");
        assert_eq!(arrived(portal, &service).await.len(), 0, "not before its time");
        portal.advance(wait);
    }
    service.answer(201);
    let messages = arrived(portal, &service).await;
    assert_eq!(phone.decrypt(&messages[0].body)["kind"], "document_new");
    portal.advance(SignedDuration::from_hours(24));
    assert_eq!(arrived(portal, &service).await.len(), 0);

    // No attempt helps against a refusal. A redirect is not followed.
    for status in [400, 403, 413, 301, 307] {
        service.answer(status);
        portal.document(&joao, "contratos", &format!("{status}.pdf")).await;
        let (messages, next) = deliver(portal, &service).await;
        assert_eq!((messages.len(), next), (1, None), "{status}");
    }
    // A service that never recovers.
    service.answer(503);
    portal.document(&joao, "contratos", "c.pdf").await;
    let mut attempts = 0;
    while let (messages, Some(next)) = deliver(portal, &service).await {
        attempts += messages.len();
        portal.advance(next.duration_since(portal.now()));
    }
    assert_eq!(attempts, 7);
});

portal_test!(subscription_ends_when_the_push_service_forgot_it, async |portal| {
    let service = PushService::start().await;
    let joao = portal.client("joao").await;
    for status in [404, 410] {
        subscribe(portal, &joao, ENDPOINT).await;
        portal.document(&joao, "contratos", &format!("{status}.pdf")).await;
        service.answer(status);
        assert_eq!(arrived(portal, &service).await.len(), 1);
        assert_eq!(device_ids(portal, &joao).await, [""; 0]);
    }
    portal.document(&joao, "contratos", "b.pdf").await;
    assert_eq!(arrived(portal, &service).await.len(), 0);
});

portal_test!(message_whose_worker_died_is_sent_again, async |portal| {
    let service = PushService::start().await;
    let joao = portal.client("joao").await;
    subscribe(portal, &joao, ENDPOINT).await;
    portal.document(&joao, "contratos", "a.pdf").await;
    let now = portal.now();
    let claim = |tx: &mut portaria::db::Tx<'_>, app: &std::sync::Arc<portaria::app::App>| {
        portaria::notifications::push::outbox::claim(tx, app, app.clock.now())
    };
    portal.app.write(claim).await.unwrap();
    let lease = SignedDuration::from_mins(2);
    assert_eq!(deliver(portal, &service).await.1, Some(now + lease));
    portal.advance(lease);
    assert_eq!(arrived(portal, &service).await.len(), 1);
});

portal_test!(hostile_subscriptions_are_refused, async |portal| {
    let joao = portal.client("joao").await;
    let good = Browser::new(ENDPOINT).subscription("Telefone");
    let with = |field: &str, value: Value| {
        let mut body = good.clone();
        *body.pointer_mut(field).unwrap() = value;
        body
    };
    let mut point = good["keys"]["p256dh"].as_str().unwrap().to_owned();
    let last = if point.ends_with('A') { 'E' } else { 'A' };
    point.replace_range(point.len() - 1.., &last.to_string());
    for body in [
        with("/endpoint", json!("http://fcm.googleapis.com/x")),
        with("/endpoint", json!("https://127.0.0.1/x")),
        with("/endpoint", json!("https://localhost:5432/x")),
        with("/endpoint", json!("https://169.254.169.254/latest/meta-data")),
        with("/endpoint", json!("https://fcm.googleapis.com@10.0.0.1/x")),
        with("/endpoint", json!("https://fcm.googleapis.com:22/x")),
        with("/endpoint", json!("https://fcm.googleapis.com.example.com/x")),
        with("/endpoint", json!("")),
        with("/keys/p256dh", json!(point)),
        with("/keys/p256dh", json!("BAAA")),
        with("/keys/p256dh", json!("não é base64")),
        with("/keys/auth", json!("AAAA")),
        with("/device_name", json!("  ")),
        with("/device_name", json!("a".repeat(81))),
        with("/device_name", json!("a\u{0}b")),
        json!({"endpoint": ENDPOINT}),
    ] {
        let request = portal.post("/account/v1/push/devices").auth(&joao).json(&body);
        request.send().await.refused(400, "validation_failed");
    }
    assert_eq!(device_ids(portal, &joao).await, [""; 0]);
});

portal_test!(person_has_at_most_ten_devices, async |portal| {
    let joao = portal.client("joao").await;
    for number in 0..10 {
        subscribe(portal, &joao, &format!("https://fcm.googleapis.com/fcm/send/{number}")).await;
    }
    let more = Browser::new(ENDPOINT).subscription("Chrome no Android");
    let request = portal.post("/account/v1/push/devices").auth(&joao).json(&more);
    request.send().await.refused(409, "too_many_devices");
    // The browser renews its subscription.
    subscribe(portal, &joao, "https://fcm.googleapis.com/fcm/send/9").await;
    assert_eq!(device_ids(portal, &joao).await.len(), 10);
});

portal_test!(devices_belong_to_one_person, async |portal| {
    let service = PushService::start().await;
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    subscribe(portal, &joao, ENDPOINT).await;
    let id = device_ids(portal, &joao).await.remove(0);
    assert_eq!(device_ids(portal, &maria).await, [""; 0]);
    let path = format!("/account/v1/push/devices/{id}");
    portal.delete(&path).auth(&maria).send().await.refused(404, "not_found");
    portal
        .delete("/account/v1/push/devices/nenhum")
        .auth(&joao)
        .send()
        .await
        .refused(404, "not_found");
    assert_eq!(device_ids(portal, &joao).await, [id]);

    // Maria subscribes in the same browser: it shows her notifications from now on.
    portal.document(&joao, "contratos", "a.pdf").await;
    subscribe(portal, &maria, ENDPOINT).await;
    assert_eq!(device_ids(portal, &joao).await, [""; 0]);
    assert_eq!(arrived(portal, &service).await.len(), 0);
    portal
        .delete(&format!("/account/v1/push/devices/{}", device_ids(portal, &maria).await[0]))
        .auth(&maria)
        .send()
        .await
        .is(204);
    assert_eq!(device_ids(portal, &maria).await, [""; 0]);
});

portal_test!(
    subscription_ends_with_a_sign_out_and_not_with_the_age_of_the_session,
    async |portal| {
        let service = PushService::start().await;
        let joao = portal.client("joao").await;
        let other = portal.sign_in(&joao.email).await;
        subscribe(portal, &joao, ENDPOINT).await;
        subscribe(portal, &other, "https://web.push.apple.com/tablet").await;
        portal.post("/auth/v1/logout?scope=local").auth(&other).send().await.is(204);
        assert_eq!(device_ids(portal, &joao).await.len(), 1);

        // On another device the person ends the session in the list.
        let third = portal.sign_in(&joao.email).await;
        subscribe(portal, &third, "https://web.push.apple.com/notebook").await;
        let list = "/rest/v1/sessions?select=id&order=created_at.desc,id.desc&limit=1";
        let newest = portal.get(list).auth(&joao).send().await.is(200).json();
        let newest = format!("/rest/v1/sessions?id=eq.{}", newest[0]["id"].as_str().unwrap());
        portal.delete(&newest).auth(&joao).send().await.is(204);
        assert_eq!(device_ids(portal, &joao).await.len(), 1);

        // A person who did not open the portal for weeks wants to hear of a document.
        portal.advance(SignedDuration::from_hours(24 * 20));
        portal.document(&joao, "contratos", "a.pdf").await;
        assert_eq!(arrived(portal, &service).await.len(), 1);

        // A new password ends everything that began before.
        let user = format!("/auth/v1/admin/users/{}", joao.id);
        let change = portal.put(&user).bearer(&portal.app.keys.service_role);
        change.json(&json!({"password": "uma senha nova e comprida"})).send().await.is(200);
        portal.document(&joao, "contratos", "b.pdf").await;
        assert_eq!(arrived(portal, &service).await.len(), 0);
    }
);

portal_test!(banned_person_receives_no_push, async |portal| {
    let service = PushService::start().await;
    let joao = portal.client("joao").await;
    subscribe(portal, &joao, ENDPOINT).await;
    portal.document(&joao, "contratos", "a.pdf").await;
    let user = format!("/auth/v1/admin/users/{}", joao.id);
    let ban = portal.put(&user).bearer(&portal.app.keys.service_role);
    ban.json(&json!({"ban_duration": "24h"})).send().await.is(200);
    assert_eq!(arrived(portal, &service).await.len(), 0);
});

portal_test!(withdrawn_document_is_not_announced, async |portal| {
    let service = PushService::start().await;
    let joao = portal.client("joao").await;
    subscribe(portal, &joao, ENDPOINT).await;
    let document = portal.document(&joao, "contratos", "a.pdf").await;
    let path = format!("/rest/v1/documents?id=eq.{}", document.id);
    let withdraw = portal.patch(&path).bearer(&portal.app.keys.service_role);
    withdraw.json(&json!({"status": "pending"})).send().await.is(204);
    assert_eq!(arrived(portal, &service).await.len(), 0);
});

portal_test!(reminder_of_a_later_day_is_announced_again, async |portal| {
    let service = PushService::start().await;
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let phone = subscribe(portal, &joao, ENDPOINT).await;
    send_reminders::run(&portal.app).await.unwrap();
    for days in [2, 1] {
        let rule = json!({"days": days, "recipient": "client_notification"});
        let request = portal.post("/rest/v1/reminder_rules").auth(&ana).json(&rule);
        request.send().await.is(201);
    }
    for name in ["a.pdf", "b.pdf"] {
        let due = json!({"expires_at": "2026-12-24", "name": name});
        portal.document_with(&joao, "faturas", name, due).await;
    }
    assert_eq!(arrived(portal, &service).await.len(), 2);
    for morning in ["2026-12-22T08:00:00-03:00", "2026-12-23T08:00:00-03:00"] {
        let moment: Timestamp = morning.parse().unwrap();
        portal.advance(moment.duration_since(portal.now()));
        send_reminders::run(&portal.app).await.unwrap();
        send_reminders::run(&portal.another_node()).await.unwrap();
        let messages = arrived(portal, &service).await;
        assert_eq!(messages.len(), 1, "{morning}");
        let content = phone.decrypt(&messages[0].body);
        assert_eq!(content["body"], "Há documentos que você ainda não abriu.");
        assert_eq!(content["path"], "/documents");
    }
    let path = "/rest/v1/notifications?kind=eq.documents_unopened&select=read_at,created_at";
    let joao = portal.sign_in(&joao.email).await;
    let unread = portal.get(path).auth(&joao).send().await.is(200).json();
    assert_eq!(unread.as_array().unwrap().len(), 1, "{unread}");
});
