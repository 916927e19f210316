//! Resumable uploads through the token of a signed upload URL.

use futures_util::future::join_all;
use jiff::SignedDuration;
use serde_json::json;

use crate::harness::{PDF, TestPortal, TestUser, object, portal_test, request::Request};
use crate::storage::{
    on_disk,
    tus::{WAY, metadata},
};

/// Signs the upload of a file and returns the token.
async fn sign(portal: &TestPortal, user: &TestUser, path: &str, upsert: &str) -> String {
    let request = portal.post(&format!("/storage/v1/object/upload/sign/client-documents/{path}"));
    let signed = request.auth(user).header("x-upsert", upsert).json(&json!({})).send().await;
    signed.is(200).json()["token"].as_str().unwrap().to_owned()
}

/// A request with a token and without any other credential.
fn ask(portal: &TestPortal, method: &str, path: &str, token: &str) -> Request {
    let request = portal.request(method, path).without("apikey");
    request.header("tus-resumable", "1.0.0").header("x-signature", token)
}

fn create(portal: &TestPortal, token: &str, name: &str) -> Request {
    let pairs = [("bucketName", "client-documents"), ("objectName", name)];
    ask(portal, "POST", &format!("{WAY}/sign"), token)
        .header("upload-length", &PDF.len().to_string())
        .header("upload-metadata", &metadata(&pairs))
}

fn piece(portal: &TestPortal, token: &str, upload: &str, offset: usize, bytes: &[u8]) -> Request {
    ask(portal, "PATCH", upload, token)
        .header("upload-offset", &offset.to_string())
        .bytes("application/offset+octet-stream", bytes.to_vec())
}

portal_test!(signed_token_uploads_its_file_in_parts, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let name = format!("public/{}/contratos/a.pdf", joao.id);
    let token = sign(portal, &ana, &name, "false").await;
    let created = create(portal, &token, &name).send().await.is(201);
    assert_eq!(created.header("tus-resumable"), "1.0.0");
    let upload = created.header("location").to_owned();
    assert!(upload.starts_with(&format!("{WAY}/sign/")), "{upload}");
    piece(portal, &token, &upload, 0, &PDF[..10]).send().await.is(204);
    let status = ask(portal, "HEAD", &upload, &token).send().await.is(200);
    assert_eq!(status.header("upload-offset"), "10");
    piece(portal, &token, &upload, 10, &PDF[10..]).send().await.is(204);
    let file = portal.get(&object(&name)).auth(&ana).send().await.is(200);
    assert_eq!(file.body, PDF);

    // The token does not permit a replacement, and the header of the request does not either.
    let again = create(portal, &token, &name).header("x-upsert", "true").send().await;
    again.refused(409, "KeyAlreadyExists");
    let token = sign(portal, &ana, &name, "true").await;
    let upload = create(portal, &token, &name).send().await.is(201).header("location").to_owned();
    ask(portal, "DELETE", &upload, &token).send().await.is(204);
    ask(portal, "HEAD", &upload, &token).send().await.is(404);
    assert_eq!(on_disk(portal), (1, 0));
});

portal_test!(signed_token_has_few_unfinished_uploads, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let name = |file: &str| format!("public/{}/contratos/{file}", joao.id);
    let token = sign(portal, &ana, &name("a.pdf"), "false").await;
    // Two tokens of one file share the limit, also at the same time.
    let again = sign(portal, &ana, &name("a.pdf"), "true").await;
    let created = join_all((0..8).map(|number| {
        let token = if number < 4 { &token } else { &again };
        create(portal, token, &name("a.pdf")).send()
    }));
    let (created, refused): (Vec<_>, Vec<_>) =
        created.await.into_iter().partition(|answer| answer.status == 201);
    assert_eq!(created.len(), 3);
    for answer in refused {
        answer.refused(409, "ResourceLocked");
    }
    // Other files have limits of their own, and a deletion makes room.
    let other = sign(portal, &ana, &name("b.pdf"), "false").await;
    create(portal, &other, &name("b.pdf")).send().await.is(201);
    let way = created[0].header("location");
    ask(portal, "DELETE", way, &again).send().await.is(204);
    let way = create(portal, &token, &name("a.pdf")).send().await.is(201);
    // A complete upload counts no longer.
    piece(portal, &token, way.header("location"), 0, PDF).send().await.is(204);
    create(portal, &again, &name("a.pdf")).send().await.is(201);
    create(portal, &again, &name("a.pdf")).send().await.refused(409, "ResourceLocked");
});

