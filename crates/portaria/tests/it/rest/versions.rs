//! Earlier files of documents: what is kept, who sees it, and the way back.

use jiff::SignedDuration;
use portaria::{fsck, jobs::garbage_collect};
use serde_json::{Value, json};
use sha2::Digest;

use crate::harness::{Document, PDF, TestPortal, TestUser, object, portal_test, request::Answer};
use crate::rest::{column, read};

const NEW: &[u8] =
    b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n% 2\n";

/// Uploads a file and makes it the document's. Returns its name.
async fn replace(
    portal: &TestPortal,
    ana: &TestUser,
    joao: &TestUser,
    document: &Document,
    name: &str,
    bytes: &[u8],
) -> String {
    let path = format!("public/{}/contratos/{name}", joao.id);
    let upload = portal.post(&object(&path)).auth(ana).bytes("application/pdf", bytes.to_vec());
    upload.send().await.is(200);
    let change = portal.patch(&format!("/rest/v1/documents?id=eq.{}", document.id)).auth(ana);
    change.json(&json!({"file_url": path})).send().await.is(204);
    path
}

async fn versions(portal: &TestPortal, ana: &TestUser, document: &Document) -> Vec<Value> {
    let path = format!(
        "document_versions?document_id=eq.{}&select=*,staff(email)&order=replaced_at.desc,id.desc",
        document.id
    );
    read(portal, ana, &path).await.as_array().unwrap().clone()
}

async fn restore(portal: &TestPortal, user: &TestUser, version: &Value) -> Answer {
    let call = portal.post("/rest/v1/rpc/restore_document_version").auth(user);
    call.json(&json!({"version": version["id"]})).send().await
}

fn kept(version: &Value) -> String {
    format!("/storage/v1/object/document-versions/{}", version["file_url"].as_str().unwrap())
}

portal_test!(replaced_file_stays_as_a_version_and_returns, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let ask = json!({"approval_request": "approve"});
    let document = portal.document_with(&joao, "contratos", "1764200000000-a.pdf", ask).await;
    let answer =
        json!({"document_id": document.id, "file_url": document.path, "outcome": "approved"});
    portal.post("/rest/v1/document_approvals").auth(&joao).json(&answer).send().await.is(201);
    portal.advance(SignedDuration::from_secs(60));
    let second = replace(portal, &ana, &joao, &document, "2-a.pdf", NEW).await;

    let found = versions(portal, &ana, &document).await;
    let [version] = &found[..] else { panic!("{found:?}") };
    assert_eq!((&version["name"], &version["size"]), (&json!("a.pdf"), &json!(PDF.len())));
    assert_eq!(version["sha256"], portaria::security::keys::hex(&sha2::Sha256::digest(PDF)));
    assert_eq!(version["uploaded_at"], "2026-11-21T15:00:00+00:00");
    assert_eq!(version["replaced_at"], "2026-11-21T15:01:00+00:00");
    assert_eq!(version["staff"]["email"], ana.email);
    assert_eq!(portal.get(&kept(version)).auth(&ana).send().await.is(200).body, PDF);
    // The client sees the present file only.
    portal.get(&kept(version)).auth(&joao).send().await.refused(400, "NoSuchBucket");
    portal.get("/rest/v1/document_versions").auth(&joao).send().await.refused(404, "PGRST205");
    portal.get(&object(&document.path)).auth(&joao).send().await.refused(400, "NoSuchKey");
    restore(portal, &joao, version).await.refused(403, "42501");

    // A restored version is another file of the document: the client is asked again, and the present one is kept.
    restore(portal, &ana, version).await.is(204);
    let row = read(portal, &joao, "documents?select=file_url,size,type,approval_outcome").await;
    let path = row[0]["file_url"].as_str().unwrap().to_owned();
    assert_ne!(path, document.path);
    assert_eq!((&row[0]["size"], &row[0]["type"]), (&json!(PDF.len()), &json!("pdf")));
    assert_eq!(row[0]["approval_outcome"], Value::Null);
    assert_eq!(portal.get(&object(&path)).auth(&joao).send().await.is(200).body, PDF);
    let found = versions(portal, &ana, &document).await;
    assert_eq!(column(&json!(found), "size"), [json!(NEW.len())]);
    portal.get(&object(&second)).auth(&ana).send().await.refused(400, "NoSuchKey");
    restore(portal, &ana, version).await.refused(404, "PT404");
    let events = format!("activity?subject_id=eq.{}&select=event&order=number", document.id);
    let events = column(&read(portal, &ana, &events).await, "event");
    assert_eq!(events[events.len() - 2..], ["document.changed", "version.restored"]);

    // Garbage collection leaves versions, and the check finds no fault.
    portal.advance(SignedDuration::from_hours(25));
    garbage_collect::run(&portal.app).await.unwrap();
    let ana = portal.sign_in(&ana.email).await;
    assert_eq!(portal.get(&kept(&found[0])).auth(&ana).send().await.is(200).body, NEW);
    assert_eq!(fsck::run(&portal.app).await.unwrap().faults, Vec::<fsck::Fault>::new());
});

