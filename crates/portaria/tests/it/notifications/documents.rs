//! Notifications about new documents: once per document that the client can open, if the office and the client want
//! them.

use jiff::SignedDuration;
use serde_json::json;

use crate::delivery::start_with_smtp_server;
use crate::harness::portal_test;
use crate::notifications::{queued_mails, settings, template};

const NEW: [(&str, bool); 4] =
    [("contrato_new", true), ("fatura_new", true), ("relatorio_new", true), ("aviso_new", true)];

portal_test!(new_document_is_notified_if_enabled, async |portal| {
    let joao = portal.client("joao").await;
    portal.document(&joao, "faturas", "Guia-DAS.pdf").await;
    assert_eq!(queued_mails(portal).await, [""; 0]);
    settings(portal, &[("contrato_new", true), ("fatura_new", false)]).await;
    portal.document(&joao, "faturas", "Guia-INSS.pdf").await;
    assert_eq!(queued_mails(portal).await, [""; 0]);
    settings(portal, &[("fatura_new", true)]).await;
    let document = portal.document(&joao, "faturas", "Guia-ISS.pdf").await;
    let mail = portal.mail("fatura_new", &joao.email).await;
    assert_eq!(mail.subject, "Nova fatura: Guia-ISS.pdf");
    assert_eq!(mail.link(), format!("http://127.0.0.1:8080/documents/view/{}", document.id));
    for words in ["Olá, joao.", "<strong>Guia-ISS.pdf</strong>", "Faturas", "Portaria"] {
        assert!(mail.html.contains(words), "{words} in {}", mail.html);
    }
    assert_eq!(queued_mails(portal).await, ["fatura_new joao"]);

    // The events and recipients of queued mails, as the office sees them.
    let row = portal
        .get("/rest/v1/outbox?select=event,user_id,topic,document_id,ticket_id,state,attempts")
        .bearer(&portal.app.keys.service_role)
        .send()
        .await;
    let expected = json!([{
        "event": "fatura_new", "user_id": joao.id, "topic": "documents", "document_id": document.id,
        "ticket_id": null, "state": "queued", "attempts": 0,
    }]);
    assert_eq!(row.is(200).json(), expected);
});

portal_test!(republished_document_is_notified_again, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let joao = portal.client("joao").await;
    settings(portal, &[("fatura_new", true)]).await;
    let document = portal.document(&joao, "faturas", "Guia-ISS.pdf").await;
    portal.deliver().await;
    assert_eq!(server.accepted().len(), 1);
    for call in ["withdraw_documents", "republish_documents"] {
        portal.advance(SignedDuration::from_mins(11));
        let call =
            portal.post(&format!("/rest/v1/rpc/{call}")).bearer(&portal.app.keys.service_role);
        call.json(&json!({"documents": [document.id]})).send().await.is(204);
    }
    portal.deliver().await;
    assert_eq!(server.accepted().len(), 2);
});

portal_test!(document_kind_selects_the_notification, async |portal| {
    let joao = portal.client("joao").await;
    settings(portal, &NEW).await;
    for (folder, name, fields) in [
        ("contratos", "a.pdf", json!({})),
        ("contratos", "b.pdf", json!({"kind": "relatorio"})),
        ("documentos-pessoais", "c.pdf", json!({})),
        ("documentos-pessoais", "d.pdf", json!({"type": "Aviso"})),
        ("faturas", "e.pdf", json!({"type": "contrato"})),
    ] {
        portal.document_with(&joao, folder, name, fields).await;
    }
    assert_eq!(
        queued_mails(portal).await,
        ["aviso_geral joao", "contrato_new joao", "fatura_new joao", "relatorio_new joao"]
    );
});

