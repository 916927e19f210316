//! Members of the staff who reach assigned clients only.

use portaria::{
    jobs::{publish_inbox, read_inbox},
    schema::tables::TABLES,
};
use portaria_recognize::child::Limits;
use serde_json::{Value, json};

use crate::harness::{PDF, TestPortal, TestUser, object, portal_test};
use crate::rest::read;

/// Fills the tables about a client, and returns the document and the ticket.
async fn fill(portal: &TestPortal, client: &TestUser) -> (String, String) {
    let document = portal.document(client, "faturas", "guia.pdf").await.id;
    let withdrawn = portal.document(client, "faturas", "velha.pdf").await.id;
    let withdrawal = portal.post("/rest/v1/rpc/withdraw_documents");
    let withdrawal = withdrawal.bearer(&portal.app.keys.service_role);
    withdrawal.json(&json!({"documents": [withdrawn]})).send().await.is(204);
    let ticket = portal.ticket(client, "Dúvida").await;
    for (table, row) in [
        ("document_receipts", json!({"document_id": document, "action": "opened"})),
        ("document_payments", json!({"document_id": document, "paid_on": "2026-11-20"})),
        ("ticket_messages", json!({"ticket_id": ticket, "body": "Mais uma coisa."})),
    ] {
        let request = portal.post(&format!("/rest/v1/{table}")).auth(client);
        request.json(&row).send().await.is(201);
    }
    for (table, row) in [
        ("document_contacts", json!({"document_id": document, "kind": "whatsapp"})),
        ("request_items", json!({"client_id": client.id, "name": "Extrato", "month": "2026-11"})),
        ("inbox_rules", json!({"kind": "alias", "pattern": client.email, "client_id": client.id})),
    ] {
        portal.insert(table, row).await;
    }
    (document, ticket)
}

portal_test!(assigned_employee_reads_rows_of_assigned_clients_only, async |portal| {
    let ana = portal.admin().await;
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let carla = portal.colleague("carla", "employee", true).await;
    portal.assign(&joao, &carla).await;
    portal.assign(&maria, &ana).await;
    for client in [&joao, &maria] {
        fill(portal, client).await;
    }
    let with_rows = [
        "documents",
        "tickets",
        "clients",
        "client_members",
        "ticket_messages",
        "document_receipts",
        "document_payments",
        "document_contacts",
        "request_items",
        "inbox_rules",
        "outbox",
        "client_assignments",
    ];
    for table in TABLES.iter().filter(|table| table.name != "activity") {
        let all = read(portal, &ana, table.name).await.to_string();
        let seen = read(portal, &carla, table.name).await;
        let text = seen.to_string();
        assert!(!text.contains(&maria.id) && !text.contains("maria"), "{}: {text}", table.name);
        if with_rows.contains(&table.name) {
            assert!(text.contains(&joao.id), "{}", table.name);
            assert!(all.contains(&maria.id), "{}", table.name);
        }
    }
    // The withdrawn document is among them.
    assert_eq!(read(portal, &carla, "documents").await.as_array().unwrap().len(), 2);
    let counted = portal.get("/rest/v1/documents?select=id").auth(&carla).prefer("count=exact");
    assert_eq!(counted.send().await.header("content-range"), "0-1/2");
    let embedded =
        read(portal, &carla, "folders?select=documents(client_id)&id_supabase=eq.faturas");
    assert!(!embedded.await.to_string().contains(&maria.id));

    // An assignment counts at once, and so does its end.
    let second = portal.assign(&maria, &carla).await;
    assert_eq!(read(portal, &carla, "documents").await.as_array().unwrap().len(), 4);
    let path = format!("/rest/v1/client_assignments?id=eq.{second}");
    portal.delete(&path).auth(&ana).send().await.is(204);
    assert_eq!(read(portal, &carla, "documents").await.as_array().unwrap().len(), 2);
});

