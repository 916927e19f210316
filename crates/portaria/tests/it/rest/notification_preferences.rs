//! The Prefer header: applied preferences, their echo in the response, and strict handling.

use serde_json::json;

use crate::harness::portal_test;
use crate::rest::{read, rows};

portal_test!(applied_preferences_are_named_in_the_response, async |portal| {
    let ana = portal.admin().await;
    let path = "/rest/v1/email_notification_settings?on_conflict=document_type_event";
    let row = json!([{"document_type_event": "fatura_new", "enabled": true}]);
    let upsert = portal.post(path).auth(&ana).json(&row).header("content-profile", "public");
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
        rows(portal, &ana, "folders?select=name&name=neq.%C3%A3&limit=2").prefer("count=planned");
    let read = read.send().await.is(206);
    assert_eq!(read.header("preference-applied"), "count=planned");
    assert_eq!(read.header("content-location"), "/folders?limit=2&name=neq.%C3%A3&select=name");
});

portal_test!(strict_handling_rejects_unknown_preferences, async |portal| {
    let ana = portal.admin().await;
    let strict =
        rows(portal, &ana, "folders").prefer("handling=strict, foo, count=exact, a=b").send().await;
    let strict = strict.refused(400, "PGRST122");
    assert_eq!(strict.json()["details"], "Invalid preferences: foo, a=b");
    rows(portal, &ana, "folders").prefer("handling=lenient, foo").send().await.is(200);
});

portal_test!(rollback_preference_returns_the_result_and_changes_nothing, async |portal| {
    let ana = portal.admin().await;
    let row = json!({"id_supabase": "guias", "name": "Guias"});
    let insert = portal.post("/rest/v1/folders").auth(&ana).json(&row);
    let answer = insert.prefer("return=representation, tx=rollback").send().await.is(201);
    assert_eq!(answer.json()[0]["name"], "Guias");
    assert_eq!(answer.header("preference-applied"), "return=representation, tx=rollback");
    assert_eq!(read(portal, &ana, "folders?id_supabase=eq.guias").await, json!([]));
    let delete = portal.delete("/rest/v1/folders?name=eq.Faturas").auth(&ana).prefer("tx=rollback");
    delete.send().await.is(204);
    assert_eq!(
        read(portal, &ana, "folders?select=name&name=eq.Faturas").await,
        json!([{"name": "Faturas"}])
    );
});

portal_test!(rollback_preference_of_a_function_changes_nothing, async |portal| {
    let ana = portal.admin().await;
    let path = "/rest/v1/folders?select=id_supabase,position&order=id_supabase";
    let folders = async || portal.get(path).auth(&ana).send().await.is(200).json();
    let before = folders().await;
    let all = before.as_array().unwrap().iter().rev().map(|row| row["id_supabase"].clone());
    let order = json!({"folders": all.collect::<Vec<_>>()});
    let call = portal.post("/rest/v1/rpc/order_folders").auth(&ana).json(&order);
    let answer = call.prefer("tx=rollback").send().await.is(204);
    assert_eq!(answer.header("preference-applied"), "tx=rollback");
    assert_eq!(folders().await, before);
    portal.post("/rest/v1/rpc/order_folders").auth(&ana).json(&order).send().await.is(204);
    assert_ne!(folders().await, before);
});

portal_test!(change_of_a_single_row_is_rolled_back_for_others, async |portal| {
    let ana = portal.admin().await;
    let object = "application/vnd.pgrst.object+json";
    let folders = "/rest/v1/folders?select=icon&order=id_supabase";
    let before = portal.get(folders).auth(&ana).send().await.is(200).json();
    for filter in ["position=gt.0", "name=eq.Nenhuma"] {
        let change = portal.patch(&format!("/rest/v1/folders?{filter}")).auth(&ana);
        let change = change.header("accept", object).json(&json!({"icon": "star"}));
        change.send().await.refused(406, "PGRST116");
    }
    assert_eq!(portal.get(folders).auth(&ana).send().await.is(200).json(), before);
    let change = portal.patch("/rest/v1/folders?name=eq.Faturas").auth(&ana);
    let change = change.header("accept", object).json(&json!({"icon": "star"}));
    change.send().await.is(204);
});

portal_test!(range_beyond_63_bits_is_an_empty_page, async |portal| {
    let ana = portal.admin().await;
    for range in ["9223372036854775808-", "18446744073709551615-18446744073709551615"] {
        let request = portal.get("/rest/v1/folders?select=name").auth(&ana).header("range", range);
        assert_eq!(request.send().await.is(200).json(), json!([]), "{range}");
    }
});

portal_test!(write_beyond_max_affected_is_rolled_back, async |portal| {
    let ana = portal.admin().await;
    let change = |most: &str| {
        let request = portal
            .patch("/rest/v1/folders?position=gt.0")
            .auth(&ana)
            .json(&json!({"icon": "star"}));
        request.prefer(&format!("{most}max-affected=2"))
    };
    let refused = change("handling=strict, ").send().await.refused(400, "PGRST124");
    assert_eq!(refused.json()["details"], "The query affects 3 rows");
    assert_eq!(read(portal, &ana, "folders?icon=eq.star").await, json!([]));
    // Without strict handling the preference is ignored.
    change("").send().await.is(204);
    assert_eq!(
        read(portal, &ana, "folders?icon=eq.star&select=position").await.as_array().unwrap().len(),
        3
    );
});

portal_test!(headers_only_returns_the_location_of_the_new_row, async |portal| {
    let ana = portal.admin().await;
    let row = json!({"document_type_event": "fatura_new", "enabled": true});
    let insert = portal.post("/rest/v1/email_notification_settings").auth(&ana).json(&row);
    let answer = insert.prefer("return=headers-only").send().await.is(201);
    assert_eq!(
        answer.header("location"),
        "/email_notification_settings?document_type_event=eq.fatura_new"
    );
    assert!(answer.body.is_empty());
});

portal_test!(conflict_names_the_key, async |portal| {
    let ana = portal.admin().await;
    let again = json!({"id_supabase": "contratos", "name": "Outra"});
    let twice =
        portal.post("/rest/v1/folders").auth(&ana).json(&again).send().await.refused(409, "23505");
    assert_eq!(
        (twice.json()["message"].as_str(), twice.json()["details"].as_str()),
        (
            Some("duplicate key value violates unique constraint \"folders_id_supabase_key\""),
            Some("Key (id_supabase)=(contratos) already exists."),
        )
    );
    let nowhere = json!({"name": "x", "folder_id_supabase": "nada"});
    let nowhere = portal
        .post("/rest/v1/documents")
        .auth(&ana)
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
    portal.insert("documents", json!({"name": "x", "folder_id_supabase": "faturas"})).await;
    let used = portal
        .delete("/rest/v1/folders?name=eq.Faturas")
        .auth(&ana)
        .send()
        .await
        .refused(409, "23503");
    assert_eq!(
        used.json()["message"],
        "update or delete on table \"folders\" violates foreign key constraint \
         \"documents_folder_id_supabase_fkey\" on table \"documents\""
    );
});
