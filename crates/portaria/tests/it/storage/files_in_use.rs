//! Files that a document or a message shows: no request to the storage API takes them away.

use jiff::SignedDuration;
use portaria::{
    fsck,
    jobs::{garbage_collect, orphan_blobs},
};
use serde_json::{Value, json};

use crate::harness::{Document, PDF, TestPortal, TestUser, object, portal_test};
use crate::storage::{bucket, put};

/// Adds a message with an attachment to a ticket, and returns the name of its object.
async fn attachment(portal: &TestPortal, client: &TestUser) -> String {
    let ticket = portal.ticket(client, "Dúvida").await;
    let name = format!("office/{ticket}/guia.pdf");
    let upload = portal.post(&format!("/storage/v1/object/ticket-attachments/{name}"));
    let upload = upload.bearer(&portal.app.keys.service_role).bytes("application/pdf", PDF);
    upload.send().await.is(200);
    let message = json!({"ticket_id": ticket, "body": "Segue o arquivo."});
    let message = portal.insert("ticket_messages", message).await;
    let row = json!({"message_id": message, "name": "guia.pdf", "file_url": name});
    portal.insert("ticket_attachments", row).await;
    name
}

/// A day later, after garbage collection, the client still reads both files and the check finds no fault.
async fn assert_intact(portal: &TestPortal, joao: &TestUser, document: &Document, attached: &str) {
    portal.advance(SignedDuration::from_hours(25));
    for part in 0..orphan_blobs::PARTS {
        orphan_blobs::run(&portal.app, part).await.unwrap();
    }
    garbage_collect::run(&portal.app).await.unwrap();
    let joao = portal.sign_in(&joao.email).await;
    let attached = format!("/storage/v1/object/ticket-attachments/{attached}");
    for file in [&object(&document.path), &attached] {
        assert_eq!(portal.get(file).auth(&joao).send().await.is(200).body, PDF);
    }
    assert_eq!(fsck::run(&portal.app).await.unwrap().faults, Vec::<fsck::Fault>::new());
}

portal_test!(own_buckets_cannot_be_emptied, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let document = portal.document(&joao, "contratos", "a.pdf").await;
    let attached = attachment(portal, &joao).await;
    for bucket in ["client-documents", "ticket-attachments"] {
        for token in [&ana.token, &portal.app.keys.service_role] {
            let empty = portal.post(&format!("/storage/v1/bucket/{bucket}/empty")).bearer(token);
            let refused = empty.json(&json!({})).send().await.refused(400, "AccessDenied").json();
            assert_eq!(refused["statusCode"], "403");
        }
    }
    assert_intact(portal, &joao, &document, &attached).await;
});

portal_test!(file_in_use_is_neither_moved_nor_deleted, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let document = portal.document(&joao, "contratos", "a.pdf").await;
    let attached = attachment(portal, &joao).await;
    bucket(portal, "archive", json!({})).await;
    for (from, name) in [("client-documents", &document.path), ("ticket-attachments", &attached)] {
        for token in [&ana.token, &portal.app.keys.service_role] {
            for to in [from, "archive"] {
                let body = json!({
                    "bucketId": from, "sourceKey": name, "destinationBucket": to,
                    "destinationKey": name.replace(".pdf", "2.pdf"),
                });
                let moved = portal.post("/storage/v1/object/move").bearer(token).json(&body);
                moved.send().await.refused(400, "AccessDenied");
            }
            let one = portal.delete(&format!("/storage/v1/object/{from}/{name}")).bearer(token);
            let one = one.send().await.refused(400, "AccessDenied").json();
            assert_eq!(one["statusCode"], "403");
            let many = portal.delete(&format!("/storage/v1/object/{from}")).bearer(token);
            let many = many.json(&json!({"prefixes": [name]})).send().await.is(200).json();
            assert_eq!(many, json!([]));
        }
    }
    assert_intact(portal, &joao, &document, &attached).await;
});

portal_test!(copy_over_a_file_in_use_keeps_the_document, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let document = portal.document(&joao, "contratos", "a.pdf").await;
    let attached = attachment(portal, &joao).await;
    let spare = portal.upload(&joao, "contratos", "b.pdf").await;
    let body = json!({
        "bucketId": "client-documents", "sourceKey": spare, "destinationKey": document.path,
    });
    let copy = |body: &Value| portal.post("/storage/v1/object/copy").auth(&ana).json(body);
    copy(&body).send().await.refused(400, "KeyAlreadyExists");
    copy(&body).header("x-upsert", "true").send().await.is(200);
    assert_intact(portal, &joao, &document, &attached).await;
});

