//! Embedded rows, each under the policy of its own table.

use serde_json::json;

use crate::harness::portal_test;
use crate::rest::{read, rows};

portal_test!(documents_and_folders_embed_each_other, async |portal| {
    let joao = portal.client("joao").await;
    portal.document(&joao, "contratos", "b.pdf").await;
    portal.document(&joao, "contratos", "a.pdf").await;
    portal.document(&joao, "faturas", "c.pdf").await;
    assert_eq!(
        read(portal, &joao, "documents?select=name,folders(name),pasta:folders(icon)&order=name")
            .await,
        json!([
            {"name": "a.pdf", "folders": {"name": "Contratos"}, "pasta": {"icon": "file-text"}},
            {"name": "b.pdf", "folders": {"name": "Contratos"}, "pasta": {"icon": "file-text"}},
            {"name": "c.pdf", "folders": {"name": "Faturas"}, "pasta": {"icon": "receipt"}},
        ])
    );
    assert_eq!(
        read(
            portal,
            &joao,
            "folders?select=name,documents(name)&documents.order=name.desc&order=position"
        )
        .await,
        json!([
            {"name": "Contratos", "documents": [{"name": "b.pdf"}, {"name": "a.pdf"}]},
            {"name": "Faturas", "documents": [{"name": "c.pdf"}]},
            {"name": "Documentos Pessoais", "documents": []},
        ])
    );
    assert_eq!(
        read(portal, &joao, "folders?select=name,documents(count)&order=position").await,
        json!([
            {"name": "Contratos", "documents": [{"count": 2}]},
            {"name": "Faturas", "documents": [{"count": 1}]},
            {"name": "Documentos Pessoais", "documents": [{"count": 0}]},
        ])
    );
    assert_eq!(
        read(portal, &joao, "documents?select=name,...folders(pasta:name)&order=name&limit=1")
            .await,
        json!([{"name": "a.pdf", "pasta": "Contratos"}])
    );
});

portal_test!(embed_contains_own_rows_only, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    portal.document(&maria, "contratos", "m.pdf").await;
    portal.document(&joao, "contratos", "j.pdf").await;
    portal.ticket(&joao, "Dúvida").await;
    let folder = "id_supabase=eq.contratos";
    for (path, own, all) in [
        (
            format!("folders?{folder}&select=documents(name)&documents.order=name"),
            json!([{"documents": [{"name": "j.pdf"}]}]),
            json!([{"documents": [{"name": "j.pdf"}, {"name": "m.pdf"}]}]),
        ),
        (
            format!("folders?{folder}&select=documents(count)"),
            json!([{"documents": [{"count": 1}]}]),
            json!([{"documents": [{"count": 2}]}]),
        ),
        (
            // Filters on embeds and inner embeds see own rows only, too.
            format!("folders?{folder}&select=documents!inner(name)&documents.name=eq.m.pdf"),
            json!([]),
            json!([{"documents": [{"name": "m.pdf"}]}]),
        ),
        (
            "documents?select=name,folders(documents(name))&name=eq.j.pdf&folders.documents.order=name".into(),
            json!([{"name": "j.pdf", "folders": {"documents": [{"name": "j.pdf"}]}}]),
            json!([{"name": "j.pdf", "folders": {"documents": [{"name": "j.pdf"}, {"name": "m.pdf"}]}}]),
        ),
        (
            "tickets?select=clients(email)".into(),
            json!([{"clients": {"email": "joao@cliente.com.br"}}]),
            json!([{"clients": {"email": "joao@cliente.com.br"}}]),
        ),
        (
            "clients?select=email,documents(count),tickets(count)&order=email".into(),
            json!([{"email": "joao@cliente.com.br", "documents": [{"count": 1}], "tickets": [{"count": 1}]}]),
            json!([
                {"email": "joao@cliente.com.br", "documents": [{"count": 1}], "tickets": [{"count": 1}]},
                {"email": "maria@cliente.com.br", "documents": [{"count": 1}], "tickets": [{"count": 0}]},
            ]),
        ),
    ] {
        assert_eq!(read(portal, &joao, &path).await, own, "{path}");
        assert_eq!(read(portal, &ana, &path).await, all, "{path}");
    }
    let inner = "folders?select=name,documents!inner(id)&documents.name=eq.m.pdf";
    let counted = rows(portal, &joao, inner).prefer("count=exact").send().await;
    assert_eq!(counted.is(200).header("content-range"), "*/0");
});

