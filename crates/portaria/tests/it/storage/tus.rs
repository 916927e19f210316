//! Resumable uploads (tus): creation, continuation, completion, termination.

use axum::body::{Body, Bytes};
use base64::{Engine, prelude::BASE64_STANDARD};
use futures_util::stream;
use jiff::SignedDuration;
use portaria::jobs::garbage_collect;
use serde_json::json;

use crate::harness::{
    PDF, TestPortal, TestUser, object, portal_test,
    request::{Answer, Request},
};
use crate::storage::{bucket, office, on_disk};

pub(crate) const WAY: &str = "/storage/v1/upload/resumable";

/// The metadata that a client sends for a file.
pub(crate) fn metadata(pairs: &[(&str, &str)]) -> String {
    let pair = |(word, value): &(&str, &str)| format!("{word} {}", BASE64_STANDARD.encode(value));
    pairs.iter().map(pair).collect::<Vec<_>>().join(",")
}

/// A request with the protocol headers.
pub(crate) fn tus(portal: &TestPortal, method: &str, path: &str) -> Request {
    let key = portal.app.keys.service_role.clone();
    portal.request(method, path).bearer(&key).header("tus-resumable", "1.0.0")
}

pub(crate) fn create(portal: &TestPortal, bucket: &str, name: &str, size: usize) -> Request {
    let pairs = [("bucketName", bucket), ("objectName", name), ("contentType", "text/plain")];
    tus(portal, "POST", WAY)
        .header("upload-length", &size.to_string())
        .header("upload-metadata", &metadata(&pairs))
}

/// Creates an upload and returns its URL.
pub(crate) async fn begin(portal: &TestPortal, bucket: &str, name: &str, size: usize) -> String {
    let created = create(portal, bucket, name, size).send().await.is(201);
    created.header("location").to_owned()
}

pub(crate) fn piece(portal: &TestPortal, upload: &str, offset: usize, bytes: &[u8]) -> Request {
    tus(portal, "PATCH", upload)
        .header("upload-offset", &offset.to_string())
        .bytes("application/offset+octet-stream", bytes.to_vec())
}

pub(crate) async fn offset(portal: &TestPortal, upload: &str) -> String {
    let status = tus(portal, "HEAD", upload).send().await.is(200);
    status.header("upload-offset").to_owned()
}

async fn stored(portal: &TestPortal, place: &str) -> Answer {
    office(portal, "GET", &format!("object/{place}")).send().await
}

portal_test!(upload_continues_across_a_restart, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let name = format!("public/{}/contratos/ação.pdf", joao.id);
    let pairs = metadata(&[
        ("bucketName", "client-documents"),
        ("objectName", &name),
        ("contentType", "text/html"),
        ("cacheControl", "60"),
        ("metadata", "{\"origem\":\"scanner\"}"),
    ]);
    let begin = portal.post(WAY).auth(&ana).header("tus-resumable", "1.0.0");
    let begin = begin.header("upload-length", &PDF.len().to_string());
    let created = begin.header("upload-metadata", &pairs).send().await.is(201);
    let upload = created.header("location").to_owned();
    assert!(upload.starts_with(&format!("{WAY}/")), "{upload}");
    assert_eq!(created.header("tus-resumable"), "1.0.0");
    assert_eq!(created.header("upload-expires"), "Sun, 22 Nov 2026 15:00:00 GMT");

    let ask =
        |method: &str| portal.request(method, &upload).auth(&ana).header("tus-resumable", "1.0.0");
    let send = |offset: usize, bytes: &[u8]| {
        let piece = ask("PATCH").header("upload-offset", &offset.to_string());
        piece.bytes("application/offset+octet-stream", bytes.to_vec()).send()
    };
    let first = send(0, &PDF[..10]).await.is(204);
    assert_eq!(first.header("upload-offset"), "10");
    portal.restart();
    let ask =
        |method: &str| portal.request(method, &upload).auth(&ana).header("tus-resumable", "1.0.0");
    let send = |offset: usize, bytes: &[u8]| {
        let piece = ask("PATCH").header("upload-offset", &offset.to_string());
        piece.bytes("application/offset+octet-stream", bytes.to_vec()).send()
    };
    let status = ask("HEAD").send().await.is(200);
    assert_eq!(status.header("upload-offset"), "10");
    assert_eq!(status.header("upload-length"), PDF.len().to_string());
    assert_eq!(status.header("upload-metadata"), pairs);
    assert_eq!(status.header("cache-control"), "no-store");
    assert_eq!(send(10, &PDF[10..20]).await.is(204).header("upload-offset"), "20");
    portal
        .get(&object(&name.replace("çã", "%C3%A7%C3%A3")))
        .auth(&ana)
        .send()
        .await
        .refused(400, "NoSuchKey");
    let last = send(20, &PDF[20..]).await.is(204);
    assert_eq!(last.header("upload-offset"), PDF.len().to_string());

    let file = object(&name.replace("çã", "%C3%A7%C3%A3"));
    let known = portal.get(&file.replace("/object/", "/object/info/")).auth(&ana).send().await;
    let known = known.is(200).json();
    assert_eq!(known["content_type"], "application/pdf");
    assert_eq!(known["cache_control"], "max-age=60");
    assert_eq!(known["metadata"], json!({"origem": "scanner"}));
    assert_eq!(portal.get(&file).auth(&ana).send().await.is(200).body, PDF);
    assert_eq!(on_disk(portal), (1, 0));
    // A client that lost the last response learns that the upload is complete, and sends nothing again.
    assert_eq!(ask("HEAD").send().await.is(200).header("upload-offset"), PDF.len().to_string());
    send(PDF.len(), b"").await.is(204);
    portal.advance(SignedDuration::from_hours(24));
    garbage_collect::run(&portal.app).await.unwrap();
    assert_eq!(on_disk(portal), (1, 0));
});

