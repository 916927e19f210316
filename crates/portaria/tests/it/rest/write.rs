//! Payloads, upserts, deletions, and their responses.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, portal_test, request::Request};
use crate::rest::{column, read, rows, sample};

const SETTINGS: &str = "/rest/v1/email_notification_settings";

/// The rows of the settings, ordered by event.
async fn settings(portal: &TestPortal, ana: &TestUser) -> Value {
    read(portal, ana, "email_notification_settings?order=document_type_event").await
}

portal_test!(write_responses_follow_the_protocol, async |portal| {
    let ana = portal.admin().await;
    let folders = "/rest/v1/folders";
    let plain = portal
        .post(folders)
        .auth(&ana)
        .json(&json!({"id_supabase": "a", "name": "A"}))
        .send()
        .await;
    let plain = plain.is(201);
    assert!(plain.body.is_empty());
    assert_eq!(plain.header("content-range"), "*/*");

    let two = json!([{"id_supabase": "b", "name": "B"}, {"id_supabase": "c", "name": "C"}]);
    let request =
        portal.post(&format!("{folders}?select=name")).query("columns", "\"id_supabase\",\"name\"");
    let shown =
        request.auth(&ana).json(&two).prefer("return=representation, count=exact").send().await;
    let shown = shown.is(201);
    assert_eq!(shown.json(), json!([{"name": "B"}, {"name": "C"}]));
    assert_eq!(shown.header("content-range"), "*/2");

    let none = portal
        .post(folders)
        .auth(&ana)
        .json(&json!([]))
        .prefer("return=representation")
        .send()
        .await;
    assert_eq!(none.is(201).json(), json!([]));

    let these = format!("{folders}?id_supabase=in.(a,b,nada)&select=id_supabase,icon");
    let change = || portal.patch(&these).auth(&ana).json(&json!({"icon": "star"}));
    let changed = change().prefer("return=representation").send().await.is(200);
    let mut icons = column(&changed.json(), "id_supabase");
    icons.sort_by_key(ToString::to_string);
    assert_eq!(icons, ["a", "b"]);
    assert_eq!(change().send().await.is(204).header("content-range"), "0-1/*");
    let nobody =
        portal.patch(&format!("{folders}?name=eq.x")).auth(&ana).json(&json!({"icon": "x"}));
    assert_eq!(nobody.prefer("return=representation").send().await.is(200).json(), json!([]));
    let nothing = portal.patch(&these).auth(&ana).json(&json!({}));
    assert!(nothing.send().await.is(204).body.is_empty());

    let delete = || portal.delete(&these).auth(&ana);
    let deleted = delete().prefer("return=representation, count=exact").send().await.is(200);
    assert_eq!(deleted.json().as_array().unwrap().len(), 2);
    assert_eq!(deleted.header("content-range"), "*/2");
    assert_eq!(delete().send().await.is(204).header("content-range"), "*/*");
    assert_eq!(read(portal, &ana, "folders").await.as_array().unwrap().len(), 4);
});

portal_test!(order_applies_to_the_returned_rows_of_a_write, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let row = |name: &str, position: i64| json!({"id_supabase": name, "name": name, "position": position});
    let three = json!([row("b", 8), row("c", 9), row("a", 7)]);
    let path =
        |order: &str| format!("/rest/v1/folders?id_supabase=in.(a,b,c)&select=name&order={order}");
    let send = async |request: Request| {
        let answer = request.auth(&ana).prefer("return=representation").send().await;
        column(&answer.json(), "name")
    };
    let posted = send(portal.post("/rest/v1/folders?select=name&order=position.desc").json(&three));
    assert_eq!(posted.await, ["c", "b", "a"]);
    let icon = json!({"icon": "star"});
    assert_eq!(send(portal.patch(&path("position")).json(&icon)).await, ["a", "b", "c"]);
    assert_eq!(send(portal.patch(&path("name.desc")).json(&icon)).await, ["c", "b", "a"]);
    let unknown = portal.patch(&path("nonesuch")).auth(&ana).json(&icon);
    unknown.prefer("return=representation").send().await.refused(400, "42703");
    assert_eq!(send(portal.delete(&path("position.desc"))).await, ["c", "b", "a"]);

    // The order may name an embed, and an order by a column for staff is refused to clients.
    let (first, second) = (portal.ticket(&joao, "B").await, portal.ticket(&joao, "A").await);
    let message = |ticket: &str| json!({"ticket_id": ticket, "body": "Pois não?"});
    let path = "/rest/v1/ticket_messages?select=tickets(subject)&order=tickets(subject)";
    let messages = json!([message(&first), message(&second)]);
    let posted = portal.post(path).auth(&ana).json(&messages).prefer("return=representation");
    assert_eq!(
        posted.send().await.is(201).json(),
        json!([{"tickets": {"subject": "A"}}, {"tickets": {"subject": "B"}}])
    );
    let close = portal.patch("/rest/v1/tickets?subject=eq.A&order=assignee_id").auth(&joao);
    let close = close.json(&json!({"status": "closed"})).prefer("return=representation");
    close.send().await.refused(400, "42703");
    assert_eq!(read(portal, &joao, "tickets?status=eq.closed").await, json!([]));
});