portal_test!(mail_belongs_to_the_client_of_its_record, async |portal| {
    let ana = portal.admin().await;
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let carla = portal.colleague("carla", "employee", true).await;
    portal.assign(&joao, &carla).await;
    for (client, person) in [(&maria, &joao), (&joao, &maria)] {
        portal.add_member(client, person).await;
    }
    portal.ticket(&maria, "Segredo da Maria").await;
    portal.ticket(&joao, "Assunto do João").await;
    let mails = "outbox?select=user_id,subject&ticket_id=not.is.null&order=user_id,subject";
    assert_eq!(read(portal, &ana, mails).await.as_array().unwrap().len(), 4);
    let seen = read(portal, &carla, mails).await;
    assert_eq!(seen.as_array().unwrap().len(), 2, "{seen}");
    assert!(!seen.to_string().contains("Segredo") && seen.to_string().contains(&maria.id));
    let cancel = portal.patch("/rest/v1/outbox?subject=like.*Segredo*").auth(&carla);
    let cancel = cancel.json(&json!({"state": "cancelled"})).prefer("return=representation");
    assert_eq!(cancel.send().await.is(200).json(), json!([]));
    let waiting = async |user: &TestUser| {
        let status = portal.post("/rest/v1/rpc/mail_status").auth(user).json(&json!({}));
        status.send().await.is(200).json()["waiting"].clone()
    };
    // A mail about a deleted record stays with its recipient, who acts for no other client.
    let pedro = portal.client("pedro").await;
    portal.assign(&pedro, &carla).await;
    let ticket = portal.ticket(&pedro, "Engano").await;
    portal.delete(&format!("/rest/v1/tickets?id=eq.{ticket}")).auth(&ana).send().await.is(204);
    let of_pedro = format!("outbox?select=id&ticket_id=eq.{ticket}");
    assert_eq!(read(portal, &carla, &of_pedro).await.as_array().unwrap().len(), 1);
    let total = read(portal, &ana, "outbox?state=eq.queued").await.as_array().unwrap().len();
    assert_eq!(waiting(&ana).await, json!(total));
    assert!(waiting(&carla).await.as_u64().unwrap() < total as u64);
});

portal_test!(assigned_employee_changes_nothing_of_other_clients, async |portal| {
    let ana = portal.admin().await;
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let carla = portal.colleague("carla", "employee", true).await;
    portal.assign(&joao, &carla).await;
    let (own, own_ticket) = fill(portal, &joao).await;
    let (other, other_ticket) = fill(portal, &maria).await;

    for (table, id) in [("documents", &other), ("tickets", &other_ticket)] {
        let path = format!("/rest/v1/{table}?id=eq.{id}");
        let change = json!({"responsible_id": carla.id});
        let change = if table == "tickets" { json!({"assignee_id": carla.id}) } else { change };
        let changed =
            portal.patch(&path).auth(&carla).json(&change).prefer("return=representation");
        assert_eq!(changed.send().await.is(200).json(), json!([]));
        let deleted = portal.delete(&path).auth(&carla).prefer("return=representation");
        assert_eq!(deleted.send().await.is(200).json(), json!([]));
    }
    // A row of an assigned client does not move to another one.
    let path = format!("/rest/v1/tickets?id=eq.{own_ticket}");
    let moved = portal.patch(&path).auth(&carla).json(&json!({"user_id": maria.id})).send().await;
    assert!(!moved.status.is_success(), "{}", moved.text());
    let file = portal.upload(&maria, "faturas", "nova.pdf").await;
    let row = json!({"name": "x", "folder_id_supabase": "faturas", "file_url": file});
    for (table, row, status) in [
        ("documents", row, 409),
        (
            "tickets",
            json!({"subject": "Aviso", "message": "Uma mensagem longa.", "user_id": maria.id}),
            409,
        ),
        ("ticket_messages", json!({"ticket_id": other_ticket, "body": "Oi."}), 409),
        ("document_contacts", json!({"document_id": other, "kind": "whatsapp"}), 409),
        ("request_items", json!({"client_id": maria.id, "name": "Nota", "month": "2026-12"}), 409),
        ("ticket_messages", json!({"ticket_id": own_ticket, "body": "Oi."}), 201),
        ("request_items", json!({"client_id": joao.id, "name": "Nota", "month": "2026-12"}), 201),
    ] {
        let request = portal.post(&format!("/rest/v1/{table}")).auth(&carla).json(&row);
        request.send().await.is(status);
    }
    let row = json!({"file_url": file});
    let path = format!("/rest/v1/documents?id=eq.{own}");
    portal.patch(&path).auth(&carla).json(&row).send().await.refused(409, "23503");

    for function in ["withdraw_documents", "republish_documents", "remind_documents"] {
        let request = portal.post(&format!("/rest/v1/rpc/{function}")).auth(&carla);
        let answer = request.json(&json!({"documents": [own, other]})).send().await;
        answer.refused(404, "PT404");
    }
    for path in ["timeline", "links"] {
        let path = format!("/account/v1/documents/{other}/{path}");
        portal.get(&path).auth(&carla).send().await.refused(404, "not_found");
    }
    let path = format!("/account/v1/documents/{other}/links");
    portal.post(&path).auth(&carla).send().await.refused(404, "not_found");
    portal.get(&format!("/account/v1/documents/{own}/timeline")).auth(&carla).send().await.is(200);
    let statuses = read(portal, &ana, "documents?select=withdrawn_at&withdrawn_at=is.null").await;
    assert_eq!(statuses.as_array().unwrap().len(), 2);
});