portal_test!(creation_may_contain_the_first_chunk, async |portal| {
    bucket(portal, "files", json!({})).await;
    let with = |name: &str, size: usize, bytes: &'static str| {
        create(portal, "files", name, size).bytes("application/offset+octet-stream", bytes)
    };
    let some = with("a.txt", 8, "four").send().await.is(201);
    assert_eq!(some.header("upload-offset"), "4");
    piece(portal, some.header("location"), 4, b"five").send().await.is(204);
    assert_eq!(stored(portal, "files/a.txt").await.is(200).body, "fourfive");
    let all = with("b.txt", 4, "four").send().await.is(201);
    assert_eq!(all.header("upload-offset"), "4");
    assert_eq!(stored(portal, "files/b.txt").await.is(200).body, "four");
    with("c.txt", 4, "fives").send().await.refused(413, "EntityTooLarge");
    let empty = create(portal, "files", "leer.txt", 0).send().await.is(201);
    piece(portal, empty.header("location"), 0, b"").send().await.is(204);
    assert_eq!(stored(portal, "files/leer.txt").await.is(200).body, "");
});

portal_test!(invalid_creation_is_rejected_before_the_first_byte, async |portal| {
    let joao = portal.client("joao").await;
    portal.set("max_upload", "1000");
    bucket(portal, "files", json!({"file_size_limit": 100, "allowed_mime_types": ["text/*"]}))
        .await;
    let place = metadata(&[
        ("bucketName", "files"),
        ("objectName", "a.txt"),
        ("contentType", "text/plain"),
    ]);
    let typed = |kind: &str| {
        metadata(&[("bucketName", "files"), ("objectName", "a"), ("contentType", kind)])
    };
    let ask = |length: &str, metadata: &str| {
        let request = tus(portal, "POST", WAY).header("upload-length", length);
        request.header("upload-metadata", metadata)
    };
    for (request, status, code) in [
        (ask("101", &place), 413, "EntityTooLarge"),
        (ask("-1", &place), 400, "InvalidRequest"),
        (ask("1e3", &place), 400, "InvalidRequest"),
        (ask("99999999999999999999", &place), 400, "InvalidRequest"),
        (ask("10", &place).without("upload-length"), 400, "InvalidRequest"),
        (ask("10", ""), 400, "InvalidRequest"),
        (ask("10", "bucketName ???"), 400, "InvalidRequest"),
        (ask("10", &metadata(&[("bucketName", "files")])), 400, "InvalidRequest"),
        (
            ask("10", &metadata(&[("bucketName", "files"), ("objectName", "../x")])),
            400,
            "InvalidKey",
        ),
        (
            ask("10", &metadata(&[("bucketName", "ghost"), ("objectName", "x")])),
            404,
            "NoSuchBucket",
        ),
        (ask("10", &metadata(&[("bucketName", "a\0b"), ("objectName", "x")])), 404, "NoSuchBucket"),
        (ask("10", &typed("image/png")), 415, "InvalidMimeType"),
        (ask("10", &place).header("tus-resumable", "0.2.2"), 412, "TusError"),
        (ask("10", &place).without("tus-resumable"), 412, "TusError"),
        (ask("10", &place).auth(&joao), 403, "AccessDenied"),
        (ask("nonsense", "nonsense").auth(&joao), 403, "AccessDenied"),
        (ask("10", &place).bearer(&portal.app.keys.anon), 403, "AccessDenied"),
        (create(portal, "client-documents", "a.exe", 10), 415, "InvalidMimeType"),
        (create(portal, "client-documents", "a.pdf", 1001), 413, "EntityTooLarge"),
    ] {
        let refusal = request.send().await.refused(status, code);
        assert_eq!(refusal.header("tus-resumable"), "1.0.0");
        if status == 413 {
            assert_eq!(refusal.json()["message"], "Maximum size exceeded");
        }
    }
    office(portal, "POST", "object/files/a.txt").bytes("text/plain", "x").send().await.is(200);
    ask("10", &place).send().await.refused(409, "KeyAlreadyExists");
    ask("10", &place).header("x-upsert", "true").send().await.is(201);
    assert_eq!(on_disk(portal), (1, 0));
});

