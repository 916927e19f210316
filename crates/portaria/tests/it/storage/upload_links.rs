//! Signed upload links, and batches of download links.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::harness::{PDF, TestPortal, TestUser, object, portal_test, request::Request};
use crate::storage::{bucket, office, on_disk, put};

const WAY: &str = "/storage/v1/object/upload/sign";

/// URL and token of a link created by staff.
async fn link(portal: &TestPortal, user: &TestUser, path: &str, upsert: &str) -> (String, String) {
    let request = portal.post(&format!("{WAY}/client-documents/{path}")).auth(user);
    let answer = request.header("x-upsert", upsert).json(&json!({})).send().await.is(200).json();
    let text = |name: &str| answer[name].as_str().unwrap().to_owned();
    (format!("/storage/v1{}", text("url")), text("token"))
}

/// Uploads through a link without an API key or a session.
fn follow(portal: &TestPortal, link: &str) -> Request {
    portal.put(link).without("apikey").bytes("application/pdf", PDF)
}

portal_test!(upload_link_stores_one_file_for_its_creator, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let path = format!("public/{}/contratos/a.pdf", joao.id);
    let (url, token) = link(portal, &ana, &path, "false").await;
    assert_eq!(url, format!("{WAY}/client-documents/{path}?token={token}"));
    let stored = follow(portal, &url).send().await.is(200).json();
    assert_eq!(stored, json!({"Key": format!("client-documents/{path}")}));
    assert_eq!(portal.get(&object(&path)).auth(&ana).send().await.is(200).body, PDF);
    let again = follow(portal, &url).send().await.refused(400, "KeyAlreadyExists").json();
    assert_eq!(again["message"], "The resource already exists");
    // The permission to replace is part of the link, not of the upload request.
    follow(portal, &url).header("x-upsert", "true").send().await.refused(400, "KeyAlreadyExists");
    let (url, _) = link(portal, &ana, &path, "true").await;
    let other = [PDF, b"% 2\n"].concat();
    follow(portal, &url).form("a.pdf", "application/pdf", &other).send().await.is(200);
    let remove = portal.delete("/storage/v1/object/client-documents").auth(&ana);
    let removed = remove.json(&json!({"prefixes": [path]})).send().await.is(200).json();
    assert_eq!(removed[0]["owner"], ana.id);
    assert_eq!(removed[0]["metadata"]["size"], other.len());
});

portal_test!(upload_link_is_bound_to_path_lifetime_and_creator, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let path = format!("public/{}/contratos/a.pdf", joao.id);
    let (url, token) = link(portal, &ana, &path, "false").await;
    let other = follow(portal, &url.replace("a.pdf", "b.pdf")).send().await;
    other.refused(400, "InvalidSignature");
    for token in ["", "x", "a.b.c", &ana.token, &portal.app.keys.service_role, &token[1..]] {
        let forged = follow(portal, &format!("{WAY}/client-documents/{path}?token={token}"));
        forged.send().await.refused(400, "InvalidJWT");
    }
    // An upload link does not allow downloads, and vice versa.
    let read =
        portal.get(&format!("/storage/v1/object/sign/client-documents/{path}?token={token}"));
    read.without("apikey").send().await.refused(400, "InvalidSignature");
    let document = portal.document(&joao, "contratos", "z.pdf").await.path;
    let sign = portal.post(&object(&document).replace("/object/", "/object/sign/")).auth(&joao);
    let sign = sign.json(&json!({"expiresIn": 60})).send().await.is(200).json();
    let read = sign["signedURL"].as_str().unwrap().replace("/object/sign", WAY);
    let refusal = follow(portal, &read).send().await.refused(400, "InvalidSignature").json();
    assert_eq!(refusal["message"], "Token is not scoped for upload");

    // The content rules apply to uploads through links too.
    let exe = follow(portal, &url).bytes("application/pdf", b"MZ\x90\0".to_vec()).send().await;
    exe.refused(400, "InvalidMimeType");
    assert_eq!(on_disk(portal), (1, 0));
    // Another administrator must remain.
    let rui = json!({"email": "rui@escritorio.com.br", "app_metadata": {"roles": ["admin"]}});
    portal.create_user(rui).await;
    let demote = json!({"app_metadata": {"roles": []}});
    let account = format!("/auth/v1/admin/users/{}", ana.id);
    let key = portal.app.keys.service_role.clone();
    let roles = async |fields: &Value| {
        portal.put(&account).bearer(&key).json(fields).send().await.is(200);
    };
    roles(&demote).await;
    follow(portal, &url).send().await.refused(400, "AccessDenied");
    roles(&json!({"app_metadata": {"roles": ["admin"]}})).await;
    portal.advance(SignedDuration::from_secs(7200));
    let expired = follow(portal, &url).send().await.refused(400, "InvalidJWT").json();
    assert_eq!(expired["message"], "\"exp\" claim timestamp check failed");
    assert_eq!(on_disk(portal), (1, 0));
});

portal_test!(upload_link_ends_with_the_session_or_password_of_its_creator, async |portal| {
    let ana = portal.admin().await;
    let joao = portal.client("joao").await;
    let path = |name: &str| format!("public/{}/contratos/{name}", joao.id);
    let (signed_out, _) = link(portal, &ana, &path("a.pdf"), "false").await;
    portal.post("/auth/v1/logout?scope=global").auth(&ana).send().await.is(204);
    follow(portal, &signed_out).send().await.refused(400, "AccessDenied");

    let ana = portal.sign_in(&ana.email).await;
    let (old, _) = link(portal, &ana, &path("b.pdf"), "false").await;
    let own = portal.put("/auth/v1/user").auth(&ana).json(&json!({"password": "senha-da-pessoa"}));
    own.send().await.is(200);
    follow(portal, &old).send().await.refused(400, "AccessDenied");
    portal.advance(SignedDuration::from_secs(1));
    let (new, _) = link(portal, &ana, &path("b.pdf"), "false").await;
    follow(portal, &new).send().await.is(200);
    assert_eq!(on_disk(portal), (1, 0));
});

