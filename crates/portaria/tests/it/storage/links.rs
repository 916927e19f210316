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
    let missing = follow(portal, link.split_once('?').unwrap().0).await;
    let missing = missing.refused(400, "InvalidRequest").json();
    assert_eq!(missing["message"], "querystring must have required property 'token'");
    // The token opens nothing else.
    portal.get("/rest/v1/documents").bearer(token).send().await.refused(401, "PGRST301");
    portal.get(&object(&b)).bearer(token).send().await.refused(400, "AccessDenied");
    // A token signed for another purpose is no link.
    let claims = json!({
        "url": format!("client-documents/{a}"), "scope": "upload", "sub": joao.id,
        "iat": portal.now().as_second(), "exp": i64::MAX,
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
    follow(portal, &theirs).await.is(200);

    portal.delete(&row).auth(&ana).send().await.is(204);
    follow(portal, &theirs).await.refused(400, "NoSuchKey");
    follow(portal, &ours).await.refused(400, "NoSuchKey");
});

portal_test!(link_ends_with_the_session_or_password_of_its_creator, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let path = portal.document(&joao, "contratos", "a.pdf").await.path;
    let account = format!("/auth/v1/admin/users/{}", joao.id);

    let signed_out = portal.sign_in(&joao.email).await;
    let links =
        [link(portal, &joao, &path, 600).await, link(portal, &signed_out, &path, 600).await];
    portal.post("/auth/v1/logout?scope=global").auth(&joao).send().await.is(204);
    for link in &links {
        follow(portal, link).await.refused(400, "AccessDenied");
    }

    let joao = portal.sign_in(&joao.email).await;
    let reset = link(portal, &joao, &path, 600).await;
    let by_office = json!({"password": "senha-da-casa"});
    portal.put(&account).auth(&ana).json(&by_office).send().await.is(200);
    follow(portal, &reset).await.refused(400, "AccessDenied");

    // The session in which a person changes the password stays, and its older links end.
    let session = portal.try_sign_in(&joao.email, "senha-da-casa").await.is(200).json();
    let joao = TestUser::from_session(&session);
    let old = link(portal, &joao, &path, 600).await;
    let own = portal.put("/auth/v1/user").auth(&joao).json(&json!({"password": "senha-da-pessoa"}));
    own.send().await.is(200);
    follow(portal, &old).await.refused(400, "AccessDenied");
    portal.advance(SignedDuration::from_millis(1));
    let new = link(portal, &joao, &path, 600).await;
    follow(portal, &new).await.is(200);

    // A person who lost the account loses the links, also those that name a document.
    let beto = portal.client("beto").await;
    let service = &portal.app.keys.service_role;
    let beto_account = format!("/auth/v1/admin/users/{}", beto.id);
    let grant = portal.put(&beto_account).bearer(service);
    grant.json(&json!({"app_metadata": {"roles": ["admin"]}})).send().await.is(200);
    let deleted = link(portal, &beto, &path, 600).await;
    follow(portal, &deleted).await.is(200);
    portal.delete(&beto_account).auth(&ana).send().await.is(200);
    follow(portal, &deleted).await.refused(400, "AccessDenied");
});

portal_test!(link_ends_when_its_document_loses_its_owner, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let document = portal.document(&joao, "contratos", "a.pdf").await;
    let by_program = portal.post(&object(&document.path).replace("/object/", "/object/sign/"));
    let by_program = by_program.bearer(&portal.app.keys.service_role);
    let by_program = by_program.json(&json!({"expiresIn": 600})).send().await.is(200).json();
    let links = [
        link(portal, &ana, &document.path, 600).await,
        format!("/storage/v1{}", by_program["signedURL"].as_str().unwrap()),
    ];
    let hold = portal.patch(&format!("/rest/v1/documents?id=eq.{}", document.id)).auth(&ana);
    hold.json(&json!({"legal_hold_reason": "Processo 123"})).send().await.is(204);
    for link in &links {
        follow(portal, link).await.is(200);
    }
    portal.delete(&format!("/auth/v1/admin/users/{}", joao.id)).auth(&ana).send().await.is(200);
    for link in &links {
        follow(portal, link).await.refused(400, "NoSuchKey");
    }
    let fresh = link(portal, &ana, &document.path, 600).await;
    follow(portal, &fresh).await.is(200);
});

portal_test!(link_requires_access_to_the_file, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let path = portal.document(&joao, "contratos", "a.pdf").await.path;
    sign(portal, &maria, &path, 60.into()).await.refused(400, "NoSuchKey");
    for seconds in [json!(0), json!(-1), json!("60s"), json!(null), json!(1.5)] {
        sign(portal, &joao, &path, seconds).await.refused(400, "InvalidRequest");
    }
});

portal_test!(link_of_a_person_lives_an_hour_and_that_of_a_program_a_week, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let path = portal.document(&joao, "contratos", "a.pdf").await.path;
    let service = portal.app.keys.service_role.clone();
    let longest = 9_007_199_254_740_991;
    let many = async |token: &str| {
        let body = json!({"expiresIn": longest, "paths": [path]});
        let request = portal.post("/storage/v1/object/sign/client-documents").bearer(token);
        let urls = request.json(&body).send().await.is(200).json();
        format!("/storage/v1{}", urls[0]["signedURL"].as_str().unwrap())
    };
    let people = [
        link(portal, &joao, &path, longest).await,
        link(portal, &ana, &path, 7200).await,
        many(&joao.token).await,
    ];
    let program = many(&service).await;
    portal.advance(SignedDuration::from_secs(3599));
    for link in &people {
        follow(portal, link).await.is(200);
    }
    portal.advance(SignedDuration::from_secs(1));
    for link in &people {
        follow(portal, link).await.refused(400, "InvalidJWT");
    }
    portal.advance(SignedDuration::from_hours(7 * 24 - 1) - SignedDuration::from_secs(1));
    follow(portal, &program).await.is(200);
    portal.advance(SignedDuration::from_secs(1));
    follow(portal, &program).await.refused(400, "InvalidJWT");
});