portal_test!(chunk_must_continue_at_the_offset_within_the_length, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    bucket(portal, "files", json!({})).await;
    let upload = begin(portal, "files", "a.txt", 10).await;
    piece(portal, &upload, 0, b"12345").send().await.is(204);
    let typed = piece(portal, &upload, 5, b"6").header("content-type", "text/plain");
    for (request, status, code) in [
        (piece(portal, &upload, 0, b"x"), 409, "TusError"),
        (piece(portal, &upload, 6, b"x"), 409, "TusError"),
        (piece(portal, &upload, 5, b"678901"), 413, "EntityTooLarge"),
        (piece(portal, &upload, 5, b"678901").header("content-length", "6"), 413, "EntityTooLarge"),
        (typed, 415, "InvalidMimeType"),
        (piece(portal, &upload, 5, b"6").without("upload-offset"), 400, "InvalidRequest"),
        (piece(portal, &upload, 5, b"6").header("upload-offset", "+5"), 400, "InvalidRequest"),
        (piece(portal, &upload, 5, b"6").auth(&joao), 403, "AccessDenied"),
        // An upload created with the service key does not belong to an administrator.
        (piece(portal, &upload, 5, b"6").auth(&ana), 404, "NoSuchUpload"),
        (piece(portal, &format!("{upload}x"), 5, b"6"), 404, "NoSuchUpload"),
        (piece(portal, &format!("{WAY}/%00"), 5, b"6"), 404, "NoSuchUpload"),
    ] {
        request.send().await.refused(status, code);
    }
    assert_eq!(offset(portal, &upload).await, "5");
    piece(portal, &upload, 5, b"67890").send().await.is(204);
    assert_eq!(stored(portal, "files/a.txt").await.is(200).body, "1234567890");
    portal
        .get(&upload)
        .header("tus-resumable", "1.0.0")
        .send()
        .await
        .refused(405, "MethodNotAllowed");
});

portal_test!(bytes_before_a_broken_connection_are_kept, async |portal| {
    bucket(portal, "files", json!({})).await;
    let upload = begin(portal, "files", "a.txt", 10).await;
    let broken =
        stream::iter([Ok(Bytes::from_static(b"1234")), Err(std::io::Error::other("gone"))]);
    let request = tus(portal, "PATCH", &upload).header("upload-offset", "0");
    let request = request.body("application/offset+octet-stream", Body::from_stream(broken));
    request.send().await.refused(400, "InvalidRequest");
    assert_eq!(offset(portal, &upload).await, "4");
    // The connection breaks after the last byte, before the end of the body.
    let broken =
        stream::iter([Ok(Bytes::from_static(b"567890")), Err(std::io::Error::other("gone"))]);
    let request = tus(portal, "PATCH", &upload).header("upload-offset", "4");
    let request = request.body("application/offset+octet-stream", Body::from_stream(broken));
    request.send().await.refused(400, "InvalidRequest");
    assert_eq!(offset(portal, &upload).await, "4");
    piece(portal, &upload, 4, b"567890").send().await.is(204);
    assert_eq!(stored(portal, "files/a.txt").await.is(200).body, "1234567890");
});

