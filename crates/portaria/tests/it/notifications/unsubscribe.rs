//! The unsubscribe link of notifications.

use portaria::notifications::unsubscribe_token::link;
use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, portal_test, request::Answer};
use crate::notifications::settings;

async fn muted(portal: &TestPortal, user: &TestUser) -> Value {
    let request = portal.get("/rest/v1/muted_topics?select=topic&order=topic").auth(user);
    request.send().await.is(200).json()
}

fn path(portal: &TestPortal, user: &TestUser, topic: &str) -> String {
    link(&portal.app, user.id.parse().unwrap(), topic).replace("http://127.0.0.1:8080", "")
}

async fn post(portal: &TestPortal, path: &str) -> Answer {
    let request = portal.post(path).without("apikey");
    request.bytes("application/x-www-form-urlencoded", "List-Unsubscribe=One-Click").send().await
}

portal_test!(unsubscribe_link_works_without_a_session, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    settings(portal, &[("fatura_new", true)]).await;
    portal.document(&joao, "faturas", "a.pdf").await;
    // The link is part of the mail.
    let path = path(portal, &joao, "documents");
    let mail = portal.mail("fatura_new", &joao.email).await;
    assert!(
        mail.html.contains(&link(&portal.app, joao.id.parse().unwrap(), "documents")),
        "{}",
        mail.html
    );

    // GET requests change nothing.
    for request in [portal.get(&path), portal.head(&path), portal.get(&path)] {
        let page = request.without("apikey").send().await.is(200);
        assert_eq!(page.header("cache-control"), "no-store");
        assert_eq!(page.header("x-robots-tag"), "none");
        let policy = page.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
        assert!(!page.text().contains("<script"));
    }
    let page = portal.get(&path).without("apikey").send().await.text();
    assert!(page.contains("novos documentos") && page.contains("<form method=\"post\">"), "{page}");
    assert!(!page.contains(&joao.email) && !page.contains("joao"), "{page}");
    assert_eq!(muted(portal, &joao).await, json!([]));

    for _ in 0..2 {
        assert!(post(portal, &path).await.is(200).text().contains("Pronto"));
        assert_eq!(muted(portal, &joao).await, json!([{"topic": "documents"}]));
    }
    assert_eq!(muted(portal, &maria).await, json!([]));
    portal.document(&joao, "faturas", "b.pdf").await;
    portal.document(&maria, "faturas", "b.pdf").await;
    assert_eq!(portal.mails_about("fatura_new").await, 2);
    // The user enables the notifications again in the profile.
    let own = portal.delete("/rest/v1/muted_topics?topic=eq.documents").auth(&joao);
    own.send().await.is(204);
    portal.document(&joao, "faturas", "c.pdf").await;
    assert_eq!(portal.mails_about("fatura_new").await, 3);
});

portal_test!(unsigned_unsubscribe_link_has_no_effect, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let path = path(portal, &joao, "documents");
    let account = path.replace("documents", "account");
    for forged in [
        path.replace(&joao.id, &maria.id),
        path.replace("documents", "tickets"),
        account,
        path[..path.len() - 1].to_owned(),
        format!("{path}0"),
        path.to_uppercase().replace("/CANCELAR-AVISOS", "/cancelar-avisos"),
        "/cancelar-avisos/x".to_owned(),
        "/cancelar-avisos/..".to_owned(),
    ] {
        for answer in [post(portal, &forged).await, portal.get(&forged).send().await] {
            assert!(answer.is(404).text().contains("Este link não vale"), "{forged}");
        }
    }
    assert_eq!(muted(portal, &joao).await, json!([]));
    assert_eq!(muted(portal, &maria).await, json!([]));
    // A link signed with another secret is invalid.
    portal.set("jwt_secret", "another secret of the tests, 32 bytes");
    post(portal, &path).await.is(404);
});

portal_test!(unsubscribe_link_outlives_its_account, async |portal| {
    let joao = portal.client("joao").await;
    let path = path(portal, &joao, "tickets");
    let before = portal.get(&path).send().await.is(200).body;
    let gone = portal.delete(&format!("/auth/v1/admin/users/{}", joao.id));
    gone.bearer(&portal.app.keys.service_role).json(&json!({})).send().await.is(200);
    assert_eq!(portal.get(&path).send().await.is(200).body, before);
    post(portal, &path).await.is(200);
});
