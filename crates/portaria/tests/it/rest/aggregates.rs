//! Aggregate functions, groups, and spread embeds of several rows.

use serde_json::json;

use crate::harness::{TestPortal, TestUser, portal_test};
use crate::rest::{read, rows};

/// Documents with sizes: three of joao in two folders, one of maria.
async fn documents(portal: &TestPortal) -> (TestUser, TestUser, TestUser) {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    for (client, folder, name, size) in [
        (&joao, "contratos", "a.pdf", Some(10)),
        (&joao, "contratos", "b.pdf", Some(5)),
        (&joao, "faturas", "c.pdf", None),
        (&maria, "faturas", "m.pdf", Some(1_000)),
    ] {
        let document = portal.document(client, folder, name).await;
        let change = portal.patch(&format!("/rest/v1/documents?id=eq.{}", document.id));
        change.auth(&ana).json(&json!({"size": size})).send().await.is(204);
    }
    (ana, joao, maria)
}

portal_test!(aggregates_see_own_rows_only, async |portal| {
    let (ana, joao, _) = documents(portal).await;
    let all = "documents?select=count(),n:size.count(),size.sum(),size.avg(),size.min(),size.max()";
    let text =
        async |user: &TestUser, path: &str| rows(portal, user, path).send().await.is(200).text();
    assert_eq!(
        text(&joao, all).await,
        r#"[{"count":3,"n":2,"sum":15,"avg":7.5000000000000000,"min":5,"max":10}]"#
    );
    assert_eq!(
        text(&ana, all).await,
        r#"[{"count":4,"n":3,"sum":1015,"avg":338.3333333333333333,"min":5,"max":1000}]"#
    );
    assert_eq!(
        text(&joao, &format!("{all}&name=eq.none")).await,
        r#"[{"count":0,"n":0,"sum":null,"avg":null,"min":null,"max":null}]"#
    );
    let cast = "documents?select=size.sum()::text,size.avg()::int,c:count()::text";
    assert_eq!(text(&joao, cast).await, r#"[{"sum":"15","avg":8,"c":"3"}]"#);
    let stripped = rows(portal, &joao, "documents?select=size.avg(),min:size.min()&name=eq.c.pdf");
    let stripped = stripped.header("accept", "application/vnd.pgrst.array+json;nulls=stripped");
    assert_eq!(stripped.send().await.is(200).text(), "[{}]");
    let csv =
        rows(portal, &ana, "documents?select=size.avg(),count()").header("accept", "text/csv");
    assert_eq!(csv.send().await.is(200).text(), "avg,count\n338.3333333333333333,4");
});

portal_test!(sum_above_64_bits_is_exact, async |portal| {
    let ana = portal.admin().await;
    for name in ["a", "b"] {
        let row = json!({"name": name, "folder_id_supabase": "contratos", "size": i64::MAX});
        portal.post("/rest/v1/documents").auth(&ana).json(&row).send().await.is(201);
    }
    let answer = rows(portal, &ana, "documents?select=size.sum(),size.avg()").send().await;
    assert_eq!(
        answer.is(200).text(),
        r#"[{"sum":18446744073709551614,"avg":9223372036854775807}]"#
    );
});

portal_test!(other_selected_values_form_groups, async |portal| {
    let (ana, joao, _) = documents(portal).await;
    for (path, own) in [
        (
            "documents?select=folder_id_supabase,count(),size.sum()",
            json!([
                {"folder_id_supabase": "contratos", "count": 2, "sum": 15},
                {"folder_id_supabase": "faturas", "count": 1, "sum": null},
            ]),
        ),
        (
            "documents?select=count(),folder:folder_id_supabase&order=folder_id_supabase.desc&limit=1",
            json!([{"count": 1, "folder": "faturas"}]),
        ),
        (
            "documents?select=count(),folders(name)&order=folders(name).desc",
            json!([
                {"count": 1, "folders": {"name": "Faturas"}},
                {"count": 2, "folders": {"name": "Contratos"}},
            ]),
        ),
        (
            "documents?select=count(),...folders(pasta:name,first:position.min(),n:count())",
            json!([
                {"count": 2, "pasta": "Contratos", "first": 1, "n": 2},
                {"count": 1, "pasta": "Faturas", "first": 2, "n": 1},
            ]),
        ),
        (
            "documents?select=day:created_at::date,count()",
            json!([{"day": "2026-11-21", "count": 3}]),
        ),
        (
            "folders?select=name,documents(count(),size.max(),n:size.avg()::text)&order=position",
            json!([
                {"name": "Contratos", "documents": [{"count": 2, "max": 10, "n": "7.5000000000000000"}]},
                {"name": "Faturas", "documents": [{"count": 1, "max": null, "n": null}]},
                {"name": "Documentos Pessoais", "documents": [{"count": 0, "max": null, "n": null}]},
            ]),
        ),
        (
            "folders?select=name,documents(status,count())&order=position&documents.limit=1",
            json!([
                {"name": "Contratos", "documents": [{"status": "active", "count": 2}]},
                {"name": "Faturas", "documents": [{"status": "active", "count": 1}]},
                {"name": "Documentos Pessoais", "documents": []},
            ]),
        ),
        ("folders?select=count(),documents!inner()&documents.name=eq.m.pdf", json!([{"count": 0}])),
        ("folders?select=count(),documents()&documents=is.null", json!([{"count": 1}])),
    ] {
        assert_eq!(read(portal, &joao, path).await, own, "{path}");
    }
    let by_client = "documents?select=...clients(email),count()&order=clients(email)";
    assert_eq!(
        read(portal, &ana, by_client).await,
        json!([
            {"email": "joao@cliente.com.br", "count": 3},
            {"email": "maria@cliente.com.br", "count": 1},
        ])
    );
    let counted = rows(portal, &joao, "documents?select=count()").prefer("count=exact");
    assert_eq!(counted.send().await.is(206).header("content-range"), "0-0/3");
    let head = portal.head("/rest/v1/documents?select=name,count()").auth(&joao);
    assert_eq!(head.prefer("count=exact").send().await.is(200).header("content-range"), "0-2/3");
});

portal_test!(aggregates_without_a_meaning_are_refused, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    for (path, code) in [
        ("documents?select=client_id.count()", "42703"),
        ("folders?select=id,count()", "42703"),
        ("clients?select=user_metadata-%3Ex,count()", "PGRST127"),
        ("documents?select=size::text.sum()", "PGRST127"),
        ("documents?select=folders(count())", "PGRST127"),
        ("folders?select=count(),documents(id)", "PGRST127"),
        ("folders?select=...documents(count())", "PGRST127"),
        ("folders?select=documents(count)&documents.order=name", "42803"),
    ] {
        rows(portal, &joao, path).send().await.refused(400, code);
    }
    for path in ["documents?select=type.avg()", "clients?select=user_metadata.max()"] {
        rows(portal, &joao, path).send().await.refused(404, "42883");
    }
    let path = "/rest/v1/saved_replies?select=count()";
    let row = json!({"title": "Segunda via", "body": "Segue."});
    let write = portal.post(path).auth(&ana).prefer("return=representation").json(&row);
    write.send().await.refused(400, "PGRST127");
    assert_eq!(read(portal, &ana, "saved_replies").await, json!([]));
});

