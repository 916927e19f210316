//! The trash of documents: what a deletion hides, what a restore brings back, and removal for good.

use jiff::SignedDuration;
use portaria::{
    fsck,
    jobs::{garbage_collect, nightly},
};
use serde_json::{Value, json};

use crate::harness::{Document, PDF, TestPortal, TestUser, object, portal_test, request::Answer};
use crate::rest::{column, read};

const DAY: i64 = 24;

async fn delete(portal: &TestPortal, user: &TestUser, document: &Document) -> Answer {
    portal.delete(&format!("/rest/v1/documents?id=eq.{}", document.id)).auth(user).send().await
}

async fn restore(portal: &TestPortal, user: &TestUser, body: Value) -> Answer {
    portal.post("/rest/v1/rpc/restore_documents").auth(user).json(&body).send().await
}

async fn purge(portal: &TestPortal, user: &TestUser, document: &Document) -> Answer {
    let path = format!("/rest/v1/deleted_documents?id=eq.{}", document.id);
    portal.delete(&path).auth(user).send().await
}

/// The tables with rows of a document, as staff see them.
async fn everything(portal: &TestPortal, ana: &TestUser, document: &Document) -> Vec<Value> {
    let id = &document.id;
    let mut found = vec![read(portal, ana, &format!("documents?id=eq.{id}")).await];
    for table in
        ["document_receipts", "document_payments", "document_approvals", "document_contacts"]
    {
        found.push(read(portal, ana, &format!("{table}?document_id=eq.{id}&order=id")).await);
    }
    found.push(read(portal, ana, &format!("tickets?document_id=eq.{id}&select=id")).await);
    found
}

async fn links(portal: &TestPortal, ana: &TestUser, document: &Document) -> Answer {
    portal.get(&format!("/account/v1/documents/{}/links", document.id)).auth(ana).send().await
}

/// A document with a row in every table that depends on it, and the token of its personal link.
async fn used_document(portal: &TestPortal, ana: &TestUser, joao: &TestUser) -> (Document, String) {
    let fields = json!({"approval_request": "approve", "expires_at": "2026-11-30"});
    let document = portal.document_with(joao, "faturas", "guia.pdf", fields).await;
    let id = &document.id;
    for (table, row) in [
        ("document_receipts", json!({"document_id": id, "action": "opened"})),
        ("document_payments", json!({"document_id": id, "paid_on": "2026-11-20"})),
        (
            "document_approvals",
            json!({"document_id": id, "file_url": document.path, "outcome": "approved"}),
        ),
        ("tickets", json!({"subject": "Guia", "message": "A guia venceu.", "document_id": id})),
    ] {
        portal.post(&format!("/rest/v1/{table}")).auth(joao).json(&row).send().await.is(201);
    }
    let contact = json!({"document_id": id, "kind": "delivery", "note": "Impresso"});
    portal.post("/rest/v1/document_contacts").auth(ana).json(&contact).send().await.is(201);
    let links = format!("/account/v1/documents/{id}/links");
    let link = portal.post(&links).auth(ana).send().await.is(200).json();
    let token = link["url"].as_str().unwrap().split_once("/d/").unwrap().1.to_owned();
    (document, token)
}

