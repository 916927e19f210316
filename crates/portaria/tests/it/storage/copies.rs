//! Copies, which share their blob, and moves.

use jiff::SignedDuration;
use portaria::jobs::garbage_collect;
use serde_json::{Value, json};

use crate::harness::{PDF, TestPortal, object, portal_test, request::Answer};
use crate::storage::{bucket, office, on_disk, put};

async fn transfer(portal: &TestPortal, way: &str, from: (&str, &str), to: (&str, &str)) -> Answer {
    let body = json!({
        "bucketId": from.0, "sourceKey": from.1, "destinationBucket": to.0, "destinationKey": to.1,
    });
    office(portal, "POST", &format!("object/{way}")).json(&body).send().await
}

async fn text(portal: &TestPortal, place: &str) -> String {
    office(portal, "GET", &format!("object/{place}")).send().await.is(200).text()
}

async fn sweep_after(portal: &TestPortal, hours: i64) {
    portal.advance(SignedDuration::from_hours(hours));
    garbage_collect::run(&portal.app).await.unwrap();
}

async fn remove(portal: &TestPortal, bucket: &str, names: &[&str]) {
    let request = office(portal, "DELETE", &format!("object/{bucket}"));
    request.json(&json!({"prefixes": names})).send().await.is(200);
}

portal_test!(copies_share_a_blob_and_are_independent, async |portal| {
    for name in ["a", "b"] {
        bucket(portal, name, json!({})).await;
    }
    put(portal, "a/one.txt", "the text").await.is(200);
    let copy =
        transfer(portal, "copy", ("a", "one.txt"), ("b", "dir/two.txt")).await.is(200).json();
    assert_eq!(copy["Key"], "b/dir/two.txt");
    assert_eq!(copy["Id"], copy["id"]);
    assert_eq!(copy["name"], "dir/two.txt");
    transfer(portal, "copy", ("a", "one.txt"), ("a", "three.txt")).await.is(200);
    assert_eq!(on_disk(portal), (1, 0));

    remove(portal, "a", &["one.txt"]).await;
    sweep_after(portal, 2).await;
    assert_eq!(text(portal, "b/dir/two.txt").await, "the text");
    // A replaced copy releases the blob, which the other copy keeps.
    office(portal, "PUT", "object/a/three.txt").bytes("text/plain", "new").send().await.is(200);
    sweep_after(portal, 2).await;
    assert_eq!(on_disk(portal), (2, 0));
    assert_eq!(text(portal, "b/dir/two.txt").await, "the text");
    // A copy created after the garbage collection, and both copies deleted at once.
    transfer(portal, "copy", ("b", "dir/two.txt"), ("b", "four.txt")).await.is(200);
    remove(portal, "b", &["dir/two.txt", "four.txt"]).await;
    sweep_after(portal, 2).await;
    assert_eq!(on_disk(portal), (1, 0));
    sweep_after(portal, 48).await;
    assert_eq!(text(portal, "a/three.txt").await, "new");
});

portal_test!(copy_of_a_document_file_outlives_the_document, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    bucket(portal, "archive", json!({})).await;
    let document = portal.document(&joao, "contratos", "a.pdf").await;
    let from = ("client-documents", document.path.as_str());
    transfer(portal, "copy", from, ("archive", "a.pdf")).await.is(200);
    let row = format!("/rest/v1/documents?id=eq.{}", document.id);
    portal.delete(&row).auth(&ana).send().await.is(204);
    sweep_after(portal, 48).await;
    let copy = office(portal, "GET", "object/archive/a.pdf").send().await.is(200);
    assert_eq!(copy.body, PDF);
    assert_eq!(copy.header("content-type"), "application/pdf");
});

portal_test!(copy_takes_metadata_from_the_request, async |portal| {
    bucket(portal, "a", json!({})).await;
    let upload = office(portal, "POST", "object/a/one.txt").header("x-metadata", "eyJhIjoxfQ==");
    let upload = upload.header("cache-control", "max-age=60").bytes("text/plain", "x");
    upload.send().await.is(200);
    let copy = async |name: &str, mut fields: Value| {
        fields["bucketId"] = "a".into();
        fields["sourceKey"] = "one.txt".into();
        fields["destinationKey"] = name.into();
        office(portal, "POST", "object/copy").json(&fields).send().await.is(200);
        let info = office(portal, "GET", &format!("object/info/a/{name}")).send().await;
        let info = info.is(200).json();
        [&info["content_type"], &info["cache_control"], &info["metadata"]].map(Clone::clone)
    };
    let other = json!({"cacheControl": "max-age=5", "mimetype": "text/csv"});
    let same = [json!("text/plain"), json!("max-age=60"), json!({"a": 1})];
    assert_eq!(copy("two", json!({})).await, same);
    assert_eq!(copy("three", json!({"copyMetadata": true, "metadata": other})).await, same);
    assert_eq!(
        copy("four", json!({"copyMetadata": false, "metadata": other})).await,
        [json!("text/csv"), json!("max-age=5"), json!({})]
    );
});

