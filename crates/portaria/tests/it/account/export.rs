//! The export of personal data.

use std::io::{Cursor, Read};

use axum::body::Body;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;
use zip::ZipArchive;

use crate::harness::{PDF, TestPortal, TestUser, portal_test, request::Answer};

const EXPORT: &str = "/account/v1/export";

pub(crate) async fn export(portal: &TestPortal, user: &TestUser) -> Answer {
    portal.get(EXPORT).auth(user).send().await
}

/// Name and content of each file of the archive.
pub(crate) fn entries(answer: &Answer) -> Vec<(String, Vec<u8>)> {
    let mut archive = ZipArchive::new(Cursor::new(answer.body.to_vec())).unwrap();
    let mut entries = Vec::new();
    for place in 0..archive.len() {
        let mut entry = archive.by_index(place).unwrap();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        entries.push((entry.name().unwrap().to_string(), bytes));
    }
    entries
}

pub(crate) fn json_of(entries: &[(String, Vec<u8>)], name: &str) -> Value {
    let (_, bytes) = entries.iter().find(|(found, _)| found == name).unwrap();
    serde_json::from_slice(bytes).unwrap()
}

fn files(entries: &[(String, Vec<u8>)]) -> Vec<&str> {
    let names = entries.iter().map(|(name, _)| name.as_str());
    let mut names: Vec<&str> = names.filter(|name| name.contains('/')).collect();
    names.sort_unstable();
    names
}

portal_test!(export_contains_exactly_the_data_of_its_user, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let document = portal.document(&joao, "faturas", "guia.pdf").await;
    portal.document(&joao, "contratos", "guia.pdf").await;
    let pending = json!({"status": "pending"});
    portal.document_with(&joao, "contratos", "espera.pdf", pending).await;
    portal.document(&maria, "faturas", "segredo.pdf").await;
    let ticket = portal.ticket(&joao, "Dúvida").await;
    portal.ticket(&maria, "Segredo").await;
    let reply = json!({"ticket_id": ticket, "body": "Resposta do escritório"});
    portal.insert("ticket_messages", reply).await;
    let note = json!({"ticket_id": ticket, "body": "Nota interna", "internal": true});
    portal.insert("ticket_messages", note).await;
    portal.assign(&joao, &ana).await;
    for change in [json!({"assignee_id": ana.id}), json!({"priority": "high"})] {
        let path = format!("/rest/v1/tickets?id=eq.{ticket}");
        portal.patch(&path).auth(&ana).json(&change).send().await.is(204);
    }
    let receipt = json!({"document_id": document.id, "action": "opened"});
    let receipts = portal.post("/rest/v1/document_receipts").auth(&joao).json(&receipt);
    receipts.send().await.is(201);
    let mute = portal.post("/rest/v1/muted_topics").auth(&joao).json(&json!({"topic": "tickets"}));
    mute.send().await.is(201);

    let answer = export(portal, &joao).await.is(200);
    assert_eq!(answer.header("content-type"), "application/zip");
    assert_eq!(answer.header("cache-control"), "no-store");
    assert_eq!(
        answer.header("content-disposition"),
        "attachment; filename=\"meus-dados-2026-11-21.zip\""
    );
    assert_eq!(answer.header("x-expected-bytes"), (2 * PDF.len()).to_string());
    let entries = entries(&answer);
    assert_eq!(
        files(&entries),
        ["arquivos/Contratos/guia.pdf", "arquivos/Faturas/guia.pdf"],
        "an unreleased file is not part of the export"
    );
    assert!(entries.iter().all(|(name, bytes)| !name.contains('/') || bytes == PDF));
    let profile = json_of(&entries, "perfil.json");
    assert_eq!(profile["email"], json!(joao.email));
    assert_eq!(profile["user_metadata"], json!({"full_name": "joao"}));
    let of = |name, column: &str| -> Vec<Value> {
        let rows = json_of(&entries, name);
        let mut cells: Vec<Value> =
            rows.as_array().unwrap().iter().map(|row| row[column].clone()).collect();
        cells.sort_unstable_by_key(Value::to_string);
        cells
    };
    assert_eq!(of("documentos.json", "name"), ["espera.pdf", "guia.pdf", "guia.pdf"]);
    assert_eq!(of("tickets.json", "subject"), ["Dúvida"]);
    assert_eq!(of("mensagens.json", "body"), ["Resposta do escritório"]);
    assert_eq!(of("recibos.json", "action"), ["opened"]);
    let changes = json_of(&entries, "registro.json");
    let changes = changes.as_array().unwrap().iter().filter(|row| row["event"] == "ticket.changed");
    let changes: Vec<&Value> = changes.map(|row| &row["detail"]["columns"]).collect();
    assert_eq!(changes, [&json!(["priority"])]);
    assert_eq!(of("avisos-desligados.json", "topic"), ["tickets"]);
    assert_eq!(of("sessoes.json", "id").len(), 1);
    let whole = entries.iter().map(|(_, bytes)| String::from_utf8_lossy(bytes)).collect::<String>();
    for hidden in [
        "Segredo",
        "segredo",
        "Nota interna",
        "password_hash",
        "refresh_counter",
        "client_id",
        "assignee_id",
        "ticket.noted",
        "assignment.created",
        "smtp_reply",
    ] {
        assert!(!whole.contains(hidden), "{hidden}");
    }

    // An export of a staff member contains personal data only, none of the office's.
    let staff = export(portal, &ana).await.is(200);
    let staff = crate::account::export::entries(&staff);
    assert_eq!(files(&staff), [] as [&str; 0]);
    assert_eq!(json_of(&staff, "documentos.json"), json!([]));
    assert_eq!(json_of(&staff, "perfil.json")["email"], json!(ana.email));
});

