//! Formats of responses: objects, stripped nulls, CSV, casts, range headers, the OpenAPI description.

use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, portal_test};
use crate::rest::{column, read, rows};

async fn with_two_documents(portal: &TestPortal) -> TestUser {
    let joao = portal.client("joao").await;
    for (name, expires) in [("a \"b\", c", json!("2026-12-31T12:00:00.5Z")), ("d", Value::Null)] {
        let row = json!({
            "name": name, "type": "pdf", "folder_id_supabase": "contratos", "client_id": joao.id, "expires_at": expires,
        });
        portal.insert("documents", row).await;
    }
    joao
}

portal_test!(nulls_are_stripped_on_request, async |portal| {
    let joao = with_two_documents(portal).await;
    let path = "documents?select=name,expires_at,folders(name,kind,archived_at)&name=eq.d";
    let accept = "application/vnd.pgrst.array+json;nulls=stripped";
    let array = rows(portal, &joao, path).header("accept", accept).send().await.is(200);
    assert_eq!(
        array.json(),
        json!([{"name": "d", "folders": {"name": "Contratos", "kind": "contrato"}}])
    );
    assert_eq!(array.header("content-type"), format!("{accept}; charset=utf-8"));
    let accept = "application/vnd.pgrst.object+json;nulls=stripped";
    let object = rows(portal, &joao, path).header("accept", accept).send().await.is(200);
    assert_eq!(object.json()["name"], "d");
    assert!(object.json().get("expires_at").is_none());
});

portal_test!(csv_matches_postgresql_records, async |portal| {
    let ana = portal.admin().await;
    with_two_documents(portal).await;
    let path = "documents?select=name,expires_at,...folders(pasta:name),folders(kind)&order=name";
    let csv = rows(portal, &ana, path).header("accept", "text/csv").send().await.is(200);
    assert_eq!(csv.header("content-type"), "text/csv; charset=utf-8");
    assert_eq!(
        csv.text(),
        "name,expires_at,pasta,folders\n\
         \"a \"\"b\"\", c\",\"2026-12-31 12:00:00.5+00\",Contratos,\"{\"\"kind\"\":\"\"contrato\"\"}\"\n\
         d,,Contratos,\"{\"\"kind\"\":\"\"contrato\"\"}\""
    );
    let none = rows(portal, &ana, "documents?name=eq.x").header("accept", "text/csv").send().await;
    assert_eq!(none.is(200).text(), "\n");
});

portal_test!(accept_prefers_the_highest_quality, async |portal| {
    let ana = portal.admin().await;
    for (accept, expected) in [
        ("text/csv;q=0.5, application/json", "application/json; charset=utf-8"),
        ("application/json;q=0.5, text/csv", "text/csv; charset=utf-8"),
        ("text/csv, application/json", "text/csv; charset=utf-8"),
        ("text/csv; q=0.2, text/xml, */*;q=0.1", "text/csv; charset=utf-8"),
    ] {
        let answer = rows(portal, &ana, "folders").header("accept", accept).send().await.is(200);
        assert_eq!(answer.header("content-type"), expected, "{accept}");
    }
    let none = rows(portal, &ana, "folders").header("accept", "text/csv;q=0").send().await;
    none.refused(406, "PGRST107");
});

