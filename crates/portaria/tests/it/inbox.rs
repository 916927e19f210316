//! The inbox: files are read, reviewed, published and withdrawn. Nothing reaches a client before its publication, and
//! nothing is published twice.

use std::{fmt::Write, fs};

use jiff::SignedDuration;
use portaria::jobs::{nightly, publish_inbox, read_inbox};
use portaria_recognize::child::Limits;
use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, portal_test, request::Answer, run_on_sqlite};

pub(crate) const CNPJ: &str = "11.222.333/0001-81";
const OTHER_CNPJ: &str = "11.444.777/0001-61";

/// A PDF with a line of text for each of `lines`.
pub(crate) fn pdf(lines: &[&str]) -> Vec<u8> {
    let mut content = String::from("BT /F 12 Tf 14 TL 50 780 Td\n");
    for line in lines {
        writeln!(content, "({line}) Tj T*").unwrap();
    }
    content.push_str("ET");
    format!(
        "%PDF-1.7\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Count 1/Kids[4 0 R]>> endobj\n\
         4 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 3 0 R/Resources<</Font<</F 5 0 R>>>>>> endobj\n\
         5 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>> endobj\n\
         3 0 obj <</Length {}>> stream\n{content}\nendstream endobj\ntrailer <</Root 1 0 R>>\n%%EOF",
        content.len()
    )
    .into_bytes()
}

/// A DAS of a company and a month.
pub(crate) fn das(cnpj: &str, month: &str) -> Vec<u8> {
    pdf(&[
        "Documento de Arrecadacao do Simples Nacional - DAS",
        &format!("CNPJ {cnpj}  Razao Social Padaria Modelo"),
        &format!("Periodo de Apuracao: {month}"),
        "Data de Vencimento: 20/12/2026",
        "Valor Total do Documento: 143,59",
    ])
}

pub(crate) async fn company(portal: &TestPortal, name: &str, tax_id: &str) -> TestUser {
    let email = format!("{name}@cliente.com.br");
    let metadata = json!({"full_name": name, "tax_id": tax_id});
    portal.create_user(json!({"email": email, "user_metadata": metadata})).await;
    portal.sign_in(&email).await
}

pub(crate) async fn drop_file(
    portal: &TestPortal,
    user: &TestUser,
    name: &str,
    bytes: Vec<u8>,
) -> Answer {
    let request = portal.post(&format!("/storage/v1/object/inbox/{name}")).auth(user);
    request.bytes("application/pdf", bytes).send().await
}

pub(crate) async fn read_all(portal: &TestPortal) {
    let reader = portal.app.reader(Limits::default());
    read_inbox::read_all(&portal.app, &reader).await.unwrap();
}

/// The files of the inbox in the order of their names.
pub(crate) async fn files(portal: &TestPortal, user: &TestUser) -> Vec<Value> {
    let path = "/rest/v1/inbox_files?order=name";
    portal.get(path).auth(user).send().await.is(200).json().as_array().unwrap().clone()
}

pub(crate) async fn review(
    portal: &TestPortal,
    user: &TestUser,
    id: &Value,
    changes: Value,
) -> Answer {
    let path = format!("/rest/v1/inbox_files?id=eq.{}", id.as_str().unwrap());
    portal.patch(&path).auth(user).json(&changes).send().await
}

pub(crate) async fn call(
    portal: &TestPortal,
    user: &TestUser,
    function: &str,
    arguments: Value,
) -> Answer {
    let request = portal.post(&format!("/rest/v1/rpc/{function}")).auth(user);
    request.json(&arguments).send().await
}

pub(crate) async fn documents(portal: &TestPortal, user: &TestUser) -> Vec<Value> {
    let columns = "name,category,reference_month,amount_cents,expires_at,file_url";
    let path = format!("/rest/v1/documents?select={columns}&order=created_at");
    portal.get(&path).auth(user).send().await.is(200).json().as_array().unwrap().clone()
}

/// Lets the time to undo a publication pass, and publishes.
pub(crate) async fn publish_due(portal: &TestPortal) {
    portal.advance(SignedDuration::from_secs(61));
    publish_inbox::publish_due(&portal.app).await.unwrap();
}

