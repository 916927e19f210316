//! Templates: validation, preview, and sanitization.

use jiff::SignedDuration;
use portaria::db::Tx;
use sea_query::{Expr, ExprTrait, Query};
use serde_json::{Value, json};

use crate::harness::{TestPortal, portal_test};
use crate::notifications::{call, settings, template};

const EMPTY: [&str; 0] = [];

async fn save(portal: &TestPortal, subject: &str, html: &str) -> crate::harness::request::Answer {
    let row = json!({
        "name": "Nosso", "subject": subject, "html_content": html, "event_trigger": "fatura_new",
    });
    let request = portal.post("/rest/v1/email_templates").bearer(&portal.app.keys.service_role);
    request.json(&row).send().await
}

portal_test!(invalid_template_is_rejected, async |portal| {
    for (subject, html, expected) in [
        ("{{client.cpf}}", "<p>{{ client.name }}</p>", json!(["client.cpf"])),
        ("s", "{{client.name", json!(["{{client.name"])),
        ("s", "{{{client.name}}}", json!(["{{{client.name}}"])),
        ("s", "{{ {{x}} }}", json!(["x", "{{ "])),
        (
            "s",
            "{{constructor}} {{7*7}} {{client.password}} {% include %}",
            json!(["constructor", "client.password", "{{7*7}}"]),
        ),
        ("s", "{{config}}{{self.__init__}}", json!(["config", "self.__init__"])),
    ] {
        let refused = save(portal, subject, html).await.refused(422, "template_variables").json();
        assert_eq!(refused["details"], expected.to_string(), "{html}");
        assert!(refused["message"].as_str().unwrap().contains("não existem"));
    }
    for subject in
        ["a\r\nBcc: x@y.com", "a\nb", "a\u{2028}b", &"é".repeat(201), &"a".repeat(10_000)]
    {
        save(portal, subject, "<p>a</p>").await.refused(422, "template_subject");
    }
    save(portal, "a\0b", "<p>a</p>").await.refused(400, "22P05");
    let image = |size| format!("<p>a</p><img src=\"data:image/png;base64,{}\">", "A".repeat(size));
    save(portal, "s", &image(150_000)).await.refused(422, "template_image");
    let kept = portal.get("/rest/v1/email_templates").bearer(&portal.app.keys.service_role);
    assert_eq!(kept.send().await.json(), json!([]));

    // Variables without a value for the event are kept, and the HTML is stored unchanged.
    let html =
        "<script>alert(1)</script><p onclick=\"x()\">{{ticket.subject}} ${7*7} <%= 1 %> #{x}</p>";
    let subject = format!("{{{{ client.name }}}} 🎉 =?utf-8?B?w6k=?= {}", "é".repeat(160));
    save(portal, "s", &image(90_000)).await.is(201);
    save(portal, &subject, html).await.is(201);
    let path = "/rest/v1/email_templates?select=id,html_content&subject=neq.s";
    let kept = portal.get(path).bearer(&portal.app.keys.service_role).send().await.json();
    assert!(kept[0]["html_content"] == html);
    // Updates are validated like inserts.
    let row = format!("/rest/v1/email_templates?id=eq.{}", kept[0]["id"].as_str().unwrap());
    let change = portal.patch(&row).bearer(&portal.app.keys.service_role);
    let change = change.json(&json!({"subject": "{{client.cpf}}"})).send().await;
    change.refused(422, "template_variables");
});

portal_test!(template_beyond_the_limits_of_its_html_is_refused, async |portal| {
    let ana = portal.admin().await;
    let nested = |depth: usize| format!("{}a{}", "<div>".repeat(depth), "</div>".repeat(depth));
    for (html, code) in [
        (nested(101), "template_depth"),
        // Without end tags, and inside elements that the sanitizer removes.
        ("<div>".repeat(80_000), "template_depth"),
        (format!("<svg>{}", "<g>".repeat(60_000)), "template_depth"),
        ("<p>a</p>".repeat(13_000), "template_size"),
        // Each paragraph would open the hundred elements again.
        (format!("<p>{}{}", "<b><i>".repeat(49), "x<p>".repeat(5_000)), "template_size"),
        (
            format!("<p {}>", (0..15_000).map(|n| format!("a{n}")).collect::<Vec<_>>().join(" ")),
            "template_size",
        ),
    ] {
        let refused = save(portal, "s", &html).await.refused(422, code).json();
        let message = refused["message"].as_str().unwrap();
        assert!(message.starts_with("O conteúdo"), "{message}");
        let trial = json!({"event_trigger": "fatura_new", "subject": "s", "html_content": html});
        for function in ["preview_template", "send_test_mail"] {
            call(portal, &ana.token, function, &trial).await.refused(422, code);
        }
    }
    assert_eq!(portal.mails().await.len(), 0);
    save(portal, "s", &nested(100)).await.is(201);
    // Only callers who may write a template learn what is wrong with it.
    let joao = portal.client("joao").await;
    let row = json!({"name": "n", "subject": "s", "html_content": nested(101), "event_trigger": "fatura_new"});
    let theirs = portal.post("/rest/v1/email_templates").auth(&joao).json(&row);
    theirs.send().await.refused(403, "42501");
});

