//! Buckets: managed by the office, invisible to everyone else.

use serde_json::{Value, json};

use crate::harness::{TestPortal, portal_test, request::Request};
use crate::storage::{bucket, names, office, on_disk, put};

portal_test!(office_creates_changes_empties_and_deletes_buckets, async |portal| {
    let create = json!({
        "id": "avatars", "name": "avatars", "public": true, "file_size_limit": "1.5MB",
        "allowed_mime_types": ["image/*"],
    });
    let made = office(portal, "POST", "bucket").json(&create).send().await.is(200).json();
    assert_eq!(made, json!({"name": "avatars"}));
    let again = office(portal, "POST", "bucket").json(&create).send().await;
    assert_eq!(again.refused(400, "BucketAlreadyExists").json()["error"], "Duplicate");

    let get = async || office(portal, "GET", "bucket/avatars").send().await.is(200).json();
    let now = "2026-11-21T15:00:00.000000+00:00";
    let mut known = json!({
        "id": "avatars", "name": "avatars", "owner": "", "public": true,
        "file_size_limit": 1_500_000, "allowed_mime_types": ["image/*"], "created_at": now, "updated_at": now,
    });
    assert_eq!(get().await, known);

    let update = async |body: Value| {
        let request = office(portal, "PUT", "bucket/avatars").json(&body);
        assert_eq!(request.send().await.is(200).json(), json!({"message": "Successfully updated"}));
    };
    update(json!({"public": false})).await;
    known["public"] = false.into();
    assert_eq!(get().await, known);
    update(json!({"file_size_limit": null, "allowed_mime_types": null})).await;
    (known["file_size_limit"], known["allowed_mime_types"]) = (Value::Null, Value::Null);
    assert_eq!(get().await, known);

    put(portal, "avatars/a.txt", "a").await.is(200);
    let full = office(portal, "DELETE", "bucket/avatars").json(&json!({})).send().await;
    assert_eq!(full.refused(400, "ResourceNotEmpty").json()["statusCode"], "409");
    let emptied = office(portal, "POST", "bucket/avatars/empty").json(&json!({})).send().await;
    assert!(emptied.is(200).json()["message"].is_string());
    office(portal, "GET", "object/avatars/a.txt").send().await.refused(400, "NoSuchKey");
    let removed = office(portal, "DELETE", "bucket/avatars").json(&json!({})).send().await;
    assert_eq!(removed.is(200).json(), json!({"message": "Successfully deleted"}));
    for (method, path) in [
        ("GET", "bucket/avatars"),
        ("DELETE", "bucket/avatars"),
        ("POST", "bucket/avatars/empty"),
        ("GET", "bucket/%00"),
        ("GET", "bucket/a%2Fb"),
        ("GET", "object/avatars/a.txt"),
        ("DELETE", "cdn/avatars"),
    ] {
        let answer = office(portal, method, path).send().await;
        assert_eq!(answer.refused(400, "NoSuchBucket").json()["message"], "Bucket not found");
    }
});

