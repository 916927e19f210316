//! The Prefer header: applied preferences, their echo in the response, and strict handling.

use serde_json::json;

use crate::harness::portal_test;
use crate::rest::{read, rows};

portal_test!(applied_preferences_are_named_in_the_response, async |world| {
    let ana = world.admin().await;
    let path = "/rest/v1/email_notification_settings?on_conflict=document_type_event";
    let row = json!([{"document_type_event": "x", "enabled": true}]);
    let upsert = world.post(path).as_(&ana).json(&row).header("content-profile", "public");
    let upsert = upsert
        .prefer("count=exact, return=minimal, resolution=merge-duplicates, timezone=UTC, foo=bar");
    let answer = upsert.send().await.is(201);
    assert_eq!(
        answer.header("preference-applied"),
        "resolution=merge-duplicates, return=minimal, count=exact"
    );
    assert_eq!(answer.header("content-range"), "*/1");
    assert_eq!(answer.header("content-profile"), "public");
    let read =
        rows(world, &ana, "folders?select=name").prefer("count=planned").send().await.is(200);
    assert_eq!(read.header("preference-applied"), "count=planned");
    assert_eq!(read.header("content-location"), "/folders?select=name");
});

portal_test!(strict_handling_rejects_unknown_preferences, async |world| {
    let ana = world.admin().await;
    let strict =
        rows(world, &ana, "folders").prefer("handling=strict, foo, count=exact, a=b").send().await;
    let strict = strict.refused(400, "PGRST122");
    assert_eq!(strict.json()["details"], "Invalid preferences: foo, a=b");
    rows(world, &ana, "folders").prefer("handling=lenient, foo").send().await.is(200);
});

portal_test!(rollback_preference_returns_the_result_and_changes_nothing, async |world| {
    let ana = world.admin().await;
    let row = json!({"id_supabase": "guias", "name": "Guias"});
    let insert = world.post("/rest/v1/folders").as_(&ana).json(&row);
    let answer = insert.prefer("return=representation, tx=rollback").send().await.is(201);
    assert_eq!(answer.json()[0]["name"], "Guias");
    assert_eq!(answer.header("preference-applied"), "return=representation, tx=rollback");
    assert_eq!(read(world, &ana, "folders?id_supabase=eq.guias").await, json!([]));
    let delete = world.delete("/rest/v1/folders?name=eq.Faturas").as_(&ana).prefer("tx=rollback");
    delete.send().await.is(204);
    assert_eq!(
        read(world, &ana, "folders?select=name&name=eq.Faturas").await,
        json!([{"name": "Faturas"}])
    );
});

portal_test!(write_beyond_max_affected_is_rolled_back, async |world| {
    let ana = world.admin().await;
    let change = |most: &str| {
        let request =
            world.patch("/rest/v1/folders?position=gt.0").as_(&ana).json(&json!({"icon": "star"}));
        request.prefer(&format!("{most}max-affected=2"))
    };
    let refused = change("handling=strict, ").send().await.refused(400, "PGRST124");
    assert_eq!(refused.json()["details"], "The query affects 3 rows");
    assert_eq!(read(world, &ana, "folders?icon=eq.star").await, json!([]));
    // Without strict handling the preference is ignored.
    change("").send().await.is(204);
    assert_eq!(
        read(world, &ana, "folders?icon=eq.star&select=position").await.as_array().unwrap().len(),
        3
    );
});

portal_test!(headers_only_returns_the_location_of_the_new_row, async |world| {
    let ana = world.admin().await;
    let row = json!({"document_type_event": "fatura_new", "enabled": true});
    let insert = world.post("/rest/v1/email_notification_settings").as_(&ana).json(&row);
    let answer = insert.prefer("return=headers-only").send().await.is(201);
    assert_eq!(
        answer.header("location"),
        "/email_notification_settings?document_type_event=eq.fatura%5Fnew"
    );
    assert!(answer.body.is_empty());
});

portal_test!(conflict_names_the_key, async |world| {
    let ana = world.admin().await;
    let again = json!({"id_supabase": "contratos", "name": "Outra"});
    let twice =
        world.post("/rest/v1/folders").as_(&ana).json(&again).send().await.refused(409, "23505");
    assert_eq!(
        (twice.json()["message"].as_str(), twice.json()["details"].as_str()),
        (
            Some("duplicate key value violates unique constraint \"folders_id_supabase_key\""),
            Some("Key (id_supabase)=(contratos) already exists."),
        )
    );
    let nowhere = json!({"name": "x", "folder_id_supabase": "nada"});
    let nowhere = world
        .post("/rest/v1/documents")
        .as_(&ana)
        .json(&nowhere)
        .send()
        .await
        .refused(409, "23503");
    assert_eq!(
        (nowhere.json()["message"].as_str(), nowhere.json()["details"].as_str()),
        (
            Some(
                "insert or update on table \"documents\" violates foreign key constraint \"documents_folder_id_supabase_fkey\""
            ),
            Some("Key (folder_id_supabase)=(nada) is not present in table \"folders\"."),
        )
    );
    world.insert("documents", json!({"name": "x", "folder_id_supabase": "faturas"})).await;
    let used = world
        .delete("/rest/v1/folders?name=eq.Faturas")
        .as_(&ana)
        .send()
        .await
        .refused(409, "23503");
    assert_eq!(
        used.json()["message"],
        "update or delete on table \"folders\" violates foreign key constraint \
         \"documents_folder_id_supabase_fkey\" on table \"documents\""
    );
});
