//! Payloads, upserts, deletions, and their responses.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, portal_test};
use crate::rest::{column, read, rows, sample};

const SETTINGS: &str = "/rest/v1/email_notification_settings";

/// The rows of the settings, ordered by event.
async fn settings(world: &TestPortal, ana: &TestUser) -> Value {
    read(world, ana, "email_notification_settings?order=document_type_event").await
}

portal_test!(write_responses_follow_the_protocol, async |world| {
    let ana = world.admin().await;
    let folders = "/rest/v1/folders";
    let plain =
        world.post(folders).as_(&ana).json(&json!({"id_supabase": "a", "name": "A"})).send().await;
    let plain = plain.is(201);
    assert!(plain.body.is_empty());
    assert_eq!(plain.header("content-range"), "*/*");

    let two = json!([{"id_supabase": "b", "name": "B"}, {"id_supabase": "c", "name": "C"}]);
    let request =
        world.post(&format!("{folders}?select=name")).query("columns", "\"id_supabase\",\"name\"");
    let shown =
        request.as_(&ana).json(&two).prefer("return=representation, count=exact").send().await;
    let shown = shown.is(201);
    assert_eq!(shown.json(), json!([{"name": "B"}, {"name": "C"}]));
    assert_eq!(shown.header("content-range"), "*/2");

    let none =
        world.post(folders).as_(&ana).json(&json!([])).prefer("return=representation").send().await;
    assert_eq!(none.is(201).json(), json!([]));

    let these = format!("{folders}?id_supabase=in.(a,b,nada)&select=id_supabase,icon");
    let change = || world.patch(&these).as_(&ana).json(&json!({"icon": "star"}));
    let changed = change().prefer("return=representation").send().await.is(200);
    let mut icons = column(&changed.json(), "id_supabase");
    icons.sort_by_key(ToString::to_string);
    assert_eq!(icons, ["a", "b"]);
    assert_eq!(change().send().await.is(204).header("content-range"), "0-1/*");
    let nobody = world.patch(&format!("{folders}?name=eq.x")).as_(&ana).json(&json!({"icon": "x"}));
    assert_eq!(nobody.prefer("return=representation").send().await.is(200).json(), json!([]));
    let nothing = world.patch(&these).as_(&ana).json(&json!({}));
    assert!(nothing.send().await.is(204).body.is_empty());

    let delete = || world.delete(&these).as_(&ana);
    let deleted = delete().prefer("return=representation, count=exact").send().await.is(200);
    assert_eq!(deleted.json().as_array().unwrap().len(), 2);
    assert_eq!(deleted.header("content-range"), "*/2");
    assert_eq!(delete().send().await.is(204).header("content-range"), "*/*");
    assert_eq!(read(world, &ana, "folders").await.as_array().unwrap().len(), 4);
});

portal_test!(invalid_payload_changes_nothing, async |world| {
    let ana = world.admin().await;
    let post = |body: &str| {
        world.post(SETTINGS).as_(&ana).bytes("application/json", body.to_owned()).send()
    };
    for body in [
        "",
        "{",
        "null",
        "\"x\"",
        "7",
        "[[]]",
        "[null]",
        "[{},1]",
        "{\"document_type_event\":\"\\ud800\"}",
        "[{\"document_type_event\":\"a\"},{\"document_type_event\":\"b\",\"enabled\":true}]",
    ] {
        post(body).await.refused(400, "PGRST102");
    }
    let bytes = world
        .post(SETTINGS)
        .as_(&ana)
        .bytes("application/json", &b"{\"document_type_event\":\"\xff\"}"[..]);
    bytes.send().await.refused(400, "PGRST102");
    post("{}").await.refused(400, "23502");
    post("[{}]").await.refused(400, "23502");
    post("{\"document_type_event\":\"a\",\"enabled\":\"maybe\"}").await.refused(400, "22P02");
    let kind = world.post(SETTINGS).as_(&ana).bytes("text/plain", "{}").send().await;
    kind.refused(400, "PGRST102");
    let many: Vec<Value> =
        (0..501).map(|n| json!({"document_type_event": n.to_string()})).collect();
    post(&json!(many).to_string()).await.refused(400, "PGRST102");
    post(&format!("\"{}\"", "a".repeat(1 << 20))).await.refused(413, "PGRST102");
    // One invalid row prevents the insert of all.
    let body = json!([{"document_type_event": "a"}, {"document_type_event": null}]);
    post(&body.to_string()).await.refused(400, "23502");
    assert_eq!(settings(world, &ana).await, json!([]));
});