portal_test!(write_of_many_rows_returns_them_with_embeds, async |portal| {
    let ana = portal.admin().await;
    let joao = portal.client("joao").await;
    let ticket = portal.ticket(&joao, "Dúvida").await;
    let message = json!({"ticket_id": ticket, "body": "Pronto."});
    // More rows than one statement has embeds.
    let many = portal.post("/rest/v1/ticket_messages?select=body,tickets(subject)").auth(&ana);
    let many = many.json(&json!(vec![&message; 60])).prefer("return=representation").send().await;
    let expected = json!({"body": "Pronto.", "tickets": {"subject": "Dúvida"}});
    assert_eq!(many.is(201).json(), json!(vec![expected; 60]));
});

portal_test!(invalid_payload_changes_nothing, async |portal| {
    let ana = portal.admin().await;
    let post = |body: &str| {
        portal.post(SETTINGS).auth(&ana).bytes("application/json", body.to_owned()).send()
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
    let bytes = portal
        .post(SETTINGS)
        .auth(&ana)
        .bytes("application/json", &b"{\"document_type_event\":\"\xff\"}"[..]);
    bytes.send().await.refused(400, "PGRST102");
    post("{}").await.refused(400, "23502");
    post("[{}]").await.refused(400, "23502");
    post("{\"document_type_event\":\"a\",\"enabled\":\"maybe\"}").await.refused(400, "22P02");
    let kind = portal.post(SETTINGS).auth(&ana).bytes("text/plain", "{}").send().await;
    kind.refused(400, "PGRST102");
    let many: Vec<Value> =
        (0..501).map(|n| json!({"document_type_event": n.to_string()})).collect();
    post(&json!(many).to_string()).await.refused(400, "PGRST102");
    post(&format!("\"{}\"", "a".repeat(1 << 20))).await.refused(413, "PGRST102");
    // One invalid row prevents the insert of all.
    let body = json!([{"document_type_event": "fatura_new"}, {"document_type_event": null}]);
    post(&body.to_string()).await.refused(400, "23502");
    assert_eq!(settings(portal, &ana).await, json!([]));
});

portal_test!(columns_parameter_selects_payload_columns, async |portal| {
    let ana = portal.admin().await;
    let rows = json!([{"document_type_event": "contrato_new", "enabled": true, "x": 1}, {"document_type_event": "fatura_new"}]);
    let insert =
        portal.post(SETTINGS).query("columns", "\"document_type_event\"").auth(&ana).json(&rows);
    insert.send().await.is(201);
    assert_eq!(
        settings(portal, &ana).await,
        json!([{"document_type_event": "contrato_new", "enabled": false}, {"document_type_event": "fatura_new", "enabled": false}])
    );
    // A selected column that is missing in a row is NULL, or the default on request.
    let insert = |preference: &str| {
        let request = portal.post(SETTINGS).query("columns", "\"document_type_event\",\"enabled\"");
        request
            .auth(&ana)
            .json(&json!([{"document_type_event": "relatorio_new"}]))
            .prefer(preference)
            .send()
    };
    insert("return=minimal").await.refused(400, "23502");
    insert("missing=default").await.is(201);
});

portal_test!(upsert_merges_and_reports_new_rows, async |portal| {
    let ana = portal.admin().await;
    let upsert = |rows: Value, resolution: &str| {
        let request =
            portal.post(&format!("{SETTINGS}?on_conflict=document_type_event")).auth(&ana);
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
    let ignored = upsert(json!([row(a, false), row("relatorio_new", true)]), "ignore-duplicates")
        .await
        .is(201);
    assert_eq!(ignored.json(), json!([row("relatorio_new", true)]));
    upsert(json!([row(a, false), row(a, true)]), merge).await.refused(400, "21000");
    assert_eq!(
        settings(portal, &ana).await,
        json!([row(b, false), row(a, true), row("relatorio_new", true)])
    );

    let by_key = portal.post(SETTINGS).auth(&ana).json(&row(a, false));
    by_key.prefer("resolution=merge-duplicates").send().await.is(200);
    for (column, code) in [("enabled", "42P10"), ("nonesuch", "42703")] {
        let request =
            portal.post(&format!("{SETTINGS}?on_conflict={column}")).auth(&ana).json(&row(a, true));
        request.prefer("resolution=merge-duplicates").send().await.refused(400, code);
    }
    let client = portal.client("joao").await;
    let theirs = portal.post("/rest/v1/tickets").auth(&client).json(&sample("tickets"));
    theirs.prefer("resolution=merge-duplicates").send().await.refused(403, "42501");
});

portal_test!(exclusive twenty_concurrent_upserts_leave_one_complete_set, async |portal| {
    let ana = portal.admin().await;
    let kinds = ["contrato", "fatura"];
    let mut events =
        ["aviso_new", "relatorio_new", "ticket_created_user"].map(str::to_owned).to_vec();
    let expiries = ["expired", "expiring_soon", "new"]
        .map(|event| kinds.map(|kind| format!("{kind}_{event}")));
    events.extend(expiries.into_iter().flatten());
    events.sort_unstable();
    let answers = join_all((0..20).map(|number| {
        // Each request has another order of rows, which could cause deadlocks.
        let mut rows: Vec<Value> = events
            .iter()
            .map(|event| json!({"document_type_event": event, "enabled": number % 2 == 0}))
            .collect();
        rows.rotate_left(number % 9);
        let request =
            portal.post(&format!("{SETTINGS}?on_conflict=document_type_event")).auth(&ana);
        request.json(&json!(rows)).prefer("resolution=merge-duplicates").send()
    }))
    .await;
    for answer in answers {
        assert!([200, 201].contains(&answer.status.as_u16()), "{}", answer.text());
    }
    let kept = settings(portal, &ana).await;
    assert_eq!(column(&kept, "document_type_event"), events);
    let mut enabled = column(&kept, "enabled");
    enabled.dedup();
    assert_eq!(enabled.len(), 1, "{kept}");
});

portal_test!(updates_and_deletions_require_a_filter, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    portal.ticket(&joao, "Dúvida").await;
    for table in ["folders", "documents", "tickets", "email_templates"] {
        for filter in ["", "?select=id", "?limit=1", "?order=id"] {
            let path = format!("/rest/v1/{table}{filter}");
            let delete = portal.delete(&path).auth(&ana).send().await.refused(400, "21000");
            assert_eq!(delete.json()["message"], "DELETE requires a WHERE clause");
            let change = portal.patch(&path).auth(&ana).json(&json!({"name": "x"}));
            change.send().await.is(400);
        }
    }
    assert_eq!(rows(portal, &ana, "tickets").send().await.json().as_array().unwrap().len(), 1);
});

portal_test!(failed_single_object_write_is_rolled_back, async |portal| {
    let ana = portal.admin().await;
    let one = |request: crate::harness::request::Request| request.auth(&ana).single().send();
    let path = "/rest/v1/folders?id_supabase=in.(contratos,faturas)";
    let change = portal.patch(path).json(&json!({"name": "Outro"}));
    one(change).await.refused(406, "PGRST116");
    one(portal.delete(path)).await.refused(406, "PGRST116");
    let names = column(&read(portal, &ana, "folders?order=position").await, "name");
    assert_eq!(names, ["Contratos", "Faturas", "Documentos Pessoais"]);
});
