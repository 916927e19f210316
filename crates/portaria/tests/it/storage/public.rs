//! Public buckets: readable by name, not listable.

use serde_json::json;

use crate::harness::{TestPortal, object, portal_test};
use crate::storage::{bucket, list, office, put};

fn public_urls(place: &str) -> Vec<String> {
    ["object/public", "object/info/public"].map(|way| format!("/storage/v1/{way}/{place}")).to_vec()
}

async fn is_open(portal: &TestPortal, place: &str) {
    for way in public_urls(place) {
        portal.get(&way).without("apikey").send().await.is(200);
        portal.head(&way).without("apikey").send().await.is(200);
    }
}

portal_test!(public_file_is_readable_by_name_only, async |portal| {
    let joao = portal.client("joao").await;
    bucket(portal, "avatars", json!({"public": true})).await;
    put(portal, "avatars/jo%C3%A3o/a.txt", "olá").await.is(200);
    is_open(portal, "avatars/jo%C3%A3o/a.txt").await;
    let file = portal.get("/storage/v1/object/public/avatars/jo%C3%A3o/a.txt").without("apikey");
    let file = file.send().await.is(200);
    assert_eq!(file.body, "olá");
    assert_eq!(file.header("cache-control"), "no-cache");
    for way in public_urls("avatars/jo%C3%A3o/b.txt") {
        portal.get(&way).without("apikey").send().await.refused(400, "NoSuchKey");
    }
    // The same with a key, and as a client.
    for token in [&joao.token, &portal.app.keys.anon] {
        for way in ["object", "object/authenticated", "object/info", "object/info/authenticated"] {
            let way =
                portal.get(&format!("/storage/v1/{way}/avatars/jo%C3%A3o/a.txt")).bearer(token);
            way.send().await.is(200);
        }
        // Lists and writes are refused.
        assert_eq!(list(portal, token, "avatars", json!({})).await, json!([]));
        let v2 = portal.post("/storage/v1/object/list-v2/avatars").bearer(token).json(&json!({}));
        let nothing = json!({"hasNext": false, "folders": [], "objects": []});
        assert_eq!(v2.send().await.is(200).json(), nothing);
        let upload = portal.post("/storage/v1/object/avatars/b.txt").bearer(token);
        upload.bytes("text/plain", "x").send().await.refused(400, "AccessDenied");
        let delete = portal.delete("/storage/v1/object/avatars/jo%C3%A3o/a.txt").bearer(token);
        delete.send().await.refused(400, "AccessDenied");
        let remove = portal.delete("/storage/v1/object/avatars").bearer(token);
        let remove = remove.json(&json!({"prefixes": ["joão/a.txt"]})).send().await;
        assert_eq!(remove.is(200).json(), json!([]));
    }
    is_open(portal, "avatars/jo%C3%A3o/a.txt").await;
});

portal_test!(public_file_needs_no_key_on_the_other_routes, async |portal| {
    let joao = portal.client("joao").await;
    bucket(portal, "avatars", json!({"public": true})).await;
    bucket(portal, "closed", json!({})).await;
    let document = portal.document(&joao, "contratos", "a.pdf").await.path;
    let document = format!("client-documents/{document}");
    for place in ["avatars/a.txt", "closed/a.txt"] {
        put(portal, place, "olá").await.is(200);
    }
    let ask = |way: &str, place: &str| {
        portal.get(&format!("/storage/v1/{way}/{place}")).without("apikey").send()
    };
    for way in ["object", "object/authenticated", "object/info", "object/info/authenticated"] {
        ask(way, "avatars/a.txt").await.is(200);
        let head = portal.head(&format!("/storage/v1/{way}/avatars/a.txt")).without("apikey");
        head.send().await.is(200);
        ask(way, "avatars/b.txt").await.refused(400, "NoSuchKey");
        // A private bucket looks like a missing one.
        let missing = ask(way, "missing/a.txt").await.refused(400, "NoSuchBucket").seen();
        assert_eq!(ask(way, "closed/a.txt").await.seen(), missing);
        assert_eq!(ask(way, &document).await.seen(), missing);
    }
    // Everything else needs a key.
    for way in ["object/sign", "object"] {
        let write = portal.post(&format!("/storage/v1/{way}/avatars/a.txt")).without("apikey");
        let write = write.json(&json!({"expiresIn": 60})).send().await;
        write.refused(400, "InvalidRequest");
    }
    let delete = portal.delete("/storage/v1/object/avatars/a.txt").without("apikey");
    delete.send().await.refused(400, "InvalidRequest");
});