portal_test!(deleted_document_disappears_and_comes_back_as_it_was, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let tax_id = json!({"user_metadata": {"tax_id": "11222333000181"}});
    let account = format!("/auth/v1/admin/users/{}", joao.id);
    portal.put(&account).auth(&ana).json(&tax_id).send().await.is(200);
    let (document, token) = used_document(portal, &ana, &joao).await;
    let calendar = portal.post("/account/v1/calendar").auth(&joao).send().await.is(200).json();
    let calendar = calendar["url"].as_str().unwrap().replace("http://127.0.0.1:8080", "");
    let sign = object(&document.path).replace("/object/", "/object/sign/");
    let sign = portal.post(&sign).auth(&joao).json(&json!({"expiresIn": 3600}));
    let signed = sign.send().await.is(200).json()["signedURL"].as_str().unwrap().to_owned();
    let signed = format!("/storage/v1{signed}");
    let links_before = links(portal, &ana, &document).await.is(200).json();
    let before = everything(portal, &ana, &document).await;
    for rows in &before {
        assert_eq!(rows.as_array().unwrap().len(), 1, "{rows}");
    }

    // A ticket that has another client by the time of the restore does not refer to the document again.
    let row = json!({"subject": "Outra", "message": "Outra dúvida.", "document_id": document.id});
    let moved =
        portal.post("/rest/v1/tickets").auth(&joao).json(&row).prefer("return=representation");
    let moved = moved.send().await.is(201).json()[0]["id"].as_str().unwrap().to_owned();
    portal.advance(SignedDuration::from_secs(60));
    delete(portal, &ana, &document).await.is(204);
    let maria = portal.client("maria").await;
    let ticket = portal.patch(&format!("/rest/v1/tickets?id=eq.{moved}"));
    let ticket = ticket.bearer(&portal.app.keys.service_role).json(&json!({"user_id": maria.id}));
    ticket.send().await.is(204);
    for rows in everything(portal, &ana, &document).await {
        assert_eq!(rows, json!([]));
    }
    links(portal, &ana, &document).await.refused(404, "not_found");
    for table in ["documents", "document_receipts", "document_payments", "document_approvals"] {
        assert_eq!(read(portal, &joao, table).await, json!([]), "{table}");
    }
    for user in [&joao, &ana] {
        let file = portal.get(&object(&document.path)).auth(user).send().await;
        file.refused(400, "NoSuchKey");
    }
    portal.get(&signed).without("apikey").send().await.refused(400, "NoSuchKey");
    let feed = portal.get(&calendar).without("apikey").send().await.is(200).text();
    assert!(!feed.contains("guia.pdf"), "{feed}");
    let link = format!("/account/v1/links/{token}");
    let state = portal.get(&link).send().await.json();
    assert_ne!(state["state"], "ready", "{state}");

    // Staff see who deleted it, when, and until when it stays, and can open the file.
    let trash = "deleted_documents?select=*,folders(name),clients(email),staff(email)";
    let row = read(portal, &ana, trash).await[0].clone();
    let text = |name: &str| row[name].as_str().unwrap().to_owned();
    assert_eq!((text("id"), text("name")), (document.id.clone(), "guia.pdf".into()));
    assert_eq!(text("deleted_at"), "2026-11-21T15:01:00+00:00");
    assert_eq!(text("purge_at"), "2026-12-21T15:01:00+00:00");
    assert_eq!(row["size"], PDF.len());
    assert_eq!(row["staff"]["email"], ana.email);
    assert_eq!(row["clients"]["email"], joao.email);
    let kept = format!("/storage/v1/object/deleted-documents/{}", text("file_url"));
    assert_eq!(portal.get(&kept).auth(&ana).send().await.is(200).body, PDF);
    portal.get(&kept).auth(&joao).send().await.refused(400, "NoSuchBucket");
    assert_eq!(fsck::run(&portal.app).await.unwrap().faults, Vec::<fsck::Fault>::new());

    let ids = json!({"documents": [document.id]});
    restore(portal, &joao, ids.clone()).await.refused(403, "42501");
    restore(portal, &ana, ids.clone()).await.is(204);
    assert_eq!(everything(portal, &ana, &document).await, before);
    assert_eq!(links(portal, &ana, &document).await.is(200).json(), links_before);
    assert_eq!(portal.get(&object(&document.path)).auth(&joao).send().await.is(200).body, PDF);
    assert_eq!(portal.get(&link).send().await.is(200).json()["state"], "ready");
    let found = read(portal, &joao, "documents?name=fts.guia&select=id").await;
    assert_eq!(found.as_array().map(Vec::len), Some(1), "{found}");
    assert_eq!(read(portal, &ana, "deleted_documents").await, json!([]));
    portal.get(&kept).auth(&ana).send().await.refused(400, "NoSuchKey");
    restore(portal, &ana, ids).await.refused(404, "PT404");

    let events = format!("activity?subject_id=eq.{}&select=event&order=number", document.id);
    let events = column(&read(portal, &ana, &events).await, "event");
    assert_eq!(events[events.len() - 2..], ["document.deleted", "document.restored"]);
    // A day later garbage collection has left the file.
    portal.advance(SignedDuration::from_hours(25));
    garbage_collect::run(&portal.app).await.unwrap();
    let joao = portal.sign_in(&joao.email).await;
    assert_eq!(portal.get(&object(&document.path)).auth(&joao).send().await.is(200).body, PDF);
});

