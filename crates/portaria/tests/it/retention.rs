//! Retention of documents by folder: expired retention is listed, deletion is automatic where configured, and a legal
//! hold takes precedence.

use jiff::SignedDuration;
use portaria::jobs::nightly;
use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, object, portal_test};

const DAY: i64 = 24;

async fn night(world: &TestPortal) {
    world.wait(SignedDuration::from_hours(DAY));
    nightly::run(&world.app).await.unwrap();
}

async fn keep(world: &TestPortal, ana: &TestUser, folder: &str, rules: Value) {
    let folder = world.patch(&format!("/rest/v1/folders?id_supabase=eq.{folder}")).as_(ana);
    folder.json(&rules).send().await.is(204);
}

/// The names of the existing documents, and of those that are due for deletion.
async fn names(world: &TestPortal, ana: &TestUser) -> [Vec<String>; 2] {
    let ana = world.sign_in(&ana.email).await;
    let mut found = Vec::new();
    for which in ["", "&retention_expired_at=not.is.null"] {
        let path = format!("/rest/v1/documents?select=name&order=name{which}");
        let rows = world.get(&path).as_(&ana).send().await.is(200).json();
        let name = |row: &Value| row["name"].as_str().unwrap().to_owned();
        found.push(rows.as_array().unwrap().iter().map(name).collect());
    }
    found.try_into().unwrap()
}

portal_test!(outlived_documents_are_listed_and_kept, async |world| {
    let ana = world.admin().await;
    let joao = world.client("joao").await;
    nightly::run(&world.app).await.unwrap();
    keep(world, &ana, "faturas", json!({"retention_months": 2})).await;
    world.document(&joao, "faturas", "velha.pdf").await;
    let later = json!({"expires_at": "2027-06-30"});
    world.document_with(&joao, "faturas", "vence-depois.pdf", later).await;
    world.document(&joao, "contratos", "para-sempre.pdf").await;
    // A document without a date of upload.
    let unsaid = json!({"uploaded_at": null});
    world.document_with(&joao, "faturas", "avulsa.pdf", unsaid).await;
    world.wait(SignedDuration::from_hours(DAY * 55));
    night(world).await;
    assert_eq!(names(world, &ana).await[1], [] as [&str; 0]);
    // The retention of two months is counted from 21 November. The document of June is kept until August.
    world.wait(SignedDuration::from_hours(DAY * 5));
    night(world).await;
    night(world).await;
    for _ in 0..10 {
        night(world).await;
    }
    let [all, outlived] = names(world, &ana).await;
    assert_eq!(outlived, ["avulsa.pdf", "velha.pdf"]);
    assert_eq!(all.len(), 4);

    // A change of the period or of the date counts from the next nightly run.
    let fresh = world.sign_in(&ana.email).await;
    keep(world, &fresh, "faturas", json!({"retention_months": 12})).await;
    night(world).await;
    assert_eq!(names(world, &ana).await[1], [] as [&str; 0]);
    let fresh = world.sign_in(&ana.email).await;
    keep(world, &fresh, "faturas", json!({"retention_months": 1})).await;
    night(world).await;
    assert_eq!(names(world, &ana).await[1], ["avulsa.pdf", "velha.pdf"]);
    let fresh = world.sign_in(&ana.email).await;
    keep(world, &fresh, "faturas", json!({"retention_months": null})).await;
    night(world).await;
    assert_eq!(names(world, &ana).await[1], [] as [&str; 0]);
});