portal_test!(long_texts_form_no_groups, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    portal.ticket(&joao, "Dúvida").await;
    for path in [
        "tickets?select=message,count()",
        "tickets?select=*,count()",
        "tickets?select=id,message.max()",
        "tickets?select=message.min(),id",
        "tickets?select=status,n:message.count()",
        "ticket_messages?select=count(),...tickets(message)",
        "ticket_messages?select=count(),tickets(message)",
        "tickets?select=id,ticket_messages(body,count())",
    ] {
        for user in [&ana, &joao] {
            rows(portal, user, path).send().await.refused(400, "PGRST127");
        }
    }
    assert_eq!(
        read(portal, &joao, "tickets?select=subject,count()&message=ilike.*longa*").await,
        json!([{"subject": "Dúvida", "count": 1}])
    );
});

portal_test!(to_many_spread_is_an_array_per_column, async |portal| {
    let (ana, joao, _) = documents(portal).await;
    for (path, own) in [
        (
            "folders?select=name,...documents(files:name,size)&documents.order=name.desc&order=position",
            json!([
                {"name": "Contratos", "files": ["b.pdf", "a.pdf"], "size": [5, 10]},
                {"name": "Faturas", "files": ["c.pdf"], "size": [null]},
                {"name": "Documentos Pessoais", "files": [], "size": []},
            ]),
        ),
        (
            "folders?select=...documents!inner(name,...folders(pasta:name),folders(kind))\
             &id_supabase=eq.contratos&documents.order=name&documents.limit=1",
            json!([{"name": ["a.pdf"], "pasta": ["Contratos"], "folders": [{"kind": "contrato"}]}]),
        ),
        (
            "clients?select=...documents(name,...document_receipts(action))&documents.order=name",
            json!([{"name": ["a.pdf", "b.pdf", "c.pdf"], "action": [[], [], []]}]),
        ),
        (
            "documents?select=name,...folders(...documents(n:name))&name=eq.c.pdf",
            json!([{"name": "c.pdf", "n": ["c.pdf"]}]),
        ),
    ] {
        assert_eq!(read(portal, &joao, path).await, own, "{path}");
    }
    let csv =
        "folders?select=name,...documents(files:name)&id_supabase=eq.faturas&documents.order=name";
    let csv = rows(portal, &ana, csv).header("accept", "text/csv").send().await;
    assert_eq!(csv.is(200).text(), "name,files\nFaturas,\"[\"\"c.pdf\"\",\"\"m.pdf\"\"]\"");
});