portal_test!(withdrawn_and_fileless_documents_return_as_they_were, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let withdrawn = portal.document(&joao, "contratos", "a.pdf").await;
    let call = portal.post("/rest/v1/rpc/withdraw_documents").auth(&ana);
    call.json(&json!({"documents": [withdrawn.id]})).send().await.is(204);
    let row = json!({"name": "Sem arquivo", "folder_id_supabase": "faturas"});
    let fileless = portal.insert("documents", row).await;
    let before = read(portal, &ana, "documents?order=id").await;
    let both = format!("/rest/v1/documents?id=in.({},{fileless})", withdrawn.id);
    portal.delete(&both).auth(&ana).send().await.is(204);
    let trash = read(portal, &ana, "deleted_documents?select=client_id&order=name").await;
    assert_eq!(trash, json!([{"client_id": null}, {"client_id": joao.id}]));
    restore(portal, &ana, json!({"documents": [withdrawn.id, fileless]})).await.is(204);
    assert_eq!(read(portal, &ana, "documents?order=id").await, before);
    assert_eq!(read(portal, &joao, "documents").await, json!([]));
});

portal_test!(shared_file_stays_with_the_other_document, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let first = portal.document(&joao, "contratos", "a.pdf").await;
    let row = json!({"name": "b.pdf", "folder_id_supabase": "contratos", "file_url": first.path});
    let second = portal.insert("documents", row).await;
    delete(portal, &ana, &first).await.is(204);
    assert_eq!(portal.get(&object(&first.path)).auth(&joao).send().await.is(200).body, PDF);
    restore(portal, &ana, json!({"documents": [first.id]})).await.is(204);
    let paths = column(&read(portal, &joao, "documents?select=file_url").await, "file_url");
    assert_eq!(paths, [json!(first.path), json!(first.path)]);
    // Once both are in the trash, each keeps the file until it is removed itself.
    portal.delete("/rest/v1/documents?id=not.is.null").auth(&ana).send().await.is(204);
    purge(portal, &ana, &first).await.is(204);
    portal.advance(SignedDuration::from_hours(2));
    garbage_collect::run(&portal.app).await.unwrap();
    let ana = portal.sign_in(&ana.email).await;
    restore(portal, &ana, json!({"documents": [second]})).await.is(204);
    assert_eq!(portal.get(&object(&first.path)).auth(&ana).send().await.is(200).body, PDF);
});