async fn enable_mail(portal: &TestPortal) {
    let row = json!({"document_type_event": "fatura_new", "enabled": true});
    let path = "/rest/v1/email_notification_settings?on_conflict=document_type_event";
    let request = portal.post(path).bearer(&portal.app.keys.service_role);
    let request = request.prefer("resolution=merge-duplicates").json(&row);
    assert!(request.send().await.status.is_success());
}

portal_test!(file_becomes_a_document_of_its_client, async |portal| {
    let (ana, padaria) = (portal.admin().await, company(portal, "padaria", CNPJ).await);
    enable_mail(portal).await;
    drop_file(portal, &ana, "guia.pdf", das(CNPJ, "11/2026")).await.is(200);
    assert_eq!(files(portal, &ana).await[0]["review_group"], "reading");

    read_all(portal).await;
    let file = files(portal, &ana).await.remove(0);
    assert_eq!(file["client_id"], padaria.id);
    assert_eq!(file["document_name"], "DAS – novembro de 2026");
    assert_eq!(file["doubts"], json!(null), "{file}");
    let values = ["category", "reference_month", "amount_cents"].map(|name| file[name].clone());
    assert_eq!(values, [json!("das"), json!("2026-11"), json!(14_359)]);
    assert!(file["expires_at"].as_str().unwrap().starts_with("2026-12-2"), "{file}");
    // No folder of this office has a name that fits, so a person chooses one.
    assert_eq!(file["review_group"], "doubtful");
    let ids = json!({"files": [file["id"]]});
    call(portal, &ana, "publish_inbox", ids.clone()).await.refused(409, "inbox_unresolved");
    review(portal, &ana, &file["id"], json!({"folder_id_supabase": "faturas"})).await.is(204);
    assert_eq!(files(portal, &ana).await[0]["review_group"], "recognized");

    // Until its time a publication can be undone, and no client sees or hears of it.
    call(portal, &ana, "publish_inbox", ids.clone()).await.is(200);
    publish_inbox::publish_due(&portal.app).await.unwrap();
    assert!(documents(portal, &padaria).await.is_empty());
    call(portal, &ana, "publish_inbox", ids.clone()).await.refused(409, "inbox_published");
    review(portal, &ana, &file["id"], json!({"document_name": "Outro"}))
        .await
        .refused(409, "inbox_published");
    let undone = call(portal, &ana, "cancel_publication", ids.clone()).await.is(200).json();
    assert_eq!(undone, json!({"cancelled": 1}));
    publish_due(portal).await;
    assert!(documents(portal, &padaria).await.is_empty());
    assert!(portal.mails().await.is_empty());

    call(portal, &ana, "publish_inbox", ids.clone()).await.is(200);
    publish_due(portal).await;
    publish_due(portal).await;
    let seen = documents(portal, &padaria).await;
    assert_eq!(seen.len(), 1);
    assert_eq!(seen[0]["name"], "DAS – novembro de 2026");
    assert_eq!(seen[0]["amount_cents"], 14_359);
    let path = seen[0]["file_url"].as_str().unwrap();
    let download = portal.get(&format!("/storage/v1/object/authenticated/client-documents/{path}"));
    assert_eq!(download.auth(&padaria).send().await.is(200).body, das(CNPJ, "11/2026"));
    assert_eq!(portal.mails().await.len(), 1);
    call(portal, &ana, "cancel_publication", ids).await.refused(409, "inbox_published");
    let published = files(portal, &ana).await.remove(0);
    assert_eq!(
        (&published["review_group"], &published["file_url"]),
        (&json!("published"), &json!(null))
    );
});

