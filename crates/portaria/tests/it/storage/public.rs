//! Public buckets: readable by name, not listable.

use serde_json::json;

use crate::harness::{TestPortal, object, portal_test};
use crate::storage::{bucket, list, office, put};

fn ways(place: &str) -> Vec<String> {
    ["object/public", "object/info/public"].map(|way| format!("/storage/v1/{way}/{place}")).to_vec()
}

async fn is_open(world: &TestPortal, place: &str) {
    for way in ways(place) {
        world.get(&way).without("apikey").send().await.is(200);
        world.head(&way).without("apikey").send().await.is(200);
    }
}

portal_test!(public_file_is_readable_by_name_only, async |world| {
    let joao = world.client("joao").await;
    bucket(world, "avatars", json!({"public": true})).await;
    put(world, "avatars/jo%C3%A3o/a.txt", "olá").await.is(200);
    is_open(world, "avatars/jo%C3%A3o/a.txt").await;
    let file = world.get("/storage/v1/object/public/avatars/jo%C3%A3o/a.txt").without("apikey");
    let file = file.send().await.is(200);
    assert_eq!(file.body, "olá");
    assert_eq!(file.header("cache-control"), "no-cache");
    for way in ways("avatars/jo%C3%A3o/b.txt") {
        world.get(&way).without("apikey").send().await.refused(400, "NoSuchKey");
    }
    // The same with a key, and as a client.
    for token in [&joao.token, &world.app.keys.anon] {
        for way in ["object", "object/authenticated", "object/info", "object/info/authenticated"] {
            let way =
                world.get(&format!("/storage/v1/{way}/avatars/jo%C3%A3o/a.txt")).bearer(token);
            way.send().await.is(200);
        }
        // Lists and writes are refused.
        assert_eq!(list(world, token, "avatars", json!({})).await, json!([]));
        let v2 = world.post("/storage/v1/object/list-v2/avatars").bearer(token).json(&json!({}));
        let nothing = json!({"hasNext": false, "folders": [], "objects": []});
        assert_eq!(v2.send().await.is(200).json(), nothing);
        let upload = world.post("/storage/v1/object/avatars/b.txt").bearer(token);
        upload.bytes("text/plain", "x").send().await.refused(400, "AccessDenied");
        let delete = world.delete("/storage/v1/object/avatars/jo%C3%A3o/a.txt").bearer(token);
        delete.send().await.refused(400, "AccessDenied");
        let remove = world.delete("/storage/v1/object/avatars").bearer(token);
        let remove = remove.json(&json!({"prefixes": ["joão/a.txt"]})).send().await;
        assert_eq!(remove.is(200).json(), json!([]));
    }
    is_open(world, "avatars/jo%C3%A3o/a.txt").await;
});

portal_test!(bucket_made_private_is_not_readable, async |world| {
    let joao = world.client("joao").await;
    bucket(world, "avatars", json!({"public": true})).await;
    put(world, "avatars/a.txt", "olá").await.is(200);
    let sign = |token: &str| {
        let sign = world.post("/storage/v1/object/sign/avatars/a.txt").bearer(token);
        sign.json(&json!({"expiresIn": 60})).send()
    };
    let link = sign(&joao.token).await.is(200).json();
    // A link without a creator would have the rights of the office.
    sign(&world.app.keys.anon).await.refused(400, "NoSuchKey");
    let link = format!("/storage/v1{}", link["signedURL"].as_str().unwrap());
    world.get(&link).without("apikey").send().await.is(200);

    let close = office(world, "PUT", "bucket/avatars").json(&json!({"public": false}));
    close.send().await.is(200);
    for way in ways("avatars/a.txt") {
        world.get(&way).without("apikey").send().await.refused(400, "NoSuchBucket");
    }
    world.get(&link).without("apikey").send().await.refused(400, "NoSuchBucket");
    for token in [&joao.token, &world.app.keys.anon] {
        for way in ["object", "object/info", "render/image/authenticated"] {
            let ask = |bucket: &str| {
                let request = world.get(&format!("/storage/v1/{way}/{bucket}/a.txt"));
                request.bearer(token).send()
            };
            let closed = ask("avatars").await.refused(400, "NoSuchBucket");
            assert_eq!(closed.seen(), ask("ghost").await.seen());
        }
    }
    office(world, "GET", "object/avatars/a.txt").send().await.is(200);
});

portal_test!(document_name_grants_nothing_in_another_bucket, async |world| {
    let joao = world.client("joao").await;
    let path = world.document(&joao, "contratos", "a.pdf").await.path;
    bucket(world, "other", json!({})).await;
    put(world, &format!("other/{path}"), "not theirs").await.is(200);
    world.get(&object(&path)).as_(&joao).send().await.is(200);
    let other = world.get(&format!("/storage/v1/object/other/{path}")).as_(&joao).send().await;
    other.refused(400, "NoSuchBucket");
    assert_eq!(list(world, &joao.token, "client-documents", json!({})).await[0]["name"], "public");
    assert_eq!(list(world, &joao.token, "other", json!({})).await, json!([]));
});

portal_test!(image_is_served_unmodified, async |world| {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    bucket(world, "avatars", json!({"public": true})).await;
    let upload = office(world, "POST", "object/avatars/a.png");
    upload.bytes("text/plain;charset=UTF-8", png.to_vec()).send().await.is(200);
    put(world, "avatars/a.txt", "texto").await.is(200);
    let sign = office(world, "POST", "object/sign/avatars/a.png");
    let sign = sign.json(&json!({"expiresIn": 60, "transform": {"width": 10}})).send().await;
    let link = sign.is(200).json()["signedURL"].as_str().unwrap().to_owned();
    for path in [
        "render/image/public/avatars/a.png?width=10".to_owned(),
        "render/image/authenticated/avatars/a.png".to_owned(),
        link.replace("/object/sign/", "render/image/sign/"),
    ] {
        let picture = office(world, "GET", &path).send().await.is(200);
        assert_eq!(picture.header("content-type"), "image/png", "{path}");
        assert_eq!(picture.header("content-disposition"), "");
        assert_eq!(picture.body, png.as_slice());
    }
    let text = office(world, "GET", "render/image/public/avatars/a.txt").send().await;
    text.refused(400, "InvalidRequest");
});

portal_test!(cache_purge_succeeds_without_a_cache, async |world| {
    bucket(world, "avatars", json!({})).await;
    for path in ["cdn/avatars", "cdn/avatars/a/b.png", "cdn/avatars?transformations=true"] {
        let purged = office(world, "DELETE", path).json(&json!({})).send().await;
        assert_eq!(purged.is(200).json(), json!({"message": "success"}));
    }
});
