//! Signed download links: bound to a file, a lifetime, and the access of their creator.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::harness::{PDF, TestPortal, TestUser, object, portal_test, request::Answer};

async fn sign(portal: &TestPortal, user: &TestUser, path: &str, seconds: Value) -> Answer {
    let request = portal.post(&object(path).replace("/object/", "/object/sign/")).auth(user);
    request.json(&json!({"expiresIn": seconds})).send().await
}

/// The URL of a link as the client library builds it from the response.
async fn link(portal: &TestPortal, user: &TestUser, path: &str, seconds: i64) -> String {
    let answer = sign(portal, user, path, seconds.into()).await.is(200).json();
    format!("/storage/v1{}", answer["signedURL"].as_str().unwrap())
}

/// Opens a link without an API key or a session.
async fn follow(portal: &TestPortal, link: &str) -> Answer {
    portal.get(link).without("apikey").send().await
}

portal_test!(link_opens_its_file_until_it_expires, async |portal| {
    let joao = portal.client("joao").await;
    let path = portal.document(&joao, "contratos", "a.pdf").await.path;
    let link = link(portal, &joao, &path, 60).await;
    assert!(link.starts_with(&format!("/storage/v1/object/sign/client-documents/{path}?token=")));
    let file = follow(portal, &link).await.is(200);
    assert_eq!(file.body, PDF);
    assert_eq!(file.header("content-disposition"), "");
    assert_eq!(file.header("content-security-policy"), "default-src 'none'; sandbox");
    let named =
        follow(portal, &format!("{link}&download=Declara%25C3%25A7%25C3%25A3o+n+3.pdf")).await;
    assert_eq!(
        named.is(200).header("content-disposition"),
        "attachment; filename=\"Declara__o n 3.pdf\"; filename*=UTF-8''Declara%C3%A7%C3%A3o%20n%203.pdf"
    );
    let part = portal.get(&link).without("apikey").header("range", "bytes=0-3").send().await;
    assert_eq!(part.is(206).body, PDF[..4]);

    portal.advance(SignedDuration::from_secs(59));
    follow(portal, &link).await.is(200);
    portal.advance(SignedDuration::from_secs(1));
    let expired = follow(portal, &link).await.refused(400, "InvalidJWT").json();
    assert_eq!(expired["message"], "\"exp\" claim timestamp check failed");
});

portal_test!(link_is_bound_to_its_file, async |portal| {
    let joao = portal.client("joao").await;
    let (a, b) = (
        portal.document(&joao, "contratos", "a.pdf").await.path,
        portal.document(&joao, "contratos", "b.pdf").await.path,
    );
    let link = link(portal, &joao, &a, 60).await;
    let token = link.split_once("?token=").unwrap().1;
    follow(portal, &link.replace("a.pdf", "b.pdf")).await.refused(400, "InvalidSignature");
    for token in [
        "",
        "x",
        "a.b.c",
        &joao.token,
        &portal.app.keys.service_role,
        &token[1..],
        &token[..token.len() - 1],
    ] {
        let forged = format!("/storage/v1/object/sign/client-documents/{a}?token={token}");
        follow(portal, &forged).await.refused(400, "InvalidJWT");
    }
    follow(portal, link.split_once('?').unwrap().0).await.refused(400, "InvalidJWT");
    // The token opens nothing else.
    portal.get("/rest/v1/documents").bearer(token).send().await.refused(401, "PGRST301");
    portal.get(&object(&b)).bearer(token).send().await.refused(400, "AccessDenied");
    // A token signed for another purpose is no link.
    let claims = json!({
        "url": format!("client-documents/{a}"), "scope": "upload", "sub": joao.id, "iat": 0, "exp": i64::MAX,
    });
    let upload = portal.app.keys.sign_link(&claims);
    let forged = format!("/storage/v1/object/sign/client-documents/{a}?token={upload}");
    let refusal = follow(portal, &forged).await.refused(400, "InvalidSignature").json();
    assert_eq!(refusal["message"], "Token is not scoped for download");
});

portal_test!(link_ends_with_the_access_of_its_creator, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let document = portal.document(&joao, "contratos", "a.pdf").await;
    let row = format!("/rest/v1/documents?id=eq.{}", document.id);
    let (theirs, ours) = (
        link(portal, &joao, &document.path, 600).await,
        link(portal, &ana, &document.path, 600).await,
    );
    let set = |status: &str| portal.patch(&row).auth(&ana).json(&json!({"status": status})).send();

    set("pending").await.is(204);
    follow(portal, &theirs).await.refused(400, "NoSuchKey");
    follow(portal, &ours).await.is(200);
    set("active").await.is(204);
    follow(portal, &theirs).await.is(200);

    let account = format!("/auth/v1/admin/users/{}", joao.id);
    let ban =
        |time: &str| portal.put(&account).auth(&ana).json(&json!({"ban_duration": time})).send();
    ban("1h").await.is(200);
    follow(portal, &theirs).await.refused(400, "AccessDenied");
    ban("none").await.is(200);
    // Signing out does not revoke links.
    portal.post("/auth/v1/logout").auth(&joao).send().await.is(204);
    follow(portal, &theirs).await.is(200);

    portal.delete(&row).auth(&ana).send().await.is(204);
    follow(portal, &theirs).await.refused(400, "NoSuchKey");
    follow(portal, &ours).await.refused(400, "NoSuchKey");
});

portal_test!(link_requires_access_to_the_file_and_a_bounded_lifetime, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let path = portal.document(&joao, "contratos", "a.pdf").await.path;
    sign(portal, &maria, &path, 60.into()).await.refused(400, "NoSuchKey");
    for seconds in [json!(0), json!(-1), json!("60"), json!(null), json!(1.5)] {
        sign(portal, &joao, &path, seconds).await.refused(400, "InvalidRequest");
    }
    let long = link(portal, &joao, &path, i64::MAX).await;
    portal.advance(SignedDuration::from_hours(7 * 24));
    follow(portal, &long).await.refused(400, "InvalidJWT");
});
