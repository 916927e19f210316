//! Limits of buckets: sizes and types, and the served content type.

use axum::body::{Body, Bytes};
use futures_util::stream;
use serde_json::json;

use crate::harness::{PDF, portal_test};
use crate::storage::{bucket, office, on_disk, put};

portal_test!(bucket_size_limit_is_enforced, async |portal| {
    bucket(portal, "small", json!({"file_size_limit": "1kb"})).await;
    let upload = |name: &str| office(portal, "POST", &format!("object/small/{name}"));
    let (fits, exceeds) = (vec![b'x'; 1000], vec![b'x'; 1001]);
    upload("a").bytes("text/plain", fits.clone()).send().await.is(200);
    upload("b").form("b.txt", "text/plain", &fits).send().await.is(200);
    let pieces = || {
        let piece = || Ok::<_, std::io::Error>(Bytes::from_static(&[b'x'; 500]));
        Body::from_stream(stream::iter([piece(), piece(), piece()]))
    };
    for refused in [
        upload("c").bytes("text/plain", exceeds.clone()),
        upload("c").form("c.txt", "text/plain", &exceeds),
        upload("c").body("text/plain", pieces()),
        upload("c").body("text/plain", pieces()).header("content-length", "1500"),
        office(portal, "PUT", "object/small/a").bytes("text/plain", exceeds),
    ] {
        let refusal = refused.send().await.refused(400, "EntityTooLarge").json();
        assert_eq!(refusal["statusCode"], "413");
        assert_eq!(refusal["message"], "The object exceeded the maximum allowed size");
    }
    assert_eq!(on_disk(portal), (2, 0));
    // The limit of a bucket cannot exceed the limit of the portal.
    bucket(portal, "large", json!({"file_size_limit": 1000})).await;
    portal.set("max_upload", "500");
    for (method, path) in [("POST", "bucket"), ("PUT", "bucket/large")] {
        let body = json!({"name": "larger", "file_size_limit": "1GB"});
        let refused = office(portal, method, path).json(&body).send().await;
        let refused = refused.refused(400, "EntityTooLarge").json();
        assert_eq!(
            (&refused["statusCode"], &refused["error"]),
            (&json!("413"), &json!("Payload too large"))
        );
    }
    let large = office(portal, "POST", "object/large/a").bytes("text/plain", fits);
    large.send().await.refused(400, "EntityTooLarge");
});

portal_test!(bucket_type_list_is_enforced, async |portal| {
    let types = json!({"allowed_mime_types": ["image/png", "text/*", "Application/PDF"]});
    bucket(portal, "typed", types).await;
    let upload = |name: &str| office(portal, "POST", &format!("object/typed/{name}"));
    for (name, kind) in [
        ("a", "image/png"),
        ("b", "text/plain;charset=UTF-8"),
        ("c", "text/csv"),
        ("d", "application/pdf"),
        ("e", "IMAGE/PNG"),
    ] {
        upload(name).bytes(kind, "x").send().await.is(200);
    }
    let kept = on_disk(portal);
    for kind in ["image/jpeg", "image/pngx", "application/octet-stream", "x/text"] {
        for refused in [upload("z").bytes(kind, "x"), upload("z").form("z", kind, b"x")] {
            let refusal = refused.send().await.refused(400, "InvalidMimeType").json();
            assert_eq!(refusal["statusCode"], "415");
            assert_eq!(refusal["message"], format!("mime type {kind} is not supported"));
        }
    }
    let refused = upload("z").bytes("notatype", "x").send().await;
    let refused = refused.refused(400, "InvalidMimeType").json();
    assert_eq!(refused["message"], "Invalid Content-Type header");
    // An empty file makes a folder visible, whatever the types are.
    let folder = |kind: &'static str, content: &'static str| {
        let request = upload("pasta/.emptyFolderPlaceholder").header("x-upsert", "true");
        request.bytes(kind, content)
    };
    folder("x/y", "x").send().await.refused(400, "InvalidMimeType");
    upload("pasta/a").bytes("x/y", "").send().await.refused(400, "InvalidMimeType");
    assert_eq!(on_disk(portal), kept);
    folder("x/y", "").send().await.is(200);
    let kept = on_disk(portal);
    let unnamed = upload("z").bytes("x/y", "x").without("content-type").send().await;
    unnamed.refused(400, "InvalidMimeType");
    // A form field `contentType` sets the type of the file, before or after it.
    let field = b"--b\r\ncontent-disposition: form-data; name=\"contentType\"\r\n\r\n";
    let file = crate::harness::request::part("z", "image/png", b"x");
    let named = |kind: &[u8]| [&field[..], kind, b"\r\n"].concat();
    for body in
        [[&named(b"image/gif")[..], &file].concat(), [&file[..], &named(b"image/gif")].concat()]
    {
        let body = [&body[..], b"--b--\r\n"].concat();
        let refused = upload("z").bytes("multipart/form-data; boundary=b", body).send().await;
        refused.refused(400, "InvalidMimeType");
    }
    assert_eq!(on_disk(portal), kept);
});

