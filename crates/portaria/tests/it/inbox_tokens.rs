//! Tokens of the inbox: a scanner or a script adds files with one, and can do nothing else.

use serde_json::{Value, json};

use crate::backup::rows;
use crate::harness::{PDF, TestPortal, TestUser, portal_test, request::Answer};

const TOKENS: &str = "/account/v1/inbox-tokens";

async fn create(portal: &TestPortal, user: &TestUser, name: &str) -> Answer {
    portal.post(TOKENS).auth(user).json(&json!({"name": name})).send().await
}

/// Creates a token and returns its id and its secret.
async fn token(portal: &TestPortal, user: &TestUser, name: &str) -> (String, String) {
    let created = create(portal, user, name).await.is(200).json();
    let text = |name: &str| created[name].as_str().unwrap().to_owned();
    (text("id"), text("token"))
}

async fn send(portal: &TestPortal, token: &str, name: &str) -> Answer {
    let request = portal.post(&format!("/storage/v1/object/inbox/{name}")).without("apikey");
    request.bearer(token).bytes("application/pdf", PDF).send().await
}

async fn listed(portal: &TestPortal, user: &TestUser) -> Value {
    portal.get(TOKENS).auth(user).send().await.is(200).json()["tokens"].clone()
}

async fn select(portal: &TestPortal, user: &TestUser, query: &str) -> Value {
    portal.get(&format!("/rest/v1/{query}")).auth(user).send().await.is(200).json()
}

portal_test!(token_adds_files_until_it_is_revoked, async |portal| {
    let ana = portal.admin().await;
    let (id, secret) = token(portal, &ana, " Scanner da recepção ").await;
    assert!(secret.strip_prefix("portaria_inbox_").is_some_and(|random| random.len() == 43));
    let before = listed(portal, &ana).await;
    assert_eq!(before[0]["name"], "Scanner da recepção");
    assert_eq!(before[0]["created_by"], "Ana Prado");
    assert_eq!(before[0]["last_used_at"], json!(null));
    // Neither an answer nor the database contains the secret.
    let stored: String = rows(&portal.app.config).values().flatten().cloned().collect();
    assert!(!stored.contains(&secret) && stored.contains("Scanner da recepção"));

    // Scanners repeat names.
    for _ in 0..2 {
        send(portal, &secret, "guia%20da%20padaria.pdf").await.is(200);
    }
    let files = select(portal, &ana, "inbox_files?select=name,source,uploaded_by_id").await;
    let file = json!({"name": "guia da padaria.pdf", "source": "program", "uploaded_by_id": null});
    assert_eq!(files, json!([file, file]));
    assert!(listed(portal, &ana).await[0]["last_used_at"].is_string());

    portal.delete(&format!("{TOKENS}/{id}")).auth(&ana).send().await.is(204);
    portal.delete(&format!("{TOKENS}/{id}")).auth(&ana).send().await.refused(404, "not_found");
    send(portal, &secret, "depois.pdf").await.refused(403, "AccessDenied");
    assert_eq!(listed(portal, &ana).await, json!([]));
    let events =
        "activity?subject=like.*Scanner%20da%20recep*&select=event,subject,actor_name&order=number";
    let event = |event: &str, subject: &str, actor: Option<&str>| json!({"event": event, "subject": subject, "actor_name": actor});
    let (name, ana_prado) = ("Scanner da recepção", Some("Ana Prado"));
    let sent = event("file.created", "guia da padaria.pdf (Scanner da recepção)", None);
    assert_eq!(
        select(portal, &ana, events).await,
        json!([
            event("inbox_token.created", name, ana_prado),
            sent,
            sent,
            event("inbox_token.revoked", name, ana_prado),
        ])
    );
});