portal_test!(folder_that_discards_deletes_outlived_documents_after_a_week, async |world| {
    let ana = world.admin().await;
    let joao = world.client("joao").await;
    nightly::run(&world.app).await.unwrap();
    keep(world, &ana, "faturas", json!({"retention_months": 1, "auto_delete": true})).await;
    let old = world.document(&joao, "faturas", "velha.pdf").await;
    let held = world.document(&joao, "faturas", "retida.pdf").await;
    world.wait(SignedDuration::from_hours(DAY * 31));
    night(world).await;
    assert_eq!(names(world, &ana).await[1], ["retida.pdf", "velha.pdf"]);
    let fresh = world.sign_in(&ana.email).await;
    let reason = json!({"legal_hold_reason": "Processo 123"});
    let change = world.patch(&format!("/rest/v1/documents?id=eq.{}", held.id)).as_(&fresh);
    change.json(&reason).send().await.is(204);
    for _ in 0..6 {
        night(world).await;
    }
    assert_eq!(names(world, &ana).await[0].len(), 2);
    night(world).await;
    night(world).await;
    assert_eq!(names(world, &ana).await[0], ["retida.pdf"]);
    let fresh = world.sign_in(&ana.email).await;
    world.get(&object(&old.path)).as_(&fresh).send().await.refused(400, "NoSuchKey");
    world.get(&object(&held.path)).as_(&fresh).send().await.is(200);
    let line = world.get("/rest/v1/activity?event=eq.document.discarded").as_(&fresh).single();
    let line = line.send().await.is(200).json();
    assert_eq!(
        [&line["actor"], &line["person_name"], &line["subject"]],
        [&json!("program"), &json!("joao"), &json!("velha.pdf")]
    );
});

portal_test!(folder_with_extended_retention_keeps_documents, async |world| {
    let ana = world.admin().await;
    nightly::run(&world.app).await.unwrap();
    keep(world, &ana, "faturas", json!({"retention_months": 1, "auto_delete": true})).await;
    // More documents than one batch of the job.
    let some: Vec<Value> = (0..300)
        .map(|number| json!({"name": format!("{number}.pdf"), "folder_id_supabase": "faturas"}))
        .collect();
    for _ in 0..2 {
        world.post("/rest/v1/documents").as_(&ana).json(&json!(some)).send().await.is(201);
    }
    world.wait(SignedDuration::from_hours(DAY * 31));
    night(world).await;
    assert_eq!(names(world, &ana).await[1].len(), 600);
    world.wait(SignedDuration::from_hours(DAY * 8));
    let fresh = world.sign_in(&ana.email).await;
    keep(world, &fresh, "faturas", json!({"retention_months": 60})).await;
    night(world).await;
    assert_eq!(names(world, &ana).await.map(|names| names.len()), [600, 0]);
});

portal_test!(retention_hold_of_a_folder_ends_with_its_period, async |world| {
    let ana = world.admin().await;
    let joao = world.client("joao").await;
    nightly::run(&world.app).await.unwrap();
    let law = json!({"retention_months": 2, "legal_hold_reason": "CTN, art. 173"});
    keep(world, &ana, "faturas", law).await;
    let document = world.document(&joao, "faturas", "nota.pdf").await;
    let this = format!("/rest/v1/documents?id=eq.{}", document.id);
    world.delete(&this).as_(&ana).send().await.refused(409, "document_held");
    world.delete(&format!("/auth/v1/admin/users/{}", joao.id)).as_(&ana).send().await.is(200);
    world.wait(SignedDuration::from_hours(DAY * 50));
    night(world).await;
    assert_eq!(names(world, &ana).await[0], ["nota.pdf"]);
    world.wait(SignedDuration::from_hours(DAY * 12));
    night(world).await;
    // The document has no client any more, so no other rule keeps it.
    assert_eq!(names(world, &ana).await[0], [] as [&str; 0]);
});

portal_test!(invalid_retention_rule_is_rejected, async |world| {
    let ana = world.admin().await;
    for rules in [
        json!({"retention_months": 0}),
        json!({"retention_months": 1201}),
        json!({"auto_delete": true}),
        json!({"legal_hold_reason": "  "}),
    ] {
        let folder = world.patch("/rest/v1/folders?id_supabase=eq.faturas").as_(&ana);
        folder.json(&rules).send().await.refused(400, "23514");
    }
    let joao = world.client("joao").await;
    let document = world.document(&joao, "faturas", "nota.pdf").await;
    // Columns that the portal maintains are read-only.
    let ours = json!({"retention_expired_at": "2020-01-01", "was_opened": true, "erased_client_id": joao.id, "name": "b"});
    let this = format!("/rest/v1/documents?id=eq.{}", document.id);
    world.patch(&this).as_(&ana).json(&ours).send().await.is(204);
    let row = world.get(&this).as_(&ana).single().send().await.is(200).json();
    let kept = ["retention_expired_at", "was_opened", "erased_client_id", "name"]
        .map(|name| row[name].clone());
    assert_eq!(kept, [Value::Null, json!(false), Value::Null, json!("b")]);
});