portal_test!(csv_is_for_the_office_and_holds_no_formulas, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    for subject in ["=1+1", "+55", "-1", "@SUM(A1)", "\tx", " =1", "a=b"] {
        portal.ticket(&joao, subject).await;
    }
    let path = "tickets?select=subject&order=subject";
    let csv = rows(portal, &ana, path).header("accept", "text/csv").send().await.is(200).text();
    for cell in ["'=1+1", "'+55", "'-1", "\"'@SUM(A1)\"", "\"'\tx\"", "\"' =1\"", "a=b"] {
        assert!(csv.lines().any(|line| line == cell), "{cell} in {csv}");
    }
    // A name that the caller gives to a column is a cell too.
    let named = rows(portal, &ana, "tickets?limit=1").query("select", "\"=1\":subject");
    let csv = named.header("accept", "text/csv").send().await.is(200).text();
    assert!(csv.starts_with("'=1"), "{csv}");

    let theirs = rows(portal, &joao, path).header("accept", "text/csv").send().await;
    theirs.refused(406, "PGRST107");
    let row = json!({"subject": "Dúvida", "message": "Uma mensagem longa o bastante."});
    let insert = portal.post("/rest/v1/tickets").auth(&joao).json(&row);
    let insert = insert.prefer("return=representation").header("accept", "text/csv").send().await;
    insert.refused(406, "PGRST107");
    assert_eq!(column(&read(portal, &joao, path).await, "subject").len(), 7);
    let anyone = portal.get("/rest/v1/folders").header("accept", "text/csv").send().await;
    anyone.refused(406, "PGRST107");
});

portal_test!(casts_convert_columns, async |portal| {
    let ana = portal.admin().await;
    let joao = with_two_documents(portal).await;
    let select = "dia:expires_at::date,hora:expires_at::timestamp,texto:expires_at::text,mesmo:expires_at::timestamptz";
    assert_eq!(
        read(portal, &joao, &format!("documents?select={select}&name=like.a*")).await,
        json!([{
            "dia": "2026-12-31", "hora": "2026-12-31T12:00:00.5", "texto": "2026-12-31 12:00:00.5+00",
            "mesmo": "2026-12-31T12:00:00.5+00:00",
        }])
    );
    assert_eq!(
        read(portal, &joao, "folders?select=position::text,kind::text&id_supabase=eq.contratos")
            .await,
        json!([{"position": "1", "kind": "contrato"}])
    );
    let setting = json!({"document_type_event": "fatura_new", "enabled": true});
    let path = "/rest/v1/email_notification_settings";
    portal.post(path).auth(&ana).json(&setting).send().await.is(201);
    assert_eq!(
        read(portal, &ana, "email_notification_settings?select=n:enabled::int,t:enabled::text")
            .await,
        json!([{"n": 1, "t": "true"}])
    );
    assert_eq!(
        rows(portal, &ana, "clients")
            .query("select", "nome:user_metadata->full_name::text")
            .send()
            .await
            .json(),
        json!([{"nome": "\"joao\""}])
    );
    rows(portal, &joao, "documents?select=name::int").send().await.refused(400, "PGRST127");
    rows(portal, &joao, "documents?select=name::nonesuch").send().await.refused(400, "42704");
});

portal_test!(embeds_filter_by_existence, async |portal| {
    let ana = portal.admin().await;
    let joao = with_two_documents(portal).await;
    let count = async |user: &TestUser, path: &str| {
        read(portal, user, path).await.as_array().unwrap().len()
    };
    assert_eq!(count(&joao, "folders?select=name,documents(name)&documents=not.is.null").await, 1);
    assert_eq!(count(&joao, "folders?select=name,documents(name)&documents=is.null").await, 2);
    assert_eq!(
        count(
            &joao,
            "folders?select=name,documents(name)&documents.name=eq.d&documents=not.is.null"
        )
        .await,
        1
    );
    assert_eq!(
        count(&joao, "folders?select=name,d:documents(name)&or=(d.not.is.null,name.eq.Faturas)")
            .await,
        2
    );
    assert_eq!(count(&ana, "documents?select=name,clients(email)&clients=is.null").await, 0);
    assert_eq!(
        count(&ana, "documents?select=name,folders!inner(name,documents!inner(name))").await,
        2
    );
    let counted =
        rows(portal, &joao, "folders?select=name,documents(name)&documents=is.null&limit=1");
    assert_eq!(counted.prefer("count=exact").send().await.is(206).header("content-range"), "0-0/2");
    let bad =
        rows(portal, &joao, "folders?select=name,documents(name)&documents=eq.1").send().await;
    bad.refused(400, "PGRST120");
    rows(portal, &joao, "folders?documents=is.null").send().await.refused(400, "42703");
});

