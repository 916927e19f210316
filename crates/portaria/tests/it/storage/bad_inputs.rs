//! Abuse cases of the storage API that no other file covers. The numbers are those of the list of abuse cases.

use std::io::Write;

use jiff::SignedDuration;
use serde_json::json;

use crate::harness::{PDF, TestPortal, TestUser, object, portal_test, request::part};
use crate::storage::{bucket, office, on_disk, put, tus};

fn place(user: &TestUser, name: &str) -> String {
    object(&format!("public/{}/contratos/{name}", user.id))
}

// S-07: malformed forms, and forms that are expensive to parse.
portal_test!(malformed_form_leaves_nothing, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let file = part("a.pdf", "application/pdf", PDF);
    let end: &[u8] = b"--b--\r\n";
    let long_head = [
        b"--b\r\ncontent-disposition: form-data; name=\"\"; filename=\"".as_slice(),
        &vec![b'a'; 1 << 20],
        b"\"\r\n\r\nx\r\n",
    ]
    .concat();
    let many_heads = [b"--b\r\n".as_slice(), &b"x-a: 1\r\n".repeat(100_000), b"\r\nx\r\n"].concat();
    let nested = part("a.pdf", "multipart/mixed; boundary=c", b"--c\r\n\r\nx\r\n--c--\r\n");
    let fields = b"--b\r\ncontent-disposition: form-data; name=\"x\"\r\n\r\n1\r\n".repeat(10_000);
    let long = format!("multipart/form-data; boundary={}", "b".repeat(4096));
    let form = "multipart/form-data; boundary=b";
    for (row, kind, body, code) in [
        ("10,000 parts", form, [&fields[..], end].concat(), "InvalidRequest"),
        ("10,000 parts behind", form, [&file[..], &fields, end].concat(), "InvalidRequest"),
        ("1 MB in a head", form, [&long_head[..], end].concat(), "InvalidRequest"),
        ("100,000 heads", form, [&many_heads[..], end].concat(), "InvalidRequest"),
        ("nested", form, [&nested[..], end].concat(), "InvalidMimeType"),
        ("4 kB of boundary", &long, [&file[..], end].concat(), "InvalidRequest"),
        ("no boundary", "multipart/form-data; boundary=", file.clone(), "InvalidRequest"),
        ("half a boundary", "multipart/form-data; boundary=\"b", file.clone(), "InvalidRequest"),
    ] {
        let answer = portal.post(&place(&joao, "a.pdf")).auth(&ana).bytes(kind, body).send().await;
        assert_eq!(answer.json()["code"], code, "{row}");
        assert_eq!(on_disk(portal), (0, 0), "{row}");
    }
});

// S-11, S-13: names that are too long, contain path traversal, or look like other names. The folder tree around the
// blobs stays unchanged.
portal_test!(object_name_never_reaches_the_file_system, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let outside = |portal: &TestPortal| {
        let mut all = portal.files_in(".");
        all.retain(|path| !path.components().any(|part| part.as_os_str() == "blobs"));
        all
    };
    let before = outside(portal);
    for (row, name, answer) in [
        ("300 letters", &*format!("{}.pdf", "a".repeat(300)), 400),
        ("255 bytes", &format!("{}.pdf", "a".repeat(251)), 200),
        ("one letter", "x.pdf", 200),
        ("a division slash", "a%E2%88%95b.pdf", 200),
        ("dots", "....//x.pdf", 400),
        ("an absolute path", "/etc/passwd", 400),
        ("a drive", "C:%5cx.pdf", 400),
        ("encoded twice, climbing", "%252e%252e%252fx.pdf", 200),
        ("a way out", "..%2f..%2f..%2f..%2fetc%2fpasswd", 400),
        ("a NUL", "x%00.pdf", 400),
        ("zero width", "a%E2%80%8Bb.pdf", 400),
    ] {
        let upload = portal.post(&place(&joao, name)).auth(&ana).bytes("application/pdf", PDF);
        assert_eq!(upload.send().await.status, answer, "{row}");
        assert_eq!(outside(portal), before, "{row}");
    }
});

// S-16, S-17, S-23: executable content is no document, whatever its name and type.
portal_test!(executable_content_is_rejected, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    for extension in [
        "exe",
        "js",
        "mjs",
        "html",
        "htm",
        "xhtml",
        "svg",
        "lnk",
        "scr",
        "bat",
        "cmd",
        "ps1",
        "jar",
        "msi",
        "hta",
        "vbs",
        "com",
        "zip",
        "PDF.EXE",
        "pdf\u{ff0e}exe",
    ] {
        let name = format!(
            "nota.{}",
            percent_encoding::utf8_percent_encode(extension, percent_encoding::NON_ALPHANUMERIC)
                .to_string()
                .replace("%2E", ".")
        );
        for kind in ["application/pdf", "text/html; charset=utf-8", "image/svg+xml"] {
            let upload = portal.post(&place(&joao, &name)).auth(&ana).bytes(kind, PDF);
            let refusal = upload.send().await.refused(400, "InvalidMimeType").json();
            assert_eq!(refusal["statusCode"], "415", "{extension}");
        }
    }
    assert_eq!(on_disk(portal), (0, 0));
});

