//! Personal links: their creation and revocation by staff, the check, the document, and the cases without one.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, portal_test, request::Answer};

const TAX_ID: &str = "11222333000181";

/// Creates a client with a CNPJ that ends with 0181.
async fn company(portal: &TestPortal, ana: &TestUser) -> TestUser {
    let joao = portal.client("joao").await;
    let metadata = json!({"user_metadata": {"tax_id": TAX_ID}});
    portal
        .put(&format!("/auth/v1/admin/users/{}", joao.id))
        .auth(ana)
        .json(&metadata)
        .send()
        .await
        .is(200);
    joao
}

async fn request_link(portal: &TestPortal, user: &TestUser, document: &str) -> Answer {
    portal.post(&format!("/account/v1/documents/{document}/links")).auth(user).send().await
}

/// Creates the link of a document, and returns its token.
async fn link(portal: &TestPortal, user: &TestUser, document: &str) -> String {
    let created = request_link(portal, user, document).await.is(200).json();
    let url = created["url"].as_str().unwrap().to_owned();
    url.split_once("/d/").unwrap().1.to_owned()
}

async fn links(portal: &TestPortal, user: &TestUser, document: &str) -> Vec<Value> {
    let path = format!("/account/v1/documents/{document}/links");
    let answer = portal.get(&path).auth(user).send().await.is(200).json();
    answer["links"].as_array().unwrap().clone()
}

async fn state(portal: &TestPortal, token: &str) -> String {
    let answer = portal.get(&format!("/account/v1/links/{token}")).send().await.is(200).json();
    answer["state"].as_str().unwrap().to_owned()
}

async fn open(portal: &TestPortal, token: &str, answer: &str) -> Answer {
    let body = json!({"answer": answer});
    portal.post(&format!("/account/v1/links/{token}")).json(&body).send().await
}

async fn receipts(portal: &TestPortal, ana: &TestUser, document: &str) -> Value {
    let path = format!("/rest/v1/document_receipts?select=action&document_id=eq.{document}");
    portal.get(&path).auth(ana).send().await.is(200).json()
}

portal_test!(personal_link_shows_its_document_after_the_right_answer, async |portal| {
    let ana = portal.admin().await;
    let joao = company(portal, &ana).await;
    let fields = json!({"amount_cents": 12_345, "expires_at": "2026-11-30"});
    let document = portal.document_with(&joao, "faturas", "guia.pdf", fields).await;
    let token = link(portal, &ana, &document.id).await;
    // The live link is the same for everybody, and the database does not contain its token.
    assert_eq!(link(portal, &ana, &document.id).await, token);

    // Before the answer nothing leaves and nothing is recorded, however often a scanner looks.
    for _ in 0..3 {
        let path = format!("/account/v1/links/{token}");
        let challenge = portal.get(&path).send().await.is(200);
        assert_eq!(challenge.header("cache-control"), "no-store");
        assert_eq!(challenge.header("referrer-policy"), "no-referrer");
        assert_eq!(challenge.header("x-robots-tag"), "none");
        let expected = json!({"state": "ready", "check": "tax_id", "answers_left": 5});
        assert_eq!(challenge.json(), expected);
    }
    assert_eq!(receipts(portal, &ana, &document.id).await, json!([]));

    let opened = open(portal, &token, " 01-81 ").await.is(200);
    assert_eq!(opened.header("cache-control"), "no-store");
    let shown = &opened.json()["document"];
    assert_eq!(shown["name"], "guia.pdf");
    assert_eq!(shown["amount_cents"], 12_345);
    let text = shown.to_string();
    for hidden in [joao.id.as_str(), joao.email.as_str(), TAX_ID, document.id.as_str()] {
        assert!(!text.contains(hidden), "{text}");
    }
    let file = portal.get(shown["file"].as_str().unwrap()).send().await.is(200);
    assert_eq!(file.header("cache-control"), "no-store");
    assert_eq!(file.header("x-robots-tag"), "none");
    assert!(file.header("content-security-policy").contains("sandbox"));

    assert_eq!(receipts(portal, &ana, &document.id).await, json!([{"action": "opened_by_link"}]));
    let path = format!("/account/v1/documents/{}/timeline", document.id);
    let timeline = portal.get(&path).auth(&ana).send().await.is(200).text();
    for title in ["Link pessoal criado", "Aberto pelo link pessoal"] {
        assert_eq!(timeline.matches(title).count(), 1, "{timeline}");
    }
    let proof = format!("/account/v1/documents/{}/proof", document.id);
    portal.post(&proof).auth(&ana).send().await.is(200);
    let listed = links(portal, &ana, &document.id).await;
    assert!(listed[0]["opened_at"].is_string() && listed[0]["url"].is_string());
});