portal_test!(range_header_limits_a_read, async |portal| {
    let joao = with_two_documents(portal).await;
    let get = |range: &str, path: &str| {
        rows(portal, &joao, path).header("range", range).prefer("count=exact")
    };
    for (range, path, expected) in [
        ("0-0", "documents", "0-0/2"),
        ("1-", "documents", "1-1/2"),
        ("0-9", "documents?limit=1&offset=1", "1-1/2"),
    ] {
        let answer = get(range, path).send().await;
        assert_eq!(answer.is(206).header("content-range"), expected, "{range} {path}");
    }
    get("5-2", "documents").send().await.refused(416, "PGRST103");
});

portal_test!(openapi_describes_readable_tables, async |portal| {
    let ana = portal.admin().await;
    let joao = portal.client("joao").await;
    let of = async |user: &TestUser| portal.get("/rest/v1/").auth(user).send().await.is(200).json();
    let (office, client) = (of(&ana).await, of(&joao).await);
    assert_eq!(office["swagger"], "2.0");
    assert!(office["definitions"]["documents"]["properties"]["client_id"].is_object());
    assert!(client["definitions"]["documents"]["properties"]["client_id"].is_null());
    assert!(client["paths"]["/email_templates"].is_null());
    assert!(client["paths"]["/tickets"]["post"].is_object());
    assert!(client["paths"]["/folders"]["post"].is_null());
});

portal_test!(openapi_3_describes_what_the_caller_may_use, async |portal| {
    let ana = portal.admin().await;
    let joao = portal.client("joao").await;
    let of = async |user: &TestUser| {
        let accept = "application/vnd.oai.openapi+json;version=3.1";
        let answer = portal.get("/rest/v1/").auth(user).header("accept", accept).send().await;
        assert_eq!(answer.header("content-type"), accept);
        answer.is(200).json()
    };
    let (office, client) = (of(&ana).await, of(&joao).await);
    assert_eq!(office["openapi"], "3.1.1");
    let columns = |document: &Value, schema: &str| {
        document["components"]["schemas"][schema]["properties"].clone()
    };
    assert!(columns(&office, "documents")["client_id"].is_object());
    assert!(columns(&client, "documents")["client_id"].is_null());
    assert!(columns(&client, "tickets.insert")["subject"].is_object());
    assert!(columns(&client, "tickets.insert")["created_at"].is_null());
    assert!(client["paths"]["/folders"]["post"].is_null());
    assert!(client["paths"]["/email_templates"].is_null());
    let put = &office["paths"]["/folders"]["put"];
    assert_eq!(put["parameters"][0]["$ref"], "#/components/parameters/folders.id");
    for body in [put, &client["paths"]["/tickets"]["post"]] {
        for format in ["application/json", "text/csv", "application/x-www-form-urlencoded"] {
            assert!(body["requestBody"]["content"][format]["schema"].is_object(), "{format}");
        }
    }
    assert!(client["paths"]["/tickets"]["put"].is_null());
    assert!(office["paths"]["/rpc/delete_folder"]["post"].is_object());
    assert!(client["paths"]["/rpc/delete_folder"].is_null());
    assert!(!client.to_string().contains("legal_hold_reason"));
});

portal_test!(unknown_functions_are_reported, async |portal| {
    let joao = portal.client("joao").await;
    let call = portal.post("/rest/v1/rpc/nada").auth(&joao).json(&json!({})).send().await;
    call.refused(404, "PGRST202");
    portal.get("/rest/v1/rpc/nada?a=1").auth(&joao).send().await.refused(404, "PGRST202");
    portal.patch("/rest/v1/rpc/nada").auth(&joao).send().await.refused(405, "PGRST101");
});