portal_test!(restored_version_has_its_values_and_ends_the_payment_of_another, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let slip = json!({"amount_cents": 14_359, "expires_at": "2026-12-20T23:59:59Z"});
    let document = portal.document_with(&joao, "faturas", "a.pdf", slip).await;
    let patch = async |changes: Value| {
        let change = portal.patch(&format!("/rest/v1/documents?id=eq.{}", document.id)).auth(&ana);
        change.json(&changes).send().await.is(204);
    };
    let pay = async || {
        let paid = json!({"document_id": document.id, "paid_on": "2026-11-20"});
        portal.post("/rest/v1/document_payments").auth(&joao).json(&paid).send().await.is(201);
    };
    let payments = async || {
        let found = read(portal, &joao, "document_payments?select=id").await;
        found.as_array().unwrap().len()
    };
    replace(portal, &ana, &joao, &document, "2-a.pdf", NEW).await;
    pay().await;
    // The client paid this slip, so what follows is about another. A name is about the same.
    patch(json!({"name": "Guia"})).await;
    assert_eq!(payments().await, 1);
    patch(json!({"amount_cents": 88_800, "expires_at": null})).await;
    assert_eq!(payments().await, 0);
    pay().await;

    let found = versions(portal, &ana, &document).await;
    restore(portal, &ana, &found[0]).await.is(204);
    let row = read(portal, &joao, "documents?select=amount_cents,expires_at").await;
    assert_eq!(row[0]["amount_cents"], 14_359);
    assert_eq!(row[0]["expires_at"], "2026-12-20T23:59:59+00:00");
    assert_eq!(payments().await, 0);
    let events = format!("activity?subject_id=eq.{}&event=eq.payment.withdrawn", document.id);
    assert_eq!(read(portal, &ana, &events).await.as_array().unwrap().len(), 2);
});

portal_test!(overwritten_file_stays_as_a_version, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let document = portal.document(&joao, "contratos", "a.pdf").await;
    let overwrite = portal.put(&object(&document.path)).auth(&ana).bytes("application/pdf", NEW);
    overwrite.send().await.is(200);
    let found = versions(portal, &ana, &document).await;
    assert_eq!(column(&json!(found), "size"), [json!(PDF.len())]);
    assert_eq!(portal.get(&kept(&found[0])).auth(&ana).send().await.is(200).body, PDF);
    assert_eq!(portal.get(&object(&document.path)).auth(&joao).send().await.is(200).body, NEW);
});

portal_test!(twenty_versions_are_kept, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let document = portal.document(&joao, "contratos", "0.pdf").await;
    for number in 1..=22 {
        portal.advance(SignedDuration::from_secs(1));
        let bytes = [PDF, format!("% {number}").as_bytes()].concat();
        replace(portal, &ana, &joao, &document, &format!("{number}.pdf"), &bytes).await;
    }
    let names = column(&json!(versions(portal, &ana, &document).await), "name");
    assert_eq!(names.len(), 20);
    assert_eq!([&names[0], &names[19]], [&json!("21.pdf"), &json!("2.pdf")]);
    portal.advance(SignedDuration::from_hours(2));
    garbage_collect::run(&portal.app).await.unwrap();
    assert_eq!(portal.files_in("blobs").len(), 21);
});

