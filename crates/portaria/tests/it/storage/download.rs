//! Downloads: access and response headers.

use jiff::SignedDuration;
use serde_json::json;

use crate::harness::{PDF, TestPortal, object, portal_test};
use crate::storage::{bucket, office, put};

portal_test!(client_reads_files_of_own_documents, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let path = portal.document(&joao, "contratos", "a.pdf").await.path;
    for address in [object(&path), object(&format!("{path}?download"))] {
        assert_eq!(portal.get(&address).auth(&joao).send().await.is(200).body, PDF);
        portal.get(&address).auth(&maria).send().await.refused(400, "NoSuchKey");
    }
    let authenticated = format!("/storage/v1/object/authenticated/client-documents/{path}");
    assert_eq!(portal.get(&authenticated).auth(&joao).send().await.is(200).body, PDF);
});

/// Every request that returns a file's bytes or metadata.
fn download_requests(portal: &TestPortal, path: &str) -> Vec<crate::harness::request::Request> {
    let bucket = "client-documents";
    let at = |kind: &str| format!("/storage/v1/{kind}/{bucket}/{path}");
    vec![
        portal.get(&at("object")),
        portal.head(&at("object")),
        portal.get(&at("object/authenticated")),
        portal.get(&at("object/info")),
        portal.get(&at("object/public")),
        portal.get(&at("object/sign")),
        portal.get(&at("render/image/authenticated")),
        portal.post(&at("object/sign")).json(&json!({"expiresIn": 60})),
    ]
}

portal_test!(file_of_another_client_looks_nonexistent, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let path = portal.document(&maria, "contratos", "a.pdf").await.path;
    let ghost = path.replace("a.pdf", "b.pdf");
    for (other, ghost) in
        download_requests(portal, &path).into_iter().zip(download_requests(portal, &ghost))
    {
        let other = other.auth(&joao).send().await;
        assert!(other.status.is_client_error(), "{other:?}");
        assert_eq!(other.seen(), ghost.auth(&joao).send().await.seen());
    }
    let remove = |path: &str| {
        let request = portal.delete("/storage/v1/object/client-documents").auth(&joao);
        request.json(&json!({"prefixes": [path]})).send()
    };
    assert_eq!(remove(&path).await.is(200).json(), json!([]));
    assert_eq!(remove(&ghost).await.is(200).json(), json!([]));
    assert_eq!(portal.get(&object(&path)).auth(&maria).send().await.is(200).body, PDF);
});

portal_test!(empty_file_has_no_ranges, async |portal| {
    bucket(portal, "files", json!({})).await;
    put(portal, "files/a.txt", "").await.is(200);
    for range in ["bytes=0-", "bytes=0-9", "bytes=-1", "bytes=5-"] {
        let whole = office(portal, "GET", "object/files/a.txt").header("range", range);
        let whole = whole.send().await.is(200);
        assert_eq!((whole.header("content-length"), whole.body.len()), ("0", 0), "{range}");
    }
});

portal_test!(partial_download_by_the_office_is_recorded, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let file = object(&portal.document(&joao, "contratos", "a.pdf").await.path);
    let reported = async || {
        let lines = portal.get("/rest/v1/activity?select=event&event=eq.file.opened").auth(&ana);
        lines.send().await.is(200).json().as_array().unwrap().len()
    };
    let suffix = format!("bytes=-{}", PDF.len());
    let mut lines = 0;
    for (headers, tells) in [
        (vec![("range", "bytes=1-")], false),
        (vec![("range", "bytes=0-1")], true),
        (vec![("range", "nonsense")], true),
        (vec![("range", "bytes=00-")], true),
        (vec![("range", "bytes=5-6,0-1")], true),
        (vec![("range", "bytes=1-"), ("if-range", "\"other\"")], true),
        (vec![("range", suffix.as_str())], true),
    ] {
        let ask = headers
            .iter()
            .fold(portal.get(&file).auth(&ana), |ask, (name, value)| ask.header(name, value));
        let answer = ask.send().await;
        lines += usize::from(tells);
        assert_eq!(reported().await, lines, "{headers:?}: {}", answer.status);
        assert_eq!(answer.body == PDF || answer.body == PDF[..2], tells, "{headers:?}");
        portal.advance(SignedDuration::from_mins(1));
    }
});

portal_test!(download_requires_an_object_name, async |portal| {
    let joao = portal.client("joao").await;
    let path = portal.document(&joao, "contratos", "a.pdf").await.path;
    let anon = portal.app.keys.anon.clone();
    for request in download_requests(portal, &path) {
        assert!(request.send().await.status.is_client_error());
    }
    for request in download_requests(portal, &path) {
        assert!(request.bearer(&anon).send().await.status.is_client_error());
    }
    // `public` is the first segment of the name here.
    let public = portal.get(&format!("/storage/v1/object/public/client-documents/{path}"));
    public.without("apikey").send().await.refused(400, "NoSuchBucket");
});