portal_test!(document_is_notified_on_release, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    settings(portal, &NEW).await;
    let service = portal.app.keys.service_role.clone();
    let change = async |id: &str, fields: serde_json::Value| {
        let request = portal.patch(&format!("/rest/v1/documents?id=eq.{id}")).bearer(&service);
        request.json(&fields).send().await.is(204);
    };
    let pending =
        portal.document_with(&joao, "faturas", "a.pdf", json!({"status": "pending"})).await;
    change(&pending.id, json!({"name": "b.pdf"})).await;
    assert_eq!(queued_mails(portal).await, [""; 0]);
    change(&pending.id, json!({"status": "active"})).await;
    assert_eq!(portal.mail("fatura_new", &joao.email).await.subject, "Nova fatura: b.pdf");
    // The mail of a document that is withdrawn is canceled, and a new one is queued at its release.
    for status in ["pending", "active", "archived", "active"] {
        change(&pending.id, json!({"status": status})).await;
    }
    assert_eq!(queued_mails(portal).await, ["fatura_new joao"; 2]);

    // A document archived before its release is not notified, even when restored.
    let old = portal.document_with(&joao, "faturas", "c.pdf", json!({"status": "archived"})).await;
    change(&old.id, json!({"status": "active"})).await;
    assert_eq!(queued_mails(portal).await, ["fatura_new joao"; 2]);

    // A document without a file is new when it gets one, and so is one that an upsert releases.
    let row = json!({"name": "Solto", "folder_id_supabase": "faturas"});
    let loose = portal.insert("documents", row).await;
    let path = portal.upload(&maria, "faturas", "b.pdf").await;
    change(&loose, json!({"file_url": path})).await;
    assert_eq!(
        queued_mails(portal).await,
        ["fatura_new joao", "fatura_new joao", "fatura_new maria"]
    );
    let held =
        portal.document_with(&joao, "contratos", "d.pdf", json!({"status": "pending"})).await;
    let row = json!({
        "id": held.id, "name": "d.pdf", "folder_id_supabase": "contratos", "file_url": held.path, "status": "active",
    });
    let request = portal.post("/rest/v1/documents").bearer(&service);
    request.prefer("resolution=merge-duplicates").json(&row).send().await.is(200);
    assert_eq!(portal.mails_about("contrato_new").await, 1);
});

portal_test!(each_document_of_a_batch_is_notified_and_a_rollback_none, async |portal| {
    let joao = portal.client("joao").await;
    settings(portal, &NEW).await;
    let mut rows = Vec::new();
    for number in 0..30 {
        let name = format!("{number}.pdf");
        let path = portal.upload(&joao, "faturas", &name).await;
        rows.push(json!({"name": name, "folder_id_supabase": "faturas", "file_url": path}));
    }
    let insert = || portal.post("/rest/v1/documents").bearer(&portal.app.keys.service_role);
    insert().prefer("tx=rollback").json(&json!(rows)).send().await.is(201);
    let mut broken = rows.clone();
    broken.push(json!({"name": "x", "folder_id_supabase": "faturas", "file_url": "public/x/y/z"}));
    insert().json(&json!(broken)).send().await.refused(409, "23503");
    assert_eq!(queued_mails(portal).await, [""; 0]);
    insert().json(&json!(rows)).send().await.is(201);
    assert_eq!(portal.mails_about("fatura_new").await, 30);
    let links: std::collections::BTreeSet<String> =
        portal.mails().await.iter().map(crate::mail::Mail::link).collect();
    assert_eq!(links.len(), 30);
});

