//! Requests: items that the office asks of clients, and the files that clients send.

use jiff::SignedDuration;
use portaria::{jobs::garbage_collect, requests::repeat};
use serde_json::{Value, json};

use crate::harness::{PDF, TestPortal, TestUser, portal_test, request::Answer};
use crate::rest::{column, read};

fn place(path: &str) -> String {
    format!("/storage/v1/object/received-files/{path}")
}

async fn upload(portal: &TestPortal, user: &TestUser, path: &str) -> Answer {
    portal.post(&place(path)).auth(user).bytes("application/pdf", PDF).send().await
}

async fn insert(portal: &TestPortal, user: &TestUser, table: &str, row: Value) -> Answer {
    portal.post(&format!("/rest/v1/{table}")).auth(user).single().json(&row).send().await
}

async fn ask(portal: &TestPortal, client: &TestUser, name: &str) -> String {
    let row = json!({"client_id": client.id, "name": name, "month": "2026-11"});
    portal.insert("request_items", row).await
}

async fn change(portal: &TestPortal, user: &TestUser, item: &str, changes: Value) -> Answer {
    let path = format!("/rest/v1/request_items?id=eq.{item}");
    portal.patch(&path).auth(user).json(&changes).send().await
}

/// Uploads a file and adds its row. Returns the row's id.
async fn send(portal: &TestPortal, client: &TestUser, item: Option<&str>, name: &str) -> String {
    let path = format!("{}/{}/{name}", client.id, item.unwrap_or("unrequested"));
    upload(portal, client, &path).await.is(200);
    let row = json!({"item_id": item, "name": name, "file_url": path});
    let row = insert(portal, client, "received_files", row).await.is(201).json();
    row["id"].as_str().unwrap().to_owned()
}

async fn status(portal: &TestPortal, user: &TestUser, item: &str) -> Value {
    let path = format!("request_items?id=eq.{item}&select=status,refusal_reason");
    read(portal, user, &path).await[0].clone()
}

async fn file(portal: &TestPortal, user: &TestUser, folder: &str, names: Value) -> Answer {
    let request = portal.post("/rest/v1/rpc/file_received_files").auth(user);
    request.json(&json!({"folder": folder, "names": names})).send().await
}

portal_test!(item_is_answered_refused_answered_again_and_filed, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let item = ask(portal, &joao, "Extrato bancário").await;
    assert_eq!(status(portal, &joao, &item).await["status"], "open");
    let blurred = send(portal, &joao, Some(&item), "borrado.pdf").await;
    assert_eq!(status(portal, &joao, &item).await["status"], "answered");

    let refusal = json!({"status": "refused", "refusal_reason": "Ilegível"});
    change(portal, &ana, &item, refusal.clone()).await.is(204);
    assert_eq!(status(portal, &joao, &item).await, refusal);
    let seen = read(portal, &joao, "received_files?select=name,refused_at").await;
    assert!(seen[0]["refused_at"].is_string());
    file(portal, &ana, "contratos", json!({&blurred: "Extrato"}))
        .await
        .refused(409, "request_state");

    let sharp = send(portal, &joao, Some(&item), "extrato.pdf").await;
    let second = send(portal, &joao, Some(&item), "extrato-2.pdf").await;
    let answered = json!({"status": "answered", "refusal_reason": null});
    assert_eq!(status(portal, &joao, &item).await, answered);
    let done = file(portal, &ana, "contratos", json!({&sharp: "Extrato de novembro"})).await;
    let document = done.is(200).json()["documents"][0].as_str().unwrap().to_owned();
    // The item waits for its second file.
    assert_eq!(status(portal, &joao, &item).await["status"], "answered");
    file(portal, &ana, "contratos", json!({&second: "Extrato 2"})).await.is(200);
    assert_eq!(status(portal, &joao, &item).await["status"], "accepted");
    file(portal, &ana, "contratos", json!({&sharp: "Extrato"})).await.refused(409, "file_filed");

    // The file is the client's document, and is no longer where it was.
    let path = format!("documents?id=eq.{document}&select=name,type,reference_month,file_url,size");
    let documents = read(portal, &joao, &path).await;
    let row = &documents[0];
    assert_eq!(row["name"], "Extrato de novembro");
    assert_eq!((&row["type"], &row["reference_month"]), (&json!("pdf"), &json!("2026-11")));
    assert_eq!(row["size"], PDF.len());
    let path = format!("/storage/v1/object/client-documents/{}", row["file_url"].as_str().unwrap());
    assert_eq!(portal.get(&path).auth(&joao).send().await.is(200).body, PDF);
    let old = place(&format!("{}/{item}/extrato.pdf", joao.id));
    portal.get(&old).auth(&ana).send().await.refused(400, "NoSuchKey");
    let filed = read(portal, &joao, &format!("received_files?id=eq.{sharp}")).await;
    assert_eq!((&filed[0]["document_id"], &filed[0]["file_url"]), (&json!(document), &Value::Null));
    // An accepted item takes no more files.
    let late = upload(portal, &joao, &format!("{}/{item}/tarde.pdf", joao.id)).await;
    late.refused(400, "AccessDenied");
    let events = "activity?person_id=not.is.null&event=like.re*&select=event&order=number";
    let expected = [
        "request.created",
        "received_file.created",
        "request.changed",
        "received_file.created",
        "received_file.created",
        "received_file.filed",
        "received_file.filed",
    ];
    assert_eq!(column(&read(portal, &ana, events).await, "event"), expected);
});