portal_test!(file_becomes_readable_with_the_release_of_its_document, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let unattached = portal.upload(&joao, "contratos", "solto.pdf").await;
    portal.get(&object(&unattached)).auth(&joao).send().await.refused(400, "NoSuchKey");
    let pending = json!({"status": "pending"});
    let document = portal.document_with(&joao, "contratos", "a.pdf", pending).await;
    let file = object(&document.path);
    portal.get(&file).auth(&joao).send().await.refused(400, "NoSuchKey");
    portal.get(&file).auth(&ana).send().await.is(200);
    // The client sees the name, but cannot read the file.
    let seen = portal.get("/rest/v1/documents?select=name,status").auth(&joao).send().await;
    assert_eq!(seen.is(200).json(), json!([{"name": "a.pdf", "status": "pending"}]));

    let row = format!("/rest/v1/documents?id=eq.{}", document.id);
    let set = |status: &str| portal.patch(&row).auth(&ana).json(&json!({"status": status})).send();
    for (status, answer) in [("active", 200), ("pending", 400), ("inactive", 200)] {
        set(status).await.is(204);
        portal.get(&file).auth(&joao).send().await.is(answer);
    }
    portal.delete(&row).auth(&ana).send().await.is(204);
    for user in [&joao, &ana] {
        portal.get(&file).auth(user).send().await.refused(400, "NoSuchKey");
    }
});

portal_test!(uploaded_content_cannot_run_in_the_origin_of_the_portal, async |portal| {
    let ana = portal.admin().await;
    let name = "public/x/contratos/";
    for (file, bytes, kind, shown) in [
        ("a.pdf", PDF, "application/pdf", true),
        ("a.png", b"\x89PNG\r\n\x1a\n".as_slice(), "image/png", true),
        ("a.txt", b"<script>alert(1)</script>", "text/plain; charset=utf-8", false),
        (
            "a.xml",
            b"<html xmlns='http://www.w3.org/1999/xhtml'/>",
            "text/plain; charset=utf-8",
            false,
        ),
        ("a.csv", b"=1+1", "text/csv; charset=utf-8", false),
        ("a.docx", b"PK\x03\x04\x14\0\0\0\x08\0", "application/octet-stream", false),
    ] {
        let address = object(&format!("{name}{file}"));
        portal.post(&address).auth(&ana).bytes("text/html", bytes).send().await.is(200);
        for request in [portal.get(&address), portal.head(&address)] {
            let answer = request.auth(&ana).send().await.is(200);
            assert_eq!(answer.header("content-type"), kind, "{file}");
            assert_eq!(answer.header("content-length"), bytes.len().to_string(), "{file}");
            assert_eq!(answer.header("x-content-type-options"), "nosniff");
            assert_eq!(answer.header("content-security-policy"), "default-src 'none'; sandbox");
            assert_eq!(answer.header("cross-origin-resource-policy"), "same-origin");
            assert_eq!(answer.header("cache-control"), "private, no-cache");
            let disposition = answer.header("content-disposition");
            assert_eq!(disposition.is_empty(), shown, "{file}: {disposition}");
            assert!(shown || disposition.starts_with("attachment; filename="), "{disposition}");
        }
        let download =
            portal.get(&address).query("download", "../x\"\r\nSet-Cookie: a=b.pdf").auth(&ana);
        let answer = download.send().await.is(200);
        assert_eq!(
            answer.header("content-disposition"),
            "attachment; filename=\".._x_Set-Cookie_ a=b.pdf\"; filename*=UTF-8''.._x_Set-Cookie_%20a%3Db.pdf"
        );
        assert_eq!(answer.header("set-cookie"), "");
    }
});

portal_test!(range_and_conditional_requests_are_supported, async |portal| {
    let joao = portal.client("joao").await;
    let file = object(&portal.document(&joao, "contratos", "a.pdf").await.path);
    let get = |name: &str, value: &str| portal.get(&file).auth(&joao).header(name, value).send();
    let length = PDF.len();
    for (range, from, to) in [
        ("bytes=0-3", 0, 4),
        ("bytes=5-", 5, length),
        ("bytes=-4", length - 4, length),
        ("bytes=4-999999", 4, length),
    ] {
        let part = get("range", range).await.is(206);
        assert_eq!(part.body, PDF[from..to], "{range}");
        assert_eq!(part.header("content-range"), format!("bytes {from}-{}/{length}", to - 1));
        assert_eq!(part.header("content-length"), (to - from).to_string());
    }
    for range in ["bytes=0-1,3-4", "bytes=0-1,99999-", "lines=1-2", "nonsense"] {
        assert_eq!(get("range", range).await.is(200).body, PDF, "{range}");
    }
    get("range", &format!("bytes={length}-")).await.refused(400, "InvalidRange");
    // A suffix range longer than the file selects the whole file.
    let all = get("range", "bytes=-999999").await.is(206);
    assert_eq!(
        (all.header("content-range"), all.body.as_ref()),
        (format!("bytes 0-{}/{length}", length - 1).as_str(), PDF)
    );

    let whole = portal.get(&file).auth(&joao).send().await.is(200);
    assert_eq!(whole.header("last-modified"), "Sat, 21 Nov 2026 15:00:00 GMT");
    for (name, value) in [
        ("if-none-match", whole.header("etag")),
        ("if-modified-since", whole.header("last-modified")),
    ] {
        assert!(get(name, value).await.is(304).body.is_empty());
    }
    assert_eq!(get("if-none-match", "\"other\"").await.is(200).body, PDF);
    let changed =
        portal.get(&file).auth(&joao).header("range", "bytes=0-3").header("if-range", "\"other\"");
    assert_eq!(changed.send().await.is(200).body, PDF);
});