portal_test!(holder_of_a_token_takes_no_place_of_its_issuer, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let name = format!("public/{}/contratos/a.pdf", joao.id);
    let token = sign(portal, &ana, &name, "false").await;
    let issuer = ana.id.parse().unwrap();
    // The issuer holds the whole share.
    let permits: Vec<_> =
        std::iter::from_fn(|| portal.app.uploads_per_person.acquire(issuer)).collect();
    assert!(!permits.is_empty());
    let own = portal.post(&object(&name)).auth(&ana).bytes("application/pdf", PDF);
    own.send().await.refused(503, "ServerBusy");
    let way = create(portal, &token, &name).send().await.is(201).header("location").to_owned();
    piece(portal, &token, &way, 0, &PDF[..10]).send().await.is(204);
    let link = format!("/storage/v1/object/upload/sign/client-documents/{name}?token={token}");
    let sent = portal.put(&link).without("apikey").bytes("application/pdf", PDF);
    sent.send().await.is(200);
});

portal_test!(signed_token_reaches_uploads_of_its_file_alone, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let name = |file: &str| format!("public/{}/contratos/{file}", joao.id);
    let token = sign(portal, &ana, &name("a.pdf"), "false").await;
    let other = sign(portal, &ana, &name("b.pdf"), "false").await;
    create(portal, &token, &name("b.pdf")).send().await.refused(400, "InvalidSignature");
    let upload = create(portal, &token, &name("a.pdf")).send().await.is(201);
    let upload = upload.header("location").to_owned();
    for method in ["HEAD", "DELETE"] {
        ask(portal, method, &upload, &other).send().await.is(404);
    }
    piece(portal, &other, &upload, 0, PDF).send().await.refused(404, "NoSuchUpload");
    // The creator reaches the upload with the session too, no other person does.
    let plain = upload.replace("/sign/", "/");
    let status = portal.head(&plain).auth(&ana).header("tus-resumable", "1.0.0");
    status.send().await.is(200);
    let status = portal.head(&plain).auth(&joao).header("tus-resumable", "1.0.0");
    status.send().await.is(403);

    let missing = create(portal, "", &name("a.pdf")).without("x-signature").send().await;
    let missing = missing.refused(400, "InvalidSignature");
    assert_eq!(missing.header("tus-resumable"), "1.0.0");
    assert_eq!(missing.json()["message"], "Missing x-signature header");
    let download = portal.document(&joao, "contratos", "z.pdf").await.path;
    let signed = portal.post(&object(&download).replace("/object/", "/object/sign/")).auth(&ana);
    let signed = signed.json(&json!({"expiresIn": 60})).send().await.is(200).json();
    let (_, download) = signed["signedURL"].as_str().unwrap().split_once("token=").unwrap();
    create(portal, download, &name("a.pdf")).send().await.refused(400, "InvalidSignature");
    for forged in ["x", "a.b.c", &ana.token, &portal.app.keys.service_role, &token[1..]] {
        create(portal, forged, &name("a.pdf")).send().await.refused(400, "InvalidJWT");
    }
});

portal_test!(signed_token_ends_with_the_access_of_its_issuer, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let name = format!("public/{}/contratos/a.pdf", joao.id);
    let token = sign(portal, &ana, &name, "false").await;
    let upload = create(portal, &token, &name).send().await.is(201).header("location").to_owned();
    portal.post("/auth/v1/logout?scope=global").auth(&ana).send().await.is(204);
    piece(portal, &token, &upload, 0, PDF).send().await.refused(403, "AccessDenied");
    create(portal, &token, &name).send().await.refused(403, "AccessDenied");

    // The session in which a person changes the password stays, and its older tokens end.
    let ana = portal.sign_in(&ana.email).await;
    let token = sign(portal, &ana, &name, "false").await;
    let own = portal.put("/auth/v1/user").auth(&ana).json(&json!({"password": "senha-da-pessoa"}));
    own.send().await.is(200);
    create(portal, &token, &name).send().await.refused(403, "AccessDenied");

    portal.advance(SignedDuration::from_millis(1));
    let token = sign(portal, &ana, &name, "false").await;
    portal.advance(SignedDuration::from_secs(7200));
    let expired = create(portal, &token, &name).send().await.refused(400, "InvalidJWT");
    assert_eq!(expired.json()["message"], "\"exp\" claim timestamp check failed");
});