portal_test!(upload_link_lives_two_hours, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let path = |name: &str| format!("public/{}/contratos/{name}", joao.id);
    let program = TestUser { token: portal.app.keys.service_role.clone(), ..joao.clone() };
    for (creator, name) in [(&ana, "a"), (&program, "b")] {
        let (used, _) = link(portal, creator, &path(&format!("{name}1.pdf")), "false").await;
        let (expired, _) = link(portal, creator, &path(&format!("{name}2.pdf")), "false").await;
        portal.advance(SignedDuration::from_secs(7199));
        follow(portal, &used).send().await.is(200);
        portal.advance(SignedDuration::from_secs(1));
        follow(portal, &expired).send().await.refused(400, "InvalidJWT");
    }
});

portal_test!(upload_links_are_created_by_the_office_only, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let path = |name: &str| format!("{WAY}/client-documents/public/{}/contratos/{name}", joao.id);
    let taken = portal.upload(&joao, "contratos", "a.pdf").await;
    for token in [&joao.token, &portal.app.keys.anon] {
        let refused = portal.post(&path("b.pdf")).bearer(token).json(&json!({})).send().await;
        let refused = refused.refused(400, "AccessDenied");
        let exists = portal.post(&path("a.pdf")).bearer(token).json(&json!({})).send().await;
        assert_eq!(refused.seen(), exists.seen());
    }
    for (name, code) in
        [("a.pdf", "KeyAlreadyExists"), ("a.exe", "InvalidMimeType"), ("..%2fa.pdf", "InvalidKey")]
    {
        let refused = portal.post(&path(name)).auth(&ana).json(&json!({})).send().await;
        refused.refused(400, code);
    }
    let ghost = portal.post(&format!("{WAY}/ghost/a.pdf")).auth(&ana).json(&json!({})).send().await;
    ghost.refused(400, "NoSuchBucket");
    portal.get(&object(&taken)).auth(&ana).send().await.is(200);
});

portal_test!(batch_of_links_covers_readable_files_only, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let own = portal.document(&joao, "contratos", "ação.pdf").await.path;
    let theirs = portal.document(&maria, "contratos", "a.pdf").await.path;
    let ghost = theirs.replace("a.pdf", "b.pdf");
    let sign = |body: Value| {
        portal.post("/storage/v1/object/sign/client-documents").auth(&joao).json(&body).send()
    };
    let paths = json!([own, theirs, ghost, "../x", ""]);
    let links = sign(json!({"expiresIn": 60, "paths": paths})).await.is(200).json();
    let error = "Either the object does not exist or you do not have access to it";
    for (index, path) in paths.as_array().unwrap().iter().enumerate().skip(1) {
        assert_eq!(links[index], json!({"error": error, "path": path, "signedURL": null}));
    }
    assert_eq!((&links[0]["error"], &links[0]["path"]), (&Value::Null, &json!(own)));
    let url = links[0]["signedURL"].as_str().unwrap().replace("ação", "a%C3%A7%C3%A3o");
    let file = portal.get(&format!("/storage/v1{url}")).without("apikey").send().await.is(200);
    assert_eq!(file.body, PDF);
    assert!(file.header("expires").ends_with("GMT"));

    let too_many = vec!["a"; 1001];
    for body in [
        json!({"expiresIn": 60}),
        json!({"paths": ["a"]}),
        json!({"expiresIn": 60, "paths": []}),
        json!({"expiresIn": 60, "paths": too_many}),
        json!({"expiresIn": 0, "paths": ["a"]}),
        json!({"expiresIn": 1e21, "paths": ["a"]}),
        json!({"expiresIn": 60, "paths": ["a\u{0}"]}),
        json!({"expiresIn": 60, "paths": [1]}),
    ] {
        sign(body).await.refused(400, "InvalidRequest");
    }
    // The files of a bucket that does not exist for the caller are missing files.
    bucket(portal, "closed", json!({})).await;
    put(portal, "closed/a.txt", "x").await.is(200);
    for bucket in ["closed", "ghost"] {
        let sign = portal.post(&format!("/storage/v1/object/sign/{bucket}")).auth(&joao);
        let links = sign.json(&json!({"expiresIn": 60, "paths": ["a.txt"]})).send().await.is(200);
        assert_eq!(links.json(), json!([{"error": error, "path": "a.txt", "signedURL": null}]));
    }
    let nobody = portal.post("/storage/v1/object/sign/client-documents");
    let nobody =
        nobody.bearer(&portal.app.keys.anon).json(&json!({"expiresIn": 60, "paths": [own]}));
    assert_eq!(nobody.send().await.is(200).json()[0]["error"], error);
});

portal_test!(office_deletes_a_single_file, async |portal| {
    let joao = portal.client("joao").await;
    bucket(portal, "files", json!({})).await;
    put(portal, "files/a/b.txt", "x").await.is(200);
    let path = "/storage/v1/object/files/a/b.txt";
    portal.delete(path).auth(&joao).send().await.refused(400, "AccessDenied");
    let removed = office(portal, "DELETE", "object/files/a/b.txt").send().await.is(200).json();
    assert_eq!(removed, json!({"message": "Successfully deleted"}));
    office(portal, "DELETE", "object/files/a/b.txt").send().await.refused(400, "NoSuchKey");
    office(portal, "DELETE", "object/ghost/a.txt").send().await.refused(400, "NoSuchBucket");
});