portal_test!(personal_link_locks_after_wrong_answers, async |portal| {
    let ana = portal.admin().await;
    let joao = company(portal, &ana).await;
    let document = portal.document(&joao, "faturas", "guia.pdf").await;
    let token = link(portal, &ana, &document.id).await;
    let file = open(portal, &token, "0181").await.is(200).json();
    let file = file["document"]["file"].as_str().unwrap().to_owned();
    for _ in 0..5 {
        open(portal, &token, "0000").await.refused(403, "wrong_answer");
    }
    // The right answer comes too late, and an open page loses its file.
    open(portal, &token, "0181").await.refused(410, "link_closed");
    portal.get(&file).send().await.is(400);
    assert_eq!(state(portal, &token).await, "locked");
    let listed = links(portal, &ana, &document.id).await;
    assert_eq!((&listed[0]["state"], &listed[0]["url"]), (&json!("locked"), &Value::Null));
    let events = "/rest/v1/activity?event=eq.personal_link.locked&select=subject,actor";
    let event = json!([{"subject": "guia.pdf", "actor": "nobody"}]);
    assert_eq!(portal.get(events).auth(&ana).send().await.is(200).json(), event);
    // Staff create another one.
    let other = link(portal, &ana, &document.id).await;
    assert_ne!(other, token);
    open(portal, &other, "0181").await.is(200);
});

portal_test!(personal_link_answers_are_limited_per_visitor, async |portal| {
    let ana = portal.admin().await;
    let joao = company(portal, &ana).await;
    let document = portal.document(&joao, "faturas", "guia.pdf").await;
    let mut refused = 0;
    for _ in 0..8 {
        let token = link(portal, &ana, &document.id).await;
        for _ in 0..5 {
            let answer = open(portal, &token, "0000").await;
            refused += i32::from(answer.seen().0 == 429);
        }
    }
    assert_eq!(refused, 10);
});

portal_test!(personal_link_is_revoked_and_expires, async |portal| {
    let ana = portal.admin().await;
    let joao = company(portal, &ana).await;
    let document = portal.document(&joao, "faturas", "guia.pdf").await;
    let token = link(portal, &ana, &document.id).await;
    let file = open(portal, &token, "0181").await.is(200).json();
    let file = file["document"]["file"].as_str().unwrap().to_owned();
    let id = links(portal, &ana, &document.id).await[0]["id"].as_str().unwrap().to_owned();
    let path = format!("/account/v1/documents/{}/links/{id}", document.id);
    portal.delete(&path).auth(&joao).send().await.refused(403, "not_admin");
    for _ in 0..2 {
        portal.delete(&path).auth(&ana).send().await.is(204);
    }
    assert_eq!(state(portal, &token).await, "revoked");
    open(portal, &token, "0181").await.refused(410, "link_closed");
    portal.get(&file).send().await.is(400);
    let other = portal.document(&joao, "faturas", "outra.pdf").await;
    let foreign = format!("/account/v1/documents/{}/links/{id}", other.id);
    portal.delete(&foreign).auth(&ana).send().await.refused(404, "not_found");

    let second = link(portal, &ana, &document.id).await;
    portal.advance(SignedDuration::from_hours(7 * 24 + 1));
    assert_eq!(state(portal, &second).await, "expired");
    open(portal, &second, "0181").await.refused(410, "link_closed");
});