portal_test!(other_bucket_accepts_any_type_and_serves_the_detected_one, async |portal| {
    bucket(portal, "files", json!({"public": true})).await;
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice();
    for (name, claimed, bytes, stored, reported, shown) in [
        ("a.png", "image/png", png, "image/png", "image/png", true),
        ("b.pdf", "application/pdf", PDF, "application/pdf", "application/pdf", true),
        // The default of the client library for bytes.
        (
            "c.png",
            "text/plain;charset=UTF-8",
            png,
            "text/plain;charset=UTF-8",
            "text/plain; charset=utf-8",
            false,
        ),
        (
            "d.png",
            "image/png",
            b"<svg onload=alert(1)>",
            "image/png",
            "application/octet-stream",
            false,
        ),
        (
            "e.html",
            "text/html; charset=utf-8",
            b"<script>1</script>",
            "text/html; charset=utf-8",
            "application/octet-stream",
            false,
        ),
        (
            "f.svg",
            "image/svg+xml",
            b"<svg onload=alert(1)>",
            "image/svg+xml",
            "application/octet-stream",
            false,
        ),
        (
            "g.xhtml",
            "application/xhtml+xml",
            b"<html/>",
            "application/xhtml+xml",
            "application/octet-stream",
            false,
        ),
        (
            "h.js",
            "text/javascript",
            b"alert(1)",
            "text/javascript",
            "application/octet-stream",
            false,
        ),
        ("i", "a/é", b"x", "application/octet-stream", "application/octet-stream", false),
        (
            "j",
            &"a/".repeat(500),
            b"x",
            "application/octet-stream",
            "application/octet-stream",
            false,
        ),
        ("k", "nonsense", b"x", "application/octet-stream", "application/octet-stream", false),
        ("leer.txt", "text/plain", b"", "text/plain", "text/plain; charset=utf-8", false),
    ] {
        let upload = office(portal, "POST", &format!("object/files/{name}"));
        upload.bytes(claimed, bytes.to_vec()).send().await.is(200);
        let info = office(portal, "GET", &format!("object/info/files/{name}")).send().await;
        assert_eq!(info.is(200).json()["content_type"], stored, "{name}");
        for way in ["object", "object/public"] {
            let file = office(portal, "GET", &format!("{way}/files/{name}")).send().await.is(200);
            assert_eq!(file.body, bytes, "{name}");
            assert_eq!(file.header("content-type"), reported, "{name}");
            assert_eq!(file.header("content-disposition").is_empty(), shown, "{name}");
            assert_eq!(file.header("content-security-policy"), "default-src 'none'; sandbox");
            assert_eq!(file.header("x-content-type-options"), "nosniff");
        }
    }
});

portal_test!(upload_metadata_is_stored, async |portal| {
    bucket(portal, "files", json!({"public": true})).await;
    let upload = office(portal, "POST", "object/files/a.txt").header("content-encoding", "GZIP");
    let upload = upload.header("cache-control", "max-age=60").header("x-metadata", "eyJhIjoxfQ==");
    upload.bytes("text/plain", b"\x1f\x8b\x08".to_vec()).send().await.is(200);
    let info = office(portal, "GET", "object/info/files/a.txt").send().await.is(200).json();
    assert_eq!(info["metadata"], json!({"a": 1}));
    assert_eq!(info["cache_control"], "max-age=60");
    assert_eq!(info["content_encoding"], "gzip");
    let public = portal.get("/storage/v1/object/public/files/a.txt").without("apikey");
    let public = public.send().await.is(200);
    assert_eq!(public.header("cache-control"), "max-age=60");
    assert_eq!(public.header("content-encoding"), "gzip");
    // Invalid base64, invalid JSON and invalid header values are ignored.
    let upload = office(portal, "PUT", "object/files/a.txt").header("content-encoding", "x, evil");
    let upload = upload.header("cache-control", "a\u{e9}").header("x-metadata", "bm9uc2Vuc2U=");
    upload.bytes("text/plain", "x").send().await.is(200);
    let info = office(portal, "GET", "object/info/files/a.txt").send().await.is(200).json();
    assert_eq!(info["metadata"], json!({}));
    assert_eq!(info["cache_control"], "no-cache");
    assert_eq!(info.get("content_encoding"), None);
});

portal_test!(replaced_file_keeps_its_id_with_a_new_version, async |portal| {
    bucket(portal, "files", json!({})).await;
    put(portal, "files/a.txt", "one").await.is(200);
    let info =
        async || office(portal, "GET", "object/info/files/a.txt").send().await.is(200).json();
    let first = info().await;
    portal.advance(jiff::SignedDuration::from_secs(1));
    let other = office(portal, "PUT", "object/files/a.txt").bytes("text/plain", "two");
    let answer = other.send().await.is(200).json();
    let second = info().await;
    assert_eq!(answer["Id"], first["id"]);
    assert_eq!(second["id"], first["id"]);
    assert_eq!(second["created_at"], first["created_at"]);
    assert_ne!(second["version"], first["version"]);
    assert_ne!(second["last_modified"], first["last_modified"]);
});

portal_test!(document_size_follows_its_replaced_file, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let document = portal.document(&joao, "contratos", "a.pdf").await;
    let other = [PDF, b"% more\n"].concat();
    let path = format!("/storage/v1/object/client-documents/{}", document.path);
    portal.put(&path).auth(&ana).bytes("application/pdf", other.clone()).send().await.is(200);
    let row = format!("/rest/v1/documents?select=size&id=eq.{}", document.id);
    let row = portal.get(&row).auth(&joao).send().await.is(200).json();
    assert_eq!(row, json!([{"size": other.len()}]));
});

portal_test!(document_requires_an_existing_folder, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let path = format!("/storage/v1/object/client-documents/public/{}/nada/a.pdf", joao.id);
    let refused = portal.post(&path).auth(&ana).bytes("application/pdf", PDF).send().await;
    refused.refused(400, "InvalidKey");
    assert_eq!(on_disk(portal), (0, 0));
});