portal_test!(unconfirmed_banned_and_muted_clients_are_not_notified, async |portal| {
    portal.set("signup", "true");
    let (joao, maria, banned) =
        (portal.client("joao").await, portal.client("maria").await, portal.client("banida").await);
    settings(portal, &NEW).await;
    let mute = |topic: &str| json!({"topic": topic});
    let request = portal.post("/rest/v1/muted_topics").auth(&joao);
    request.json(&mute("documents")).send().await.is(201);
    let request = portal.post("/rest/v1/muted_topics").auth(&maria);
    request.json(&mute("expiries")).send().await.is(201);
    let ban = portal.put(&format!("/auth/v1/admin/users/{}", banned.id));
    let ban = ban.bearer(&portal.app.keys.service_role).json(&json!({"ban_duration": "24h"}));
    ban.send().await.is(200);
    for user in [&joao, &maria, &banned] {
        portal.document(user, "faturas", "a.pdf").await;
    }
    portal.insert("documents", json!({"name": "Solto", "folder_id_supabase": "faturas"})).await;
    assert_eq!(queued_mails(portal).await, ["fatura_new maria"]);

    // An unconfirmed address may belong to another person.
    let signup = json!({"email": "estranho@cliente.com.br", "password": "senha-do-teste"});
    let answer = portal.post("/auth/v1/signup").json(&signup).send().await.is(200).json();
    let mut stranger = joao.clone();
    answer["id"].as_str().unwrap().clone_into(&mut stranger.id);
    portal.document(&stranger, "faturas", "a.pdf").await;
    assert_eq!(queued_mails(portal).await, ["confirmation estranho", "fatura_new maria"]);
});

portal_test!(most_recently_changed_template_is_used, async |portal| {
    let joao = portal.client("joao").await;
    settings(portal, &NEW).await;
    let subject = async |name: &str| {
        portal.document(&joao, "faturas", name).await;
        let mails = portal.mails().await;
        mails.into_iter().find(|mail| mail.html.contains(name)).unwrap().subject
    };
    let first = template(portal, "fatura_new", "Primeiro", "<p>{{document.name}}</p>").await;
    portal.advance(SignedDuration::from_secs(1));
    let second =
        template(portal, "fatura_new", "Segundo {{ document.folder }}", "<p>{{document.name}}</p>")
            .await;
    template(portal, "contrato_new", "Outro", "<p>{{document.name}}</p>").await;
    assert_eq!(subject("a.pdf").await, "Segundo Faturas");
    portal.advance(SignedDuration::from_secs(1));
    let service = portal.app.keys.service_role.clone();
    let row = |id: &str| format!("/rest/v1/email_templates?id=eq.{id}");
    let change = portal.patch(&row(&first)).bearer(&service).json(&json!({"description": "x"}));
    change.send().await.is(204);
    assert_eq!(subject("b.pdf").await, "Primeiro");
    for id in [&first, &second] {
        portal.delete(&row(id)).bearer(&service).send().await.is(204);
    }
    assert_eq!(subject("c.pdf").await, "Nova fatura: c.pdf");
});

portal_test!(notification_mail_escapes_client_name, async |portal| {
    let joao = portal.client("joao").await;
    settings(portal, &NEW).await;
    let name = "<img src=x onerror=alert(1)> {{document.link}}\r\nBcc: x@y.com";
    let rename =
        portal.put("/auth/v1/user").auth(&joao).json(&json!({"data": {"full_name": name}}));
    rename.send().await.is(200);
    let html = "<p title=\"{{client.name}}\">{{client.name}}</p><a href=\"{{document.link}}\">ver</a>\
        <script>alert(1)</script>";
    template(portal, "fatura_new", "{{client.name}}: {{document.name}} {{ticket.subject}}", html)
        .await;
    let name = json!({"name": "\"><b>a\u{202e}.pdf"});
    portal.document_with(&joao, "faturas", "a.pdf", name).await;
    let mail = portal.mail("fatura_new", &joao.email).await;
    assert_eq!(
        mail.subject,
        "<img src=x onerror=alert(1)> {{document.link}} Bcc: x@y.com: \"><b>a.pdf"
    );
    assert!(
        mail.html.contains("&lt;img src=x onerror=alert(1)&gt; {{document.link}}"),
        "{}",
        mail.html
    );
    for forbidden in ["<img", "<script", "<b>"] {
        assert!(!mail.html.contains(forbidden), "{forbidden} in {}", mail.html);
    }
});