portal_test!(file_without_a_document_is_moved_and_deleted, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let path = portal.upload(&joao, "contratos", "a.pdf").await;
    let to = path.replace("a.pdf", "b.pdf");
    let body = json!({"bucketId": "client-documents", "sourceKey": path, "destinationKey": to});
    portal.post("/storage/v1/object/move").auth(&ana).json(&body).send().await.is(200);
    portal.delete(&object(&to)).auth(&ana).send().await.is(200);
    // The name of a document's file is an ordinary name in another bucket.
    let document = portal.document(&joao, "contratos", "a.pdf").await;
    bucket(portal, "archive", json!({})).await;
    put(portal, &format!("archive/{}", document.path), "text").await.is(200);
    let empty = portal.post("/storage/v1/bucket/archive/empty").auth(&ana).json(&json!({}));
    empty.send().await.is(200);
    portal.get(&object(&document.path)).auth(&joao).send().await.is(200);
});

portal_test!(what_was_sent_is_neither_replaced_nor_deleted, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let carla = portal.colleague("carla", "employee", false).await;
    let service = TestUser { token: portal.app.keys.service_role.clone(), ..ana.clone() };
    let ticket = portal.ticket(&joao, "Dúvida").await;
    let other = [PDF, b"\n% outro"].concat();
    let place = |file: &str| format!("/storage/v1/object/{file}");
    let upload = async |who: &TestUser, file: &str, upsert: &str, bytes: &[u8]| {
        let request = portal.post(&place(file)).auth(who).header("x-upsert", upsert);
        request.bytes("application/pdf", bytes.to_vec()).send().await
    };
    let message = json!({"ticket_id": ticket, "body": "Segue o arquivo."});
    let attached = format!("{}/{ticket}/recibo.pdf", joao.id);
    let received = format!("{}/unrequested/extrato.pdf", joao.id);
    for (file, table) in [
        (format!("ticket-attachments/{attached}"), "ticket_attachments"),
        (format!("received-files/{received}"), "received_files"),
    ] {
        upload(&joao, &file, "false", PDF).await.is(200);
        // Before the client's message and after it.
        for is_sent in [false, true] {
            let (bucket, path) = file.split_once('/').unwrap();
            if is_sent {
                let mut row = json!({"name": "a.pdf", "file_url": path});
                if table == "ticket_attachments" {
                    let request = portal.post("/rest/v1/ticket_messages").auth(&joao).single();
                    let message = request.json(&message).send().await.is(201).json();
                    row["message_id"] = message["id"].clone();
                }
                let request = portal.post(&format!("/rest/v1/{table}")).auth(&joao).json(&row);
                request.send().await.is(201);
            }
            for who in [&ana, &carla, &service] {
                upload(who, &file, "true", &other).await.refused(400, "AccessDenied");
                upload(who, &file, "false", &other).await.refused(400, "KeyAlreadyExists");
                portal.delete(&place(&file)).auth(who).send().await.refused(400, "AccessDenied");
                let many = portal.delete(&place(bucket)).auth(who);
                let many = many.json(&json!({"prefixes": [path]})).send().await.is(200).json();
                assert_eq!(many, json!([]));
                let to = path.replace(".pdf", "2.pdf");
                let body = json!({"bucketId": bucket, "sourceKey": path, "destinationKey": to});
                let moved = portal.post("/storage/v1/object/move").auth(who).json(&body);
                moved.send().await.refused(400, "AccessDenied");
            }
        }
        assert_eq!(portal.get(&place(&file)).auth(&joao).send().await.is(200).body, PDF);
    }
    // Staff correct their own file until it is sent.
    let name = format!("office/{ticket}/guia.pdf");
    let file = format!("ticket-attachments/{name}");
    upload(&ana, &file, "false", PDF).await.is(200);
    upload(&ana, &file, "true", &other).await.is(200);
    let message = portal.post("/rest/v1/ticket_messages").auth(&ana).single().json(&message);
    let message = message.send().await.is(201).json();
    let row = json!({"message_id": message["id"], "name": "guia.pdf", "file_url": name});
    portal.post("/rest/v1/ticket_attachments").auth(&ana).json(&row).send().await.is(201);
    upload(&ana, &file, "true", PDF).await.refused(400, "AccessDenied");
});