portal_test!(columns_parameter_selects_payload_columns, async |world| {
    let ana = world.admin().await;
    let rows = json!([{"document_type_event": "a", "enabled": true, "x": 1}, {"document_type_event": "b"}]);
    let insert =
        world.post(SETTINGS).query("columns", "\"document_type_event\"").as_(&ana).json(&rows);
    insert.send().await.is(201);
    assert_eq!(
        settings(world, &ana).await,
        json!([{"document_type_event": "a", "enabled": false}, {"document_type_event": "b", "enabled": false}])
    );
    // A selected column that is missing in a row is NULL, or the default on request.
    let insert = |preference: &str| {
        let request = world.post(SETTINGS).query("columns", "\"document_type_event\",\"enabled\"");
        request.as_(&ana).json(&json!([{"document_type_event": "c"}])).prefer(preference).send()
    };
    insert("return=minimal").await.refused(400, "23502");
    insert("missing=default").await.is(201);
});

portal_test!(upsert_merges_and_reports_new_rows, async |world| {
    let ana = world.admin().await;
    let upsert = |rows: Value, resolution: &str| {
        let request = world.post(&format!("{SETTINGS}?on_conflict=document_type_event")).as_(&ana);
        let preference = format!("resolution={resolution}, return=representation");
        request.json(&rows).prefer(&preference).send()
    };
    let (a, b) = ("fatura_new", "contrato_new");
    let row =
        |event: &str, enabled: bool| json!({"document_type_event": event, "enabled": enabled});
    let merge = "merge-duplicates";
    upsert(json!([row(a, true)]), merge).await.is(201);
    let mixed = upsert(json!([row(a, false), row(b, true)]), merge).await.is(201);
    assert_eq!(mixed.json(), json!([row(a, false), row(b, true)]));
    upsert(json!([row(a, true), row(b, false)]), merge).await.is(200);
    let ignored =
        upsert(json!([row(a, false), row("novo", true)]), "ignore-duplicates").await.is(201);
    assert_eq!(ignored.json(), json!([row("novo", true)]));
    upsert(json!([row(a, false), row(a, true)]), merge).await.refused(500, "21000");
    assert_eq!(
        settings(world, &ana).await,
        json!([row(b, false), row(a, true), row("novo", true)])
    );

    let by_key = world.post(SETTINGS).as_(&ana).json(&row(a, false));
    by_key.prefer("resolution=merge-duplicates").send().await.is(200);
    for (column, code) in [("enabled", "42P10"), ("nonesuch", "42703")] {
        let request =
            world.post(&format!("{SETTINGS}?on_conflict={column}")).as_(&ana).json(&row(a, true));
        request.prefer("resolution=merge-duplicates").send().await.refused(400, code);
    }
    let client = world.client("joao").await;
    let theirs = world.post("/rest/v1/tickets").as_(&client).json(&sample("tickets"));
    theirs.prefer("resolution=merge-duplicates").send().await.refused(403, "42501");
});

portal_test!(twenty_concurrent_upserts_leave_one_complete_set, async |world| {
    let ana = world.admin().await;
    let events: Vec<String> = (0..9).map(|n| format!("evento_{n}")).collect();
    let answers = join_all((0..20).map(|number| {
        // Each request has another order of rows, which could cause deadlocks.
        let mut rows: Vec<Value> = events
            .iter()
            .map(|event| json!({"document_type_event": event, "enabled": number % 2 == 0}))
            .collect();
        rows.rotate_left(number % 9);
        let request = world.post(&format!("{SETTINGS}?on_conflict=document_type_event")).as_(&ana);
        request.json(&json!(rows)).prefer("resolution=merge-duplicates").send()
    }))
    .await;
    for answer in answers {
        assert!([200, 201].contains(&answer.status.as_u16()), "{}", answer.text());
    }
    let kept = settings(world, &ana).await;
    assert_eq!(column(&kept, "document_type_event"), events);
    let mut enabled = column(&kept, "enabled");
    enabled.dedup();
    assert_eq!(enabled.len(), 1, "{kept}");
});

portal_test!(updates_and_deletions_require_a_filter, async |world| {
    let (ana, joao) = (world.admin().await, world.client("joao").await);
    world.ticket(&joao, "Dúvida").await;
    for table in ["folders", "documents", "tickets", "email_templates"] {
        for filter in ["", "?select=id", "?limit=1", "?order=id"] {
            let path = format!("/rest/v1/{table}{filter}");
            let delete = world.delete(&path).as_(&ana).send().await.refused(400, "21000");
            assert_eq!(delete.json()["message"], "DELETE requires a WHERE clause");
            let change = world.patch(&path).as_(&ana).json(&json!({"name": "x"}));
            change.send().await.is(400);
        }
    }
    assert_eq!(rows(world, &ana, "tickets").send().await.json().as_array().unwrap().len(), 1);
});

portal_test!(failed_single_object_write_is_rolled_back, async |world| {
    let ana = world.admin().await;
    let one = |request: crate::harness::request::Request| request.as_(&ana).single().send();
    let path = "/rest/v1/folders?id_supabase=in.(contratos,faturas)";
    let change = world.patch(path).json(&json!({"name": "Outro"}));
    one(change).await.refused(406, "PGRST116");
    one(world.delete(path)).await.refused(406, "PGRST116");
    let names = column(&read(world, &ana, "folders?order=position").await, "name");
    assert_eq!(names, ["Contratos", "Faturas", "Documentos Pessoais"]);
});