portal_test!(withdrawn_document_disappears_for_its_client, async |portal| {
    let (ana, padaria) = (portal.admin().await, company(portal, "padaria", CNPJ).await);
    enable_mail(portal).await;
    let document = portal.document(&padaria, "faturas", "Guia.pdf").await;
    let held = json!({"legal_hold_reason": "Processo 1"});
    let row = format!("/rest/v1/documents?id=eq.{}", document.id);
    portal.patch(&row).auth(&ana).json(&held).send().await.is(204);
    let file = format!("/storage/v1/object/authenticated/client-documents/{}", document.path);
    portal.get(&file).auth(&padaria).send().await.is(200);

    let ids = json!({"documents": [document.id]});
    call(portal, &padaria, "withdraw_documents", ids.clone()).await.refused(403, "42501");
    call(portal, &ana, "withdraw_documents", ids.clone()).await.is(204);
    assert!(documents(portal, &padaria).await.is_empty());
    assert!(!portal.get(&file).auth(&padaria).send().await.status.is_success());
    let mail = portal.get("/rest/v1/outbox?select=state,last_error").auth(&ana).send().await;
    assert_eq!(
        mail.is(200).json(),
        json!([{"state": "cancelled", "last_error": "O documento foi retirado do cliente."}])
    );
    call(portal, &ana, "withdraw_documents", ids.clone()).await.is(204);

    // Receipts and mails belong to the former client, so no other client receives the document.
    let other = company(portal, "outra", OTHER_CNPJ).await;
    let path = portal.upload(&other, "faturas", "b.pdf").await;
    let change = json!({"legal_hold_reason": null});
    portal.patch(&row).auth(&ana).json(&change).send().await.is(204);
    let change = json!({"file_url": path, "folder_id_supabase": "faturas"});
    portal.patch(&row).auth(&ana).json(&change).send().await.refused(409, "23503");

    call(portal, &ana, "republish_documents", ids).await.is(204);
    assert_eq!(documents(portal, &padaria).await.len(), 1);
    portal.get(&file).auth(&padaria).send().await.is(200);
    let unknown = json!({"documents": [uuid::Uuid::nil()]});
    call(portal, &ana, "withdraw_documents", unknown).await.refused(404, "PT404");
});

portal_test!(doubtful_files_wait_for_a_person, async |portal| {
    let ana = portal.admin().await;
    let padaria = company(portal, "padaria", CNPJ).await;
    company(portal, "outra", OTHER_CNPJ).await;
    let both = pdf(&["Guia de recolhimento com texto bastante", CNPJ, OTHER_CNPJ]);
    for (name, bytes) in [
        ("1-dois.pdf", both),
        ("2-ninguem.pdf", pdf(&["Aviso geral do escritorio a todos os clientes"])),
        ("3-danificado.pdf", b"%PDF-1.7\nnada".to_vec()),
    ] {
        drop_file(portal, &ana, name, bytes).await.is(200);
    }
    read_all(portal).await;
    let read = files(portal, &ana).await;
    let groups: Vec<&Value> = read.iter().map(|file| &file["review_group"]).collect();
    assert_eq!(groups, ["doubtful", "no_owner", "problem"]);
    assert_eq!(read[0]["doubts"], json!(["several_clients"]));
    assert_eq!(read[2]["problem"], "damaged");

    for file in &read {
        let ids = json!({"files": [file["id"]]});
        call(portal, &ana, "publish_inbox", ids).await.refused(409, "inbox_unresolved");
        let choice = json!({"client_id": padaria.id, "folder_id_supabase": "contratos"});
        review(portal, &ana, &file["id"], choice).await.is(204);
        let nobody = json!({"client_id": uuid::Uuid::nil()});
        review(portal, &ana, &file["id"], nobody).await.refused(409, "23503");
    }
    let reviewed = files(portal, &ana).await;
    assert!(reviewed.iter().all(|file| file["review_group"] == "recognized"), "{reviewed:?}");
    let ids: Vec<&Value> = reviewed.iter().map(|file| &file["id"]).collect();
    call(portal, &ana, "publish_inbox", json!({"files": ids})).await.is(200);
    publish_due(portal).await;
    assert_eq!(documents(portal, &padaria).await.len(), 3);
});

portal_test!(repeated_document_needs_a_decision, async |portal| {
    let (ana, padaria) = (portal.admin().await, company(portal, "padaria", CNPJ).await);
    let publish = async |name: &str, bytes: Vec<u8>, choice: Value| {
        drop_file(portal, &ana, name, bytes).await.is(200);
        read_all(portal).await;
        let all = files(portal, &ana).await;
        let file = all.into_iter().find(|file| file["name"] == name).unwrap();
        let is_repeated = file["duplicate_of_id"] != json!(null);
        if choice != json!({}) {
            review(portal, &ana, &file["id"], choice).await.is(204);
        }
        call(portal, &ana, "publish_inbox", json!({"files": [file["id"]]})).await.is(200);
        publish_due(portal).await;
        is_repeated
    };
    let folder = json!({"folder_id_supabase": "faturas"});
    assert!(!publish("1.pdf", das(CNPJ, "11/2026"), folder).await);
    // The folder of the category is remembered. The same bytes, and the same kind and month, are repetitions.
    assert!(publish("2.pdf", das(CNPJ, "11/2026"), json!({"duplicate_choice": "keep"})).await);
    let mut corrected = das(CNPJ, "11/2026");
    corrected.extend(b"\n% corrected");
    assert!(publish("3.pdf", corrected, json!({"duplicate_choice": "replace"})).await);
    assert!(!publish("4.pdf", das(CNPJ, "10/2026"), json!({})).await);
    assert_eq!(documents(portal, &padaria).await.len(), 3);

    let rules = portal.get("/rest/v1/inbox_rules?select=kind,pattern,folder_id_supabase");
    let rules = rules.auth(&ana).send().await.is(200).json();
    assert_eq!(
        rules,
        json!([{"kind": "folder", "pattern": "das", "folder_id_supabase": "faturas"}])
    );
});

