//! Impersonation: an administrator reads the portal as a client, and cannot write.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, object, portal_test, request::Answer};

async fn ask(portal: &TestPortal, admin: &TestUser, client: &str) -> Answer {
    portal.post(&format!("/auth/v1/admin/users/{client}/view")).auth(admin).send().await
}

async fn token(portal: &TestPortal, admin: &TestUser, client: &TestUser) -> String {
    let answer = ask(portal, admin, &client.id).await.is(200).json();
    assert_eq!(answer["client"]["email"], json!(client.email));
    answer["access_token"].as_str().unwrap().to_owned()
}

async fn read(portal: &TestPortal, token: &str, path: &str) -> Value {
    portal.get(&format!("/rest/v1/{path}")).bearer(token).send().await.is(200).json()
}

async fn documents(portal: &TestPortal, token: &str) -> u16 {
    portal.get("/rest/v1/documents").bearer(token).send().await.status.as_u16()
}

portal_test!(impersonation_reads_what_the_client_reads, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let shown = portal.document(&joao, "contratos", "a.pdf").await;
    let pending =
        portal.document_with(&joao, "contratos", "b.pdf", json!({"status": "pending"})).await;
    let foreign = portal.document(&maria, "contratos", "c.pdf").await;
    portal.ticket(&joao, "Dúvida do João").await;
    portal.ticket(&maria, "Dúvida da Maria").await;
    let viewer = token(portal, &ana, &joao).await;
    for path in [
        "documents?order=id",
        "tickets?order=id",
        "folders?select=*,documents(count)&order=id_supabase",
        "clients",
        "sessions",
        "document_receipts",
        "muted_topics",
        "notifications",
    ] {
        let theirs = portal.get(&format!("/rest/v1/{path}")).auth(&joao).send().await;
        assert_eq!(read(portal, &viewer, path).await, theirs.is(200).json(), "{path}");
    }
    // Tables that clients cannot see do not exist for an impersonating administrator either.
    let hidden = portal.get("/rest/v1/documents?select=client_id").bearer(&viewer).send().await;
    hidden.refused(400, "42703");
    portal.get("/rest/v1/email_templates").bearer(&viewer).send().await.refused(403, "42501");
    portal.get(&object(&shown.path)).bearer(&viewer).send().await.is(200);
    for path in [&pending.path, &foreign.path] {
        portal.get(&object(path)).bearer(&viewer).send().await.refused(400, "NoSuchKey");
    }
    // Links created during the impersonation belong to the administrator.
    let sign = portal.post(&format!("/storage/v1/object/sign/client-documents/{}", shown.path));
    let link = sign.bearer(&viewer).json(&json!({"expiresIn": 60})).send().await.is(200).json();
    let link = format!("/storage/v1{}", link["signedURL"].as_str().unwrap());
    portal.get(&link).send().await.is(200);
});

portal_test!(impersonation_cannot_write, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let document = portal.document(&joao, "contratos", "a.pdf").await;
    let ticket = portal.ticket(&joao, "Dúvida do João").await;
    let viewer = token(portal, &ana, &joao).await;
    let opened = json!({"document_id": document.id, "action": "opened"});
    let reply = json!({"ticket_id": ticket, "body": "Em nome do João"});
    let new = json!({"subject": "Em nome do João", "message": "Isto não pode acontecer."});
    for (table, row) in [
        ("document_receipts", opened),
        ("ticket_messages", reply),
        ("tickets", new),
        ("muted_topics", json!({"topic": "tickets"})),
    ] {
        let path = format!("/rest/v1/{table}");
        portal.post(&path).bearer(&viewer).json(&row).send().await.refused(403, "42501");
    }
    let path = format!("/rest/v1/tickets?id=eq.{ticket}");
    let closed = json!({"status": "closed"});
    portal.patch(&path).bearer(&viewer).json(&closed).send().await.refused(403, "42501");
    let path = "/rest/v1/sessions?id=not.is.null";
    portal.delete(path).bearer(&viewer).send().await.refused(403, "42501");
    let path = object(&format!("public/{}/contratos/x.pdf", joao.id));
    let upload = portal.post(&path).bearer(&viewer).bytes("application/pdf", crate::harness::PDF);
    assert!(upload.send().await.status.is_client_error());
    // The token has no access to the account either.
    let name = json!({"data": {"full_name": "Outro"}});
    assert!(
        portal
            .put("/auth/v1/user")
            .bearer(&viewer)
            .json(&name)
            .send()
            .await
            .status
            .is_client_error()
    );
    assert!(portal.get("/auth/v1/user").bearer(&viewer).send().await.status.is_client_error());
    assert!(
        portal.get("/auth/v1/admin/users").bearer(&viewer).send().await.status.is_client_error()
    );
    for path in ["/account/v1/calendar", "/account/v1/export"] {
        assert!(portal.get(path).bearer(&viewer).send().await.status.is_client_error(), "{path}");
    }
    let path = format!("/auth/v1/admin/users/{}/view", joao.id);
    portal.post(&path).bearer(&viewer).send().await.refused(403, "not_admin");
    let receipts = portal.get("/rest/v1/document_receipts").auth(&ana).send().await;
    assert_eq!(receipts.is(200).json(), json!([]));
});

portal_test!(impersonation_requires_an_admin_and_ends_with_the_session, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    ask(portal, &joao, &joao.id).await.refused(403, "not_admin");
    ask(portal, &ana, &ana.id).await.refused(404, "user_not_found");
    let unknown = uuid::Uuid::nil().to_string();
    ask(portal, &ana, &unknown).await.refused(404, "user_not_found");
    let path = format!("/auth/v1/admin/users/{}/view", joao.id);
    let service = &portal.app.keys.service_role;
    portal.post(&path).bearer(service).send().await.refused(403, "not_admin");

    let aged = token(portal, &ana, &joao).await;
    portal.advance(SignedDuration::from_secs(3600 + 31));
    assert_eq!(documents(portal, &aged).await, 401);
    let ana = portal.sign_in(&ana.email).await;
    let viewer = token(portal, &ana, &joao).await;
    assert_eq!(documents(portal, &viewer).await, 200);
    portal.post("/auth/v1/logout?scope=local").auth(&ana).send().await.is(204);
    assert_eq!(documents(portal, &viewer).await, 401);

    let ana = portal.sign_in(&ana.email).await;
    let viewer = token(portal, &ana, &joao).await;
    let path = format!("/auth/v1/admin/users/{}", joao.id);
    portal.delete(&path).auth(&ana).send().await.is(200);
    assert_eq!(documents(portal, &viewer).await, 401);
});
