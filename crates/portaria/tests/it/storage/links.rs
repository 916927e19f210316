//! Signed download links: bound to a file, a lifetime, and the access of their creator.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::harness::{PDF, TestPortal, TestUser, object, portal_test, request::Answer};

async fn sign(world: &TestPortal, person: &TestUser, path: &str, seconds: Value) -> Answer {
    let request = world.post(&object(path).replace("/object/", "/object/sign/")).as_(person);
    request.json(&json!({"expiresIn": seconds})).send().await
}

/// The URL of a link as the client library builds it from the response.
async fn link(world: &TestPortal, person: &TestUser, path: &str, seconds: i64) -> String {
    let answer = sign(world, person, path, seconds.into()).await.is(200).json();
    format!("/storage/v1{}", answer["signedURL"].as_str().unwrap())
}

/// Opens a link without an API key or a session.
async fn follow(world: &TestPortal, link: &str) -> Answer {
    world.get(link).without("apikey").send().await
}

portal_test!(link_opens_its_file_until_it_expires, async |world| {
    let joao = world.client("joao").await;
    let path = world.document(&joao, "contratos", "a.pdf").await.path;
    let link = link(world, &joao, &path, 60).await;
    assert!(link.starts_with(&format!("/storage/v1/object/sign/client-documents/{path}?token=")));
    let file = follow(world, &link).await.is(200);
    assert_eq!(file.body, PDF);
    assert_eq!(file.header("content-disposition"), "");
    assert_eq!(file.header("content-security-policy"), "default-src 'none'; sandbox");
    let named =
        follow(world, &format!("{link}&download=Declara%25C3%25A7%25C3%25A3o+n+3.pdf")).await;
    assert_eq!(
        named.is(200).header("content-disposition"),
        "attachment; filename=\"Declara__o n 3.pdf\"; filename*=UTF-8''Declara%C3%A7%C3%A3o%20n%203.pdf"
    );
    let part = world.get(&link).without("apikey").header("range", "bytes=0-3").send().await;
    assert_eq!(part.is(206).body, PDF[..4]);

    world.wait(SignedDuration::from_secs(59));
    follow(world, &link).await.is(200);
    world.wait(SignedDuration::from_secs(1));
    let expired = follow(world, &link).await.refused(400, "InvalidJWT").json();
    assert_eq!(expired["message"], "\"exp\" claim timestamp check failed");
});

portal_test!(link_is_bound_to_its_file, async |world| {
    let joao = world.client("joao").await;
    let (a, b) = (
        world.document(&joao, "contratos", "a.pdf").await.path,
        world.document(&joao, "contratos", "b.pdf").await.path,
    );
    let link = link(world, &joao, &a, 60).await;
    let token = link.split_once("?token=").unwrap().1;
    follow(world, &link.replace("a.pdf", "b.pdf")).await.refused(400, "InvalidSignature");
    for token in [
        "",
        "x",
        "a.b.c",
        &joao.token,
        &world.app.keys.service_role,
        &token[1..],
        &token[..token.len() - 1],
    ] {
        let forged = format!("/storage/v1/object/sign/client-documents/{a}?token={token}");
        follow(world, &forged).await.refused(400, "InvalidJWT");
    }
    follow(world, link.split_once('?').unwrap().0).await.refused(400, "InvalidJWT");
    // The token opens nothing else.
    world.get("/rest/v1/documents").bearer(token).send().await.refused(401, "PGRST301");
    world.get(&object(&b)).bearer(token).send().await.refused(400, "AccessDenied");
    // A token signed for another purpose is no link.
    let claims = json!({
        "url": format!("client-documents/{a}"), "scope": "upload", "sub": joao.id, "iat": 0, "exp": i64::MAX,
    });
    let upload = world.app.keys.sign_link(&claims);
    let forged = format!("/storage/v1/object/sign/client-documents/{a}?token={upload}");
    let refusal = follow(world, &forged).await.refused(400, "InvalidSignature").json();
    assert_eq!(refusal["message"], "Token is not scoped for download");
});

portal_test!(link_ends_with_the_access_of_its_creator, async |world| {
    let (ana, joao) = (world.admin().await, world.client("joao").await);
    let document = world.document(&joao, "contratos", "a.pdf").await;
    let row = format!("/rest/v1/documents?id=eq.{}", document.id);
    let (theirs, ours) = (
        link(world, &joao, &document.path, 600).await,
        link(world, &ana, &document.path, 600).await,
    );
    let set = |status: &str| world.patch(&row).as_(&ana).json(&json!({"status": status})).send();

    set("pending").await.is(204);
    follow(world, &theirs).await.refused(400, "NoSuchKey");
    follow(world, &ours).await.is(200);
    set("active").await.is(204);
    follow(world, &theirs).await.is(200);

    let account = format!("/auth/v1/admin/users/{}", joao.id);
    let ban =
        |time: &str| world.put(&account).as_(&ana).json(&json!({"ban_duration": time})).send();
    ban("1h").await.is(200);
    follow(world, &theirs).await.refused(400, "AccessDenied");
    ban("none").await.is(200);
    // Signing out does not revoke links.
    world.post("/auth/v1/logout").as_(&joao).send().await.is(204);
    follow(world, &theirs).await.is(200);

    world.delete(&row).as_(&ana).send().await.is(204);
    follow(world, &theirs).await.refused(400, "NoSuchKey");
    follow(world, &ours).await.refused(400, "NoSuchKey");
});

portal_test!(link_requires_access_to_the_file_and_a_bounded_lifetime, async |world| {
    let (joao, maria) = (world.client("joao").await, world.client("maria").await);
    let path = world.document(&joao, "contratos", "a.pdf").await.path;
    sign(world, &maria, &path, 60.into()).await.refused(400, "NoSuchKey");
    for seconds in [json!(0), json!(-1), json!("60"), json!(null), json!(1.5)] {
        sign(world, &joao, &path, seconds).await.refused(400, "InvalidRequest");
    }
    let long = link(world, &joao, &path, i64::MAX).await;
    world.wait(SignedDuration::from_hours(7 * 24));
    follow(world, &long).await.refused(400, "InvalidJWT");
});
