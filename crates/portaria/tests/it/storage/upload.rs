//! Uploads: both request forms, rejections, and cleanup after them.

use std::{
    os::unix::fs::PermissionsExt,
    pin::Pin,
    task::{Context, Poll},
};

use axum::body::{Body, Bytes, HttpBody};
use futures_util::{future::join_all, stream};
use hyper::body::{Frame, SizeHint};
use serde_json::json;

use crate::harness::{PDF, TestUser, object, portal_test, request::part};
use crate::storage::on_disk;

fn path(user: &TestUser, name: &str) -> String {
    format!("public/{}/contratos/{name}", user.id)
}

portal_test!(upload_as_form_and_as_plain_bytes, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let (form, plain) = (path(&joao, "form.pdf"), path(&joao, "plain.pdf"));
    let answer = portal
        .post(&object(&form))
        .auth(&ana)
        .form("João.pdf", "application/pdf", PDF)
        .send()
        .await;
    let answer = answer.is(200).json();
    assert_eq!(answer["Key"], format!("client-documents/{form}"));
    assert!(answer["Id"].is_string());
    // New clients send the field before the file, old ones after it.
    let mut body = part("a.pdf", "text/html", PDF);
    body.extend(
        b"--b\r\ncontent-disposition: form-data; name=\"cacheControl\"\r\n\r\n60\r\n--b--\r\n",
    );
    let old = portal.post(&object(&path(&joao, "old.pdf"))).auth(&ana);
    old.bytes("multipart/form-data; boundary=b", body).send().await.is(200);
    let raw = portal.post(&object(&plain)).auth(&ana).bytes("text/plain;charset=UTF-8", PDF);
    raw.send().await.is(200);
    for path in [form, plain, path(&joao, "old.pdf")] {
        let file = portal.get(&object(&path)).auth(&ana).send().await.is(200);
        assert_eq!(file.body, PDF);
        assert_eq!(file.header("content-type"), "application/pdf");
    }
});

portal_test!(large_file_is_returned_byte_for_byte, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let mut bytes = PDF.to_vec();
    bytes.extend((0..3_000_000_u32).map(|n| n.wrapping_mul(2_654_435_761).to_be_bytes()[0]));
    let pieces: Vec<_> =
        bytes.chunks(10_007).map(Bytes::copy_from_slice).map(Ok::<_, std::io::Error>).collect();
    let path = path(&joao, "grande.pdf");
    let upload = portal.post(&object(&path)).auth(&ana);
    upload.body("application/pdf", Body::from_stream(stream::iter(pieces))).send().await.is(200);
    let file = portal.get(&object(&path)).auth(&ana).send().await.is(200);
    assert_eq!(file.header("content-length"), bytes.len().to_string());
    assert!(file.body == bytes);
});

portal_test!(upload_requires_staff, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let path = object(&path(&joao, "a.pdf"));
    for method in ["POST", "PUT"] {
        let request = || {
            portal.request(method, &path).bytes("application/pdf", PDF).header("x-upsert", "true")
        };
        request().send().await.refused(400, "AccessDenied");
        request().bearer(&portal.app.keys.anon).send().await.refused(400, "AccessDenied");
        request().bearer("a.b.c").send().await.refused(400, "AccessDenied");
        request().auth(&joao).send().await.refused(400, "AccessDenied");
    }
    assert_eq!(on_disk(portal), (0, 0));
    let other =
        portal.post("/storage/v1/object/other/a.pdf").auth(&ana).bytes("application/pdf", PDF);
    other.send().await.refused(400, "NoSuchBucket");
    assert_eq!(on_disk(portal), (0, 0));
});

portal_test!(existing_name_is_refused_without_upsert, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let path = object(&path(&joao, "a.pdf"));
    let other = [PDF, b"%%EOF"].concat();
    let send = |method: &str, upsert: &str, bytes: &[u8]| {
        let request = portal.request(method, &path).auth(&ana).header("x-upsert", upsert);
        request.bytes("application/pdf", bytes.to_vec()).send()
    };
    send("POST", "false", PDF).await.is(200);
    send("POST", "false", &other).await.refused(400, "KeyAlreadyExists");
    assert_eq!(on_disk(portal), (1, 0));
    let stored = async || portal.get(&path).auth(&ana).send().await.is(200).body;
    assert_eq!(stored().await, PDF);
    send("POST", "true", &other).await.is(200);
    assert_eq!(stored().await, other);
    send("PUT", "false", PDF).await.is(200);
    assert_eq!(stored().await, PDF);
});

