//! Abuse cases of the storage API that no other file covers. The numbers are those of the list of abuse cases.

use std::io::Write;

use jiff::SignedDuration;
use serde_json::json;

use crate::harness::{PDF, TestPortal, TestUser, object, portal_test, request::part};
use crate::storage::{bucket, office, on_disk, put, tus};

fn place(person: &TestUser, name: &str) -> String {
    object(&format!("public/{}/contratos/{name}", person.id))
}

// S-07: malformed forms, and forms that are expensive to parse.
portal_test!(malformed_form_leaves_nothing, async |world| {
    let (ana, joao) = (world.admin().await, world.client("joao").await);
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
        let answer = world.post(&place(&joao, "a.pdf")).as_(&ana).bytes(kind, body).send().await;
        assert_eq!(answer.json()["code"], code, "{row}");
        assert_eq!(on_disk(world), (0, 0), "{row}");
    }
});

// S-11, S-13: names that are too long, contain path traversal, or look like other names. The folder tree around the
// blobs stays unchanged.
portal_test!(object_name_never_reaches_the_file_system, async |world| {
    let (ana, joao) = (world.admin().await, world.client("joao").await);
    let outside = |world: &TestPortal| {
        let mut all = world.files_in(".");
        all.retain(|path| !path.components().any(|part| part.as_os_str() == "blobs"));
        all
    };
    let before = outside(world);
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
        let upload = world.post(&place(&joao, name)).as_(&ana).bytes("application/pdf", PDF);
        assert_eq!(upload.send().await.status, answer, "{row}");
        assert_eq!(outside(world), before, "{row}");
    }
});

// S-16, S-17, S-23: executable content is no document, whatever its name and type.
portal_test!(executable_content_is_rejected, async |world| {
    let (ana, joao) = (world.admin().await, world.client("joao").await);
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
            let upload = world.post(&place(&joao, &name)).as_(&ana).bytes(kind, PDF);
            let refusal = upload.send().await.refused(400, "InvalidMimeType").json();
            assert_eq!(refusal["statusCode"], "415", "{extension}");
        }
    }
    assert_eq!(on_disk(world), (0, 0));
});

// S-19, S-21: files that expand when unpacked or rendered are stored byte by byte.
portal_test!(archives_are_not_unpacked, async |world| {
    let (ana, joao) = (world.admin().await, world.client("joao").await);
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
        let upload = world.post(&place(&joao, name)).as_(&ana);
        upload.bytes("text/html", bytes.clone()).send().await.is(200);
        assert_eq!(world.get(&place(&joao, name)).as_(&ana).send().await.is(200).body, bytes);
    }
    let kept =
        world.files_in("blobs").iter().map(|blob| blob.metadata().unwrap().len()).sum::<u64>();
    assert!(kept < 100_000, "{kept} bytes");
    let drawn = place(&joao, "enorme.png").replace("/object/", "/render/image/authenticated/");
    let drawn = world.get(&format!("{drawn}?width=100000&height=100000")).as_(&ana).send().await;
    drawn.is(200);
});

// S-29: lists contain own files only, for any request.
portal_test!(list_contains_own_files_only, async |world| {
    let (joao, maria) = (world.client("joao").await, world.client("maria").await);
    let own = world.document(&joao, "contratos", "a.pdf").await.path;
    world.document(&maria, "contratos", "segredo.pdf").await;
    let ghost = "00000000-0000-7000-8000-000000000000";
    let ask = async |way: &str, body: serde_json::Value| {
        let request = world.post(&format!("/storage/v1/object/{way}/client-documents"));
        request.as_(&joao).json(&body).send().await
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
            let told = ask(way, body).await;
            assert!(!told.text().contains("segredo"), "{way} {prefix} {search}: {told:?}");
            assert!(
                search.contains(&maria.id[..8]) || !told.text().contains(&maria.id),
                "{told:?}"
            );
            let elsewhere = prefix.replace(&maria.id, ghost);
            let body = json!({"prefix": elsewhere, "search": search, "limit": 1_000_000_000});
            assert_eq!(told.seen(), ask(way, body).await.seen(), "{way} {prefix} {search}");
        }
    }
    let folder = own.trim_end_matches("/a.pdf");
    let told = ask("list", json!({"prefix": folder, "limit": 1_000_000_000})).await.is(200).json();
    assert_eq!(told[0]["name"], "a.pdf");
});

// S-37: with the document its file is deleted, for every URL and link.
portal_test!(link_to_a_deleted_document_is_invalid, async |world| {
    let (ana, joao) = (world.admin().await, world.client("joao").await);
    let document = world.document(&joao, "contratos", "a.pdf").await;
    let link = world.post(&object(&document.path).replace("/object/", "/object/sign/"));
    let link = link.as_(&joao).json(&json!({"expiresIn": 3600})).send().await.is(200).json();
    let link = format!("/storage/v1{}", link["signedURL"].as_str().unwrap());
    world.get(&link).without("apikey").send().await.is(200);
    let row = format!("/rest/v1/documents?id=eq.{}", document.id);
    world.delete(&row).as_(&ana).send().await.is(204);
    world.get(&link).without("apikey").send().await.refused(400, "NoSuchKey");
    for way in ["object", "object/authenticated", "object/info", "object/public"] {
        let address = format!("/storage/v1/{way}/client-documents/{}", document.path);
        for request in [world.get(&address).as_(&joao), world.head(&address).as_(&joao)] {
            assert_eq!(request.send().await.status, 400, "{way}");
        }
    }
});

// At the minimum of free space uploads are refused, and everything else works.
portal_test!(full_disk_refuses_uploads_only, async |world| {
    let (ana, joao) = (world.admin().await, world.client("joao").await);
    bucket(world, "files", json!({})).await;
    put(world, "files/a.txt", "before").await.is(200);
    let upload = tus::begin(world, "files", "b.txt", 4).await;
    let document = world.document(&joao, "contratos", "a.pdf").await.path;
    world.set("min_free_space", "8000000000 GiB");
    let raw = |world: &TestPortal| {
        world.post(&place(&joao, "b.pdf")).as_(&ana).bytes("application/pdf", PDF)
    };
    for refused in
        [raw(world), world.post(&place(&joao, "b.pdf")).as_(&ana).form("b.pdf", "x/y", PDF)]
    {
        let refused = refused.send().await.refused(400, "QuotaExceeded").json();
        assert_eq!(refused["statusCode"], "507");
    }
    tus::piece(world, &upload, 0, b"four").send().await.refused(507, "QuotaExceeded");
    assert_eq!(on_disk(world).0, 2);
    assert_eq!(world.get(&object(&document)).as_(&joao).send().await.is(200).body, PDF);
    world.sign_in(&joao.email).await;
    let copy = json!({"bucketId": "files", "sourceKey": "a.txt", "destinationKey": "c.txt"});
    office(world, "POST", "object/copy").json(&copy).send().await.is(200);
    let remove = office(world, "DELETE", "object/files").json(&json!({"prefixes": ["a.txt"]}));
    assert_eq!(remove.send().await.is(200).json().as_array().unwrap().len(), 1);
    world.set("min_free_space", "1 B");
    world.wait(SignedDuration::from_mins(1));
    raw(world).send().await.is(200);
    tus::piece(world, &upload, 0, b"four").send().await.is(204);
});