portal_test!(stored_template_beyond_the_limits_is_replaced_by_the_built_in_text, async |portal| {
    let joao = portal.client("joao").await;
    settings(portal, &[("fatura_new", true)]).await;
    let id = template(portal, "fatura_new", "Nosso", "<p>a</p>").await;
    // A release without the limits saved it.
    let write = move |tx: &mut Tx<'_>| {
        let mut update = Query::update();
        update.table("email_templates").value("html_content", "<div>".repeat(2_000));
        tx.execute(update.and_where(Expr::col("id").eq(id)))
    };
    portal.app.db.write(write).await.unwrap();
    portal.document(&joao, "faturas", "Guia.pdf").await;
    assert_eq!(portal.mail("fatura_new", &joao.email).await.subject, "Nova fatura: Guia.pdf");
});

portal_test!(blank_template_and_unknown_trigger_are_refused, async |portal| {
    let ana = portal.admin().await;
    let id = template(portal, "fatura_new", "s", "<p>a</p>").await;
    let row = json!({"name": "n", "subject": "s", "html_content": "<p>a</p>", "event_trigger": "fatura_new"});
    for (column, value) in [
        ("name", ""),
        ("name", " \t"),
        ("subject", " \u{a0}"),
        ("html_content", " \n "),
        ("event_trigger", "fatura_nova"),
        ("event_trigger", ""),
    ] {
        let mut wrong = row.clone();
        wrong[column] = value.into();
        let insert = portal.post("/rest/v1/email_templates").auth(&ana).json(&wrong);
        let refused = insert.send().await.refused(400, "23514").json();
        let message = refused["message"].as_str().unwrap();
        assert!(message.ends_with(&format!("\"email_templates_{column}_check\"")), "{message}");
        let change = portal.patch(&format!("/rest/v1/email_templates?id=eq.{id}")).auth(&ana);
        change.json(&json!({column: value})).send().await.refused(400, "23514");
    }
    let path = "/rest/v1/email_notification_settings";
    let unknown = json!({"document_type_event": "fatura_nova", "enabled": true});
    portal.post(path).auth(&ana).json(&unknown).send().await.refused(400, "23514");
    // A template names the general notice by its trigger, the settings by the kind of document.
    let general = json!({"document_type_event": "aviso_geral", "enabled": true});
    portal.post(path).auth(&ana).json(&general).send().await.refused(400, "23514");
});

portal_test!(template_records_its_last_change, async |portal| {
    let id = template(portal, "fatura_new", "s", "<p>a</p>").await;
    let service = portal.app.keys.service_role.clone();
    let changed = async || {
        let path = "/rest/v1/email_templates?select=updated_at";
        let rows = portal.get(path).bearer(&service).send().await.json();
        rows[0]["updated_at"].as_str().unwrap().to_owned()
    };
    assert_eq!(changed().await, "2026-11-21T15:00:00+00:00");
    portal.advance(SignedDuration::from_secs(1));
    let row = format!("/rest/v1/email_templates?id=eq.{id}");
    let old = json!({"subject": "t", "updated_at": "2020-01-01T00:00:00Z"});
    portal.patch(&row).bearer(&service).json(&old).send().await.is(204);
    assert_eq!(changed().await, "2026-11-21T15:00:01+00:00");
    portal.advance(SignedDuration::from_secs(1));
    let whole = json!({"id": id, "name": "n", "subject": "u", "html_content": "<p>", "event_trigger": "fatura_new"});
    let merge = portal.post("/rest/v1/email_templates").bearer(&service);
    merge.prefer("resolution=merge-duplicates").json(&whole).send().await.is(200);
    assert_eq!(changed().await, "2026-11-21T15:00:02+00:00");
});