portal_test!(document_of_a_taken_name_or_a_deleted_folder_returns_elsewhere, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let fields = json!({"approval_request": "acknowledge"});
    let document = portal.document_with(&joao, "contratos", "a.pdf", fields).await;
    let answer = json!({
        "document_id": document.id, "file_url": document.path, "outcome": "acknowledged",
    });
    portal.post("/rest/v1/document_approvals").auth(&joao).json(&answer).send().await.is(201);
    delete(portal, &ana, &document).await.is(204);
    // Another file has the name by now, and the folder was deleted.
    let longer = [PDF, b"% outro"].concat();
    let upload = portal.post(&object(&document.path)).auth(&ana).bytes("application/pdf", longer);
    upload.send().await.is(200);
    let folder = "/rest/v1/folders?id_supabase=eq.contratos";
    portal.delete(folder).auth(&ana).send().await.is(204);
    let ids = json!([document.id]);
    let refused = restore(portal, &ana, json!({"documents": ids})).await;
    refused.refused(409, "folder_deleted");
    let unknown = json!({"documents": ids, "folder": "nenhuma"});
    restore(portal, &ana, unknown).await.refused(409, "23503");
    restore(portal, &ana, json!({"documents": ids, "folder": "faturas"})).await.is(204);
    let query = "documents?select=folder_id_supabase,file_url,document_approvals(file_url)";
    let row = read(portal, &joao, query).await[0].clone();
    assert_eq!(row["folder_id_supabase"], "faturas");
    let path = row["file_url"].as_str().unwrap();
    assert_ne!(path, document.path);
    assert_eq!(row["document_approvals"], json!([{"file_url": path}]));
    assert_eq!(portal.get(&object(path)).auth(&joao).send().await.is(200).body, PDF);
});

portal_test!(folder_that_moves_its_documents_moves_the_deleted_ones, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let document = portal.document(&joao, "contratos", "a.pdf").await;
    delete(portal, &ana, &document).await.is(204);
    let call = portal.post("/rest/v1/rpc/delete_folder").auth(&ana);
    call.json(&json!({"folder": "contratos", "target": "faturas"})).send().await.is(204);
    restore(portal, &ana, json!({"documents": [document.id]})).await.is(204);
    let row = read(portal, &joao, "documents?select=folder_id_supabase").await;
    assert_eq!(row, json!([{"folder_id_supabase": "faturas"}]));
});

portal_test!(removal_for_good_takes_the_file, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let document = portal.document(&joao, "contratos", "a.pdf").await;
    delete(portal, &ana, &document).await.is(204);
    let kept = portal.document(&joao, "contratos", "b.pdf").await;
    delete(portal, &ana, &kept).await.is(204);
    purge(portal, &joao, &document).await.refused(404, "PGRST205");
    purge(portal, &ana, &document).await.is(204);
    restore(portal, &ana, json!({"documents": [document.id]})).await.refused(404, "PT404");
    portal.advance(SignedDuration::from_hours(2));
    garbage_collect::run(&portal.app).await.unwrap();
    assert_eq!(portal.files_in("blobs").len(), 1);
    let ana = portal.sign_in(&ana.email).await;
    let event = "activity?event=eq.document.purged&select=subject,person_name,actor_name";
    let event = read(portal, &ana, event).await;
    assert_eq!(
        event,
        json!([{"subject": "a.pdf", "person_name": "joao", "actor_name": "Ana Prado"}])
    );
    restore(portal, &ana, json!({"documents": [kept.id]})).await.is(204);
    assert_eq!(fsck::run(&portal.app).await.unwrap().faults, Vec::<fsck::Fault>::new());
});

portal_test!(nightly_job_removes_documents_after_thirty_days, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    nightly::run(&portal.app).await.unwrap();
    let old = portal.document(&joao, "contratos", "velho.pdf").await;
    delete(portal, &ana, &old).await.is(204);
    portal.advance(SignedDuration::from_hours(29 * DAY));
    nightly::run(&portal.app).await.unwrap();
    let ana = portal.sign_in(&ana.email).await;
    let recent = portal.document(&joao, "contratos", "recente.pdf").await;
    delete(portal, &ana, &recent).await.is(204);
    let names = column(&read(portal, &ana, "deleted_documents?order=deleted_at").await, "name");
    assert_eq!(names, ["velho.pdf", "recente.pdf"]);
    portal.advance(SignedDuration::from_hours(2 * DAY));
    nightly::run(&portal.app).await.unwrap();
    portal.advance(SignedDuration::from_hours(2));
    garbage_collect::run(&portal.app).await.unwrap();
    let ana = portal.sign_in(&ana.email).await;
    assert_eq!(column(&read(portal, &ana, "deleted_documents").await, "name"), ["recente.pdf"]);
    assert_eq!(portal.files_in("blobs").len(), 1);
    let event = "activity?event=eq.document.purged&select=subject,actor";
    let event = read(portal, &ana, event).await;
    assert_eq!(event, json!([{"subject": "velho.pdf", "actor": "program"}]));
});