portal_test!(token_obeys_the_checks_of_uploads, async |portal| {
    let ana = portal.admin().await;
    let (_, secret) = token(portal, &ana, "Script").await;
    for unknown in [format!("{}x", &secret[..secret.len() - 1]), "portaria_inbox_".to_owned()] {
        let answer = send(portal, &unknown, "a.pdf").await;
        assert!([400, 403].contains(&answer.status.as_u16()), "{}", answer.text());
        assert_eq!(answer.json()["code"], "AccessDenied");
    }
    send(portal, &secret, "programa.exe").await.refused(415, "InvalidMimeType");
    send(portal, &secret, "sem-tipo").await.refused(415, "InvalidMimeType");
    // The content must agree with the extension.
    send(portal, &secret, "imagem.png").await.refused(415, "InvalidMimeType");
    let big = vec![b' '; usize::try_from(portal.app.config.max_upload).unwrap() + 1];
    let request = portal.post("/storage/v1/object/inbox/grande.txt").bearer(&secret);
    request.bytes("text/plain", big).send().await.refused(413, "EntityTooLarge");
    assert_eq!(select(portal, &ana, "inbox_files").await, json!([]));
    assert_eq!(listed(portal, &ana).await[0]["last_used_at"], json!(null));
});

portal_test!(token_neither_reads_nor_changes_the_inbox, async |portal| {
    let ana = portal.admin().await;
    let (_, secret) = token(portal, &ana, "Scanner").await;
    let key = send(portal, &secret, "a.pdf").await.is(200).json()["Key"].clone();
    let object = format!("/storage/v1/object/{}", key.as_str().unwrap());
    let info = object.replace("/object/", "/object/info/");
    let signed = object.replace("/object/", "/object/sign/");
    let upload_link = object.replace("/object/", "/object/upload/sign/");
    let list = json!({"prefix": ""});
    let copied = json!({"bucketId": "inbox", "sourceKey": "a.pdf", "destinationKey": "b.pdf"});
    for (method, path, body) in [
        ("GET", object.as_str(), json!(null)),
        ("DELETE", &object, json!(null)),
        ("PUT", &object, json!(null)),
        ("GET", &info, json!(null)),
        ("POST", &signed, json!({"expiresIn": 60})),
        ("POST", &upload_link, json!({})),
        ("POST", "/storage/v1/object/list/inbox", list.clone()),
        ("POST", "/storage/v1/object/list-v2/inbox", list),
        ("POST", "/storage/v1/object/copy", copied.clone()),
        ("POST", "/storage/v1/object/move", copied),
        ("DELETE", "/storage/v1/object/inbox", json!({"prefixes": ["a.pdf"]})),
        ("POST", "/storage/v1/bucket/inbox/empty", json!(null)),
    ] {
        let request = portal.request(method, path).bearer(&secret);
        let answer = request.json(&body).send().await.is(400).json();
        assert_eq!([&answer["code"], &answer["statusCode"]], ["AccessDenied", "403"], "{path}");
    }
    for bucket in ["client-documents", "received-files", "trash"] {
        let request = portal.post(&format!("/storage/v1/object/{bucket}/a.pdf")).bearer(&secret);
        let answer = request.bytes("application/pdf", PDF).send().await.is(400).json();
        assert_eq!(answer["code"], "AccessDenied", "{bucket}");
    }
    for table in ["inbox_files", "documents", "clients", "folders"] {
        let request = portal.get(&format!("/rest/v1/{table}")).bearer(&secret);
        request.send().await.refused(401, "PGRST301");
    }
    portal.get(TOKENS).bearer(&secret).send().await.refused(401, "no_authorization");
    assert_eq!(select(portal, &ana, "inbox_files?select=name").await, json!([{"name": "a.pdf"}]));
});

portal_test!(only_administrators_manage_tokens, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let (id, _) = token(portal, &ana, "Scanner").await;
    let employee = portal.colleague("bia", "employee", false).await;
    let reader = portal.colleague("caio", "reader", false).await;
    for user in [&joao, &employee, &reader] {
        create(portal, user, "Minha").await.refused(403, "not_admin");
        portal.get(TOKENS).auth(user).send().await.refused(403, "not_admin");
        portal.delete(&format!("{TOKENS}/{id}")).auth(user).send().await.refused(403, "not_admin");
    }
    for name in ["", " ", "a\nb", &"x".repeat(81)] {
        create(portal, &ana, name).await.refused(400, "validation_failed");
    }
    for number in 1..50 {
        create(portal, &ana, &format!("Scanner {number}")).await.is(200);
    }
    create(portal, &ana, "Mais um").await.refused(409, "too_many_inbox_tokens");
});