portal_test!(one_of_many_concurrent_uploads_wins, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let path = object(&path(&joao, "a.pdf"));
    let files: Vec<Vec<u8>> =
        (0..8).map(|n| [PDF, format!("% {n}\n").as_bytes()].concat()).collect();
    let answers =
        join_all(files.iter().map(|file| {
            portal.post(&path).auth(&ana).bytes("application/pdf", file.clone()).send()
        }))
        .await;
    let mut won = Vec::new();
    for (answer, file) in answers.into_iter().zip(&files) {
        if answer.status == 200 {
            won.push(file);
        } else {
            answer.refused(400, "KeyAlreadyExists");
        }
    }
    assert_eq!(won.len(), 1);
    assert_eq!(portal.get(&path).auth(&ana).send().await.is(200).body, *won[0]);
    assert_eq!(on_disk(portal), (1, 0));
});

/// A body of a known length, which fails the test when it is read.
struct Announced(u64);

impl HttpBody for Announced {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
        panic!("the body was read")
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0)
    }
}

portal_test!(oversized_upload_is_refused_while_it_arrives, async |portal| {
    portal.set("max_upload", "100000");
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let mut exact = PDF.to_vec();
    exact.resize(100_000, b' ');
    let upload = |name: &str| portal.post(&object(&path(&joao, name))).auth(&ana);
    upload("exact.pdf").bytes("application/pdf", exact.clone()).send().await.is(200);
    upload("form.pdf").form("a.pdf", "application/pdf", &exact).send().await.is(200);
    assert_eq!(on_disk(portal), (2, 0));

    exact.push(b' ');
    let bytes = upload("a.pdf").bytes("application/pdf", exact.clone()).send().await;
    let refusal = bytes.refused(400, "EntityTooLarge").json();
    assert_eq!(refusal["statusCode"], "413");
    let form = upload("a.pdf").form("a.pdf", "application/pdf", &exact).send().await;
    form.refused(400, "EntityTooLarge");
    // Without a content length: refused at the limit, before the body ends.
    let endless =
        stream::repeat_with(|| Ok::<_, std::io::Error>(Bytes::from_static(&[b' '; 8192])));
    let endless = upload("a.pdf").body("application/pdf", Body::from_stream(endless)).send().await;
    endless.refused(400, "EntityTooLarge");
    // With a content length: refused before the body is read.
    let announced = upload("a.pdf").body("application/pdf", Body::new(Announced(100_000_000_000)));
    announced.header("content-length", "100000000000").send().await.refused(400, "EntityTooLarge");
    assert_eq!(on_disk(portal), (2, 0));
});

portal_test!(interrupted_or_malformed_upload_leaves_nothing, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let upload = || portal.post(&object(&path(&joao, "a.pdf"))).auth(&ana);
    let form = "multipart/form-data; boundary=b";
    let broken = stream::iter([Ok(Bytes::from_static(PDF)), Err(std::io::Error::other("gone"))]);
    let broken = upload().body("application/pdf", Body::from_stream(broken)).send().await;
    broken.refused(400, "InvalidRequest");
    let mut truncated = part("a.pdf", "application/pdf", PDF);
    let whole = truncated.clone();
    truncated.truncate(truncated.len() - 20);
    let end: &[u8] = b"--b--\r\n";
    let long_field = [
        b"--b\r\ncontent-disposition: form-data; name=\"metadata\"\r\n\r\n".as_slice(),
        &vec![b'x'; 70_000],
        b"\r\n",
    ]
    .concat();
    let many = b"--b\r\ncontent-disposition: form-data; name=\"x\"\r\n\r\n1\r\n".repeat(11);
    for (kind, body) in [
        (form, truncated),
        (form, whole.clone()),
        (form, [&whole, &whole, end].concat()),
        (form, [&whole, &many, end].concat()),
        (form, [&whole, &long_field, end].concat()),
        (form, [&many[..], end].concat()),
        (form, end.to_vec()),
        (form, Vec::new()),
        (form, b"nonsense".to_vec()),
        ("multipart/form-data", [&whole, end].concat()),
        ("multipart/form-data; boundary=other", [&whole, end].concat()),
    ] {
        let answer = upload().bytes(kind, body).send().await;
        answer.refused(400, "InvalidRequest");
        assert_eq!(on_disk(portal), (0, 0));
    }
    upload().bytes("application/pdf", Bytes::new()).send().await.refused(400, "InvalidRequest");
    upload().form("a.pdf", "application/pdf", b"").send().await.refused(400, "InvalidRequest");
    assert_eq!(on_disk(portal), (0, 0));
    portal.get(&object(&path(&joao, "a.pdf"))).auth(&ana).send().await.refused(400, "NoSuchKey");
});

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
const ZIP: &[u8] = b"PK\x03\x04\x14\0\0\0\x08\0";
const EXE: &[u8] = b"MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff\0\0";
const OLE: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

