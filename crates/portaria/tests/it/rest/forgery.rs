//! Rows that claim another author, client, time or kind of file than their own.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, portal_test, request::Answer};
use crate::rest::{column, read};

async fn insert(portal: &TestPortal, user: &TestUser, table: &str, row: &Value) -> Answer {
    portal.post(&format!("/rest/v1/{table}")).auth(user).single().json(row).send().await
}

/// Uploads a text and adds it under a name. Returns the row.
async fn send_as(portal: &TestPortal, user: &TestUser, object: &str, name: &str) -> Value {
    let path = format!("{}/unrequested/{object}", user.id);
    let upload = portal.post(&format!("/storage/v1/object/received-files/{path}")).auth(user);
    upload.bytes("text/plain", "<script>alert(1)</script>").send().await.is(200);
    let row = json!({"name": name, "file_url": path});
    insert(portal, user, "received_files", &row).await.is(201).json()
}

portal_test!(file_keeps_the_extension_that_was_checked, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    for (object, name, expected) in [
        ("a.txt", "boleto.hta", "boleto.hta.txt"),
        ("b.txt", "boleto.pdf          .hta", "boleto.pdf          .hta.txt"),
        ("c.txt", "sem extensão", "sem extensão.txt"),
        ("d.txt", "foto.", "foto.txt"),
        ("e.txt", "Extrato.TXT", "Extrato.TXT"),
    ] {
        let row = send_as(portal, &joao, object, name).await;
        assert_eq!(row["name"], expected);
        let path = format!("/rest/v1/received_files?id=eq.{}", row["id"].as_str().unwrap());
        for user in [&ana, &joao] {
            let renamed = portal.patch(&path).auth(user).json(&json!({"name": "x.hta"}));
            let answer = renamed.send().await;
            assert!([400, 403].contains(&answer.status.as_u16()), "{answer:?}");
        }
        let folder = portal.insert("folders", json!({"id_supabase": object, "name": name})).await;
        assert!(!folder.is_empty());
        let names = json!({row["id"].as_str().unwrap(): "Extrato"});
        let file = portal.post("/rest/v1/rpc/file_received_files").auth(&ana);
        let arguments = json!({"folder": object, "names": names});
        file.json(&arguments).send().await.is(200);
        let documents = format!("documents?folder_id_supabase=eq.{object}&select=type,file_url");
        let documents = read(portal, &joao, &documents).await;
        let path = documents[0]["file_url"].as_str().unwrap();
        assert!(
            documents[0]["type"] == "txt" && path.rsplit('.').next() == Some("txt"),
            "{documents}"
        );
        let encoded = utf8_percent_encode(path, NON_ALPHANUMERIC).to_string().replace("%2F", "/");
        portal.get(&crate::harness::object(&encoded)).auth(&joao).send().await.is(200);
    }
});

portal_test!(attachment_keeps_the_extension_of_its_file, async |portal| {
    let joao = portal.client("joao").await;
    let ticket = portal.ticket(&joao, "Dúvida").await;
    let message = json!({"ticket_id": ticket, "body": "Segue o arquivo"});
    let message = insert(portal, &joao, "ticket_messages", &message).await.is(201).json();
    let path = format!("{}/{ticket}/a.txt", joao.id);
    let upload = portal.post(&format!("/storage/v1/object/ticket-attachments/{path}"));
    upload.auth(&joao).bytes("text/plain", "texto").send().await.is(200);
    let row = json!({"message_id": message["id"], "name": "nota.exe", "file_url": path});
    let row = insert(portal, &joao, "ticket_attachments", &row).await.is(201).json();
    assert_eq!(row["name"], "nota.exe.txt");
});