portal_test!(item_is_accepted_after_its_files_were_filed_at_once, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    for round in 0..4 {
        let item = ask(portal, &joao, &format!("Extrato {round}")).await;
        let first = send(portal, &joao, Some(&item), "um.pdf").await;
        let second = send(portal, &joao, Some(&item), "dois.pdf").await;
        let (first, second) = futures_util::join!(
            file(portal, &ana, "contratos", json!({first: "Um"})),
            file(portal, &ana, "contratos", json!({second: "Dois"})),
        );
        first.is(200);
        second.is(200);
        assert_eq!(status(portal, &ana, &item).await["status"], "accepted");
    }
});

portal_test!(filed_document_is_not_announced_and_counts_as_opened, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let on = json!({"document_type_event": "contrato_new", "enabled": true});
    portal.post("/rest/v1/email_notification_settings").auth(&ana).json(&on).send().await.is(201);
    let sent = send(portal, &joao, None, "contrato.pdf").await;
    file(portal, &ana, "contratos", json!({&sent: "Contrato"})).await.is(200);
    let opened = read(portal, &ana, "documents?select=was_opened,client_id").await;
    assert_eq!(opened, json!([{"was_opened": true, "client_id": joao.id}]));
    let mails = read(portal, &ana, "outbox?event=eq.contrato_new").await;
    assert_eq!(mails, json!([]));
});

portal_test!(client_uploads_below_own_open_items_only, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let (own, other) = (ask(portal, &joao, "RG").await, ask(portal, &maria, "RG").await);
    let ghost = uuid::Uuid::nil().to_string();
    let (joaos, marias) = (&joao.id, &maria.id);
    let mut answers = Vec::new();
    for path in [
        format!("{marias}/{other}/a.pdf"),
        format!("{joaos}/{other}/a.pdf"),
        format!("{marias}/{own}/a.pdf"),
        format!("{marias}/unrequested/a.pdf"),
        format!("{joaos}/{ghost}/a.pdf"),
        format!("{joaos}/a.pdf"),
        format!("{joaos}/{own}/pasta/a.pdf"),
    ] {
        answers.push(upload(portal, &joao, &path).await.refused(400, "AccessDenied").seen());
    }
    answers.dedup();
    assert_eq!(answers.len(), 1, "an item of another client must look nonexistent");
    // The rules of content are those of documents.
    for (name, bytes) in [("a.exe", PDF), ("a.pdf", b"<html>".as_slice()), ("b.pdf", b"")] {
        let request = portal.post(&place(&format!("{joaos}/{own}/{name}"))).auth(&joao);
        request.bytes("application/pdf", bytes).send().await.is(400);
    }
    let path = format!("{joaos}/{own}/a.pdf");
    upload(portal, &joao, &path).await.is(200);
    upload(portal, &joao, &path).await.refused(400, "KeyAlreadyExists");
    let replace = portal.put(&place(&path)).auth(&joao).bytes("application/pdf", PDF);
    replace.send().await.refused(400, "AccessDenied");
    portal.delete(&place(&path)).auth(&joao).send().await.refused(400, "AccessDenied");
    for path in [format!("{joaos}/{other}/a.pdf"), format!("{ghost}/unrequested/a.pdf")] {
        upload(portal, &ana, &path).await.refused(400, "InvalidKey");
    }

    // Without its row only the office can read the file; with it also the client, and never another one.
    portal.get(&place(&path)).auth(&joao).send().await.refused(400, "NoSuchKey");
    let row = |item: &str, path: &str| json!({"item_id": item, "name": "a.pdf", "file_url": path});
    let mut seen = Vec::new();
    for (item, path) in [(&other, &path), (&ghost, &path), (&own, &format!("{path}x"))] {
        let answer = insert(portal, &joao, "received_files", row(item, path)).await;
        seen.push(answer.refused(403, "42501").seen());
    }
    let answer = insert(portal, &maria, "received_files", row(&other, &path)).await;
    seen.push(answer.refused(403, "42501").seen());
    seen.dedup();
    assert_eq!(seen.len(), 1);
    let stored = insert(portal, &joao, "received_files", row(&own, &path)).await.is(201).json();
    let again = insert(portal, &joao, "received_files", row(&own, &path)).await.is(201).json();
    assert_eq!(stored, again);
    for reader in [&joao, &ana] {
        assert_eq!(portal.get(&place(&path)).auth(reader).send().await.is(200).body, PDF);
    }
    portal.get(&place(&path)).auth(&maria).send().await.refused(400, "NoSuchKey");
    assert_eq!(read(portal, &maria, "received_files").await, json!([]));
    let items = read(portal, &maria, "request_items?select=id").await;
    assert_eq!(items, json!([{"id": other}]));
    file(portal, &joao, "contratos", json!({})).await.refused(403, "42501");
    change(portal, &joao, &other, json!({"status": "nothing"})).await.is(204);
    assert_eq!(status(portal, &maria, &other).await["status"], "open");
});

