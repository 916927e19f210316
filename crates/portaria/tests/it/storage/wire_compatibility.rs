//! Details of the wire format that clients of the original rely on.

use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Value, json};

use crate::harness::{object, portal_test};
use crate::storage::{bucket, list, names, office, put};

portal_test!(numbers_and_booleans_are_accepted_as_texts, async |portal| {
    let joao = portal.client("joao").await;
    let path = portal.document(&joao, "contratos", "a.pdf").await.path;
    let sign = portal.post(&object(&path).replace("/object/", "/object/sign/")).auth(&joao);
    let url = sign.json(&json!({"expiresIn": "60"})).send().await.is(200).json();
    let url = format!("/storage/v1{}", url["signedURL"].as_str().unwrap());
    portal.get(&url).without("apikey").send().await.is(200);
    let sign = portal.post("/storage/v1/object/sign/client-documents").auth(&joao);
    let urls = sign.json(&json!({"expiresIn": "60", "paths": [path]})).send().await.is(200).json();
    assert!(urls[0]["signedURL"].is_string(), "{urls}");
    for life in ["", "0", "-1", "1.5", "an hour"] {
        let sign = portal.post(&object(&path).replace("/object/", "/object/sign/")).auth(&joao);
        let refused = sign.json(&json!({"expiresIn": life})).send().await;
        refused.refused(400, "InvalidRequest");
    }

    bucket(portal, "files", json!({"public": "true"})).await;
    for name in ["a/1", "a/2", "b", "c"] {
        put(portal, &format!("files/{name}"), "x").await.is(200);
    }
    portal.get("/storage/v1/object/public/files/b").without("apikey").send().await.is(200);
    let key = portal.app.keys.service_role.clone();
    let page = list(portal, &key, "files", json!({"limit": "1", "offset": "1"})).await;
    assert_eq!(names(&page), ["b"]);
    let page = json!({"limit": "2", "cursor": "", "with_delimiter": "true"});
    let page = office(portal, "POST", "object/list-v2/files").json(&page).send().await.is(200);
    let page = page.json();
    assert_eq!(page["folders"][0]["name"], "a/");
    assert_eq!(page["objects"][0]["name"], "b");
    assert_eq!(page["hasNext"], true);
    for body in [json!({"limit": "0"}), json!({"limit": "x"}), json!({"cursor": "x"})] {
        let refused = office(portal, "POST", "object/list-v2/files").json(&body).send().await;
        refused.refused(400, "InvalidRequest");
    }
});

portal_test!(copy_without_metadata_takes_the_header, async |portal| {
    bucket(portal, "files", json!({})).await;
    let encode = |value: &Value| BASE64_STANDARD.encode(value.to_string());
    let upload = office(portal, "POST", "object/files/a.txt").bytes("text/plain", "x");
    upload.header("x-metadata", &encode(&json!({"of": "source"}))).send().await.is(200);
    let copy = async |name: &str, copies: Value, header: &str| {
        let body = json!({
            "bucketId": "files", "sourceKey": "a.txt", "destinationKey": name,
            "copyMetadata": copies, "metadata": {"mimetype": "text/plain"},
        });
        let request = office(portal, "POST", "object/copy").header("x-metadata", header);
        request.json(&body).send().await.is(200);
        let info = office(portal, "GET", &format!("object/info/files/{name}")).send().await;
        info.is(200).json()["metadata"].clone()
    };
    let header = encode(&json!({"copied": "yes"}));
    assert_eq!(copy("b.txt", json!(false), &header).await, json!({"copied": "yes"}));
    assert_eq!(copy("c.txt", json!("false"), &header).await, json!({"copied": "yes"}));
    assert_eq!(copy("d.txt", json!(true), &header).await, json!({"of": "source"}));
    assert_eq!(copy("e.txt", json!(null), &header).await, json!({"of": "source"}));
    assert_eq!(copy("f.txt", json!(false), "not base64").await, json!({}));
});

portal_test!(metadata_of_a_file_has_its_entity_tag, async |portal| {
    bucket(portal, "files", json!({"public": true})).await;
    put(portal, "files/a.txt", "x").await.is(200);
    let file = office(portal, "GET", "object/files/a.txt").send().await.is(200);
    for way in ["info", "info/authenticated", "info/public"] {
        let path = format!("object/{way}/files/a.txt");
        for method in ["HEAD", "GET"] {
            let info = office(portal, method, &path).send().await.is(200);
            assert_eq!(info.header("etag"), file.header("etag"), "{method} {path}");
        }
        let missing = office(portal, "HEAD", &path.replace("a.txt", "b.txt")).send().await;
        assert_eq!(missing.is(400).header("etag"), "");
    }
});

portal_test!(request_without_credentials_is_refused_like_one_with_a_wrong_form, async |portal| {
    let refused = portal.get("/storage/v1/bucket").without("apikey").send().await;
    let refused = refused.refused(400, "InvalidRequest").json();
    assert_eq!((&refused["statusCode"], &refused["error"]), (&json!("400"), &json!("Error")));
    assert!(refused["message"].as_str().unwrap().contains("authorization"), "{refused}");
    let refused = portal.get("/storage/v1/bucket").without("apikey").bearer("not-a-jwt");
    let refused = refused.send().await.refused(400, "AccessDenied").json();
    assert_eq!(
        (&refused["statusCode"], &refused["error"]),
        (&json!("403"), &json!("Unauthorized"))
    );
});

portal_test!(status_and_version_need_no_key, async |portal| {
    portal.get("/storage/v1/status").without("apikey").send().await.is(200);
    let version = portal.get("/storage/v1/version").without("apikey").send().await.is(200);
    assert_eq!(version.text(), env!("CARGO_PKG_VERSION"));
});

portal_test!(download_name_is_quoted_only_if_necessary, async |portal| {
    bucket(portal, "files", json!({})).await;
    put(portal, "files/a.txt", "x").await.is(200);
    for (query, expected) in [
        ("?download", "attachment; filename=a.txt; filename*=UTF-8''a.txt"),
        ("?download=b.txt", "attachment; filename=b.txt; filename*=UTF-8''b.txt"),
        ("?download=b+c.txt", "attachment; filename=\"b c.txt\"; filename*=UTF-8''b%20c.txt"),
    ] {
        let file = office(portal, "GET", &format!("object/files/a.txt{query}")).send().await;
        assert_eq!(file.is(200).header("content-disposition"), expected);
    }
});