portal_test!(assigned_employee_reaches_no_file_of_other_clients, async |portal| {
    portal.admin().await;
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let carla = portal.colleague("carla", "employee", true).await;
    let assignment = portal.assign(&joao, &carla).await;
    let own = portal.document(&joao, "faturas", "guia.pdf").await.path;
    let other = portal.document(&maria, "faturas", "guia.pdf").await.path;
    let loose = portal.upload(&maria, "faturas", "solta.pdf").await;
    portal.get(&object(&own)).auth(&carla).send().await.is(200);
    for path in [&other, &loose] {
        portal.get(&object(path)).auth(&carla).send().await.refused(400, "NoSuchKey");
        let sign = portal.post(&format!("/storage/v1/object/sign/client-documents/{path}"));
        let sign = sign.auth(&carla).json(&json!({"expiresIn": 60}));
        sign.send().await.refused(400, "NoSuchKey");
        for upsert in ["false", "true"] {
            let upload = portal.post(&object(path)).auth(&carla).header("x-upsert", upsert);
            upload.bytes("application/pdf", PDF).send().await.refused(400, "AccessDenied");
        }
        portal.delete(&object(path)).auth(&carla).send().await.refused(400, "AccessDenied");
        for action in ["copy", "move"] {
            let target = format!("public/{}/faturas/{action}.pdf", joao.id);
            let body = json!({
                "bucketId": "client-documents", "sourceKey": path, "destinationKey": target,
            });
            let request = portal.post(&format!("/storage/v1/object/{action}")).auth(&carla);
            request.json(&body).send().await.refused(400, "NoSuchKey");
        }
    }
    let body = json!({"prefixes": [other, loose]});
    let request = portal.delete("/storage/v1/object/client-documents").auth(&carla);
    assert_eq!(request.json(&body).send().await.is(200).json(), json!([]));
    let sign = portal.post(&format!("/storage/v1/object/upload/sign/client-documents/{loose}"));
    sign.auth(&carla).send().await.refused(400, "AccessDenied");
    let list = portal.post("/storage/v1/object/list/client-documents").auth(&carla);
    let list = list.json(&json!({"prefix": "public"})).send().await.is(200).json();
    let names: Vec<&Value> = list.as_array().unwrap().iter().map(|entry| &entry["name"]).collect();
    assert_eq!(names, [&json!(joao.id)]);
    let target = object(&format!("public/{}/faturas/nova.pdf", joao.id));
    let upload = portal.post(&target).auth(&carla).bytes("application/pdf", PDF);
    upload.send().await.is(200);

    // Neither the client's files nor the own uploads for the client are left without the assignment.
    let path = format!("/rest/v1/client_assignments?id=eq.{assignment}");
    portal.delete(&path).bearer(&portal.app.keys.service_role).send().await.is(204);
    for place in [&object(&own), &target] {
        portal.get(place).auth(&carla).send().await.refused(400, "NoSuchKey");
    }
});