portal_test!(embed_is_named_by_column_and_constraint, async |portal| {
    let (ana, joao, _) = documents(portal).await;
    for path in [
        "documents?select=p:folders!folder_id_supabase(name)&name=eq.a.pdf",
        "documents?select=p:folders!id_supabase(name)&name=eq.a.pdf",
        "documents?select=p:folders!documents_folder_id_supabase_fkey(name)&name=eq.a.pdf",
        "documents?select=p:documents_folder_id_supabase_fkey(name)&name=eq.a.pdf",
        "documents?select=p:folder_id_supabase(name)&name=eq.a.pdf",
    ] {
        assert_eq!(
            read(portal, &joao, path).await,
            json!([{"p": {"name": "Contratos"}}]),
            "{path}"
        );
    }
    let own_key = "documents?select=folder_id_supabase(name)&name=eq.a.pdf";
    assert_eq!(
        read(portal, &joao, own_key).await,
        json!([{"folder_id_supabase": {"name": "Contratos"}}])
    );
    // A hidden column names no relation.
    let hidden = "documents?select=clients!COLUMN(email)";
    read(portal, &ana, &hidden.replace("COLUMN", "client_id")).await;
    let refusals = ["client_id", "nonesuch"].map(|column| hidden.replace("COLUMN", column));
    for path in &refusals {
        rows(portal, &joao, path).send().await.refused(400, "PGRST200");
    }
    // Its foreign key names none either, so that it does not reveal the column.
    for table in ["documents", "tickets"] {
        let path = |key: &str, embed: &str| {
            format!("{table}?select={}", embed.replace("KEY", &format!("{table}_{key}_fkey")))
        };
        let (column, target) =
            if table == "documents" { ("client_id", "clients") } else { ("assignee_id", "staff") };
        for embed in ["KEY(email)", &format!("{target}!KEY(email)")] {
            read(portal, &ana, &path(column, embed)).await;
            for key in [column, "nonesuch"] {
                let refused = rows(portal, &joao, &path(key, embed)).send().await;
                refused.refused(400, "PGRST200");
            }
        }
    }
    // The key of a client names several relations.
    let several = "clients?select=id(*)";
    for user in [&ana, &joao] {
        let refusal = rows(portal, user, several).send().await.refused(300, "PGRST201").json();
        assert_eq!((&refusal["details"], &refusal["hint"]), (&json!(null), &json!(null)));
    }
    let path = format!("/rest/v1/{several}");
    let service = portal.get(&path).bearer(&portal.app.keys.service_role).send().await;
    let refusal = service.refused(300, "PGRST201").json();
    assert_eq!(
        refusal["details"][0],
        json!({
            "cardinality": "one-to-many",
            "embedding": "clients with documents",
            "relationship": "documents_client_id_fkey using clients(id) and documents(client_id)",
        })
    );
    let hint = refusal["hint"].as_str().unwrap();
    assert!(hint.contains("'documents!documents_client_id_fkey'"), "{hint}");
});