portal_test!(alias_is_learned_from_a_choice, async |portal| {
    let ana = portal.admin().await;
    let joao = portal.client("joao").await;
    let contract = || pdf(&["Texto de um documento que nao cita ninguem e nada mais"]);
    drop_file(portal, &ana, "Mercearia-Central-1.pdf", contract()).await.is(200);
    read_all(portal).await;
    let file = files(portal, &ana).await.remove(0);
    assert_eq!(file["review_group"], "no_owner");
    let choice = json!({"client_id": joao.id, "folder_id_supabase": "contratos"});
    review(portal, &ana, &file["id"], choice).await.is(204);
    call(portal, &ana, "publish_inbox", json!({"files": [file["id"]]})).await.is(200);
    publish_due(portal).await;

    // The next file of this name is proposed for the client, and a person confirms it.
    let mut next = contract();
    next.extend(b"\n% another");
    drop_file(portal, &ana, "Mercearia-Central-2.pdf", next).await.is(200);
    read_all(portal).await;
    let file = files(portal, &ana).await.pop().unwrap();
    assert_eq!(file["client_id"], joao.id);
    assert_eq!(
        (&file["review_group"], &file["doubts"]),
        (&json!("doubtful"), &json!(["name_only"]))
    );
});

// An object store whose folder is away answers like one without the blob.
#[test]
fn outage_of_the_store_damages_no_file() {
    run_on_sqlite(async |portal| {
        let ana = portal.admin().await;
        drop_file(portal, &ana, "guia.pdf", das(CNPJ, "11/2026")).await.is(200);
        let (blobs, aside) = (portal.folder("blobs"), portal.folder("aside"));
        fs::rename(&blobs, &aside).unwrap();
        fs::write(&blobs, "").unwrap();
        let reader = portal.app.reader(Limits::default());
        for _ in 0..5 {
            read_inbox::read_all(&portal.app, &reader).await.unwrap_err();
            portal.advance(SignedDuration::from_mins(3));
        }
        fs::remove_file(&blobs).unwrap();
        fs::rename(&aside, &blobs).unwrap();
        read_all(portal).await;
        assert_eq!(files(portal, &ana).await[0]["review_group"], "no_owner");
    });
}

portal_test!(no_client_reaches_the_inbox, async |portal| {
    let (ana, padaria) = (portal.admin().await, company(portal, "padaria", CNPJ).await);
    drop_file(portal, &ana, "guia.pdf", das(CNPJ, "11/2026")).await.is(200);
    read_all(portal).await;
    drop_file(portal, &padaria, "minha.pdf", das(CNPJ, "11/2026"))
        .await
        .refused(400, "AccessDenied");
    for table in ["inbox_files", "inbox_rules"] {
        let rows = portal.get(&format!("/rest/v1/{table}")).auth(&padaria).send().await;
        rows.refused(404, "PGRST205");
    }
    for path in ["authenticated/inbox/guia.pdf", "inbox/guia.pdf", "public/inbox/guia.pdf"] {
        let file = portal.get(&format!("/storage/v1/object/{path}")).auth(&padaria).send().await;
        assert!(file.status.is_client_error(), "{path}");
    }
    let list = json!({"prefix": ""});
    let listed = portal.post("/storage/v1/object/list/inbox").auth(&padaria).json(&list);
    assert!(!listed.send().await.text().contains("guia"));
    let open = json!({"public": true});
    let bucket = portal.put("/storage/v1/bucket/inbox").auth(&ana).json(&open).send().await;
    assert!(bucket.status.is_client_error(), "{}", bucket.text());
});