portal_test!(parent_row_of_another_client_is_null, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let ticket = portal.ticket(&joao, "Dúvida").await;
    let message = json!({"ticket_id": ticket, "body": "Alguém aí?"});
    portal.post("/rest/v1/ticket_messages").auth(&joao).json(&message).send().await.is(201);
    let path = "ticket_messages?select=body,tickets(subject)";
    let both = json!([{"body": "Alguém aí?", "tickets": {"subject": "Dúvida"}}]);
    assert_eq!(read(portal, &joao, path).await, both);
    // The office assigns the ticket to another client.
    let change = portal.patch(&format!("/rest/v1/tickets?id=eq.{ticket}")).auth(&ana);
    change.json(&json!({"user_id": maria.id})).send().await.is(204);
    for message in read(portal, &joao, path).await.as_array().unwrap() {
        assert_eq!(message["tickets"], json!(null));
    }
    assert_eq!(read(portal, &ana, path).await, both);
});

portal_test!(embed_limit_applies_per_parent, async |portal| {
    let joao = portal.client("joao").await;
    for folder in ["contratos", "faturas"] {
        for name in ["a.pdf", "b.pdf", "c.pdf"] {
            portal.document(&joao, folder, name).await;
        }
    }
    let path = "folders?select=name,documents(name)&order=position&documents.order=name.desc\
                &documents.limit=1&documents.offset=1";
    assert_eq!(
        read(portal, &joao, path).await,
        json!([
            {"name": "Contratos", "documents": [{"name": "b.pdf"}]},
            {"name": "Faturas", "documents": [{"name": "b.pdf"}]},
            {"name": "Documentos Pessoais", "documents": []},
        ])
    );
});

portal_test!(unknown_or_deep_embed_is_rejected_without_a_hint, async |portal| {
    let joao = portal.client("joao").await;
    for name in ["nonesuch", "email_templates", "users", "sessions"] {
        let answer = rows(portal, &joao, &format!("documents?select=*,{name}(id)")).send().await;
        assert_eq!(answer.refused(400, "PGRST200").json()["hint"], json!(null));
    }
    // The service key learns the name that was probably meant.
    for (path, status, code, hint) in [
        ("folder", 404, "PGRST205", json!("Perhaps you meant the table 'public.folders'")),
        (
            "documents?select=folder(name)",
            400,
            "PGRST200",
            json!("Perhaps you meant 'folders' instead of 'folder'."),
        ),
        ("nonesuch", 404, "PGRST205", json!(null)),
    ] {
        let key = &portal.app.keys.service_role;
        let by_service = portal.get(&format!("/rest/v1/{path}")).bearer(key).send().await;
        assert_eq!(by_service.refused(status, code).json()["hint"], hint, "{path}");
        let by_client = rows(portal, &joao, path).send().await.refused(status, code);
        assert_eq!(by_client.json()["hint"], json!(null), "{path}");
    }
    let deep = "documents?select=folders(documents(folders(documents(folders(documents(id))))))";
    rows(portal, &joao, deep).send().await.refused(400, "PGRST127");
    let deeper = format!("documents?select={}id{}", "folders(".repeat(50), ")".repeat(50));
    rows(portal, &joao, &deeper).send().await.refused(400, "PGRST127");
    rows(portal, &joao, "documents?folders.name=eq.x").send().await.refused(400, "PGRST108");
    let by_many =
        rows(portal, &joao, "folders?select=*,documents(id)&order=documents(name)").send().await;
    by_many.refused(400, "PGRST118");
    let by_none =
        rows(portal, &joao, "documents?select=*,folders(name)&order=clients(email)").send().await;
    let message = "'clients' is not an embedded resource in this request";
    assert_eq!(by_none.refused(400, "PGRST108").json()["message"], message);
});

portal_test!(rows_sort_by_a_column_of_a_to_one_embed, async |portal| {
    let joao = portal.client("joao").await;
    portal.document(&joao, "faturas", "a.pdf").await;
    portal.document(&joao, "contratos", "b.pdf").await;
    let path = "documents?select=name,folders(name)&order=folders(name)";
    let names = crate::rest::column(&read(portal, &joao, path).await, "name");
    assert_eq!(names, [json!("b.pdf"), json!("a.pdf")]);
});
