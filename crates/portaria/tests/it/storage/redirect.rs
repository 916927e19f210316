//! Links that lead to the bucket by a redirect (`storage_redirect`).

use jiff::SignedDuration;
use reqwest::StatusCode;
use serde_json::json;

use crate::harness::{
    PDF, TestPortal, TestUser, object, portal_test,
    request::{Answer, Request},
    s3::Bucket,
};
use crate::storage::{bucket, images::png, office};

/// Allows redirects. Returns the bucket of a portal that had none.
fn allow_redirects(portal: &mut TestPortal) -> Option<Bucket> {
    let bucket = portal.bucket.is_none().then(Bucket::create);
    if let Some(bucket) = &bucket {
        portal.set("storage_url", &bucket.url);
    }
    portal.set("storage_redirect", "true");
    bucket
}

/// A request with a signed link, without API key and session.
async fn link(portal: &TestPortal, user: &TestUser, path: &str, query: &str) -> Request {
    let sign = portal.post(&object(path).replace("/object/", "/object/sign/")).auth(user);
    let signed = sign.json(&json!({"expiresIn": 60})).send().await.is(200).json();
    let link = format!("/storage/v1{}{query}", signed["signedURL"].as_str().unwrap());
    portal.get(&link).without("apikey")
}

/// The URL to which a response leads.
fn target(answer: &Answer) -> String {
    answer.header("location").to_owned()
}

portal_test!(signed_link_leads_to_the_bucket, async |portal| {
    let _bucket = allow_redirects(portal);
    let joao = portal.client("joao").await;
    let path = portal.document(&joao, "contratos", "a.pdf").await.path;
    let answer = link(portal, &joao, &path, "").await.send().await.is(302);
    assert_eq!(answer.header("cache-control"), "no-store");
    assert_eq!(answer.header("referrer-policy"), "no-referrer");
    assert_eq!(answer.body, "");
    let url = target(&answer);
    assert!(url.starts_with(&format!("http://{}/", Bucket::server())), "{url}");
    for part in [
        "X-Amz-Expires=60&",
        "response-content-type=application%2Fpdf",
        "response-cache-control=private%2C%20no-cache",
    ] {
        assert!(url.contains(part), "{part}: {url}");
    }
    assert!(!url.contains("content-disposition"), "{url}");

    assert_eq!(reqwest::get(&url).await.unwrap().bytes().await.unwrap(), PDF);
    let client = reqwest::Client::new();
    let part = client.get(&url).header("range", "bytes=1-3").send().await.unwrap();
    assert_eq!(part.status(), StatusCode::PARTIAL_CONTENT);
    assert_eq!(part.bytes().await.unwrap(), PDF[1..4]);
    // The type is part of the signature.
    let forged = url.replace("application%2Fpdf", "text%2Fhtml");
    assert_eq!(reqwest::get(forged).await.unwrap().status(), StatusCode::FORBIDDEN);

    let saved = link(portal, &joao, &path, "&download=n%C2%BA%201.pdf").await.send().await;
    let url = target(&saved.is(302));
    let name = "response-content-disposition=attachment%3B%20filename%3D%22n_%201.pdf%22%3B%20filename%2A%3DUTF-8%27%27n%25C2%25BA%25201.pdf";
    assert!(url.contains(name), "{url}");
    assert_eq!(reqwest::get(&url).await.unwrap().bytes().await.unwrap(), PDF);
});

portal_test!(redirect_does_not_outlive_its_link, async |portal| {
    let _bucket = allow_redirects(portal);
    let joao = portal.client("joao").await;
    let path = portal.document(&joao, "contratos", "a.pdf").await.path;
    let (near_the_end, late) =
        (link(portal, &joao, &path, "").await, link(portal, &joao, &path, "").await);
    portal.advance(SignedDuration::from_secs(50));
    let url = target(&near_the_end.send().await.is(302));
    assert!(url.contains("X-Amz-Expires=10&"), "{url}");
    portal.advance(SignedDuration::from_secs(10));
    late.send().await.refused(400, "InvalidJWT");
});