portal_test!(staff_write_in_their_own_name_and_time, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let carla = portal.colleague("carla", "employee", false).await;
    let ticket = portal.ticket(&joao, "Dúvida").await;
    let then = "2001-01-01T00:00:00Z";
    let row = json!({"ticket_id": ticket, "body": "oi", "author_id": ana.id, "created_at": then});
    let row = insert(portal, &carla, "ticket_messages", &row).await.is(201).json();
    assert_eq!(row["author_id"], carla.id.as_str());
    assert!(!row["created_at"].as_str().unwrap().starts_with("2001"), "{row}");
    let path = format!("/rest/v1/tickets?id=eq.{ticket}");
    let change = json!({"author_id": carla.id, "created_at": then, "priority": "high"});
    portal.patch(&path).auth(&carla).json(&change).send().await.is(204);
    let seen = format!("tickets?id=eq.{ticket}&select=author_id,priority");
    let expected = json!([{"author_id": joao.id, "priority": "high"}]);
    assert_eq!(read(portal, &ana, &seen).await, expected);
});

portal_test!(receipt_belongs_to_the_client_of_its_document, async |portal| {
    portal.admin().await;
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let lia = portal.colleague("lia", "employee", true).await;
    portal.assign(&joao, &lia).await;
    let document = portal.document(&maria, "contratos", "contrato.pdf").await;
    let unknown = "019f0000-0000-7000-8000-000000000000";
    for id in [document.id.as_str(), unknown] {
        let row = json!({"document_id": id, "action": "downloaded", "client_id": joao.id});
        insert(portal, &lia, "document_receipts", &row).await.refused(409, "23503");
    }
    assert_eq!(read(portal, &joao, "document_receipts").await, json!([]));
});

portal_test!(openings_do_not_displace_an_answer, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let fields = json!({"approval_request": "approve"});
    let document = portal.document_with(&joao, "contratos", "contrato.pdf", fields).await;
    let receipt = json!({"document_id": document.id, "action": "downloaded"});
    let many = Value::Array(vec![receipt.clone(); 110]);
    for _ in 0..5 {
        portal.post("/rest/v1/document_receipts").auth(&joao).json(&many).send().await.is(201);
        let over = portal.post("/rest/v1/document_receipts").auth(&joao).json(&many);
        over.send().await.refused(429, "PT429");
        portal.advance(jiff::SignedDuration::from_mins(2));
    }
    let answer = json!({
        "document_id": document.id, "file_url": document.path, "outcome": "approved",
    });
    insert(portal, &joao, "document_approvals", &answer).await.is(201);
    let path = format!("/account/v1/documents/{}/timeline", document.id);
    let timeline = portal.get(&path).auth(&ana).send().await.is(200).json();
    let titles = column(&timeline["entries"], "title");
    assert!(titles.contains(&json!("Aprovado pelo cliente")), "{titles:?}");
});

portal_test!(inbox_file_goes_to_clients_in_reach_only, async |portal| {
    portal.admin().await;
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let lia = portal.colleague("lia", "employee", true).await;
    portal.assign(&joao, &lia).await;
    let upload = portal.post("/storage/v1/object/inbox/lote/guia.pdf").auth(&lia);
    upload.bytes("application/pdf", crate::harness::PDF).send().await.is(200);
    let change = async |client: &TestUser| {
        let request = portal.patch("/rest/v1/inbox_files?name=eq.guia.pdf").auth(&lia);
        request.json(&json!({"client_id": client.id})).send().await
    };
    change(&maria).await.refused(409, "23503");
    change(&joao).await.is(204);
});

portal_test!(requests_about_nothing_are_no_errors_of_the_server, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let unknown = "019f0000-0000-7000-8000-000000000000";
    for function in ["withdraw_documents", "republish_documents"] {
        let path = format!("/rest/v1/rpc/{function}");
        let answer = portal.post(&path).auth(&ana).json(&json!({"documents": []})).send().await;
        assert!(answer.status.as_u16() < 500, "{function}: {answer:?}");
    }
    let refusal = json!({"status": "refused", "refusal_reason": "x"});
    let path = format!("/rest/v1/request_items?id=eq.{unknown}");
    portal.patch(&path).auth(&ana).json(&refusal).send().await.is(204);
    let path = format!("/rest/v1/tickets?id=eq.{unknown}");
    portal.patch(&path).auth(&ana).json(&json!({"user_id": ana.id})).send().await.is(204);
    for query in ["document=%00", "ticket=%00", "document=x"] {
        let path = format!("/account/v1/clients?{query}");
        portal.get(&path).auth(&joao).send().await.is(200);
    }
});