portal_test!(template_preview_equals_the_mail, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let document = portal
        .document_with(&joao, "faturas", "Guia.pdf", json!({"expires_at": "2026-11-30"}))
        .await;
    let trial = json!({
        "event_trigger": "fatura_new",
        "subject": "{{client.name}}: {{document.name}}",
        "html_content": "<script>alert(1)</script><p onclick=\"x()\">{{constructor}} {{ 7*7 }} {% include %} \
            {{document.expires_at}} {{document.folder}} [{{ticket.subject}}]</p>\
            <a href=\"{{document.link}}\">ver</a><a href=\"javascript:alert(1)\">x</a>\
            <svg><a><set attributeName=href to=javascript:alert(1)></a></svg>",
        "client_id": joao.id, "document_id": document.id,
    });
    let shown = call(portal, &ana.token, "preview_template", &trial).await.is(200).json();
    assert_eq!(shown["subject"], "joao: Guia.pdf");
    assert_eq!(shown["unknown"], json!(["constructor", "{{ 7*7 }}"]));
    assert_eq!(shown["unavailable"], json!(["ticket.subject"]));
    let removed = shown["removed"].as_array().unwrap();
    for name in ["script", "svg", "onclick", "href"] {
        assert!(removed.contains(&json!(name)), "{name} in {removed:?}");
    }
    let html = shown["html"].as_str().unwrap();
    for words in ["{{constructor}} {{ 7*7 }} {% include %}", "30/11/2026 Faturas []", &document.id]
    {
        assert!(html.contains(words), "{words} in {html}");
    }
    for forbidden in ["<script", "<svg", "onclick", "javascript:", " 49 "] {
        assert!(!html.contains(forbidden), "{forbidden} in {html}");
    }
    assert!(shown["text"].as_str().unwrap().contains("30/11/2026 Faturas"), "{}", shown["text"]);

    // Without a client and a document the preview uses example values. The mail itself is identical, byte for byte,
    // except for the client's link that ends the notifications.
    let trial = json!({"event_trigger": "ticket_updated_user", "subject": "{{ticket.subject}}", "html_content": "{{client.name}}"});
    let shown = call(portal, &ana.token, "preview_template", &trial).await.is(200).json();
    assert_eq!(shown["subject"], "Ticket de exemplo");
    assert!(shown["html"].as_str().unwrap().contains("Cliente de exemplo"));
    let html = "<h2>{{document.name}}</h2><p>{{client.name}}</p>";
    settings(portal, &[("fatura_new", true)]).await;
    template(portal, "fatura_new", "s", html).await;
    let document = portal.document(&joao, "faturas", "Outra.pdf").await;
    let trial = json!({
        "event_trigger": "fatura_new", "subject": "s", "html_content": html,
        "client_id": joao.id, "document_id": document.id,
    });
    let shown = call(portal, &ana.token, "preview_template", &trial).await.is(200).json();
    let mail = portal.mail("fatura_new", &joao.email).await;
    let (shown, mailed) = (shown["html"].as_str().unwrap(), mail.html.as_str());
    let before_link = |html: &str| html.split("/cancelar-avisos/").next().unwrap().to_owned();
    assert_eq!(before_link(shown), before_link(mailed));
    assert!(mailed.contains(&joao.id) && !shown.contains(&joao.id), "{shown}");
});

portal_test!(test_mail_is_sent_to_its_author, async |portal| {
    let ana = portal.admin().await;
    let trial = json!({"event_trigger": "fatura_new", "subject": "Olá {{client.name}}", "html_content": "<p>{{document.name}}</p>"});
    let sent = call(portal, &ana.token, "send_test_mail", &trial).await.is(200).json();
    assert_eq!(sent["recipient"], ana.email);
    let path = format!(
        "/rest/v1/outbox?select=event,recipient,subject,topic,user_id&id=eq.{}",
        sent["id"].as_str().unwrap()
    );
    let row = portal.get(&path).auth(&ana).send().await.is(200).json();
    let expected = json!([{
        "event": "test", "recipient": ana.email, "subject": "[Teste] Olá Cliente de exemplo", "topic": null, "user_id": ana.id,
    }]);
    assert_eq!(row, expected);
    call(portal, &ana.token, "send_test_mail", &trial).await.is(200);
    assert_eq!(portal.mails_about("test").await, 2);
    let service = portal.app.keys.service_role.clone();
    call(portal, &service, "send_test_mail", &trial).await.refused(403, "42501");
});

portal_test!(default_templates_are_created_where_none_exist, async |portal| {
    let ana = portal.admin().await;
    let own = template(portal, "fatura_new", "Nosso", "<p>a</p>").await;
    // Two concurrent calls create one template.
    let nothing = json!({});
    let ask = || call(portal, &ana.token, "create_default_templates", &nothing);
    let (one, other) = tokio::join!(ask(), ask());
    let mut made = [one.is(200).json(), other.is(200).json()];
    made.sort_by_key(|ids| ids.as_array().unwrap().len());
    let [none, ids] = made;
    assert_eq!(none, json!([]));
    assert_eq!(ids.as_array().unwrap().len(), 13);
    assert!(!ids.as_array().unwrap().contains(&json!(own)));
    let again = call(portal, &ana.token, "create_default_templates", &json!({})).await.is(200);
    assert_eq!(again.json(), json!([]));
    let path = "/rest/v1/email_templates?select=name,subject,html_content&event_trigger=eq.ticket_created_user";
    let rows = portal.get(path).auth(&ana).send().await.json();
    assert_eq!(rows[0]["name"], "Ticket criado");
    // The unchanged default templates produce the same mails as no templates.
    let joao = portal.client("joao").await;
    portal.ticket(&joao, "Com modelo").await;
    let with = portal.mail("ticket_created_user", &joao.email).await;
    let all = portal.delete("/rest/v1/email_templates?name=neq.x").auth(&ana);
    all.send().await.is(204);
    portal.ticket(&joao, "Sem modelo").await;
    let mails = portal.mails().await;
    let without = mails.iter().find(|mail| mail.subject.contains("Sem modelo")).unwrap();
    assert_eq!(
        with.html.replace("Com", "Sem").replace(&with.link(), ""),
        without.html.replace(&without.link(), "")
    );
    let lines = portal.get("/rest/v1/activity?select=event&event=eq.template.created").auth(&ana);
    assert_eq!(lines.send().await.json().as_array().unwrap().len(), 14);
});