portal_test!(content_type_is_detected_from_the_content, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
    for (name, bytes, stored) in [
        ("a.pdf", PDF, "application/pdf"),
        ("x.PDF", PDF, "application/pdf"),
        ("x.php.pdf", PDF, "application/pdf"),
        ("a.png", PNG, "image/png"),
        // An image with a wrong extension is served with its detected type.
        ("a.jpg", PNG, "image/png"),
        ("a.docx", ZIP, word),
        ("a.doc", OLE, "application/msword"),
        ("a.txt", "Olá".as_bytes(), "text/plain; charset=utf-8"),
        ("a.xml", b"<?xml version=\"1.0\"?><nfe/>", "text/plain; charset=utf-8"),
        ("a.csv", b"nome;valor\n", "text/csv; charset=utf-8"),
    ] {
        let path = path(&joao, name);
        // The declared type is ignored.
        portal.post(&object(&path)).auth(&ana).bytes("text/html", bytes).send().await.is(200);
        let info = portal.get(&format!("/storage/v1/object/info/client-documents/{path}"));
        let info = info.auth(&ana).send().await.is(200).json();
        assert_eq!(info["content_type"], stored, "{name}");
        assert_eq!(info["size"], bytes.len(), "{name}");
    }
    let kept = on_disk(portal);
    for (name, bytes) in [
        ("nota.pdf.exe", PDF),
        ("a.exe", EXE),
        ("a.js", b"alert(1)".as_slice()),
        ("a.html", b"<html>"),
        ("a.svg", b"<svg onload=alert(1)>"),
        ("a.zip", ZIP),
        ("sem", PDF),
        ("a.lnk", b"x"),
        ("a.bat", b"x"),
        ("b.pdf", b"<html><script>alert(1)</script>"),
        ("b.pdf", EXE),
        ("b.docx", EXE),
        ("b.docx", PDF),
        ("b.png", PDF),
        ("b.png", b"<svg>"),
        ("b.doc", ZIP),
        ("b.txt", EXE),
        ("b.txt", b"a\0b"),
    ] {
        let upload = portal.post(&object(&path(&joao, name))).auth(&ana);
        let refusal = upload.bytes("application/pdf", bytes).send().await;
        assert_eq!(refusal.refused(400, "InvalidMimeType").json()["statusCode"], "415", "{name}");
    }
    assert_eq!(on_disk(portal), kept);
});

portal_test!(file_metadata_is_shown_to_readers, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let path = path(&joao, "a.pdf");
    let upload = portal.post(&object(&path)).auth(&ana).header("cache-control", "max-age=60");
    let upload =
        upload.header("x-metadata", "eyJvcmlnZW0iOiJlbWFpbCJ9").bytes("application/pdf", PDF);
    upload.send().await.is(200);
    let info = format!("/storage/v1/object/info/client-documents/{path}");
    let mut known = portal.get(&info).auth(&ana).send().await.is(200).json();
    let fields = known.as_object_mut().unwrap();
    for changing in ["id", "version", "etag"] {
        assert!(fields.remove(changing).is_some());
    }
    assert_eq!(
        known,
        json!({
            "name": path, "bucket_id": "client-documents", "size": PDF.len(), "content_type": "application/pdf",
            "cache_control": "max-age=60", "metadata": {"origem": "email"},
            "last_modified": "2026-11-21T15:00:00.000000+00:00", "created_at": "2026-11-21T15:00:00.000000+00:00",
        })
    );
    portal.get(&info).auth(&joao).send().await.refused(400, "NoSuchKey");
    portal.get(&format!("{info}x")).auth(&ana).send().await.refused(400, "NoSuchKey");
});

portal_test!(blobs_have_random_names_and_private_permissions, async |portal| {
    let joao = portal.client("joao").await;
    portal.document(&joao, "contratos", "segredo.pdf").await;
    let [blob] = &portal.files_in("blobs")[..] else { panic!("expected one blob") };
    let name = blob.file_name().unwrap().to_str().unwrap();
    assert!(name.len() == 32 && name.chars().all(|c| c.is_ascii_hexdigit()), "{name}");
    // In a bucket the store controls the permissions.
    if blob.starts_with(portal.folder(".")) {
        let mode = std::fs::metadata(blob).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
});
