//! Regular expressions, containment of JSON, and text search.

use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, portal_test};
use crate::rest::{column, rows};

/// Creates a client with documents of these names.
async fn with_documents(portal: &TestPortal, names: &[&str]) -> TestUser {
    let joao = portal.client("joao").await;
    for name in names {
        let row = json!({"name": name, "folder_id_supabase": "contratos", "client_id": joao.id});
        portal.insert("documents", row).await;
    }
    joao
}

async fn names(portal: &TestPortal, user: &TestUser, filter: &str) -> Vec<Value> {
    let request = rows(portal, user, "documents?select=name&order=name").query("name", filter);
    column(&request.send().await.is(200).json(), "name")
}

portal_test!(regular_expressions_match_alike_on_both_databases, async |portal| {
    let joao = with_documents(portal, &["DAS 03/2026", "Declaração", "contrato anexo", "É"]).await;
    for (filter, expected) in [
        (r"match.^\w+ \d{2}/\d{4}$", vec!["DAS 03/2026"]),
        ("match.ção$", vec!["Declaração"]),
        ("match.declaração", vec![]),
        ("imatch.^DECLARAÇÃO$", vec!["Declaração"]),
        ("imatch.^é$", vec!["É"]),
        (r"match.^\p{Lu}$", vec!["É"]),
        ("match.to$", vec![]),
        ("match.to.anexo", vec!["contrato anexo"]),
        (r"match.\banexo\b", vec!["contrato anexo"]),
        (r"match.\bnexo", vec![]),
        ("match(any).{^D,^É}", vec!["DAS 03/2026", "Declaração", "É"]),
        ("match(all).{a,e}", vec!["Declaração", "contrato anexo"]),
        ("not.match.[a-z]", vec!["DAS 03/2026", "É"]),
        ("match.", vec!["DAS 03/2026", "Declaração", "contrato anexo", "É"]),
        // Accents may be written as characters of their own.
        ("match.^E\u{301}$", vec!["É"]),
    ] {
        assert_eq!(names(portal, &joao, filter).await, expected, "{filter}");
    }
});

portal_test!(regular_expressions_have_limits, async |portal| {
    let joao = with_documents(
        portal,
        &["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"],
    )
    .await;
    let request = |name: &str, test: &str| {
        rows(portal, &joao, "documents?select=id").query(name, test).send()
    };
    // Backtracking would take years.
    assert_eq!(names(portal, &joao, "match.^(a+)+$").await, [] as [&str; 0]);
    for pattern in [
        "(",
        r"(a)\1",
        "(?=a)",
        "a{256}",
        "(a{100}){100}",
        "(?:(?:a?){20}b?){20}",
        r"\y",
        r"(\w{100}){3}",
    ] {
        let refusal = request("name", &format!("match.{pattern}")).await;
        let message = refusal.refused(400, "2201B").json()["message"].clone();
        assert!(message.as_str().unwrap().starts_with("invalid regular expression: "), "{message}");
    }
    request("name", &format!("match.{}", "a".repeat(257))).await.refused(400, "PGRST127");
    request("created_at", "match.2026").await.refused(404, "42883");
    let many = vec!["name.match.a"; 21].join(",");
    request("or", &format!("({many})")).await.refused(400, "PGRST127");
    // Each sequence with a gap is a regular expression.
    let gaps = |count| vec!["nota<2>guia"; count].join("|");
    let searches = |gaps: String| vec![format!("name.fts.{gaps}"); 4].join(",");
    request("or", &format!("({})", searches(gaps(5)))).await.is(200);
    request("or", &format!("({})", searches(gaps(6)))).await.refused(400, "PGRST127");
});

portal_test!(filters_of_a_change_search_at_most_once, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let ticket = portal.ticket(&joao, "Dúvida").await;
    let mute = json!({"topic": "tickets"});
    portal.post("/rest/v1/muted_topics").auth(&joao).json(&mute).send().await.is(201);
    let change = |user: &TestUser, filter: &str| {
        let request = portal.patch("/rest/v1/tickets").auth(user).query("or", filter);
        request.json(&json!({"status": "closed"})).send()
    };
    // The thread that writes serves all people.
    for filter in ["(subject.match.x)", "(id.is.null,subject.fts.x)"] {
        change(&joao, filter).await.refused(400, "PGRST127");
    }
    let deletion = portal.delete("/rest/v1/muted_topics").auth(&joao).query("topic", "imatch.x");
    deletion.send().await.refused(400, "PGRST127");
    change(&joao, &format!("(id.eq.{ticket},subject.ilike.x*)")).await.is(204);

    change(&ana, "(id.is.null,subject.match.x)").await.is(204);
    change(&ana, "(subject.match.x,subject.fts.x)").await.refused(400, "PGRST127");
});

portal_test!(name_of_the_commonest_slip_is_searched, async |portal| {
    let joao =
        with_documents(portal, &["DAS 06/2026", "FGTS 06/2026", "Contrato das partes"]).await;
    let slip = ["DAS 06/2026"];
    assert_eq!(names(portal, &joao, "fts.das & 06").await, slip);
    assert_eq!(names(portal, &joao, "plfts.das 06/2026").await, slip);
    assert_eq!(names(portal, &joao, "fts.das:*").await, ["Contrato das partes", slip[0]]);
});

