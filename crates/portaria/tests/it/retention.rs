//! Retention of documents by folder: expired retention is listed, deletion is automatic where configured, and a legal
//! hold takes precedence.

use jiff::SignedDuration;
use portaria::jobs::nightly;
use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, object, portal_test};

const DAY: i64 = 24;

async fn run_nightly_job(portal: &TestPortal) {
    portal.advance(SignedDuration::from_hours(DAY));
    nightly::run(&portal.app).await.unwrap();
}

async fn keep(portal: &TestPortal, ana: &TestUser, folder: &str, rules: Value) {
    let folder = portal.patch(&format!("/rest/v1/folders?id_supabase=eq.{folder}")).auth(ana);
    folder.json(&rules).send().await.is(204);
}

/// The names of the existing documents, and of those that are due for deletion.
async fn names(portal: &TestPortal, ana: &TestUser) -> [Vec<String>; 2] {
    let ana = portal.sign_in(&ana.email).await;
    let mut found = Vec::new();
    for which in ["", "&retention_expired_at=not.is.null"] {
        let path = format!("/rest/v1/documents?select=name&order=name{which}");
        let rows = portal.get(&path).auth(&ana).send().await.is(200).json();
        let name = |row: &Value| row["name"].as_str().unwrap().to_owned();
        found.push(rows.as_array().unwrap().iter().map(name).collect());
    }
    found.try_into().unwrap()
}

portal_test!(documents_beyond_their_retention_are_listed_and_kept, async |portal| {
    let ana = portal.admin().await;
    let joao = portal.client("joao").await;
    nightly::run(&portal.app).await.unwrap();
    keep(portal, &ana, "faturas", json!({"retention_months": 2})).await;
    portal.document(&joao, "faturas", "velha.pdf").await;
    let later = json!({"expires_at": "2027-06-30"});
    portal.document_with(&joao, "faturas", "vence-depois.pdf", later).await;
    portal.document(&joao, "contratos", "para-sempre.pdf").await;
    // A document without a date of upload.
    let unsaid = json!({"uploaded_at": null});
    portal.document_with(&joao, "faturas", "avulsa.pdf", unsaid).await;
    portal.advance(SignedDuration::from_hours(DAY * 55));
    run_nightly_job(portal).await;
    assert_eq!(names(portal, &ana).await[1], [] as [&str; 0]);
    // The retention of two months is counted from 21 November. The document of June is kept until August.
    portal.advance(SignedDuration::from_hours(DAY * 5));
    run_nightly_job(portal).await;
    run_nightly_job(portal).await;
    for _ in 0..10 {
        run_nightly_job(portal).await;
    }
    let [all, expired] = names(portal, &ana).await;
    assert_eq!(expired, ["avulsa.pdf", "velha.pdf"]);
    assert_eq!(all.len(), 4);

    // A change of the period or of the date counts from the next nightly run.
    let fresh = portal.sign_in(&ana.email).await;
    keep(portal, &fresh, "faturas", json!({"retention_months": 12})).await;
    run_nightly_job(portal).await;
    assert_eq!(names(portal, &ana).await[1], [] as [&str; 0]);
    let fresh = portal.sign_in(&ana.email).await;
    keep(portal, &fresh, "faturas", json!({"retention_months": 1})).await;
    run_nightly_job(portal).await;
    assert_eq!(names(portal, &ana).await[1], ["avulsa.pdf", "velha.pdf"]);
    let fresh = portal.sign_in(&ana.email).await;
    keep(portal, &fresh, "faturas", json!({"retention_months": null})).await;
    run_nightly_job(portal).await;
    assert_eq!(names(portal, &ana).await[1], [] as [&str; 0]);
});