/// Sends a message with a file, as the client or as staff.
pub(crate) async fn send_file(
    portal: &TestPortal,
    user: &TestUser,
    ticket: &str,
    note: bool,
    path: &str,
) {
    let place = format!("/storage/v1/object/ticket-attachments/{path}");
    portal.post(&place).auth(user).bytes("application/pdf", PDF).send().await.is(200);
    let mut row = json!({"ticket_id": ticket, "body": "Segue o arquivo."});
    if note {
        row["internal"] = json!(true);
    }
    let message = portal.post("/rest/v1/ticket_messages").auth(user).single().json(&row);
    let message = message.send().await.is(201).json();
    let row = json!({"message_id": message["id"], "name": "Guia.pdf", "file_url": path});
    portal.post("/rest/v1/ticket_attachments").auth(user).json(&row).send().await.is(201);
}

portal_test!(export_contains_ticket_files_and_history, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let ticket = portal.ticket(&joao, "Guia: março/2026").await;
    let another = portal.ticket(&maria, "Segredo").await;
    for (user, ticket, note, path) in [
        (&joao, &ticket, false, format!("{}/{ticket}/1-guia.pdf", joao.id)),
        (&ana, &ticket, false, format!("office/{ticket}/2-guia.pdf")),
        (&ana, &ticket, true, format!("office/{ticket}/3-nota.pdf")),
        (&maria, &another, false, format!("{}/{another}/4-guia.pdf", maria.id)),
    ] {
        send_file(portal, user, ticket, note, &path).await;
    }
    let close = portal.patch(&format!("/rest/v1/tickets?id=eq.{ticket}")).auth(&joao);
    close.json(&json!({"status": "closed"})).send().await.is(204);

    let answer = export(portal, &joao).await.is(200);
    assert_eq!(answer.header("x-expected-bytes"), (2 * PDF.len()).to_string());
    let entries = entries(&answer);
    let folder = "anexos/Guia_ março_2026";
    assert_eq!(files(&entries), [format!("{folder}/Guia (2).pdf"), format!("{folder}/Guia.pdf")]);
    assert!(entries.iter().all(|(name, bytes)| !name.contains('/') || bytes == PDF));
    let names: Vec<Value> = json_of(&entries, "anexos.json").as_array().unwrap().clone();
    assert_eq!(names.len(), 2);
    assert!(names.iter().all(|row| row["name"] == "Guia.pdf" && row["client_id"].is_null()));
    let history = json_of(&entries, "historico.json");
    let history = history.as_array().unwrap();
    assert!(history.iter().any(|row| row["status"] == "closed"));
    assert!(history.iter().all(|row| row["ticket_id"] == json!(ticket)));
});