portal_test!(assigned_employee_publishes_own_files_to_assigned_clients, async |portal| {
    let ana = portal.admin().await;
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let carla = portal.colleague("carla", "employee", true).await;
    portal.assign(&joao, &carla).await;
    for (user, name) in [(&ana, "da-ana.pdf"), (&carla, "da-carla.pdf")] {
        let drop = portal.post(&format!("/storage/v1/object/inbox/{name}")).auth(user);
        let bytes = [PDF, b"\n% ", name.as_bytes()].concat();
        drop.bytes("application/pdf", bytes).send().await.is(200);
    }
    let drop = portal.post("/storage/v1/object/inbox/da-ana.pdf").auth(&carla);
    let drop = drop.header("x-upsert", "true").bytes("application/pdf", PDF);
    drop.send().await.refused(400, "AccessDenied");
    let reader = portal.app.reader(Limits::default());
    read_inbox::read_all(&portal.app, &reader).await.unwrap();
    let files = read(portal, &carla, "inbox_files?select=id,name").await;
    assert_eq!(files.as_array().unwrap().len(), 1);
    let id = files[0]["id"].as_str().unwrap();
    let path = format!("/rest/v1/inbox_files?id=eq.{id}");
    let review = async |client: &TestUser| {
        let row = json!({
            "client_id": client.id, "folder_id_supabase": "faturas", "document_name": "Guia",
        });
        portal.patch(&path).auth(&carla).json(&row).send().await
    };
    review(&maria).await.refused(409, "23503");
    review(&joao).await.is(204);
    let publish = portal.post("/rest/v1/rpc/publish_inbox").auth(&carla);
    publish.json(&json!({"files": [id]})).send().await.is(200);
    portal.advance(jiff::SignedDuration::from_secs(61));
    publish_inbox::publish_due(&portal.app).await.unwrap();
    assert_eq!(read(portal, &joao, "documents?select=name").await, json!([{"name": "Guia"}]));
    assert_eq!(read(portal, &maria, "documents").await, json!([]));
});

portal_test!(client_has_one_responsible_person, async |portal| {
    let ana = portal.admin().await;
    let joao = portal.client("joao").await;
    let carla = portal.colleague("carla", "employee", false).await;
    let assign = |staff: &TestUser| {
        let row = json!({"client_id": joao.id, "staff_id": staff.id, "is_responsible": true});
        portal.post("/rest/v1/client_assignments").auth(&ana).json(&row).send()
    };
    assign(&ana).await.is(201);
    assign(&carla).await.is(201);
    assign(&carla).await.refused(409, "23505");
    let responsible = "client_assignments?is_responsible=is.true&select=staff_id";
    assert_eq!(read(portal, &ana, responsible).await, json!([{"staff_id": carla.id}]));
    let path = format!("/rest/v1/client_assignments?staff_id=eq.{}", ana.id);
    let change = json!({"is_responsible": true});
    portal.patch(&path).auth(&ana).json(&change).send().await.is(204);
    assert_eq!(read(portal, &ana, responsible).await, json!([{"staff_id": ana.id}]));
    // The same again, chosen by the column that changes.
    let path = "/rest/v1/client_assignments?is_responsible=is.true";
    portal.patch(path).auth(&ana).json(&change).send().await.is(204);
    assert_eq!(read(portal, &ana, responsible).await, json!([{"staff_id": ana.id}]));
    // Neither a client nor a missing account is staff.
    let row = json!({"client_id": joao.id, "staff_id": joao.id});
    let request = portal.post("/rest/v1/client_assignments").auth(&ana).json(&row);
    request.send().await.refused(409, "23503");
    let embedded = read(portal, &ana, "clients?select=client_assignments(staff(email))").await;
    assert!(embedded.to_string().contains(&carla.email));
    // Carla leaves the office, and her assignments do not wait for a return.
    let user = format!("/auth/v1/admin/users/{}", carla.id);
    for roles in [json!([]), json!(["admin"])] {
        let rights = json!({"app_metadata": {"roles": roles}});
        portal.put(&user).auth(&ana).json(&rights).send().await.is(200);
    }
    let path = format!("client_assignments?staff_id=eq.{}", carla.id);
    assert_eq!(read(portal, &ana, &path).await, json!([]));
});