portal_test!(moved_file_keeps_its_id, async |portal| {
    for name in ["a", "b"] {
        bucket(portal, name, json!({})).await;
    }
    put(portal, "a/one.txt", "the text").await.is(200);
    let before = office(portal, "GET", "object/info/a/one.txt").send().await.is(200).json();
    portal.advance(SignedDuration::from_secs(1));
    let moved = transfer(portal, "move", ("a", "one.txt"), ("b", "x/two.txt")).await.is(200).json();
    assert_eq!(
        moved,
        json!({"message": "Successfully moved", "Id": before["id"], "Key": "x/two.txt"})
    );
    office(portal, "GET", "object/a/one.txt").send().await.refused(400, "NoSuchKey");
    assert_eq!(text(portal, "b/x/two.txt").await, "the text");
    let after = office(portal, "GET", "object/info/b/x/two.txt").send().await.is(200).json();
    assert_eq!(after["created_at"], before["created_at"]);
    assert_ne!(after["version"], before["version"]);
    transfer(portal, "move", ("b", "x/two.txt"), ("b", "x/two.txt")).await.is(200);
    assert_eq!(text(portal, "b/x/two.txt").await, "the text");
    sweep_after(portal, 48).await;
    assert_eq!(on_disk(portal), (1, 0));
});

portal_test!(copy_and_move_require_a_source_and_a_free_target, async |portal| {
    bucket(portal, "a", json!({})).await;
    bucket(portal, "small", json!({"file_size_limit": 3, "allowed_mime_types": ["text/plain"]}))
        .await;
    put(portal, "a/one.txt", "the text").await.is(200);
    put(portal, "a/two.txt", "other").await.is(200);
    office(portal, "POST", "object/a/c.csv").bytes("text/csv", "a").send().await.is(200);
    for way in ["copy", "move"] {
        for (from, to, code) in [
            (("a", "one.txt"), ("a", "two.txt"), "KeyAlreadyExists"),
            (("a", "ghost"), ("a", "new"), "NoSuchKey"),
            (("a", "../one.txt"), ("a", "new"), "NoSuchKey"),
            (("ghost", "one.txt"), ("a", "new"), "NoSuchBucket"),
            (("a", "one.txt"), ("ghost", "new"), "NoSuchBucket"),
            (("a", "one.txt"), ("a", ""), "InvalidKey"),
            (("a", "one.txt"), ("a", "../new"), "InvalidKey"),
            (("a", "one.txt"), ("small", "new"), "EntityTooLarge"),
            (("a", "c.csv"), ("small", "new"), "InvalidMimeType"),
            (("a", "one.txt"), ("client-documents", "a.exe"), "InvalidMimeType"),
            (("a", "one.txt"), ("client-documents", "a.pdf"), "InvalidMimeType"),
            (("a", "one.txt"), ("client-documents", "public/x/nada/a.txt"), "InvalidKey"),
        ] {
            transfer(portal, way, from, to).await.refused(400, code);
        }
        let body = json!({"bucketId": "a", "sourceKey": "one.txt"});
        let request = office(portal, "POST", &format!("object/{way}")).json(&body);
        request.send().await.refused(400, "InvalidRequest");
    }
    assert_eq!(text(portal, "a/one.txt").await, "the text");
    assert_eq!(text(portal, "a/two.txt").await, "other");
    assert_eq!(on_disk(portal), (3, 0));
    // With the upsert header a copy replaces the target.
    let body = json!({"bucketId": "a", "sourceKey": "one.txt", "destinationKey": "two.txt"});
    let over = office(portal, "POST", "object/copy").header("x-upsert", "true").json(&body);
    over.send().await.is(200);
    assert_eq!(text(portal, "a/two.txt").await, "the text");
});

portal_test!(client_cannot_move_or_copy, async |portal| {
    let joao = portal.client("joao").await;
    let path = portal.document(&joao, "contratos", "a.pdf").await.path;
    for way in ["copy", "move"] {
        let ask = |name: &str| {
            let body = json!({
                "bucketId": "client-documents", "sourceKey": name, "destinationKey": format!("{path}.pdf"),
            });
            portal.post(&format!("/storage/v1/object/{way}")).auth(&joao).json(&body).send()
        };
        let own = ask(&path).await.refused(400, "AccessDenied");
        assert_eq!(own.seen(), ask("ghost.pdf").await.seen());
    }
    portal.get(&object(&path)).auth(&joao).send().await.is(200);
});

portal_test!(moved_file_must_be_referenced_by_a_document_again, async |portal| {
    let joao = portal.client("joao").await;
    let path = portal.upload(&joao, "contratos", "a.pdf").await;
    portal.advance(SignedDuration::from_hours(23));
    let moved = path.replace("a.pdf", "b.pdf");
    let (from, to) = (("client-documents", path.as_str()), ("client-documents", moved.as_str()));
    transfer(portal, "move", from, to).await.is(200);
    sweep_after(portal, 23).await;
    office(portal, "GET", &format!("object/client-documents/{moved}")).send().await.is(200);
    sweep_after(portal, 2).await;
    let gone = office(portal, "GET", &format!("object/client-documents/{moved}")).send().await;
    gone.refused(400, "NoSuchKey");
});
