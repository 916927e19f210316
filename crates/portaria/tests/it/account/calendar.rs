//! The calendar feed of expiring documents, and its secret URL.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::harness::{NOON, TestPortal, TestUser, portal_test, request::Answer};

const LINK: &str = "/account/v1/calendar";

/// Creates a feed URL and returns its path.
async fn subscribe(portal: &TestPortal, user: &TestUser) -> String {
    let link = portal.post(LINK).auth(user).send().await.is(200).json();
    let url = link["url"].as_str().unwrap();
    let path = url.strip_prefix("http://127.0.0.1:8080").unwrap().to_owned();
    assert!(path.starts_with("/calendario/") && path.strip_suffix(".ics").is_some(), "{path}");
    path
}

/// The response to a calendar program, which sends no API key.
async fn read(portal: &TestPortal, path: &str) -> Answer {
    portal.get(path).without("apikey").send().await
}

async fn expiring(portal: &TestPortal, owner: &TestUser, name: &str, day: &str) -> String {
    let file: String =
        name.chars().filter(char::is_ascii_alphanumeric).chain(".pdf".chars()).collect();
    let fields = json!({"name": name, "expires_at": day});
    portal.document_with(owner, "faturas", &file, fields).await.id
}

/// The values of a property in all events, with folded lines joined.
fn values(calendar: &str, name: &str) -> Vec<String> {
    let unfolded = calendar.replace("\r\n ", "");
    let lines = unfolded.split("\r\n").filter_map(|line| line.split_once(':'));
    lines.filter(|(found, _)| *found == name).map(|(_, value)| value.to_owned()).collect()
}

portal_test!(calendar_contains_expirations_that_its_owner_can_see, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let rent = expiring(portal, &joao, "Aluguel; sala 2, térreo.pdf", "2026-11-30").await;
    expiring(portal, &joao, "Antigo.pdf", "2025-11-20").await;
    expiring(portal, &joao, "Há pouco.pdf", "2026-01-31").await;
    expiring(portal, &maria, "Segredo.pdf", "2026-11-30").await;
    portal.document(&joao, "contratos", "sem-vencimento.pdf").await;
    let path = subscribe(portal, &joao).await;
    let answer = read(portal, &path).await.is(200);
    assert_eq!(answer.header("content-type"), "text/calendar; charset=utf-8");
    assert_eq!(answer.header("x-robots-tag"), "none");
    assert_eq!(answer.header("cache-control"), "private, no-cache");
    assert_eq!(answer.header("set-cookie"), "");
    assert_eq!(answer.header("last-modified"), "Sat, 21 Nov 2026 15:00:00 GMT");
    let text = answer.text();
    // An all-day event on the last valid day. DTEND is exclusive.
    assert_eq!(values(&text, "DTSTART;VALUE=DATE"), ["20260131", "20261130"]);
    assert_eq!(values(&text, "DTEND;VALUE=DATE"), ["20260201", "20261201"]);
    assert_eq!(values(&text, "SUMMARY"), ["Há pouco.pdf", r"Aluguel\; sala 2\, térreo.pdf"]);
    assert_eq!(values(&text, "UID")[1], format!("{rent}@127.0.0.1:8080"));
    assert_eq!(values(&text, "URL")[1], format!("http://127.0.0.1:8080/documents/view/{rent}"));
    assert_eq!(values(&text, "X-WR-CALNAME"), ["Vencimentos · Portaria"]);
    assert_eq!(values(&text, "X-WR-TIMEZONE"), ["America/Sao_Paulo"]);
    assert_eq!(values(&text, "METHOD"), [] as [&str; 0]);
    portal.head(&path).without("apikey").send().await.is(200);
});

portal_test!(unchanged_calendar_answers_not_modified, async |portal| {
    let joao = portal.client("joao").await;
    let id = expiring(portal, &joao, "Guia.pdf", "2026-11-30").await;
    let path = subscribe(portal, &joao).await;
    let first = read(portal, &path).await.is(200);
    let etag = first.header("etag");
    portal.advance(SignedDuration::from_hours(1));
    let again = portal.get(&path).without("apikey").header("if-none-match", etag).send().await;
    let again = again.is(304);
    assert_eq!((again.header("etag"), again.body.len()), (etag, 0));
    // A changed document changes the calendar's `Last-Modified`.
    let change = portal.patch(&format!("/rest/v1/documents?id=eq.{id}"));
    let service = portal.app.keys.service_role.clone();
    change.bearer(&service).json(&json!({"name": "Outra.pdf"})).send().await.is(204);
    let changed = portal.get(&path).without("apikey").header("if-none-match", etag).send().await;
    let changed = changed.is(200);
    assert_ne!(changed.header("etag"), etag);
    assert_eq!(changed.header("last-modified"), "Sat, 21 Nov 2026 16:00:00 GMT");
    assert_eq!(values(&changed.text(), "LAST-MODIFIED"), ["20261121T160000Z"]);
    assert_eq!(values(&changed.text(), "UID"), values(&first.text(), "UID"));
});

