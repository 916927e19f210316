//! The unsubscribe link of notifications.

use portaria::notifications::unsubscribe_token::link;
use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, portal_test, request::Answer};
use crate::notifications::settings;

async fn muted(world: &TestPortal, person: &TestUser) -> Value {
    let request = world.get("/rest/v1/muted_topics?select=topic&order=topic").as_(person);
    request.send().await.is(200).json()
}

fn path(world: &TestPortal, person: &TestUser, topic: &str) -> String {
    link(&world.app, person.id.parse().unwrap(), topic).replace("http://127.0.0.1:8080", "")
}

async fn post(world: &TestPortal, path: &str) -> Answer {
    let request = world.post(path).without("apikey");
    request.bytes("application/x-www-form-urlencoded", "List-Unsubscribe=One-Click").send().await
}

portal_test!(unsubscribe_link_works_without_a_session, async |world| {
    let (joao, maria) = (world.client("joao").await, world.client("maria").await);
    settings(world, &[("fatura_new", true)]).await;
    world.document(&joao, "faturas", "a.pdf").await;
    // The link is part of the mail.
    let path = path(world, &joao, "documents");
    let mail = world.mail("fatura_new", &joao.email).await;
    assert!(
        mail.html.contains(&link(&world.app, joao.id.parse().unwrap(), "documents")),
        "{}",
        mail.html
    );

    // GET requests change nothing.
    for request in [world.get(&path), world.head(&path), world.get(&path)] {
        let page = request.without("apikey").send().await.is(200);
        assert_eq!(page.header("cache-control"), "no-store");
        assert_eq!(page.header("x-robots-tag"), "none");
        let policy = page.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
        assert!(!page.text().contains("<script"));
    }
    let page = world.get(&path).without("apikey").send().await.text();
    assert!(page.contains("novos documentos") && page.contains("<form method=\"post\">"), "{page}");
    assert!(!page.contains(&joao.email) && !page.contains("joao"), "{page}");
    assert_eq!(muted(world, &joao).await, json!([]));

    for _ in 0..2 {
        assert!(post(world, &path).await.is(200).text().contains("Pronto"));
        assert_eq!(muted(world, &joao).await, json!([{"topic": "documents"}]));
    }
    assert_eq!(muted(world, &maria).await, json!([]));
    world.document(&joao, "faturas", "b.pdf").await;
    world.document(&maria, "faturas", "b.pdf").await;
    assert_eq!(world.mails_about("fatura_new").await, 2);
    // The user enables the notifications again in the profile.
    let own = world.delete("/rest/v1/muted_topics?topic=eq.documents").as_(&joao);
    own.send().await.is(204);
    world.document(&joao, "faturas", "c.pdf").await;
    assert_eq!(world.mails_about("fatura_new").await, 3);
});

portal_test!(unsigned_unsubscribe_link_has_no_effect, async |world| {
    let (joao, maria) = (world.client("joao").await, world.client("maria").await);
    let path = path(world, &joao, "documents");
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
        for answer in [post(world, &forged).await, world.get(&forged).send().await] {
            assert!(answer.is(404).text().contains("Este link não vale"), "{forged}");
        }
    }
    assert_eq!(muted(world, &joao).await, json!([]));
    assert_eq!(muted(world, &maria).await, json!([]));
    // A link signed with another secret is invalid.
    world.set("jwt_secret", "another secret of the tests, 32 bytes");
    post(world, &path).await.is(404);
});

portal_test!(unsubscribe_link_outlives_its_account, async |world| {
    let joao = world.client("joao").await;
    let path = path(world, &joao, "tickets");
    let before = world.get(&path).send().await.is(200).body;
    let gone = world.delete(&format!("/auth/v1/admin/users/{}", joao.id));
    gone.bearer(&world.app.keys.service_role).json(&json!({})).send().await.is(200);
    assert_eq!(world.get(&path).send().await.is(200).body, before);
    post(world, &path).await.is(200);
});
