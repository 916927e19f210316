//! Limited staff learn nothing of rows out of their reach: not by a refusal, not by a key, and not in the inbox.

use serde_json::{Value, json};

use crate::harness::{PDF, TestPortal, TestUser, portal_test, request::Answer};
use crate::inbox::{CNPJ, company, drop_file, files, pdf, read_all, review};
use crate::rest::read;

/// An id that belongs to no row.
const NOTHING: &str = "019f0000-0000-7000-8000-000000000000";

/// A member of the staff with one assigned client, and another client.
struct Office {
    lia: TestUser,
    joao: TestUser,
    maria: TestUser,
}

async fn office(portal: &TestPortal) -> Office {
    portal.admin().await;
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let lia = portal.colleague("lia", "employee", true).await;
    portal.assign(&joao, &lia).await;
    Office { lia, joao, maria }
}

async fn insert(portal: &TestPortal, user: &TestUser, table: &str, row: &Value) -> Answer {
    portal.post(&format!("/rest/v1/{table}")).auth(user).single().json(row).send().await
}

portal_test!(refusal_is_the_same_for_a_row_out_of_reach_and_for_none, async |portal| {
    let Office { lia, joao, maria } = office(portal).await;
    let document = portal.document(&maria, "faturas", "guia.pdf").await;
    let ticket = portal.ticket(&maria, "Dúvida").await;
    let item = json!({"client_id": maria.id, "name": "Extrato", "month": "2026-11"});
    let item = portal.insert("request_items", item).await;
    let paid = json!({"document_id": document.id, "paid_on": "2026-11-20"});
    insert(portal, &maria, "document_payments", &paid).await.is(201);
    let file = |path: &str| json!({"folder_id_supabase": "faturas", "file_url": path});
    for (table, column, existing, row) in [
        // One payment per document and client, one item per client, month and name.
        ("document_payments", "document_id", &document.id, json!({"paid_on": "2026-11-20"})),
        ("request_items", "client_id", &maria.id, json!({"name": "Extrato", "month": "2026-11"})),
        // Values that the database refuses.
        ("document_receipts", "document_id", &document.id, json!({"action": "eaten"})),
        ("document_payments", "document_id", &document.id, json!({})),
        ("document_contacts", "document_id", &document.id, json!({"kind": "smoke"})),
        ("request_items", "client_id", &maria.id, json!({"name": "", "month": "2026-11"})),
        ("ticket_messages", "ticket_id", &ticket, json!({"body": ""})),
        ("ticket_presence", "ticket_id", &ticket, json!({})),
        ("tickets", "user_id", &maria.id, json!({"subject": "", "message": "Curta"})),
        ("tickets", "follow_up_of_id", &ticket, json!({"user_id": joao.id, "subject": "x"})),
        ("received_files", "item_id", &item, json!({"name": "a.pdf", "file_url": "a/b/c.pdf"})),
    ] {
        let mut answers = Vec::new();
        for id in [existing.as_str(), NOTHING] {
            let mut row = row.clone();
            row[column] = id.into();
            answers.push(insert(portal, &lia, table, &row).await.seen());
        }
        assert_eq!(answers[0], answers[1], "{table}: {row}");
    }
    let missing = document.path.replace("guia.pdf", "nada.pdf");
    let mut answers = Vec::new();
    for path in [&document.path, &missing] {
        answers.push(insert(portal, &lia, "documents", &file(path)).await.seen());
    }
    assert_eq!(answers[0], answers[1]);

    let own = portal.ticket(&joao, "Dúvida").await;
    let mut answers = Vec::new();
    for id in [maria.id.as_str(), NOTHING] {
        let change = portal.patch(&format!("/rest/v1/tickets?id=eq.{own}")).auth(&lia);
        answers.push(change.json(&json!({"user_id": id})).send().await.seen());
    }
    assert_eq!(answers[0], answers[1]);
});

portal_test!(limited_staff_names_no_row_by_its_key, async |portal| {
    let Office { lia, joao, maria } = office(portal).await;
    let ticket = portal.ticket(&maria, "Segredo").await;
    let row = |id: &str| {
        json!({
            "id": id, "user_id": joao.id, "subject": "Aviso", "message": "Uma mensagem longa.",
        })
    };
    for id in [ticket.as_str(), NOTHING] {
        insert(portal, &lia, "tickets", &row(id)).await.refused(400, "428C9");
        for resolution in ["merge-duplicates", "ignore-duplicates"] {
            let upsert = portal.post("/rest/v1/tickets").auth(&lia).json(&row(id));
            let upsert = upsert.prefer(&format!("resolution={resolution}"));
            upsert.send().await.refused(403, "42501");
        }
        let put = portal.put(&format!("/rest/v1/tickets?id=eq.{id}")).auth(&lia).json(&row(id));
        put.send().await.refused(403, "42501");
    }
    let seen = read(portal, &maria, "tickets?select=subject").await;
    assert_eq!(seen, json!([{"subject": "Segredo"}]));
    // A screen names its own presence, and renews it.
    let own = portal.ticket(&joao, "Dúvida").await;
    for status in [201, 200] {
        let presence = json!({"id": NOTHING, "ticket_id": own});
        let upsert = portal.post("/rest/v1/ticket_presence").auth(&lia).json(&presence);
        upsert.prefer("resolution=merge-duplicates").send().await.is(status);
    }
});