portal_test!(only_some_answers_follow_from_a_state, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let item = ask(portal, &joao, "Notas fiscais").await;
    for denied in [
        json!({"status": "accepted"}),
        json!({"status": "answered"}),
        json!({"status": "refused", "refusal_reason": "x"}),
        json!({"status": "nothing", "name": "Outro"}),
        json!({"hint": "x"}),
    ] {
        change(portal, &joao, &item, denied).await.refused(403, "42501");
    }
    change(portal, &ana, &item, json!({"status": "accepted"})).await.refused(403, "42501");
    change(portal, &ana, &item, json!({"status": "refused"})).await.refused(400, "23514");
    let refusal = json!({"status": "refused", "refusal_reason": "Precisamos delas"});
    change(portal, &ana, &item, refusal.clone()).await.refused(409, "request_state");
    change(portal, &joao, &item, json!({"status": "nothing"})).await.is(204);
    change(portal, &joao, &item, json!({"status": "nothing"})).await.refused(409, "request_state");
    change(portal, &joao, &item, json!({"status": "open"})).await.is(204);
    change(portal, &joao, &item, json!({"status": "nothing"})).await.is(204);
    change(portal, &ana, &item, refusal.clone()).await.is(204);
    assert_eq!(status(portal, &joao, &item).await, refusal);
    // A file replaces the answer; without it the item is open again.
    let sent = send(portal, &joao, Some(&item), "nota.pdf").await;
    let path = format!("/rest/v1/received_files?id=eq.{sent}");
    portal.delete(&path).auth(&joao).send().await.is(204);
    assert_eq!(status(portal, &joao, &item).await["status"], "open");
    assert_eq!(read(portal, &ana, "received_files").await, json!([]));

    let sent = send(portal, &joao, Some(&item), "outra.pdf").await;
    file(portal, &ana, "faturas", json!({&sent: "Nota"})).await.is(200);
    let path = format!("/rest/v1/received_files?id=eq.{sent}");
    portal.delete(&path).auth(&joao).send().await.refused(409, "file_filed");
    change(portal, &joao, &item, json!({"status": "nothing"})).await.refused(409, "request_state");
});

