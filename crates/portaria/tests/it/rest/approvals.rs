//! Answers of clients to documents that ask for an acknowledgement or an approval.

use serde_json::{Value, json};

use crate::harness::{Document, TestPortal, TestUser, portal_test, request::Answer};
use crate::rest::{column, read};

async fn answer(
    portal: &TestPortal,
    user: &TestUser,
    document: &Document,
    outcome: &str,
    reason: Value,
) -> Answer {
    let row = json!({
        "document_id": document.id, "file_url": document.path, "outcome": outcome, "reason": reason,
    });
    portal.post("/rest/v1/document_approvals").auth(user).single().json(&row).send().await
}

/// A document that asks for an answer.
async fn asking(portal: &TestPortal, client: &TestUser, name: &str, request: &str) -> Document {
    let fields = json!({"approval_request": request});
    portal.document_with(client, "contratos", name, fields).await
}

portal_test!(client_answers_once_and_staff_let_answer_again, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let contract = asking(portal, &joao, "contrato.pdf", "approve").await;
    let none = Value::Null;
    answer(portal, &maria, &contract, "approved", none.clone()).await.refused(403, "42501");
    // A client answers in person.
    answer(portal, &ana, &contract, "approved", none.clone()).await.refused(403, "42501");
    let reason = json!("O valor da multa está errado.");
    let first = answer(portal, &joao, &contract, "refused", reason.clone()).await.is(201).json();
    assert_eq!((&first["outcome"], &first["reason"]), (&json!("refused"), &reason));
    // A second tab receives the first answer, unless it gives another one.
    let second = answer(portal, &joao, &contract, "refused", json!("De novo.")).await;
    assert_eq!(second.is(201).json(), first);
    let other = answer(portal, &joao, &contract, "approved", none.clone()).await;
    other.refused(409, "document_answered");
    let path = format!("/rest/v1/document_approvals?document_id=eq.{}", contract.id);
    portal.delete(&path).auth(&joao).send().await.refused(403, "42501");
    let change = portal.patch(&path).auth(&ana).json(&json!({"outcome": "approved"}));
    change.send().await.refused(403, "42501");
    assert_eq!(read(portal, &maria, "document_approvals").await, json!([]));

    portal.delete(&path).auth(&ana).send().await.is(204);
    let waiting = "documents?approval_request=not.is.null&approval_outcome=is.null&select=name";
    assert_eq!(read(portal, &joao, waiting).await, json!([{"name": "contrato.pdf"}]));
    answer(portal, &joao, &contract, "approved", none).await.is(201);
    let embed =
        "documents?select=approval_request,document_approvals(outcome)&name=eq.contrato.pdf";
    let outcome = "documents?select=approval_outcome&name=eq.contrato.pdf";
    assert_eq!(read(portal, &joao, outcome).await[0]["approval_outcome"], "approved");
    let expected = json!([{"outcome": "approved"}]);
    for user in [&ana, &joao] {
        assert_eq!(read(portal, user, embed).await[0]["document_approvals"], expected);
    }
    let events = format!("activity?subject_id=eq.{}&select=event&order=number", contract.id);
    assert_eq!(
        column(&read(portal, &ana, &events).await, "event"),
        ["document.created", "document.refused", "approval.withdrawn", "document.approved"]
    );
});

portal_test!(answer_fits_the_request_and_the_present_file, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let plain = portal.document(&joao, "contratos", "simples.pdf").await;
    let notice = asking(portal, &joao, "aviso.pdf", "acknowledge").await;
    let contract = asking(portal, &joao, "contrato.pdf", "approve").await;
    let other = "Este documento pede outra resposta.";
    for (document, outcome, reason, message) in [
        (&plain, "approved", json!(null), "Este documento não pede resposta."),
        (&notice, "approved", json!(null), other),
        (&notice, "refused", json!("Não li"), other),
        (&contract, "acknowledged", json!(null), other),
        (&contract, "maybe", json!(null), other),
        (&contract, "refused", json!(null), "Informe o motivo da recusa."),
        (&contract, "refused", json!("  "), "Informe o motivo da recusa."),
    ] {
        let refused = answer(portal, &joao, document, outcome, reason).await;
        assert_eq!(refused.refused(400, "23514").json()["message"], message, "{outcome}");
    }
    answer(portal, &joao, &notice, "acknowledged", json!(null)).await.is(201);
    let path = format!("/rest/v1/documents?id=eq.{}", notice.id);
    let wrong = portal.patch(&path).auth(&ana).json(&json!({"approval_request": "sign"}));
    wrong.send().await.refused(400, "23514");

    // Staff replace the file while the client reads the earlier one.
    let seen = Document { id: contract.id.clone(), path: contract.path.clone() };
    let file = portal.upload(&joao, "contratos", "contrato-2.pdf").await;
    let path = format!("/rest/v1/documents?id=eq.{}", contract.id);
    portal.patch(&path).auth(&ana).json(&json!({"file_url": file})).send().await.is(204);
    let stale = answer(portal, &joao, &seen, "approved", json!(null)).await;
    stale.refused(409, "document_replaced");
    let present = Document { id: contract.id.clone(), path: file };
    answer(portal, &joao, &present, "approved", json!(null)).await.is(201);
    // A further file is asked about again, and the earlier answer stays.
    let file = portal.upload(&joao, "contratos", "contrato-3.pdf").await;
    portal.patch(&path).auth(&ana).json(&json!({"file_url": file})).send().await.is(204);
    let waiting = "documents?approval_request=eq.approve&select=approval_outcome";
    assert_eq!(read(portal, &joao, waiting).await, json!([{"approval_outcome": null}]));
    let present = Document { id: contract.id.clone(), path: file };
    answer(portal, &joao, &present, "refused", json!("Mudou o preço.")).await.is(201);
    let answers = format!("document_approvals?document_id=eq.{}&order=created_at,id", contract.id);
    let answers = read(portal, &joao, &answers).await;
    assert_eq!(answers.as_array().unwrap().len(), 2);
});

portal_test!(unreleased_document_takes_no_answer, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let fields = json!({"approval_request": "acknowledge", "status": "pending"});
    let draft = portal.document_with(&joao, "contratos", "rascunho.pdf", fields).await;
    answer(portal, &joao, &draft, "acknowledged", json!(null)).await.refused(403, "42501");
    let path = format!("/rest/v1/documents?id=eq.{}", draft.id);
    portal.patch(&path).auth(&ana).json(&json!({"status": "active"})).send().await.is(204);
    answer(portal, &joao, &draft, "acknowledged", json!(null)).await.is(201);
});

portal_test!(proof_of_delivery_shows_outcome_person_and_reason, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let contract = asking(portal, &joao, "contrato.pdf", "approve").await;
    answer(portal, &joao, &contract, "refused", json!("Valor errado")).await.is(201);
    let timeline = portal.get(&format!("/account/v1/documents/{}/timeline", contract.id));
    let timeline = timeline.auth(&ana).send().await.is(200).json();
    let entries = timeline["entries"].as_array().unwrap();
    let entry = entries.iter().find(|entry| entry["title"] == "Recusado pelo cliente").unwrap();
    assert_eq!((&entry["person"], &entry["detail"]), (&json!("joao"), &json!("Valor errado")));
});