portal_test!(recipients_are_shown_before_an_event_is_enabled, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    for (client, folder, day) in [
        (&joao, "faturas", "2026-11-25"),
        (&joao, "faturas", "2026-11-26"),
        (&maria, "faturas", "2026-11-20"),
        (&maria, "contratos", "2026-12-30"),
    ] {
        let name = format!("{day}.pdf");
        portal.document_with(client, folder, &name, json!({"expires_at": day})).await;
    }
    let ask = async |question: Value| {
        call(portal, &ana.token, "mail_audience", &question).await.is(200).json()
    };
    let all = json!({"fatura_new": true, "fatura_expiring_soon": true, "fatura_expired": true, "contrato_expired": true, "ticket_created_user": true});
    assert_eq!(
        ask(json!({"settings": all})).await,
        json!([
            {"setting": "fatura_expiring_soon", "count": 1, "names": ["joao"]},
            {"setting": "fatura_expired", "count": 1, "names": ["maria"]},
        ])
    );
    assert_eq!(ask(json!({"settings": {"fatura_expiring_soon": false}})).await, json!([]));

    let document = |folder: &str, fields: Value| {
        let mut document = json!({"client_id": joao.id, "folder_id_supabase": folder});
        document.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        json!({"document": document})
    };
    let line = |setting: &str, reason: Option<&str>| match reason {
        Some(reason) => json!({"setting": setting, "count": 0, "names": [], "reason": reason}),
        None => json!({"setting": setting, "count": 1, "names": ["joao"]}),
    };
    let nothing = json!([{"setting": null, "count": 0, "names": [], "reason": "no_kind"}]);
    assert_eq!(ask(document("documentos-pessoais", json!({}))).await, nothing);
    assert_eq!(ask(document("faturas", json!({}))).await, json!([line("fatura_new", Some("off"))]));
    settings(portal, &[("fatura_new", true), ("contrato_new", true)]).await;
    assert_eq!(ask(document("faturas", json!({}))).await, json!([line("fatura_new", None)]));
    assert_eq!(
        ask(document("faturas", json!({"kind": "contrato", "expires_at": "2026-11-22"}))).await,
        json!([line("contrato_new", None), line("contrato_expiring_soon", Some("off"))])
    );
    let request = portal.post("/rest/v1/muted_topics").auth(&joao);
    request.json(&json!({"topic": "documents"})).send().await.is(201);
    assert_eq!(
        ask(document("faturas", json!({"expires_at": ""}))).await,
        json!([line("fatura_new", Some("muted"))])
    );
    let not_a_client = json!({"document": {"client_id": ana.id, "folder_id_supabase": "faturas"}});
    assert_eq!(ask(not_a_client).await, json!([line("fatura_new", Some("unreachable"))]));
    assert_eq!(portal.mails().await.len(), 0);
    for question in
        [json!({}), json!({"settings": 1}), json!({"document": {}}), json!({"nada": {}})]
    {
        call(portal, &ana.token, "mail_audience", &question).await.refused(404, "PGRST202");
    }
});

portal_test!(template_preview_and_test_require_the_office, async |portal| {
    let joao = portal.client("joao").await;
    let trial = json!({"event_trigger": "fatura_new", "subject": "s", "html_content": "h"});
    for (function, arguments) in [
        ("preview_template", trial.clone()),
        ("send_test_mail", trial),
        ("mail_audience", json!({"settings": {}})),
        ("create_default_templates", json!({})),
    ] {
        call(portal, &joao.token, function, &arguments).await.refused(403, "42501");
        let anon = portal.app.keys.anon.clone();
        call(portal, &anon, function, &arguments).await.refused(401, "42501");
        call(portal, &joao.token, function, &json!({"x": 1})).await.refused(404, "PGRST202");
    }
    assert_eq!(portal.mails().await.len(), EMPTY.len());
});
