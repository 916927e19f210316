//! Object names: ordinary names are kept, hidden files and path traversal are rejected.

use serde_json::json;

use crate::harness::{PDF, object, portal_test};
use crate::storage::on_disk;

/// A percent-encoded path segment.
fn encoded(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}

portal_test!(ordinary_name_is_kept, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    for name in [
        "Declaração nº 3 – João.pdf",
        "😀.pdf",
        "x.pdf",
        ".oculto.pdf",
        "100% certo.pdf",
        "a+b & c=d;e.pdf",
        "a／b.pdf",
        "%2e%2e.pdf",
        &format!("{}.pdf", "ã".repeat(125)),
    ] {
        let folder = format!("public/{}/contratos", joao.id);
        let address = object(&format!("{folder}/{}", encoded(name)));
        let answer =
            portal.post(&address).auth(&ana).bytes("application/pdf", PDF).send().await.is(200);
        assert_eq!(answer.json()["Key"], format!("client-documents/{folder}/{name}"));
        let row = json!({
            "name": name, "folder_id_supabase": "contratos", "file_url": format!("{folder}/{name}"),
        });
        portal.insert("documents", row).await;
        let file = portal.get(&format!("{address}?download")).auth(&joao).send().await.is(200);
        assert!(file.header("content-disposition").ends_with(&format!(
            "filename*=UTF-8''{}",
            encoded(name)
                .replace("%2E", ".")
                .replace("%2D", "-")
                .replace("%26", "&")
                .replace("%2B", "+")
        )));
    }
});

portal_test!(name_is_normalized, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let address = |name: &str| object(&format!("public/{}/contratos/{}", joao.id, encoded(name)));
    let (composed, decomposed) = ("a\u{e7}\u{e3}o.pdf", "ac\u{327}a\u{303}o.pdf");
    let upload =
        |name: &str| portal.post(&address(name)).auth(&ana).bytes("application/pdf", PDF).send();
    let answer = upload(decomposed).await.is(200).json();
    assert!(answer["Key"].as_str().unwrap().ends_with(composed));
    upload(composed).await.refused(400, "KeyAlreadyExists");
    portal.get(&address(composed)).auth(&ana).send().await.is(200);
    portal.get(&address(decomposed)).auth(&ana).send().await.is(200);
    let prefix = format!("public/{}/contratos", joao.id);
    for (version, body) in [
        ("list", json!({"prefix": prefix, "search": &decomposed[..8]})),
        ("list-v2", json!({"prefix": format!("{prefix}/{}", &decomposed[..8])})),
    ] {
        let list =
            portal.post(&format!("/storage/v1/object/{version}/client-documents")).auth(&ana);
        let listed = list.json(&body).send().await.is(200).text();
        assert!(listed.contains(composed), "{version}: {listed}");
    }
});

portal_test!(hidden_or_traversing_name_is_rejected, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let document = portal.document(&joao, "contratos", "a.pdf").await;
    let kept = on_disk(portal);
    let long = "ã".repeat(128);
    for name in [
        "../x.pdf",
        "..%2fx.pdf",
        "%2e%2e/x.pdf",
        "%2e%2e%2fx.pdf",
        "..%5cx.pdf",
        "a/../b.pdf",
        "a/./b.pdf",
        "a//b.pdf",
        "a/",
        "%00.pdf",
        "a%00.pdf",
        "a%0d%0ab.pdf",
        "%E2%80%AEfdp.exe.pdf",
        "a%E2%80%8B.pdf",
        "%EF%BB%BFa.pdf",
        "C:%5cx.pdf",
        "%20a.pdf",
        "a.pdf%20",
        "a.pdf.",
        "...",
        "%20",
        &encoded(&long),
        &vec!["a".repeat(250); 5].join("/"),
    ] {
        let address = object(&format!("public/{}/contratos/{name}", joao.id));
        for request in [
            portal.post(&address).auth(&ana).bytes("application/pdf", PDF),
            portal.get(&address).auth(&ana),
            portal.get(&address).auth(&joao),
        ] {
            request.send().await.refused(400, "InvalidKey");
        }
        let sign = portal.post(&address.replace("/object/", "/object/sign/")).auth(&ana);
        sign.json(&json!({"expiresIn": 60})).send().await.refused(400, "InvalidKey");
    }
    let bytes = portal.get(&object("%ff.pdf")).auth(&ana).send().await.is(400);
    assert!(bytes.json().is_object());
    assert_eq!(on_disk(portal), kept);
    portal.get(&object(&document.path)).auth(&joao).send().await.is(200);
});

portal_test!(name_is_decoded_once, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let address = object(&format!("public/{}/contratos/%252e%252e.pdf", joao.id));
    let answer =
        portal.post(&address).auth(&ana).bytes("application/pdf", PDF).send().await.is(200);
    assert!(answer.json()["Key"].as_str().unwrap().ends_with("/contratos/%2e%2e.pdf"));
});
