//! Rules of recognition: the office describes a kind of documents, and the inbox reads it by them.

use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, portal_test, request::Answer};
use crate::inbox::{CNPJ, call, company, documents, drop_file, files, pdf, publish_due, read_all};

/// A bank slip of a condominium, which is a "boleto" without a rule.
fn condominium_slip() -> Vec<u8> {
    pdf(&[
        "Boleto bancario - Recibo do pagador",
        "Condominio Edificio Aurora - Taxa de condominio",
        &format!("Pagador: Padaria Modelo CNPJ {CNPJ}"),
        "Vencimento: 20/12/2026",
        "Valor do documento: 143,59",
    ])
}

async fn add(portal: &TestPortal, user: &TestUser, rule: Value) -> Answer {
    portal.post("/rest/v1/recognition_rules").auth(user).json(&rule).send().await
}

portal_test!(rule_of_the_office_names_kind_folder_and_values, async |portal| {
    let (ana, padaria) = (portal.admin().await, company(portal, "padaria", CNPJ).await);
    let rule = json!({
        "name": "Boleto do condomínio", "phrases": ["TAXA DE CONDOMÍNIO", "edifício aurora"],
        "excluded_phrases": ["segunda via"], "folder_id_supabase": "faturas", "is_payable": true,
    });
    add(portal, &ana, rule).await.is(201);
    drop_file(portal, &ana, "slip.pdf", condominium_slip()).await.is(200);
    read_all(portal).await;
    let file = files(portal, &ana).await.remove(0);
    let values = ["category", "document_name", "folder_id_supabase", "amount_cents", "client_id"];
    assert_eq!(
        values.map(|name| file[name].clone()),
        [
            json!("boleto-do-condominio"),
            json!("Boleto do condomínio"),
            json!("faturas"),
            json!(14_359),
            json!(padaria.id),
        ],
        "{file}"
    );
    assert!(file["expires_at"].as_str().unwrap().starts_with("2026-12-2"), "{file}");
    assert_eq!(file["review_group"], "recognized");
    let ids = json!({"files": [file["id"]]});
    call(portal, &ana, "publish_inbox", ids).await.is(200);
    publish_due(portal).await;
    assert_eq!(documents(portal, &padaria).await[0]["category"], "boleto-do-condominio");

    // A deleted rule recognizes nothing.
    portal.delete("/rest/v1/recognition_rules?name=like.Boleto*").auth(&ana).send().await.is(204);
    drop_file(portal, &ana, "outro.pdf", condominium_slip()).await.is(200);
    read_all(portal).await;
    let file = files(portal, &ana).await.remove(0);
    assert_eq!(file["category"], "boleto", "{file}");
});

portal_test!(excluded_phrase_prevents_recognition, async |portal| {
    let ana = portal.admin().await;
    let rule = json!({
        "name": "Condomínio", "phrases": ["taxa de condomínio"], "excluded_phrases": ["recibo"],
    });
    add(portal, &ana, rule).await.is(201);
    drop_file(portal, &ana, "slip.pdf", condominium_slip()).await.is(200);
    drop_file(portal, &ana, "z.pdf", pdf(&["Taxa de condominio, valor 10,00"])).await.is(200);
    read_all(portal).await;
    let found = files(portal, &ana).await;
    assert_eq!(found[0]["category"], "boleto");
    // Nothing is to be paid, so the amount is not read.
    assert_eq!(
        [&found[1]["category"], &found[1]["amount_cents"]],
        [&json!("condominio"), &json!(null)]
    );
});

portal_test!(rules_are_checked_and_limited, async |portal| {
    let ana = portal.admin().await;
    for (phrases, excluded) in [
        (json!([]), json!([])),
        (json!("taxa"), json!([])),
        (json!(["ab"]), json!([])),
        (json!([" — .. "]), json!([])),
        (json!(["x".repeat(81)]), json!([])),
        (json!(["aaa", "bbb", "ccc", "ddd", "eee", "fff"]), json!([])),
        (json!(["taxa"]), json!([1])),
    ] {
        let rule = json!({"name": "Taxa", "phrases": phrases, "excluded_phrases": excluded});
        add(portal, &ana, rule.clone()).await.refused(400, "23514");
        let change = portal.patch("/rest/v1/recognition_rules?name=eq.Taxa").auth(&ana);
        change.json(&rule).send().await.refused(400, "23514");
    }
    add(portal, &ana, json!({"name": " – ", "phrases": ["taxa"]})).await.refused(400, "23514");
    let rule = |number: usize| json!({"name": format!("Tipo {number}"), "phrases": ["taxa"]});
    add(portal, &ana, rule(0)).await.is(201);
    add(portal, &ana, rule(0)).await.refused(409, "23505");
    let many: Vec<Value> = (1..100).map(rule).collect();
    add(portal, &ana, json!(many)).await.is(201);
    add(portal, &ana, rule(100)).await.refused(409, "too_many_recognition_rules");
});

portal_test!(only_administrators_change_rules, async |portal| {
    let ana = portal.admin().await;
    let rule = json!({"name": "Taxa", "phrases": ["taxa"]});
    add(portal, &ana, rule.clone()).await.is(201);
    let employee = portal.colleague("bia", "employee", true).await;
    add(portal, &employee, rule.clone()).await.refused(403, "42501");
    let read = portal.get("/rest/v1/recognition_rules?select=name").auth(&employee);
    assert_eq!(read.send().await.is(200).json(), json!([{"name": "Taxa"}]));
    let joao = portal.client("joao").await;
    add(portal, &joao, rule).await.refused(404, "PGRST205");
    let events = "activity?event=like.recognition_rule.*&select=event,subject";
    let events = portal.get(&format!("/rest/v1/{events}")).auth(&ana).send().await.is(200).json();
    assert_eq!(events, json!([{"event": "recognition_rule.created", "subject": "Taxa"}]));
});