portal_test!(trash_goes_with_its_client, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    for client in [&joao, &maria] {
        let document = portal.document(client, "contratos", "a.pdf").await;
        delete(portal, &ana, &document).await.is(204);
    }
    portal.delete(&format!("/auth/v1/admin/users/{}", joao.id)).auth(&ana).send().await.is(200);
    let left = read(portal, &ana, "deleted_documents?select=client_id").await;
    assert_eq!(left, json!([{"client_id": maria.id}]));
    portal.advance(SignedDuration::from_hours(2));
    garbage_collect::run(&portal.app).await.unwrap();
    assert_eq!(portal.files_in("blobs").len(), 1);
});

portal_test!(undone_deletion_announces_the_document_once, async |portal| {
    let ana = portal.admin().await;
    let on = json!([{"document_type_event": "fatura_new", "enabled": true}]);
    portal.post("/rest/v1/email_notification_settings").auth(&ana).json(&on).send().await.is(201);
    let joao = portal.client("joao").await;
    let document = portal.document(&joao, "faturas", "a.pdf").await;
    let states = async |portal: &TestPortal| {
        let mails = "outbox?event=eq.fatura_new&select=state&order=created_at,id";
        column(&read(portal, &ana, mails).await, "state")
    };
    assert_eq!(states(portal).await, ["queued"]);
    delete(portal, &ana, &document).await.is(204);
    assert_eq!(states(portal).await, ["cancelled"]);
    portal.advance(SignedDuration::from_secs(5));
    restore(portal, &ana, json!({"documents": [document.id]})).await.is(204);
    assert_eq!(states(portal).await, ["cancelled", "queued"]);

    // A document that was announced long ago is not announced again.
    let sent = portal.patch("/rest/v1/outbox?state=eq.queued").auth(&ana);
    sent.json(&json!({"state": "cancelled"})).send().await.is(204);
    delete(portal, &ana, &document).await.is(204);
    restore(portal, &ana, json!({"documents": [document.id]})).await.is(204);
    assert_eq!(states(portal).await, ["cancelled", "cancelled"]);
});

portal_test!(limits_and_unknown_documents_are_refused, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let document = portal.document(&joao, "contratos", "a.pdf").await;
    restore(portal, &ana, json!({"documents": []})).await.refused(400, "22023");
    let many: Vec<String> = (0..501).map(|number| format!("{number}")).collect();
    restore(portal, &ana, json!({"documents": many})).await.refused(400, "22023");
    delete(portal, &ana, &document).await.is(204);
    let one_unknown = json!({"documents": [document.id, uuid::Uuid::nil()]});
    restore(portal, &ana, one_unknown).await.refused(404, "PT404");
    assert_eq!(read(portal, &ana, "documents").await, json!([]));
    // Only deletions fill the bucket.
    let stray = format!("/storage/v1/object/deleted-documents/{}/x/a.pdf", joao.id);
    for token in [&ana.token, &portal.app.keys.service_role] {
        let upload = portal.post(&stray).bearer(token).bytes("application/pdf", PDF);
        upload.send().await.refused(400, "AccessDenied");
    }
    // The office cannot take a deleted document's file away by itself.
    let file = read(portal, &ana, "deleted_documents?select=file_url").await[0].clone();
    let path = file["file_url"].as_str().unwrap();
    let path = format!("/storage/v1/object/deleted-documents/{path}");
    portal.delete(&path).auth(&ana).send().await.refused(400, "AccessDenied");
});