portal_test!(unpublished_files_end_after_thirty_days_or_with_their_client, async |portal| {
    let ana = portal.admin().await;
    let padaria = company(portal, "padaria", CNPJ).await;
    nightly::run(&portal.app).await.unwrap();
    drop_file(portal, &ana, "dela.pdf", das(CNPJ, "11/2026")).await.is(200);
    drop_file(portal, &ana, "de-ninguem.pdf", pdf(&["Sem dono"])).await.is(200);
    read_all(portal).await;
    let account = format!("/auth/v1/admin/users/{}", padaria.id);
    portal.delete(&account).bearer(&portal.app.keys.service_role).send().await.is(200);
    let left = files(portal, &ana).await;
    assert_eq!(left.len(), 1);
    assert_eq!(left[0]["name"], "de-ninguem.pdf");

    portal.advance(SignedDuration::from_hours(29 * 24));
    nightly::run(&portal.app).await.unwrap();
    let ana = portal.sign_in(&ana.email).await;
    assert_eq!(files(portal, &ana).await.len(), 1);
    portal.advance(SignedDuration::from_hours(2 * 24));
    nightly::run(&portal.app).await.unwrap();
    let ana = portal.sign_in(&ana.email).await;
    assert!(files(portal, &ana).await.is_empty());
    let file = portal.get("/storage/v1/object/authenticated/inbox/de-ninguem.pdf").auth(&ana);
    assert!(!file.send().await.status.is_success());
});

portal_test!(same_file_twice_in_the_inbox_needs_a_decision, async |portal| {
    let (ana, _) = (portal.admin().await, company(portal, "padaria", CNPJ).await);
    for name in ["1.pdf", "2.pdf", "3.pdf"] {
        drop_file(portal, &ana, name, das(CNPJ, "11/2026")).await.is(200);
    }
    read_all(portal).await;
    for file in files(portal, &ana).await {
        let folder = json!({"folder_id_supabase": "faturas"});
        review(portal, &ana, &file["id"], folder).await.is(204);
    }
    let groups = async || -> Vec<Value> {
        let all = files(portal, &ana).await;
        all.iter().map(|file| file["review_group"].clone()).collect()
    };
    // The first one can be published; the others wait for a person.
    assert_eq!(groups().await, ["recognized", "doubtful", "doubtful"]);
    let all = files(portal, &ana).await;
    assert_eq!(all[1]["repeats_id"], all[0]["id"]);
    let ids = json!({"files": [all[1]["id"]]});
    call(portal, &ana, "publish_inbox", ids).await.refused(409, "inbox_unresolved");
    review(portal, &ana, &all[1]["id"], json!({"repeats_kept": true})).await.is(204);
    assert_eq!(groups().await, ["recognized", "recognized", "doubtful"]);
    // Without the first one nothing is repeated.
    let path = format!("/rest/v1/inbox_files?id=eq.{}", all[0]["id"].as_str().unwrap());
    portal.delete(&path).auth(&ana).send().await.is(204);
    assert_eq!(groups().await, ["recognized", "recognized"]);
});

portal_test!(tax_id_of_the_office_is_no_second_client, async |portal| {
    portal.set("office_tax_id", OTHER_CNPJ);
    let (ana, padaria) = (portal.admin().await, company(portal, "padaria", CNPJ).await);
    // Even if the office is in its own list of clients.
    company(portal, "escritorio", OTHER_CNPJ).await;
    let invoice = pdf(&[
        "Nota Fiscal de Servicos Eletronica - NFS-e",
        &format!("Prestador de Servicos CNPJ {OTHER_CNPJ}"),
        &format!("Tomador de Servicos CNPJ {CNPJ}"),
        "Valor Total: 900,00",
    ]);
    drop_file(portal, &ana, "nota.pdf", invoice).await.is(200);
    let own = pdf(&["Documento interno", &format!("CNPJ {OTHER_CNPJ}")]);
    drop_file(portal, &ana, "proprio.pdf", own).await.is(200);
    read_all(portal).await;
    let all = files(portal, &ana).await;
    assert_eq!((&all[0]["client_id"], &all[0]["doubts"]), (&json!(padaria.id), &json!(null)));
    assert_eq!(all[1]["review_group"], "no_owner");
});