portal_test!(buckets_are_listed_in_pages, async |portal| {
    for name in ["c", "a", "B_b", "b%b"] {
        // A percent sign has no special meaning in a search.
        bucket(portal, &name.replace('%', "-"), json!({})).await;
    }
    let list = async |query: &str| {
        let list = office(portal, "GET", &format!("bucket{query}")).send().await.is(200).json();
        names(&list).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let own = [
        "client-documents",
        "deleted-documents",
        "document-versions",
        "inbox",
        "received-files",
        "ticket-attachments",
    ];
    assert_eq!(list("").await, [["B_b", "a", "b-b", "c"].as_slice(), &own].concat());
    assert_eq!(list("?limit=2&offset=1").await, ["a", "b-b"]);
    assert_eq!(list("?sortColumn=id&sortOrder=desc&limit=2").await, [own[5], own[4]]);
    assert_eq!(list("?sortColumn=created_at&limit=2").await, [own[0], own[5]]);
    assert_eq!(list("?search=b_").await, ["B_b"]);
    assert_eq!(list("?search=%25").await, Vec::<String>::new());
    for query in ["?limit=0", "?limit=x", "?offset=-1", "?sortColumn=owner", "?sortOrder=up"] {
        let answer = office(portal, "GET", &format!("bucket{query}")).send().await;
        answer.refused(400, "InvalidRequest");
    }
});

portal_test!(invalid_bucket_is_rejected, async |portal| {
    for (body, code) in [
        (json!({}), "InvalidRequest"),
        (json!([]), "InvalidRequest"),
        (json!({"name": ""}), "InvalidBucketName"),
        (json!({"name": "ação"}), "InvalidBucketName"),
        (json!({"name": " a"}), "InvalidBucketName"),
        (json!({"name": "public"}), "InvalidBucketName"),
        (json!({"name": "a", "id": "a/b"}), "InvalidBucketName"),
        (json!({"name": "a\u{0}"}), "InvalidRequest"),
        (json!({"name": 1}), "InvalidRequest"),
        (json!({"name": "a", "public": "yes"}), "InvalidRequest"),
        (json!({"name": "a", "file_size_limit": "10 bananas"}), "InvalidRequest"),
        (json!({"name": "a", "file_size_limit": -1}), "InvalidRequest"),
        (json!({"name": "a", "allowed_mime_types": ["nonsense"]}), "InvalidMimeType"),
        (json!({"name": "a", "allowed_mime_types": "image/png"}), "InvalidRequest"),
        (json!({"name": "a", "type": "ANALYTICS"}), "InvalidRequest"),
        (json!({"name": "a", "versioning_status": "ENABLED"}), "InvalidRequest"),
    ] {
        let answer = office(portal, "POST", "bucket").json(&body).send().await;
        assert_eq!(answer.refused(400, code).json()["statusCode"].as_str().unwrap().len(), 3);
    }
    let text =
        office(portal, "POST", "bucket").bytes("text/plain", "{\"name\":\"a\"}").send().await;
    assert_eq!(
        text.refused(400, "InvalidMimeType").json()["message"],
        "Invalid Content-Type header"
    );
    let huge = format!("{{\"name\":\"{}\"}}", "a".repeat(3_000_000));
    let huge = office(portal, "POST", "bucket").bytes("application/json", huge).send().await;
    huge.refused(400, "InvalidRequest");
    for body in [json!({}), json!({"versioning_status": "ENABLED"})] {
        let update = office(portal, "PUT", "bucket/client-documents").json(&body).send().await;
        update.refused(400, "InvalidRequest");
    }
});

/// Every operation on a bucket.
fn changes(portal: &TestPortal, id: &str) -> Vec<Request> {
    let at = |method: &str, rest: &str| {
        portal.request(method, &format!("/storage/v1/bucket/{id}{rest}"))
    };
    vec![
        portal.post("/storage/v1/bucket").json(&json!({"name": "new"})),
        portal.post("/storage/v1/bucket").json(&json!({})),
        at("PUT", "").json(&json!({"public": true})),
        at("POST", "/empty").json(&json!({})),
        at("DELETE", "").json(&json!({})),
        portal.delete(&format!("/storage/v1/cdn/{id}")),
        portal.delete(&format!("/storage/v1/cdn/{id}/a.pdf")),
    ]
}

portal_test!(buckets_are_hidden_from_clients_and_anonymous_callers, async |portal| {
    let joao = portal.client("joao").await;
    bucket(portal, "secret", json!({})).await;
    for token in [&joao.token, &portal.app.keys.anon] {
        for (theirs, ghost) in changes(portal, "secret").into_iter().zip(changes(portal, "ghost")) {
            let theirs = theirs.bearer(token).send().await.refused(400, "AccessDenied");
            assert_eq!(theirs.json()["statusCode"], "403");
            assert_eq!(theirs.seen(), ghost.bearer(token).send().await.seen());
        }
        let list = portal.get("/storage/v1/bucket").bearer(token).send().await;
        assert_eq!(list.is(200).json(), json!([]));
        for id in ["secret", "ghost", "client-documents"] {
            let one = portal.get(&format!("/storage/v1/bucket/{id}")).bearer(token).send().await;
            one.refused(400, "NoSuchBucket");
        }
    }
    let nothing = portal.get("/storage/v1/bucket").without("apikey").send().await;
    nothing.refused(400, "InvalidRequest");
    office(portal, "GET", "bucket/secret").send().await.is(200);
});

portal_test!(document_bucket_cannot_be_deleted_or_made_public, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let path = portal.document(&joao, "contratos", "a.pdf").await.path;
    for token in [&ana.token, &portal.app.keys.service_role] {
        let at = |method: &str| {
            portal.request(method, "/storage/v1/bucket/client-documents").bearer(token)
        };
        let open = json!({"public": true, "file_size_limit": 1000});
        at("PUT").json(&open).send().await.refused(400, "AccessDenied");
        at("DELETE").json(&json!({})).send().await.refused(400, "AccessDenied");
        let bucket = at("GET").send().await.is(200).json();
        assert_eq!((&bucket["public"], &bucket["file_size_limit"]), (&json!(false), &Value::Null));
        // The office may change its limits.
        at("PUT").json(&json!({"file_size_limit": "5MB"})).send().await.is(200);
        at("PUT").json(&json!({"public": false, "file_size_limit": null})).send().await.is(200);
    }
    let public = portal.get(&format!("/storage/v1/object/public/client-documents/{path}"));
    public.without("apikey").send().await.refused(400, "NoSuchBucket");
    assert_eq!(on_disk(portal), (1, 0));
});

portal_test!(bucket_records_its_creator, async |portal| {
    let ana = portal.admin().await;
    let create = portal.post("/storage/v1/bucket").auth(&ana).json(&json!({"name": "fotos"}));
    create.send().await.is(200);
    let bucket = portal.get("/storage/v1/bucket/fotos").auth(&ana).send().await.is(200).json();
    assert_eq!(bucket["owner"], ana.id);
    let upload = portal.post("/storage/v1/object/fotos/a.txt").auth(&ana);
    upload.bytes("text/plain", "a").send().await.is(200);
    let removed = portal.delete("/storage/v1/object/fotos").auth(&ana);
    let removed = removed.json(&json!({"prefixes": ["a.txt"]})).send().await.is(200).json();
    assert_eq!(removed[0]["owner"], ana.id);
    assert_eq!(removed[0]["bucket_id"], "fotos");
});
