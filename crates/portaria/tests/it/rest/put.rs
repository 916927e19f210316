//! `PUT`: one row by its primary key.

use serde_json::json;

use crate::harness::portal_test;
use crate::rest::read;

const ID: &str = "00000000-0000-4000-8000-000000000001";

portal_test!(put_inserts_and_then_changes_the_row, async |portal| {
    let ana = portal.admin().await;
    let path = format!("/rest/v1/saved_replies?id=eq.{ID}&select=id,title,body");
    let put = async |row: serde_json::Value, prefer: &str| {
        portal.put(&path).auth(&ana).prefer(prefer).json(&row).send().await
    };
    let row = |title: &str| json!({"id": ID, "title": title, "body": "Segue."});
    let created = put(row("Primeira"), "return=representation").await.is(201);
    assert_eq!(created.json(), json!([row("Primeira")]));
    let changed = put(json!([row("Segunda")]), "return=representation").await.is(200);
    assert_eq!(changed.json(), json!([row("Segunda")]));
    let quiet = put(row("Terceira"), "return=minimal").await.is(204);
    assert_eq!((quiet.text(), quiet.header("content-range")), (String::new(), ""));
    let found = read(portal, &ana, "saved_replies?select=id,title,body").await;
    assert_eq!(found, json!([row("Terceira")]));
    // The key of settings is a text, and a form holds the row.
    let path = "/rest/v1/email_notification_settings?document_type_event=eq.fatura_new";
    let form = "document_type_event=fatura_new&enabled=true";
    let form = portal.put(path).auth(&ana).bytes("application/x-www-form-urlencoded", form);
    form.send().await.is(204);
    let found = read(portal, &ana, "email_notification_settings").await;
    assert_eq!(found, json!([{"document_type_event": "fatura_new", "enabled": true}]));
});

portal_test!(put_of_another_row_is_refused, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let other = uuid::Uuid::nil();
    let row = |id: &str| json!({"id": id, "title": "Segunda via", "body": "Segue."});
    for (query, body, status, code) in [
        ("", row(ID), 405, "PGRST105"),
        ("id=neq.ID", row(ID), 405, "PGRST105"),
        ("id=not.eq.ID", row(ID), 405, "PGRST105"),
        ("id=in.(ID)", row(ID), 405, "PGRST105"),
        ("title=eq.x", row(ID), 405, "PGRST105"),
        ("id=eq.ID&title=eq.x", row(ID), 405, "PGRST105"),
        ("and=(id.eq.ID)", row(ID), 405, "PGRST105"),
        ("id=eq.ID&limit=1", row(ID), 400, "PGRST114"),
        ("id=eq.ID&offset=0", row(ID), 400, "PGRST114"),
        ("id=eq.ID", row(&other.to_string()), 400, "PGRST115"),
        ("id=eq.ID", json!({"title": "Segunda via", "body": "Segue."}), 400, "PGRST115"),
        ("id=eq.ID", json!([row(ID), row(ID)]), 400, "PGRST115"),
        ("id=eq.ID", json!([]), 400, "PGRST115"),
        ("id=eq.x", row(ID), 400, "22P02"),
    ] {
        let path = format!("/rest/v1/saved_replies?{}", query.replace("ID", ID));
        let put = portal.put(&path).auth(&ana).json(&body).send().await;
        put.refused(status, code);
    }
    assert_eq!(read(portal, &ana, "saved_replies").await, json!([]));
    for (table, status, code) in [
        ("saved_replies", 403, "42501"),
        ("tickets", 403, "42501"),
        ("clients", 403, "42501"),
        ("activity", 404, "PGRST205"),
    ] {
        let path = format!("/rest/v1/{table}?id=eq.{ID}");
        portal.put(&path).auth(&joao).json(&row(ID)).send().await.refused(status, code);
    }
});