portal_test!(bucket_made_private_is_not_readable, async |portal| {
    let joao = portal.client("joao").await;
    bucket(portal, "avatars", json!({"public": true})).await;
    put(portal, "avatars/a.txt", "olá").await.is(200);
    let sign = |token: &str| {
        let sign = portal.post("/storage/v1/object/sign/avatars/a.txt").bearer(token);
        sign.json(&json!({"expiresIn": 60})).send()
    };
    let link = sign(&joao.token).await.is(200).json();
    // A link without a creator would have the rights of the office.
    sign(&portal.app.keys.anon).await.refused(400, "NoSuchKey");
    let link = format!("/storage/v1{}", link["signedURL"].as_str().unwrap());
    portal.get(&link).without("apikey").send().await.is(200);

    let close = office(portal, "PUT", "bucket/avatars").json(&json!({"public": false}));
    close.send().await.is(200);
    for way in public_urls("avatars/a.txt") {
        portal.get(&way).without("apikey").send().await.refused(400, "NoSuchBucket");
    }
    portal.get(&link).without("apikey").send().await.refused(400, "NoSuchBucket");
    for token in [&joao.token, &portal.app.keys.anon] {
        for way in ["object", "object/info", "render/image/authenticated"] {
            let ask = |bucket: &str| {
                let request = portal.get(&format!("/storage/v1/{way}/{bucket}/a.txt"));
                request.bearer(token).send()
            };
            let closed = ask("avatars").await.refused(400, "NoSuchBucket");
            assert_eq!(closed.seen(), ask("ghost").await.seen());
        }
    }
    office(portal, "GET", "object/avatars/a.txt").send().await.is(200);
});

portal_test!(document_name_grants_nothing_in_another_bucket, async |portal| {
    let joao = portal.client("joao").await;
    let path = portal.document(&joao, "contratos", "a.pdf").await.path;
    bucket(portal, "other", json!({})).await;
    put(portal, &format!("other/{path}"), "not theirs").await.is(200);
    portal.get(&object(&path)).auth(&joao).send().await.is(200);
    let other = portal.get(&format!("/storage/v1/object/other/{path}")).auth(&joao).send().await;
    other.refused(400, "NoSuchBucket");
    assert_eq!(list(portal, &joao.token, "client-documents", json!({})).await[0]["name"], "public");
    assert_eq!(list(portal, &joao.token, "other", json!({})).await, json!([]));
});

portal_test!(image_is_served_unmodified_without_a_transformation, async |portal| {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    bucket(portal, "avatars", json!({"public": true})).await;
    let upload = office(portal, "POST", "object/avatars/a.png");
    upload.bytes("text/plain;charset=UTF-8", png.to_vec()).send().await.is(200);
    put(portal, "avatars/a.txt", "texto").await.is(200);
    let sign = office(portal, "POST", "object/sign/avatars/a.png");
    let sign = sign.json(&json!({"expiresIn": 60})).send().await;
    let link = sign.is(200).json()["signedURL"].as_str().unwrap().to_owned();
    for path in [
        "render/image/public/avatars/a.png?format=origin".to_owned(),
        "render/image/authenticated/avatars/a.png".to_owned(),
        link.replace("/object/sign/", "render/image/sign/"),
    ] {
        let picture = office(portal, "GET", &path).send().await.is(200);
        assert_eq!(picture.header("content-type"), "image/png", "{path}");
        assert_eq!(picture.header("content-disposition"), "");
        assert_eq!(picture.body, png.as_slice());
    }
    let text = office(portal, "GET", "render/image/public/avatars/a.txt").send().await;
    text.refused(400, "InvalidRequest");
});

portal_test!(cache_purge_succeeds_without_a_cache, async |portal| {
    bucket(portal, "avatars", json!({})).await;
    for path in ["cdn/avatars", "cdn/avatars/a/b.png", "cdn/avatars?transformations=true"] {
        let purged = office(portal, "DELETE", path).json(&json!({})).send().await;
        assert_eq!(purged.is(200).json(), json!({"message": "success"}));
    }
});