portal_test!(calendar_url_can_be_read_renewed_and_revoked, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let show = async |user: &TestUser| -> Value {
        portal.get(LINK).auth(user).send().await.is(200).json()
    };
    let none = json!({"url": null, "created_at": null, "with_payments": false});
    assert_eq!(show(&joao).await, none);
    let first = subscribe(portal, &joao).await;
    let shown = show(&joao).await;
    assert_eq!(shown["url"], json!(format!("http://127.0.0.1:8080{first}")));
    assert_eq!(shown["created_at"], "2026-11-21T15:00:00.000000+00:00");
    assert_eq!(NOON, "2026-11-21T15:00:00Z");
    assert_eq!(show(&maria).await, none);
    let second = subscribe(portal, &joao).await;
    assert_ne!(first, second);
    let gone = read(portal, &first).await.is(404);
    read(portal, &second).await.is(200);
    portal.delete(LINK).auth(&maria).send().await.is(204);
    read(portal, &second).await.is(200);
    portal.delete(LINK).auth(&joao).send().await.is(204);
    portal.delete(LINK).auth(&joao).send().await.is(204);
    assert_eq!(show(&joao).await, none);
    // Revoked, unknown and malformed URLs get the same response.
    let gone = gone.seen();
    assert_eq!(read(portal, &second).await.seen(), gone);
    for path in ["nunca.ics", "nunca", ".ics", "%00.ics"] {
        assert_eq!(read(portal, &format!("/calendario/{path}")).await.seen(), gone, "{path}");
    }
});

portal_test!(calendar_ends_with_the_access_of_its_owner, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let (path, other) = (subscribe(portal, &joao).await, subscribe(portal, &maria).await);
    let service = portal.app.keys.service_role.clone();
    let user_path = |user: &TestUser| format!("/auth/v1/admin/users/{}", user.id);
    let ban = portal.put(&user_path(&joao)).bearer(&service).json(&json!({"ban_duration": "1h"}));
    ban.send().await.is(200);
    let delete = portal.delete(&user_path(&maria)).bearer(&service).json(&json!({}));
    delete.send().await.is(200);
    for path in [&path, &other] {
        read(portal, path).await.is(404);
    }
    portal.advance(SignedDuration::from_hours(2));
    read(portal, &path).await.is(200);
});

portal_test!(calendar_url_works_but_is_not_shown_after_secret_change, async |portal| {
    let joao = portal.client("joao").await;
    let path = subscribe(portal, &joao).await;
    portal.set("jwt_secret", "another secret of the tests, as long as it");
    read(portal, &path).await.is(200);
    let joao = portal.sign_in(&joao.email).await;
    let shown = portal.get(LINK).auth(&joao).send().await.is(200).json();
    assert_eq!(shown["url"], Value::Null);
    assert_ne!(shown["created_at"], Value::Null);
});

portal_test!(calendar_url_is_private_to_its_owner, async |portal| {
    let joao = portal.client("joao").await;
    for method in ["GET", "POST", "DELETE"] {
        let ask = || portal.request(method, LINK);
        ask().send().await.refused(401, "no_authorization");
        ask().bearer("x.y.z").send().await.refused(401, "no_authorization");
        ask().bearer(&portal.app.keys.service_role).send().await.refused(403, "no_person");
    }
    portal.post("/auth/v1/logout").auth(&joao).send().await.is(204);
    portal.get(LINK).auth(&joao).send().await.refused(401, "session_not_found");
    portal.put(LINK).auth(&joao).send().await.refused(405, "method_not_allowed");
    portal.get("/account/v1/nada").auth(&joao).send().await.refused(404, "not_found");
});

portal_test!(calendar_contains_payments_only_if_its_owner_wants_them, async |portal| {
    let joao = portal.client("joao").await;
    let codes = |status: &str| {
        json!({
            "expires_at": "2026-11-30", "status": status,
            "payment_line": "846700000017435900240209024050002435842210108119",
        })
    };
    let released = portal.document_with(&joao, "faturas", "a.pdf", codes("active")).await;
    portal.document_with(&joao, "faturas", "b.pdf", codes("pending")).await;
    let path = subscribe(portal, &joao).await;
    let payments = async || {
        let text = read(portal, &path).await.is(200).text();
        let texts = values(&text, "DESCRIPTION");
        let shows =
            |text: &&String| text.contains(r"Valor: R$ 143\,59\nLinha digitável: 8467000000174359");
        texts.iter().filter(shows).count()
    };
    assert_eq!(payments().await, 0);
    let choice = format!("{LINK}/payments");
    portal.put(&choice).auth(&joao).send().await.is(204);
    // Not those of a document that is not released.
    assert_eq!(payments().await, 1);
    let state = portal.get(LINK).auth(&joao).send().await.is(200).json();
    assert_eq!(state["with_payments"], true);
    // A new address keeps the choice.
    subscribe(portal, &joao).await;
    let state = portal.get(LINK).auth(&joao).send().await.is(200).json();
    assert_eq!(state["with_payments"], true);
    let payment = json!({"document_id": released.id, "paid_on": "2026-11-20"});
    portal.post("/rest/v1/document_payments").auth(&joao).json(&payment).send().await.is(201);
    let path = subscribe(portal, &joao).await;
    let paid = read(portal, &path).await.is(200).text();
    assert!(!paid.contains("Linha digit"), "{paid}");
    portal.delete(&choice).auth(&joao).send().await.is(204);
    let state = portal.get(LINK).auth(&joao).send().await.is(200).json();
    assert_eq!(state["with_payments"], false);
});