portal_test!(json_is_searched_by_containment, async |portal| {
    let ana = portal.admin().await;
    for (email, tags) in
        [("a@x.com", json!(["vip", 1])), ("b@x.com", json!([])), ("c@x.com", json!("vip"))]
    {
        let metadata = json!({"tags": tags, "address": {"city": "São Paulo", "floor": 2}});
        portal.create_user(json!({"email": email, "user_metadata": metadata})).await;
    }
    let request = |name: &str, test: &str| {
        rows(portal, &ana, "clients?select=email&order=email").query(name, test).send()
    };
    for (name, test, expected) in [
        ("user_metadata", r#"cs.{"tags":["vip"]}"#, vec!["a@x.com"]),
        ("user_metadata", r#"cs.{"address":{"floor":2.0}}"#, vec!["a@x.com", "b@x.com", "c@x.com"]),
        ("user_metadata", r#"cs.{"address":{"city":"são paulo"}}"#, vec![]),
        ("user_metadata", r#"cs.{"tags":"vip"}"#, vec!["c@x.com"]),
        ("user_metadata", r#"not.cs.{"tags":[]}"#, vec!["c@x.com"]),
        ("user_metadata->tags", r#"cs."vip""#, vec!["a@x.com", "c@x.com"]),
        ("user_metadata->tags", "cd.[1,2,\"vip\"]", vec!["a@x.com", "b@x.com", "c@x.com"]),
        (
            "user_metadata->address",
            r#"cd.{"city":"São Paulo","floor":2,"zip":null}"#,
            vec!["a@x.com", "b@x.com", "c@x.com"],
        ),
        // Without a value at the path the comparison is NULL.
        ("user_metadata->none", "not.cs.1", vec![]),
        (
            "or",
            r#"(user_metadata.cs."{\"tags\":[1]}",email.eq.b@x.com)"#,
            vec!["a@x.com", "b@x.com"],
        ),
    ] {
        let found = request(name, test).await.is(200).json();
        assert_eq!(column(&found, "email"), expected, "{name}={test}");
    }
    request("user_metadata", "cs.{vip}").await.refused(400, "22P02");
    request("user_metadata->>tags", "cs.[]").await.refused(404, "42883");
    request("email", "cs.[]").await.refused(404, "42883");
    request("user_metadata", "ov.{}").await.refused(400, "PGRST127");
    let large = format!("cs.[{}]", vec!["1"; 100].join(","));
    request("user_metadata", &large).await.refused(400, "PGRST127");
});

portal_test!(text_search_finds_inflections_without_accents, async |portal| {
    let texts = [
        "Declaração de Imposto",
        "Declarações do imposto de renda 2026",
        "Nota fiscal",
        "Contrato",
    ];
    let joao = with_documents(portal, &texts).await;
    let [one, many, nota, contrato] = texts;
    for (filter, expected) in [
        ("fts.declaracao", vec![one, many]),
        ("fts(portuguese).DECLARAÇÕES", vec![one, many]),
        ("fts.declaração & renda", vec![many]),
        ("fts.renda | (notas & !guia)", vec![many, nota]),
        ("fts.!imposto", vec![contrato, nota]),
        ("fts.contr:*", vec![contrato]),
        ("fts.imposto <2> renda", vec![many]),
        ("fts.imposto <-> renda", vec![]),
        ("plfts.imposto declaração", vec![one, many]),
        ("phfts.imposto de renda", vec![many]),
        ("phfts.imposto declaração", vec![]),
        ("wfts.impostos -renda", vec![one]),
        ("wfts.\"nota fiscal\" or contratos", vec![contrato, nota]),
        ("wfts.2026", vec![many]),
        ("not.wfts.imposto", vec![contrato, nota]),
        // Ignored words alone find nothing.
        ("plfts.de", vec![]),
        ("wfts.", vec![]),
    ] {
        assert_eq!(names(portal, &joao, filter).await, expected, "{filter}");
    }
    let request = |name: &str, test: &str| {
        rows(portal, &joao, "documents?select=id").query(name, test).send()
    };
    request("name", "fts.a b").await.refused(400, "42601");
    request("name", "fts(english).a").await.refused(400, "42704");
    request("name", &format!("plfts.{}", "a ".repeat(200))).await.refused(400, "PGRST127");
    request("name", &format!("plfts.{}", "nota ".repeat(21))).await.refused(400, "PGRST127");
    request("type", "fts.pdf").await.refused(400, "PGRST127");
    request("size", "fts.1").await.refused(404, "42883");
    // The companion columns exist for no caller.
    request("name_words", "eq.a").await.refused(400, "42703");
    let ana = portal.admin().await;
    rows(portal, &ana, "documents?select=name_words").send().await.refused(400, "42703");
});

portal_test!(text_search_follows_changes_and_policies, async |portal| {
    let joao = with_documents(portal, &["Nota fiscal"]).await;
    let (maria, ana) = (portal.client("maria").await, portal.admin().await);
    assert_eq!(names(portal, &maria, "fts.nota").await, [] as [&str; 0]);
    let change = portal.patch("/rest/v1/documents?name=fts.notas").auth(&ana);
    change.json(&json!({"name": "Guia de pagamento"})).send().await.is(204);
    assert_eq!(names(portal, &joao, "fts.nota").await, [] as [&str; 0]);
    assert_eq!(names(portal, &joao, "fts.pagamentos").await, ["Guia de pagamento"]);

    let ticket = portal.ticket(&joao, "Segunda via").await;
    let reply = json!({"ticket_id": ticket, "body": "Seguem as guias."});
    portal.post("/rest/v1/ticket_messages").auth(&joao).json(&reply).send().await.is(201);
    for (path, name) in [
        ("tickets?select=id&subject=wfts.vias", "id"),
        ("tickets?select=id,ticket_messages!inner(id)&ticket_messages.body=plfts.guia", "id"),
    ] {
        let found = rows(portal, &joao, path).send().await.is(200).json();
        assert_eq!(column(&found, name), [ticket.as_str()], "{path}");
    }
    let found = rows(portal, &maria, "tickets?select=id&subject=wfts.vias").send().await;
    assert_eq!(found.is(200).json(), json!([]));
});

portal_test!(search_of_staff_finds_rare_and_frequent_words, async |portal| {
    let ana = portal.admin().await;
    // More documents than a search is restricted to.
    let frequent: Vec<String> = (0..600).map(|number| format!("Guia mensal {number:03}")).collect();
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    for (client, names) in
        [(&joao, frequent.as_slice()), (&maria, &["Guia anual".into(), "Certidão negativa".into()])]
    {
        let row =
            |name| json!({"name": name, "folder_id_supabase": "contratos", "client_id": client.id});
        for names in names.chunks(500) {
            let body: Vec<Value> = names.iter().map(row).collect();
            portal.post("/rest/v1/documents").auth(&ana).json(&json!(body)).send().await.is(201);
        }
    }
    for (filter, count, first) in [
        ("name=fts.guia", 601, Some("Guia anual")),
        ("name=fts.guia:*", 601, Some("Guia anual")),
        ("name=fts.guias %26 anual", 1, Some("Guia anual")),
        ("name=fts.certidao | anual", 2, Some("Certidão negativa")),
        ("name=fts.certi:*", 1, Some("Certidão negativa")),
        ("name=fts.c:*", 1, Some("Certidão negativa")),
        ("name=fts.!guia", 1, Some("Certidão negativa")),
        ("name=fts.!guia %26 certidões", 1, Some("Certidão negativa")),
        ("name=fts.(!guia | anual) %26 !certidão", 1, Some("Guia anual")),
        ("name=not.fts.guia", 1, Some("Certidão negativa")),
        ("name=phfts.mensal 599", 1, Some("Guia mensal 599")),
        ("name=phfts.599 mensal", 0, None),
        ("name=plfts.ausente", 0, None),
        ("name=plfts.de", 0, None),
        ("or=(name.fts.ausente,name.fts.anual)", 1, Some("Guia anual")),
        ("and=(name.fts.guia,name.fts.anual)", 1, Some("Guia anual")),
        ("name=wfts.guia&name=wfts.negativa", 0, None),
    ] {
        let path = format!("/rest/v1/documents?select=name&order=name&limit=1&{filter}");
        let request = portal.get(&path.replace(' ', "%20")).auth(&ana);
        let answer = request.header("prefer", "count=exact").send().await;
        let range = answer.header("content-range").to_owned();
        assert!(range.ends_with(&format!("/{count}")), "{filter}: {range}");
        assert_eq!(answer.json()[0]["name"].as_str(), first, "{filter}");
    }
});

portal_test!(search_of_staff_follows_changes, async |portal| {
    let ana = portal.admin().await;
    let joao = portal.client("joao").await;
    let ticket = portal.ticket(&joao, "Segunda via").await;
    let found = async |word: &str| {
        let request = rows(portal, &ana, "tickets?select=id").query("subject", word);
        column(&request.send().await.is(200).json(), "id").len()
    };
    assert_eq!((found("fts.vias").await, found("fts.parcelamento").await), (1, 0));
    let this = format!("/rest/v1/tickets?id=eq.{ticket}");
    let change = portal.patch(&this).auth(&ana).json(&json!({"subject": "Parcelamento"}));
    change.send().await.is(204);
    assert_eq!((found("fts.vias").await, found("fts.parcelamento").await), (0, 1));
    let reply = json!({"ticket_id": ticket, "body": "Segue o boleto."});
    portal.post("/rest/v1/ticket_messages").auth(&ana).json(&reply).send().await.is(201);
    portal.delete(&this).auth(&ana).send().await.is(204);
    assert_eq!(found("fts.parcelamento").await, 0);
    let messages = rows(portal, &ana, "ticket_messages?select=id&body=fts.boleto").send().await;
    assert_eq!(messages.is(200).json(), json!([]));
});