portal_test!(versions_go_with_document_and_client, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let mut documents = Vec::new();
    for client in [&joao, &joao, &maria] {
        let name = format!("{}.pdf", documents.len());
        let document = portal.document(client, "contratos", &name).await;
        replace(portal, &ana, client, &document, &format!("nova-{name}"), NEW).await;
        documents.push(document);
    }
    // A version outlives the trash, and returns with its document.
    let first = &documents[0];
    let path = format!("/rest/v1/documents?id=eq.{}", first.id);
    portal.delete(&path).auth(&ana).send().await.is(204);
    let version = versions(portal, &ana, first).await[0].clone();
    restore(portal, &ana, &version).await.refused(404, "PT404");
    portal.advance(SignedDuration::from_hours(25));
    garbage_collect::run(&portal.app).await.unwrap();
    let ana = portal.sign_in(&ana.email).await;
    let back = portal.post("/rest/v1/rpc/restore_documents").auth(&ana);
    back.json(&json!({"documents": [first.id]})).send().await.is(204);
    assert_eq!(portal.get(&kept(&version)).auth(&ana).send().await.is(200).body, PDF);

    // A removal for good takes it along, and so does a deletion of the version.
    portal.delete(&path).auth(&ana).send().await.is(204);
    let trash = format!("/rest/v1/deleted_documents?id=eq.{}", first.id);
    portal.delete(&trash).auth(&ana).send().await.is(204);
    assert_eq!(versions(portal, &ana, first).await, Vec::<Value>::new());
    portal.get(&kept(&version)).auth(&ana).send().await.refused(400, "NoSuchKey");
    let third = versions(portal, &ana, &documents[2]).await[0].clone();
    let path = format!("/rest/v1/document_versions?id=eq.{}", third["id"].as_str().unwrap());
    portal.delete(&path).auth(&ana).send().await.is(204);
    portal.get(&kept(&third)).auth(&ana).send().await.refused(400, "NoSuchKey");
    let event = "activity?event=eq.version.deleted&select=subject_id,person_name";
    let expected = json!([{"subject_id": documents[2].id, "person_name": "maria"}]);
    assert_eq!(read(portal, &ana, event).await, expected);

    // A document keeps its client while it is withdrawn, and so do its versions.
    let second = &documents[1];
    let withdrawal = portal.post("/rest/v1/rpc/withdraw_documents").auth(&ana);
    withdrawal.json(&json!({"documents": [second.id]})).send().await.is(204);
    let present = object(&format!("public/{}/contratos/nova-1.pdf", joao.id));
    portal.put(&present).auth(&ana).bytes("application/pdf", PDF).send().await.is(200);
    assert_eq!(versions(portal, &ana, second).await.len(), 2);

    portal.delete(&format!("/auth/v1/admin/users/{}", joao.id)).auth(&ana).send().await.is(200);
    assert_eq!(read(portal, &ana, "document_versions").await, json!([]));
    portal.advance(SignedDuration::from_hours(2));
    garbage_collect::run(&portal.app).await.unwrap();
    // Only the present file of the other client is left.
    assert_eq!(portal.files_in("blobs").len(), 1);
});

portal_test!(held_document_keeps_its_file, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let document = portal.document(&joao, "contratos", "a.pdf").await;
    replace(portal, &ana, &joao, &document, "b.pdf", NEW).await;
    let version = versions(portal, &ana, &document).await[0].clone();
    let hold = portal.patch(&format!("/rest/v1/documents?id=eq.{}", document.id)).auth(&ana);
    hold.json(&json!({"legal_hold_reason": "Processo 1"})).send().await.is(204);
    restore(portal, &ana, &version).await.refused(409, "document_held");
    // Nothing of the refused restore stays.
    assert_eq!(versions(portal, &ana, &document).await.len(), 1);
    assert_eq!(portal.get(&kept(&version)).auth(&ana).send().await.is(200).body, PDF);
});
