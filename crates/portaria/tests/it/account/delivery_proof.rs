//! The timeline of a document, its proof of delivery, and the check of a proof.

use sea_query::{Expr, ExprTrait, Query};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::audit::tamper;
use crate::delivery::{send, start_with_smtp_server};
use crate::harness::{TestPortal, TestUser, portal_test, request::Answer};

async fn timeline(portal: &TestPortal, user: &TestUser, document: &str) -> Vec<Value> {
    let path = format!("/account/v1/documents/{document}/timeline");
    let answer = portal.get(&path).auth(user).send().await.is(200).json();
    answer["entries"].as_array().unwrap().clone()
}

async fn issue(portal: &TestPortal, user: &TestUser, document: &str) -> Answer {
    portal.post(&format!("/account/v1/documents/{document}/proof")).auth(user).send().await
}

/// The newest code. A person reads it from the PDF.
async fn code(portal: &TestPortal) -> String {
    let read = |tx: &mut portaria::db::Tx<'_>| {
        let mut query = Query::select();
        query.column("code").from("delivery_proofs").order_by("issued_at", sea_query::Order::Desc);
        Ok::<_, portaria::db::Error>(tx.rows(&query)?.first().unwrap().text(0)?.to_owned())
    };
    portal.app.db.read(read).await.unwrap()
}

async fn check(portal: &TestPortal, code: &str) -> Value {
    portal.get(&format!("/account/v1/proofs/{code}")).send().await.is(200).json()
}

/// A document that was mailed, reminded of, opened and downloaded.
async fn opened_document(portal: &mut TestPortal, ana: &TestUser, joao: &TestUser) -> String {
    let setting = json!({"document_type_event": "fatura_new", "enabled": true});
    let settings = portal.post("/rest/v1/email_notification_settings").auth(ana);
    settings.json(&setting).send().await.is(201);
    let id = portal.document(joao, "faturas", "guia.pdf").await.id;
    let server = start_with_smtp_server(portal).await;
    send(&portal.delivery()).await;
    assert_eq!(server.accepted().len(), 1);
    let whatsapp = json!({"document_id": id, "kind": "whatsapp"});
    portal.post("/rest/v1/document_contacts").auth(ana).json(&whatsapp).send().await.is(201);
    for action in ["opened", "downloaded"] {
        let receipt = json!({"document_id": id, "action": action});
        portal.post("/rest/v1/document_receipts").auth(joao).json(&receipt).send().await.is(201);
    }
    id
}

portal_test!(timeline_shows_mails_with_the_servers_reply_and_openings, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let id = opened_document(portal, &ana, &joao).await;
    let delivery = json!({"document_id": id, "kind": "delivery", "note": "Impresso e entregue"});
    portal.post("/rest/v1/document_contacts").auth(&ana).json(&delivery).send().await.is(201);

    let entries = timeline(portal, &ana, &id).await;
    let mut titles: Vec<&str> =
        entries.iter().map(|entry| entry["title"].as_str().unwrap()).collect();
    titles.sort_unstable();
    let expected = [
        "Aberto pelo cliente",
        "Baixado pelo cliente",
        "Documento registrado",
        "E-mail aceito pelo servidor do destinatário",
        "Entregue por outro meio",
        "Lembrete por WhatsApp",
        "Publicado para o cliente",
    ];
    assert_eq!(titles, expected);
    let of = |title: &str| entries.iter().find(|entry| entry["title"] == title).unwrap();
    let mail = of("E-mail aceito pelo servidor do destinatário");
    assert_eq!(mail["person"], joao.email.as_str());
    assert_eq!(mail["detail"], "Nova fatura · 250 ok: queued");
    assert_eq!(of("Aberto pelo cliente")["person"], "joao");
    assert_eq!(of("Entregue por outro meio")["detail"], "Impresso e entregue");
    assert!(of("Aberto pelo cliente")["number"].as_i64().unwrap() > 0);

    // A delivery that was recorded by mistake is taken back.
    let path = format!("/rest/v1/document_contacts?document_id=eq.{id}&kind=eq.delivery");
    portal.delete(&path).auth(&ana).send().await.is(204);
    let entries = timeline(portal, &ana, &id).await;
    let has = |title: &str| entries.iter().any(|entry| entry["title"] == title);
    assert!(has("Registro de entrega ou lembrete excluído"));

    let path = format!("/account/v1/documents/{id}/timeline");
    portal.get(&path).auth(&joao).send().await.refused(403, "not_admin");
    portal.get(&path).send().await.refused(401, "no_authorization");
    let unknown = format!("/account/v1/documents/{}/timeline", uuid::Uuid::nil());
    portal.get(&unknown).auth(&ana).send().await.refused(404, "not_found");
});