portal_test!(personal_link_closes_with_the_rights_of_its_recipient, async |portal| {
    let ana = portal.admin().await;
    let joao = company(portal, &ana).await;
    let document = portal.document(&joao, "faturas", "guia.pdf").await;
    let token = link(portal, &ana, &document.id).await;
    let shown = open(portal, &token, "0181").await.is(200).json();
    let file = shown["document"]["file"].as_str().unwrap();
    let documents = json!({"documents": [document.id]});
    let call = async |function: &str| {
        let path = format!("/rest/v1/rpc/{function}");
        portal.post(&path).auth(&ana).json(&documents).send().await.is(204);
    };
    call("withdraw_documents").await;
    assert_eq!(state(portal, &token).await, "unavailable");
    open(portal, &token, "0181").await.refused(410, "link_closed");
    portal.get(file).send().await.is(400);
    request_link(portal, &ana, &document.id).await.refused(409, "no_recipient");
    call("republish_documents").await;
    assert_eq!(state(portal, &token).await, "ready");
    portal.get(file).send().await.is(200);

    let account = format!("/auth/v1/admin/users/{}", joao.id);
    let ban = json!({"ban_duration": "24h"});
    portal.put(&account).auth(&ana).json(&ban).send().await.is(200);
    assert_eq!(state(portal, &token).await, "unavailable");
    portal.get(file).send().await.is(400);
    portal.delete(&account).auth(&ana).json(&json!({})).send().await.is(200);
    portal.get(&format!("/account/v1/links/{token}")).send().await.refused(404, "not_found");
    open(portal, &token, "0181").await.refused(404, "not_found");

    // A document that is not released has no recipient yet.
    let maria = portal.client("maria").await;
    let pending = json!({"status": "pending"});
    let pending = portal.document_with(&maria, "faturas", "rascunho.pdf", pending).await;
    request_link(portal, &ana, &pending.id).await.refused(409, "no_recipient");
});

portal_test!(personal_link_without_a_tax_id_asks_for_a_mailed_code, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let document = portal.document(&joao, "faturas", "guia.pdf").await;
    let token = link(portal, &ana, &document.id).await;
    let path = format!("/account/v1/links/{token}");
    assert_eq!(portal.get(&path).send().await.json()["check"], "code");
    // Nothing was mailed, so there is nothing to guess.
    open(portal, &token, "000000").await.refused(403, "wrong_answer");
    assert_eq!(portal.get(&path).send().await.json()["answers_left"], 5);

    let ask = async || portal.post(&format!("{path}/code")).send().await.is(204);
    ask().await;
    ask().await;
    assert_eq!(portal.mails_about("document_code").await, 1);
    let mail = portal.mails().await.pop().unwrap();
    assert_eq!(mail.to, joao.email);
    assert!(!mail.html.contains("guia.pdf"), "{}", mail.html);
    let code = mail.code();
    let wrong = if code == "123456" { "654321" } else { "123456" };
    open(portal, &token, wrong).await.refused(403, "wrong_answer");
    assert_eq!(portal.get(&path).send().await.json()["answers_left"], 4);
    open(portal, &token, &code).await.is(200);
    // A code opens once, and for a quarter of an hour.
    open(portal, &token, &code).await.refused(403, "wrong_answer");
    portal.advance(SignedDuration::from_mins(2));
    ask().await;
    assert_eq!(portal.mails_about("document_code").await, 2);
    portal.advance(SignedDuration::from_mins(16));
    let late = portal.mails().await.pop().unwrap().code();
    open(portal, &token, &late).await.refused(403, "wrong_answer");
});

portal_test!(receipt_of_a_personal_link_is_not_written_by_clients, async |portal| {
    let joao = portal.client("joao").await;
    let document = portal.document(&joao, "faturas", "guia.pdf").await;
    let receipt = json!({"document_id": document.id, "action": "opened_by_link"});
    let request = portal.post("/rest/v1/document_receipts").auth(&joao).json(&receipt);
    request.send().await.refused(400, "23514");
});

portal_test!(personal_link_page_is_not_kept_or_listed, async |portal| {
    let page = portal.get("/d/0123").send().await;
    assert_eq!(page.header("cache-control"), "no-store");
    assert_eq!(page.header("referrer-policy"), "no-referrer");
});