portal_test!(redirect_needs_permission_and_is_recorded, async |portal| {
    let _bucket = allow_redirects(portal);
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let document = portal.document(&joao, "contratos", "a.pdf").await;
    let opened = async || {
        let events = portal.get("/rest/v1/activity?select=event&event=eq.file.opened").auth(&ana);
        events.send().await.is(200).json().as_array().unwrap().len()
    };
    link(portal, &ana, &document.path, "").await.send().await.is(302);
    assert_eq!(opened().await, 1);
    link(portal, &ana, &document.path, "").await.send().await.is(302);
    assert_eq!(opened().await, 1);
    // The bucket's URL opens the whole file, whatever part was requested.
    portal.advance(SignedDuration::from_mins(1));
    let rest = link(portal, &ana, &document.path, "").await.header("range", "bytes=1-");
    rest.send().await.is(302);
    assert_eq!(opened().await, 2);

    let hidden = link(portal, &joao, &document.path, "").await;
    let row = format!("/rest/v1/documents?id=eq.{}", document.id);
    portal.patch(&row).auth(&ana).json(&json!({"status": "pending"})).send().await.is(204);
    hidden.send().await.refused(400, "NoSuchKey");
});

portal_test!(only_pages_and_programs_with_a_link_are_redirected, async |portal| {
    let _bucket = allow_redirects(portal);
    let joao = portal.client("joao").await;
    let path = portal.document(&joao, "contratos", "a.pdf").await.path;
    let with = async |name: &str, value: &str| {
        link(portal, &joao, &path, "").await.header(name, value).send().await
    };
    with("sec-fetch-mode", "navigate").await.is(302);
    for (name, value) in [
        ("sec-fetch-mode", "cors"),
        ("sec-fetch-mode", "no-cors"),
        ("apikey", portal.app.keys.anon.as_str()),
        ("authorization", "Bearer x"),
    ] {
        assert_eq!(with(name, value).await.is(200).body, PDF, "{name}: {value}");
    }
    let signed_in = portal.get(&object(&path)).auth(&joao).send().await.is(200);
    assert_eq!(signed_in.body, PDF);
    // The portal answers what needs no bytes.
    let tag = signed_in.header("etag");
    assert_eq!(with("if-none-match", tag).await.is(304).body, "");
    with("range", "bytes=1000000-").await.refused(400, "InvalidRange");
});

portal_test!(public_file_leads_to_the_bucket_and_transformed_image_does_not, async |portal| {
    let _bucket = allow_redirects(portal);
    bucket(portal, "fotos", json!({"public": true})).await;
    let upload = office(portal, "POST", "object/fotos/a.png").header("cache-control", "max-age=60");
    upload.bytes("image/png", png(40, 20)).send().await.is(200);
    let read = |path: &str| portal.get(&format!("/storage/v1/{path}")).without("apikey").send();
    let url = target(&read("object/public/fotos/a.png").await.is(302));
    assert!(url.contains("response-cache-control=max-age%3D60&"), "{url}");
    assert_eq!(reqwest::get(&url).await.unwrap().bytes().await.unwrap(), png(40, 20));
    read("render/image/public/fotos/a.png").await.is(302);
    read("render/image/public/fotos/a.png?width=20").await.is(200);

    portal.set("storage_redirect", "false");
    let direct = portal.get("/storage/v1/object/public/fotos/a.png").without("apikey").send();
    assert_eq!(direct.await.is(200).body, png(40, 20));
});

portal_test!(redirects_need_a_bucket, async |portal| {
    portal.set("storage_url", "");
    let refused = portal.try_set("storage_redirect", "true").unwrap_err().to_string();
    assert_eq!(refused, "storage_redirect: it needs a bucket in storage_url");
});