portal_test!(proof_is_confirmed_by_its_code_without_personal_data, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let id = opened_document(portal, &ana, &joao).await;
    let answer = issue(portal, &ana, &id).await.is(200);
    assert_eq!(answer.header("content-type"), "application/pdf");
    let (_, _, pdf) = answer.seen();
    assert!(pdf.starts_with(b"%PDF-"));

    let code = code(portal).await;
    let checked = check(portal, &code.to_uppercase().replace('-', "")).await;
    assert_eq!(checked["pdf_sha256"], portaria::security::keys::hex(&Sha256::digest(&pdf)));
    assert_eq!(checked["file_sha256"].as_str().unwrap().len(), 64);
    assert_eq!(checked["log"], "confirmed");
    assert_eq!(checked["events"], 4);
    assert!(checked["opened_at"].is_string() && checked["published_at"].is_string());
    let text = checked.to_string();
    for personal in ["joao", "guia", &id, &joao.id] {
        assert!(!text.contains(personal), "{text}");
    }
    // The confirmation outlives the document.
    portal.delete(&format!("/rest/v1/documents?id=eq.{id}")).auth(&ana).send().await.is(204);
    assert_eq!(check(portal, &code).await["log"], "confirmed");
    portal.get("/account/v1/proofs/aaaa-bbbb").send().await.refused(404, "not_found");
    let events = "/rest/v1/activity?event=eq.document.proved&select=subject,person_id,actor_id";
    let event = json!([{"subject": "guia.pdf", "person_id": joao.id, "actor_id": ana.id}]);
    assert_eq!(portal.get(events).auth(&ana).send().await.is(200).json(), event);
});

portal_test!(proof_is_contradicted_by_a_changed_log, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let id = opened_document(portal, &ana, &joao).await;
    issue(portal, &ana, &id).await.is(200);
    let code = code(portal).await;
    let mut change = Query::update();
    change.table("activity").value("hash", "00");
    change.and_where(Expr::col("event").eq("document.downloaded"));
    tamper(portal, move |tx| tx.execute(&change)).await;
    assert_eq!(check(portal, &code).await["log"], "contradicted");
    let mut loss = Query::delete();
    loss.from_table("activity").and_where(Expr::col("event").eq("document.downloaded"));
    tamper(portal, move |tx| tx.execute(&loss)).await;
    assert_eq!(check(portal, &code).await["log"], "contradicted");
});

portal_test!(proof_is_for_staff, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let id = portal.document(&joao, "faturas", "guia.pdf").await.id;
    issue(portal, &joao, &id).await.refused(403, "not_admin");
    let path = format!("/account/v1/documents/{id}/proof");
    portal.post(&path).send().await.refused(401, "no_authorization");
    issue(portal, &ana, &uuid::Uuid::nil().to_string()).await.refused(404, "not_found");
    issue(portal, &ana, "x").await.refused(404, "not_found");
    // A document that was not opened has a proof as well, which says so.
    issue(portal, &ana, &id).await.is(200);
    assert_eq!(check(portal, &code(portal).await).await["opened_at"], Value::Null);
});