// S-19, S-21: files that expand when unpacked or rendered are stored byte by byte.
portal_test!(archives_are_not_unpacked, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let mut bomb = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for name in ["[Content_Types].xml", "word/document.xml", "../../etc/passwd"] {
        bomb.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        bomb.write_all(&vec![b' '; 8 << 20]).unwrap();
    }
    let bomb = bomb.finish().unwrap().into_inner();
    let mut picture = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    picture.extend([60_000_u32.to_be_bytes(), 60_000_u32.to_be_bytes()].concat());
    picture.extend(b"\x08\x06\0\0\0\0\0\0\0");
    for (name, bytes) in [("bomba.docx", bomb), ("enorme.png", picture)] {
        let upload = portal.post(&place(&joao, name)).auth(&ana);
        upload.bytes("text/html", bytes.clone()).send().await.is(200);
        assert_eq!(portal.get(&place(&joao, name)).auth(&ana).send().await.is(200).body, bytes);
    }
    let kept =
        portal.files_in("blobs").iter().map(|blob| blob.metadata().unwrap().len()).sum::<u64>();
    assert!(kept < 100_000, "{kept} bytes");
    let drawn = place(&joao, "enorme.png").replace("/object/", "/render/image/authenticated/");
    let drawn = portal.get(&format!("{drawn}?width=100000&height=100000")).auth(&ana).send().await;
    drawn.refused(400, "InvalidRequest");
});

// S-29: lists contain own files only, for any request.
portal_test!(list_contains_own_files_only, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let own = portal.document(&joao, "contratos", "a.pdf").await.path;
    portal.document(&maria, "contratos", "segredo.pdf").await;
    let ghost = "00000000-0000-7000-8000-000000000000";
    let ask = async |way: &str, body: serde_json::Value| {
        let request = portal.post(&format!("/storage/v1/object/{way}/client-documents"));
        request.auth(&joao).json(&body).send().await
    };
    for way in ["list", "list-v2"] {
        for (prefix, search) in [
            ("", ""),
            ("", "%"),
            ("", "_"),
            ("public", ""),
            ("public/", "%"),
            ("public/", &maria.id[..8]),
            ("%", ""),
            ("public/%/contratos", ""),
            (&format!("public/{}/../{}", joao.id, maria.id), ""),
            (&format!("public/{}/contratos", maria.id), ""),
            (&format!("public/{}", maria.id), "contratos/segredo"),
        ] {
            let body = json!({"prefix": prefix, "search": search, "limit": 1_000_000_000});
            let listed = ask(way, body).await;
            assert!(!listed.text().contains("segredo"), "{way} {prefix} {search}: {listed:?}");
            assert!(
                search.contains(&maria.id[..8]) || !listed.text().contains(&maria.id),
                "{listed:?}"
            );
            let elsewhere = prefix.replace(&maria.id, ghost);
            let body = json!({"prefix": elsewhere, "search": search, "limit": 1_000_000_000});
            assert_eq!(listed.seen(), ask(way, body).await.seen(), "{way} {prefix} {search}");
        }
    }
    let folder = own.trim_end_matches("/a.pdf");
    let listed =
        ask("list", json!({"prefix": folder, "limit": 1_000_000_000})).await.is(200).json();
    assert_eq!(listed[0]["name"], "a.pdf");
});

// S-37: with the document its file is deleted, for every URL and link.
portal_test!(link_to_a_deleted_document_is_invalid, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let document = portal.document(&joao, "contratos", "a.pdf").await;
    let link = portal.post(&object(&document.path).replace("/object/", "/object/sign/"));
    let link = link.auth(&joao).json(&json!({"expiresIn": 3600})).send().await.is(200).json();
    let link = format!("/storage/v1{}", link["signedURL"].as_str().unwrap());
    portal.get(&link).without("apikey").send().await.is(200);
    let row = format!("/rest/v1/documents?id=eq.{}", document.id);
    portal.delete(&row).auth(&ana).send().await.is(204);
    portal.get(&link).without("apikey").send().await.refused(400, "NoSuchKey");
    for way in ["object", "object/authenticated", "object/info", "object/public"] {
        let address = format!("/storage/v1/{way}/client-documents/{}", document.path);
        for request in [portal.get(&address).auth(&joao), portal.head(&address).auth(&joao)] {
            assert_eq!(request.send().await.status, 400, "{way}");
        }
    }
});

// At the minimum of free space uploads are refused, and everything else works.
portal_test!(full_disk_refuses_uploads_only, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    bucket(portal, "files", json!({})).await;
    put(portal, "files/a.txt", "before").await.is(200);
    let upload = tus::begin(portal, "files", "b.txt", 4).await;
    let document = portal.document(&joao, "contratos", "a.pdf").await.path;
    portal.set("min_free_space", "8000000000 GiB");
    let raw = |portal: &TestPortal| {
        portal.post(&place(&joao, "b.pdf")).auth(&ana).bytes("application/pdf", PDF)
    };
    for refused in
        [raw(portal), portal.post(&place(&joao, "b.pdf")).auth(&ana).form("b.pdf", "x/y", PDF)]
    {
        let refused = refused.send().await.refused(400, "QuotaExceeded").json();
        assert_eq!(refused["statusCode"], "507");
    }
    tus::piece(portal, &upload, 0, b"four").send().await.refused(507, "QuotaExceeded");
    assert_eq!(on_disk(portal).0, 2);
    assert_eq!(portal.get(&object(&document)).auth(&joao).send().await.is(200).body, PDF);
    portal.sign_in(&joao.email).await;
    let copy = json!({"bucketId": "files", "sourceKey": "a.txt", "destinationKey": "c.txt"});
    office(portal, "POST", "object/copy").json(&copy).send().await.is(200);
    let remove = office(portal, "DELETE", "object/files").json(&json!({"prefixes": ["a.txt"]}));
    assert_eq!(remove.send().await.is(200).json().as_array().unwrap().len(), 1);
    portal.set("min_free_space", "1 B");
    portal.advance(SignedDuration::from_mins(1));
    raw(portal).send().await.is(200);
    tus::piece(portal, &upload, 0, b"four").send().await.is(204);
});