portal_test!(export_contains_more_rows_than_one_batch, async |portal| {
    let joao = portal.client("joao").await;
    let rows: Vec<Value> = (0..1_201)
        .map(|number| json!({"name": format!("{number}"), "folder_id_supabase": "faturas", "client_id": joao.id}))
        .collect();
    for some in rows.chunks(401) {
        let insert = portal.post("/rest/v1/documents").bearer(&portal.app.keys.service_role);
        insert.json(&json!(some)).send().await.is(201);
    }
    let entries = entries(&export(portal, &joao).await.is(200));
    let documents = json_of(&entries, "documentos.json");
    let mut numbers: Vec<u32> = documents
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["name"].as_str().unwrap().parse().unwrap())
        .collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..1_201).collect::<Vec<_>>());
});

portal_test!(interrupted_export_is_no_valid_archive, async |portal| {
    let joao = portal.client("joao").await;
    portal.document(&joao, "faturas", "guia.pdf").await;
    let [blob] = portal.files_in("blobs").try_into().unwrap();
    std::fs::write(blob, "cut").unwrap();
    let request = axum::http::Request::get(EXPORT)
        .header("host", "portal.example")
        .header("apikey", &portal.app.keys.anon)
        .header("authorization", format!("Bearer {}", joao.token));
    let request = request.body(Body::empty()).unwrap();
    let response = portal.router.clone().oneshot(request).await.unwrap();
    assert_eq!(response.status(), 200);
    response.into_body().collect().await.unwrap_err();
});

portal_test!(exports_are_rate_limited_per_user, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    for _ in 0..5 {
        export(portal, &joao).await.is(200);
    }
    let refused = export(portal, &joao).await.refused(429, "over_request_rate_limit");
    assert_eq!(refused.header("retry-after"), "720");
    export(portal, &maria).await.is(200);
    portal.advance(jiff::SignedDuration::from_mins(13));
    export(portal, &joao).await.is(200);
});

portal_test!(export_requires_a_session, async |portal| {
    let joao = portal.client("joao").await;
    portal.get(EXPORT).send().await.refused(401, "no_authorization");
    let service = portal.app.keys.service_role.clone();
    portal.get(EXPORT).bearer(&service).send().await.refused(403, "no_person");
    portal.post("/auth/v1/logout").auth(&joao).send().await.is(204);
    export(portal, &joao).await.refused(401, "session_not_found");
});

portal_test!(export_for_a_client_is_recorded, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    portal.document(&joao, "faturas", "guia.pdf").await;
    let place = format!("/account/v1/clients/{}/export", joao.id);
    let answer = portal.get(&place).auth(&ana).send().await.is(200);
    assert_eq!(
        answer.header("content-disposition"),
        "attachment; filename=\"dados-2026-11-21.zip\""
    );
    let taken = entries(&answer);
    assert_eq!(files(&taken), ["arquivos/Faturas/guia.pdf"]);
    assert_eq!(json_of(&taken, "perfil.json")["email"], json!(joao.email));
    let line = portal.get("/rest/v1/activity?event=eq.account.exported").auth(&ana).single();
    let line = line.send().await.is(200).json();
    assert_eq!([&line["actor_name"], &line["person_name"]], ["Ana Prado", "joao"]);
    for user in [&joao, &maria] {
        portal.get(&place).auth(user).send().await.refused(403, "not_admin");
    }
    for id in [uuid::Uuid::nil().to_string(), ana.id.clone(), "x".to_owned()] {
        let place = format!("/account/v1/clients/{id}/export");
        portal.get(&place).auth(&ana).send().await.refused(404, "user_not_found");
    }
});