portal_test!(folder_that_discards_deletes_documents_a_week_after_their_retention, async |portal| {
    let ana = portal.admin().await;
    let joao = portal.client("joao").await;
    nightly::run(&portal.app).await.unwrap();
    keep(portal, &ana, "faturas", json!({"retention_months": 1, "auto_delete": true})).await;
    let old = portal.document(&joao, "faturas", "velha.pdf").await;
    let held = portal.document(&joao, "faturas", "retida.pdf").await;
    portal.advance(SignedDuration::from_hours(DAY * 31));
    run_nightly_job(portal).await;
    assert_eq!(names(portal, &ana).await[1], ["retida.pdf", "velha.pdf"]);
    let fresh = portal.sign_in(&ana.email).await;
    let reason = json!({"legal_hold_reason": "Processo 123"});
    let change = portal.patch(&format!("/rest/v1/documents?id=eq.{}", held.id)).auth(&fresh);
    change.json(&reason).send().await.is(204);
    for _ in 0..6 {
        run_nightly_job(portal).await;
    }
    assert_eq!(names(portal, &ana).await[0].len(), 2);
    run_nightly_job(portal).await;
    run_nightly_job(portal).await;
    assert_eq!(names(portal, &ana).await[0], ["retida.pdf"]);
    let fresh = portal.sign_in(&ana.email).await;
    portal.get(&object(&old.path)).auth(&fresh).send().await.refused(400, "NoSuchKey");
    portal.get(&object(&held.path)).auth(&fresh).send().await.is(200);
    let line = portal.get("/rest/v1/activity?event=eq.document.discarded").auth(&fresh).single();
    let line = line.send().await.is(200).json();
    assert_eq!(
        [&line["actor"], &line["person_name"], &line["subject"]],
        [&json!("program"), &json!("joao"), &json!("velha.pdf")]
    );
});

portal_test!(folder_with_extended_retention_keeps_documents, async |portal| {
    let ana = portal.admin().await;
    nightly::run(&portal.app).await.unwrap();
    keep(portal, &ana, "faturas", json!({"retention_months": 1, "auto_delete": true})).await;
    // More documents than one batch of the job.
    let some: Vec<Value> = (0..300)
        .map(|number| json!({"name": format!("{number}.pdf"), "folder_id_supabase": "faturas"}))
        .collect();
    for _ in 0..2 {
        portal.post("/rest/v1/documents").auth(&ana).json(&json!(some)).send().await.is(201);
    }
    portal.advance(SignedDuration::from_hours(DAY * 31));
    run_nightly_job(portal).await;
    assert_eq!(names(portal, &ana).await[1].len(), 600);
    portal.advance(SignedDuration::from_hours(DAY * 8));
    let fresh = portal.sign_in(&ana.email).await;
    keep(portal, &fresh, "faturas", json!({"retention_months": 60})).await;
    run_nightly_job(portal).await;
    assert_eq!(names(portal, &ana).await.map(|names| names.len()), [600, 0]);
});

portal_test!(retention_hold_of_a_folder_ends_with_its_period, async |portal| {
    let ana = portal.admin().await;
    let joao = portal.client("joao").await;
    nightly::run(&portal.app).await.unwrap();
    let law = json!({"retention_months": 2, "legal_hold_reason": "CTN, art. 173"});
    keep(portal, &ana, "faturas", law).await;
    let document = portal.document(&joao, "faturas", "nota.pdf").await;
    let this = format!("/rest/v1/documents?id=eq.{}", document.id);
    portal.delete(&this).auth(&ana).send().await.refused(409, "document_held");
    portal.delete(&format!("/auth/v1/admin/users/{}", joao.id)).auth(&ana).send().await.is(200);
    portal.advance(SignedDuration::from_hours(DAY * 50));
    run_nightly_job(portal).await;
    assert_eq!(names(portal, &ana).await[0], ["nota.pdf"]);
    portal.advance(SignedDuration::from_hours(DAY * 12));
    run_nightly_job(portal).await;
    // The document has no client any more, so no other rule keeps it.
    assert_eq!(names(portal, &ana).await[0], [] as [&str; 0]);
});

portal_test!(invalid_retention_rule_is_rejected, async |portal| {
    let ana = portal.admin().await;
    for rules in [
        json!({"retention_months": 0}),
        json!({"retention_months": 1201}),
        json!({"auto_delete": true}),
        json!({"legal_hold_reason": "  "}),
    ] {
        let folder = portal.patch("/rest/v1/folders?id_supabase=eq.faturas").auth(&ana);
        folder.json(&rules).send().await.refused(400, "23514");
    }
    let joao = portal.client("joao").await;
    let document = portal.document(&joao, "faturas", "nota.pdf").await;
    // Columns that the portal maintains are read-only.
    let ours = json!({"retention_expired_at": "2020-01-01", "was_opened": true, "erased_client_id": joao.id, "name": "b"});
    let this = format!("/rest/v1/documents?id=eq.{}", document.id);
    portal.patch(&this).auth(&ana).json(&ours).send().await.is(204);
    let row = portal.get(&this).auth(&ana).single().send().await.is(200).json();
    let kept = ["retention_expired_at", "was_opened", "erased_client_id", "name"]
        .map(|name| row[name].clone());
    assert_eq!(kept, [Value::Null, json!(false), Value::Null, json!("b")]);
});