portal_test!(note_belongs_to_the_ticket_that_limited_staff_see, async |portal| {
    let Office { lia, joao, maria } = office(portal).await;
    let (own, other) =
        (portal.ticket(&joao, "Dúvida").await, portal.ticket(&maria, "Segredo").await);
    let mut notes = Vec::new();
    for ticket in [&own, &other] {
        let note = json!({"ticket_id": ticket, "body": "Nota da Ana", "internal": true});
        let note = portal.insert("ticket_messages", note).await;
        let path = format!("office/{ticket}/nota.pdf");
        let upload = portal.post(&format!("/storage/v1/object/ticket-attachments/{path}"));
        let upload = upload.bearer(&portal.app.keys.service_role);
        upload.bytes("application/pdf", PDF).send().await.is(200);
        let row = json!({"message_id": note, "name": "nota.pdf", "file_url": path});
        portal.insert("ticket_attachments", row).await;
        notes.push((note, format!("/storage/v1/object/ticket-attachments/{path}")));
    }
    let select = "ticket_messages?select=ticket_id,ticket_attachments(name)&body=eq.Nota da Ana";
    let seen = read(portal, &lia, &select.replace(' ', "%20")).await;
    let attached = json!([{"name": "nota.pdf"}]);
    assert_eq!(seen, json!([{"ticket_id": own, "ticket_attachments": attached}]));
    portal.get(&notes[0].1).auth(&lia).send().await.is(200);
    portal.get(&notes[1].1).auth(&lia).send().await.refused(400, "NoSuchKey");

    let note = |ticket: &str| json!({"ticket_id": ticket, "body": "Nota", "internal": true});
    let row = insert(portal, &lia, "ticket_messages", &note(&own)).await.is(201).json();
    assert_eq!(row["client_id"], json!(null));
    insert(portal, &lia, "ticket_messages", &note(&other)).await.refused(409, "23503");
    for (id, count) in [(&row["id"], 1), (&json!(notes[1].0), 0)] {
        let path = format!("/rest/v1/ticket_messages?id=eq.{}", id.as_str().unwrap());
        let change = portal.patch(&path).auth(&lia).json(&json!({"body": "Outra"}));
        let changed = change.prefer("return=representation").send().await.is(200).json();
        assert_eq!(changed.as_array().unwrap().len(), count);
    }
    assert_eq!(read(portal, &joao, "ticket_messages").await, json!([]));
});

portal_test!(inbox_names_no_client_out_of_the_senders_reach, async |portal| {
    let Office { lia, joao, .. } = office(portal).await;
    let ana = portal.sign_in("ana@escritorio.com.br").await;
    let padaria = company(portal, "padaria", CNPJ).await;
    let bytes = pdf(&["Documento de Arrecadacao do Simples Nacional", &format!("CNPJ {CNPJ}")]);
    drop_file(portal, &ana, "a.pdf", bytes.clone()).await.is(200);
    drop_file(portal, &lia, "b.pdf", bytes).await.is(200);
    read_all(portal).await;
    let all = files(portal, &ana).await;
    assert_eq!(all[0]["client_id"], padaria.id.as_str());
    let seen = files(portal, &lia).await;
    let file = &seen[0];
    assert_eq!((seen.len(), &file["name"]), (1, &json!("b.pdf")));
    for column in ["client_id", "duplicate_of_id", "repeats_id"] {
        assert_eq!(file[column], json!(null), "{column}");
    }
    assert_eq!(file["doubts"], json!(["out_of_reach"]));
    assert_eq!(file["review_group"], "no_owner");

    // A file that an administrator gives to such a client leaves the sender's inbox.
    review(portal, &ana, &file["id"], json!({"client_id": padaria.id})).await.is(204);
    assert_eq!(files(portal, &lia).await, Vec::<Value>::new());
    review(portal, &ana, &file["id"], json!({"client_id": joao.id})).await.is(204);
    assert_eq!(files(portal, &lia).await.len(), 1);
    // With the assignment the proposal names the client.
    portal.assign(&padaria, &lia).await;
    drop_file(portal, &lia, "c.pdf", pdf(&[&format!("CNPJ {CNPJ}")])).await.is(200);
    read_all(portal).await;
    assert_eq!(files(portal, &lia).await[1]["client_id"], padaria.id.as_str());
});