portal_test!(content_type_is_checked_with_the_last_chunk, async |portal| {
    let joao = portal.client("joao").await;
    let name = format!("public/{}/contratos/a.pdf", joao.id);
    let exe = b"MZ\x90\0\x03\0\0\0\x04\0\0\0";
    let upload = begin(portal, "client-documents", &name, exe.len()).await;
    piece(portal, &upload, 0, &exe[..4]).send().await.is(204);
    let last = piece(portal, &upload, 4, &exe[4..]).send().await.refused(415, "InvalidMimeType");
    assert_eq!(last.json()["statusCode"], "415");
    tus(portal, "HEAD", &upload).send().await.is(404);
    assert_eq!(on_disk(portal), (0, 0));
    // Another upload took the name meanwhile.
    let upload = begin(portal, "client-documents", &name, PDF.len()).await;
    portal.upload(&joao, "contratos", "a.pdf").await;
    piece(portal, &upload, 0, PDF).send().await.refused(409, "KeyAlreadyExists");
    assert_eq!(on_disk(portal), (1, 0));
    let empty = format!("public/{}/contratos/leer.pdf", joao.id);
    create(portal, "client-documents", &empty, 0).send().await.refused(400, "InvalidRequest");
    assert_eq!(on_disk(portal), (1, 0));
});

portal_test!(upload_ends_by_termination_or_after_a_day, async |portal| {
    bucket(portal, "files", json!({})).await;
    let (asked, forgotten) =
        (begin(portal, "files", "a.txt", 10).await, begin(portal, "files", "b.txt", 10).await);
    for upload in [&asked, &forgotten] {
        piece(portal, upload, 0, b"12345").send().await.is(204);
    }
    assert_eq!(on_disk(portal), (0, 2));
    tus(portal, "DELETE", &asked).send().await.is(204);
    tus(portal, "DELETE", &asked).send().await.refused(404, "NoSuchUpload");
    assert_eq!(on_disk(portal), (0, 1));
    portal.advance(SignedDuration::from_hours(23));
    garbage_collect::run(&portal.app).await.unwrap();
    assert_eq!(offset(portal, &forgotten).await, "5");
    portal.advance(SignedDuration::from_hours(1));
    tus(portal, "HEAD", &forgotten).send().await.is(404);
    piece(portal, &forgotten, 5, b"6").send().await.refused(404, "NoSuchUpload");
    garbage_collect::run(&portal.app).await.unwrap();
    assert_eq!(on_disk(portal), (0, 0));
    // Parts without a row belong to no upload.
    portal.append_to_part("half", "", "x");
    garbage_collect::run(&portal.app).await.unwrap();
    assert_eq!(on_disk(portal), (0, 0));
});

/// An upload that another staff member created.
async fn upload_of_a_colleague(portal: &TestPortal, ana: &TestUser) -> String {
    let pairs = metadata(&[("bucketName", "files"), ("objectName", "a.txt")]);
    let begin = portal.post(WAY).auth(ana).header("tus-resumable", "1.0.0");
    let begin = begin.header("upload-length", "10").header("upload-metadata", &pairs);
    begin.send().await.is(201).header("location").to_owned()
}

portal_test!(upload_belongs_to_its_creator, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    bucket(portal, "files", json!({})).await;
    let upload = upload_of_a_colleague(portal, &ana).await;
    portal
        .create_user(
            json!({"email": "rui@escritorio.com.br", "app_metadata": {"roles": ["admin"]}}),
        )
        .await;
    let rui = portal.sign_in("rui@escritorio.com.br").await;
    for method in ["HEAD", "PATCH", "DELETE"] {
        let request = |upload: &str| {
            let request = portal.request(method, upload).header("tus-resumable", "1.0.0");
            request.header("upload-offset", "0").bytes("application/offset+octet-stream", "x")
        };
        let theirs = request(&upload).auth(&rui).send().await.is(404);
        assert_eq!(theirs.seen(), request(&format!("{WAY}/ghost")).auth(&rui).send().await.seen());
        let client = request(&upload).auth(&joao).send().await.is(403);
        assert_eq!(client.seen(), request(&format!("{WAY}/ghost")).auth(&joao).send().await.seen());
    }
    // The service key may access all uploads.
    assert_eq!(offset(portal, &upload).await, "0");
});

portal_test!(options_describe_the_protocol, async |portal| {
    let answer = portal.request("OPTIONS", WAY).without("apikey").send().await.is(204);
    assert_eq!(answer.header("tus-version"), "1.0.0");
    assert_eq!(
        answer.header("tus-extension"),
        "creation,creation-with-upload,expiration,termination"
    );
    assert_eq!(answer.header("tus-max-size"), "10485760");
    let preflight = portal.request("OPTIONS", WAY).header("access-control-request-method", "POST");
    assert!(
        preflight.send().await.is(200).header("access-control-allow-methods").contains("PATCH")
    );
});