portal_test!(same_item_of_a_month_is_asked_for_once, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let row = |client: &str, month: &str, due: &str| json!({"client_id": client, "name": "Extrato", "month": month, "due_on": due, "status": "accepted"});
    let first = insert(portal, &ana, "request_items", row(&joao.id, "2026-11", "2026-12-05")).await;
    let first = first.is(201).json();
    assert_eq!(first["status"], "open");
    let again = insert(portal, &ana, "request_items", row(&joao.id, "2026-11", "2026-12-09")).await;
    assert_eq!(again.is(201).json(), first);
    for (row, status, code) in [
        (row(&joao.id, "2026-13", "2026-12-05"), 400, "23514"),
        (row(&joao.id, "novembro", "2026-12-05"), 400, "23514"),
        (row(&joao.id, "2026-12", "2026-02-30"), 400, "23514"),
        (row(&ana.id, "2026-12", "2026-12-05"), 409, "23503"),
    ] {
        insert(portal, &ana, "request_items", row).await.refused(status, code);
    }
    let both =
        json!([row(&joao.id, "2026-12", "2027-01-05"), row(&maria.id, "2026-12", "2027-01-05")]);
    portal.post("/rest/v1/request_items").auth(&ana).json(&both).send().await.is(201);
    assert_eq!(read(portal, &maria, "request_items?select=name").await[0]["name"], "Extrato");

    let template = |items: Value| json!({"name": "Mensal", "items": items});
    let item = json!({"name": "Extrato", "hint": null, "repeats_monthly": true});
    insert(portal, &ana, "request_templates", template(json!([item]))).await.is(201);
    let unnamed = json!({"name": " ", "hint": null, "repeats_monthly": true});
    for items in [json!([]), json!([{"name": "Extrato"}]), json!("Extrato"), json!([unnamed])] {
        insert(portal, &ana, "request_templates", template(items)).await.refused(400, "23514");
    }
});

portal_test!(monthly_item_is_asked_for_again_when_its_month_is_over, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let row = json!({"client_id": joao.id, "name": "Extrato", "hint": "Em PDF", "month": "2026-11",
        "due_on": "2026-12-31", "repeats_monthly": true});
    portal.insert("request_items", row).await;
    ask(portal, &joao, "Contrato social").await;
    let run = async || portal.app.write(|tx, app| repeat::continue_batch(tx, app)).await.unwrap();
    assert!(!run().await, "the month is not over");
    portal.advance(SignedDuration::from_hours(75 * 24));
    while run().await {}
    let ana = portal.sign_in(&ana.email).await;
    let items =
        "request_items?select=month,due_on,repeats_monthly,hint&name=eq.Extrato&order=month";
    let of = |month: &str, due: &str, repeats: bool| json!({"month": month, "due_on": due, "repeats_monthly": repeats, "hint": "Em PDF"});
    let expected = json!([
        of("2026-11", "2026-12-31", false),
        of("2026-12", "2027-01-31", false),
        of("2027-01", "2027-02-28", false),
        of("2027-02", "2027-03-31", true),
    ]);
    assert_eq!(read(portal, &ana, items).await, expected);
    let others = read(portal, &ana, "request_items?name=eq.Contrato%20social").await;
    assert_eq!(others.as_array().unwrap().len(), 1);
});

portal_test!(files_without_a_row_are_limited_and_collected, async |portal| {
    let joao = portal.client("joao").await;
    for number in 0..60 {
        upload(portal, &joao, &format!("{}/unrequested/{number}.pdf", joao.id)).await.is(200);
    }
    let more = format!("{}/unrequested/60.pdf", joao.id);
    assert_ne!(upload(portal, &joao, &more).await.status, 200);
    let path = format!("{}/unrequested/0.pdf", joao.id);
    let row = json!({"name": "0.pdf", "file_url": path, "note": "O que faltava"});
    insert(portal, &joao, "received_files", row).await.is(201);
    upload(portal, &joao, &more).await.is(200);
    portal.advance(SignedDuration::from_hours(26));
    garbage_collect::run(&portal.app).await.unwrap();
    let joao = portal.sign_in(&joao.email).await;
    let ana = portal.admin().await;
    portal.get(&place(&path)).auth(&joao).send().await.is(200);
    portal.get(&place(&more)).auth(&ana).send().await.refused(400, "NoSuchKey");
});

portal_test!(deleted_item_takes_its_files_along, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let item = ask(portal, &joao, "RG").await;
    send(portal, &joao, Some(&item), "rg.pdf").await;
    let path = format!("/rest/v1/request_items?id=eq.{item}");
    portal.delete(&path).auth(&ana).send().await.is(204);
    assert_eq!(read(portal, &ana, "received_files").await, json!([]));
    let file = place(&format!("{}/{item}/rg.pdf", joao.id));
    portal.get(&file).auth(&ana).send().await.refused(400, "NoSuchKey");
});
