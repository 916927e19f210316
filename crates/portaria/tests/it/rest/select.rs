//! Filters, order, pages, counts, and their statuses.

use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, portal_test};
use crate::rest::{column, read, rows};

/// Creates a client with documents of these names.
async fn with_documents(portal: &TestPortal, names: &[&str]) -> TestUser {
    let joao = portal.client("joao").await;
    for name in names {
        let row = json!({"name": name, "folder_id_supabase": "contratos", "client_id": joao.id});
        portal.insert("documents", row).await;
    }
    joao
}

async fn names(portal: &TestPortal, user: &TestUser, filter: (&str, &str)) -> Vec<Value> {
    let request = rows(portal, user, "documents?select=name&order=name").query(filter.0, filter.1);
    column(&request.send().await.is(200).json(), "name")
}

portal_test!(filters_select_matching_rows, async |portal| {
    let joao =
        with_documents(portal, &["a,b", "c\"d", "Declaração", "100%", "1000", "d(e)f"]).await;
    for (filter, expected) in [
        (("name", "eq.a,b"), vec!["a,b"]),
        (("name", "eq.c\"d"), vec!["c\"d"]),
        (("name", "eq.d(e)f"), vec!["d(e)f"]),
        (("name", "eq.declaração"), vec![]),
        (("name", "neq.1000"), vec!["100%", "Declaração", "a,b", "c\"d", "d(e)f"]),
        (("name", "in.(\"a,b\",c\"d,x)"), vec!["a,b", "c\"d"]),
        (("name", "in.()"), vec![]),
        (("name", "not.in.(\"a,b\",1000,100%)"), vec!["Declaração", "c\"d", "d(e)f"]),
        (("name", "ilike.*DECLARAÇÃO*"), vec!["Declaração"]),
        (("name", "ilike.%çã%"), vec!["Declaração"]),
        (("name", "ilike.declaracao"), vec![]),
        (("name", "like.Decl%"), vec!["Declaração"]),
        (("name", "like.decl%"), vec![]),
        (("name", "like.100\\%"), vec!["100%"]),
        (("name", "like.100_"), vec!["100%", "1000"]),
        (("name", "like(any).{a*,d*}"), vec!["a,b", "d(e)f"]),
        (("name", "gte.a"), vec!["a,b", "c\"d", "d(e)f"]),
        (("name", "lt.1001"), vec!["100%", "1000"]),
        (("or", "(name.eq.1000,name.ilike.*çã*)"), vec!["1000", "Declaração"]),
        (("or", "(name.eq.\"a,b\",and(name.gte.c,name.lt.d))"), vec!["a,b", "c\"d"]),
        (("or", "( name.in.( 1000,\"x\" ) , and ( name.gte.c,name.lt.d ) )"), vec!["1000", "c\"d"]),
        (("not.or", "(name.lt.D,name.gt.E)"), vec!["Declaração"]),
        (("file_url", "is.null"), vec!["100%", "1000", "Declaração", "a,b", "c\"d", "d(e)f"]),
        (("file_url", "not.is.null"), vec![]),
        (("name", "eq.'; DROP TABLE documents; --"), vec![]),
    ] {
        assert_eq!(names(portal, &joao, filter).await, expected, "{filter:?}");
    }
    // All filters apply.
    let both =
        rows(portal, &joao, "documents?select=name&name=gte.1&name=lt.2&order=name").send().await;
    assert_eq!(column(&both.is(200).json(), "name"), ["100%", "1000"]);
});

portal_test!(patterns_match_any_alphabet_and_are_bounded, async |portal| {
    let joao = with_documents(portal, &["ÀÉÎÕÜÇ Ñ", "Σίσυφος", "ПРИВЕТ"]).await;
    for (pattern, expected) in
        [("ilike.àéîõüç ñ", "ÀÉÎÕÜÇ Ñ"), ("ilike.σίσυ*", "Σίσυφος"), ("ilike.*ивет", "ПРИВЕТ")]
    {
        assert_eq!(names(portal, &joao, ("name", pattern)).await, [expected], "{pattern}");
    }
    let request =
        |pattern: &str| rows(portal, &joao, "documents?select=id").query("name", pattern).send();
    request(&format!("ilike.{}", "%a".repeat(9))).await.refused(400, "PGRST127");
    request(&format!("like.{}", "a".repeat(257))).await.refused(400, "PGRST127");
});

portal_test!(metadata_is_searched_by_json_path, async |portal| {
    let ana = portal.admin().await;
    for (email, name) in [("a@x.com", "João"), ("b@x.com", "Maria"), ("c@x.com", "joana")] {
        portal
            .create_user(
                json!({"email": email, "user_metadata": {"full_name": name, "n": [1, {"k": "v"}]}}),
            )
            .await;
    }
    let found = rows(portal, &ana, "clients?select=email&order=email")
        .query("user_metadata->>full_name", "ilike.JO*");
    assert_eq!(column(&found.send().await.is(200).json(), "email"), ["a@x.com", "c@x.com"]);
    let sorted = rows(portal, &ana, "clients").query("select", "nome:user_metadata->>full_name");
    let sorted = sorted.query("order", "user_metadata->>full_name.desc").send().await;
    assert_eq!(column(&sorted.is(200).json(), "nome"), ["joana", "Maria", "João"]);
    let inside = rows(portal, &ana, "clients?limit=1").query("select", "user_metadata->n->1->>k");
    assert_eq!(inside.send().await.is(200).json(), json!([{"k": "v"}]));
    let whole = read(portal, &ana, "clients?select=user_metadata&email=eq.b@x.com").await;
    assert_eq!(whole, json!([{"user_metadata": {"full_name": "Maria", "n": [1, {"k": "v"}]}}]));
    // Special characters in a key have no meaning.
    for key in ["a.b", "$.full_name", "full_name.x", "a\"b", "'", "[0]"] {
        let name = format!("user_metadata->>\"{}\"", key.replace('"', "\\\""));
        let found = rows(portal, &ana, "clients?select=email").query(&name, "eq.Maria");
        assert_eq!(found.send().await.is(200).json(), json!([]), "{key}");
    }
});

portal_test!(nulls_sort_like_postgresql, async |portal| {
    let joao = with_documents(portal, &["nunca"]).await;
    for (name, expires) in [("tarde", "2027-01-01"), ("cedo", "2026-01-01")] {
        let row = json!({"name": name, "folder_id_supabase": "contratos", "client_id": joao.id, "expires_at": expires});
        portal.insert("documents", row).await;
    }
    for (order, expected) in [
        ("expires_at", ["cedo", "tarde", "nunca"]),
        ("expires_at.asc", ["cedo", "tarde", "nunca"]),
        ("expires_at.desc", ["nunca", "tarde", "cedo"]),
        ("expires_at.asc.nullsfirst", ["nunca", "cedo", "tarde"]),
        ("expires_at.desc.nullslast", ["tarde", "cedo", "nunca"]),
        ("type,name.desc", ["tarde", "nunca", "cedo"]),
    ] {
        let rows = read(portal, &joao, &format!("documents?select=name&order={order}")).await;
        assert_eq!(column(&rows, "name"), expected, "{order}");
    }
});

portal_test!(pages_and_counts_use_the_protocol_statuses, async |portal| {
    let joao = with_documents(portal, &["a", "b", "c"]).await;
    for (page, count, status, range) in [
        ("", false, 200, "0-2/*"),
        ("", true, 200, "0-2/3"),
        ("&limit=2", false, 200, "0-1/*"),
        ("&limit=2", true, 206, "0-1/3"),
        ("&limit=2&offset=2", true, 206, "2-2/3"),
        ("&offset=1", true, 206, "1-2/3"),
        ("&offset=3", true, 206, "*/3"),
        ("&limit=0", true, 206, "*/3"),
        ("&limit=0", false, 200, "*/*"),
        ("&name=eq.x", false, 200, "*/*"),
        ("&name=eq.x", true, 200, "*/0"),
        ("&limit=99999999999999999999", true, 200, "0-2/3"),
    ] {
        let path = format!("documents?select=name&order=name{page}");
        for method in ["GET", "HEAD"] {
            let request = portal.request(method, &format!("/rest/v1/{path}")).auth(&joao);
            let request = if count { request.prefer("count=exact") } else { request };
            let answer = request.send().await.is(status);
            assert_eq!(answer.header("content-range"), range, "{method} {path}");
            assert_eq!(answer.header("content-type"), "application/json; charset=utf-8");
            assert_eq!(answer.body.is_empty(), method == "HEAD");
        }
    }
    for bad in ["limit=--1", "limit=x", "offset=-1", "limit=1.5"] {
        rows(portal, &joao, &format!("documents?{bad}")).send().await.refused(400, "PGRST100");
    }
    for path in ["documents?limit=-1", "folders?select=name,documents(id)&documents.limit=-1"] {
        let refusal = rows(portal, &joao, path).send().await.refused(416, "PGRST103");
        let details = "Limit should be greater than or equal to zero.";
        assert_eq!(refusal.json()["details"], details, "{path}");
    }
});

portal_test!(single_object_requires_exactly_one_row, async |portal| {
    let joao = with_documents(portal, &["a", "b"]).await;
    let single =
        |filter: &str| rows(portal, &joao, &format!("documents?select=name&{filter}")).single();
    let one = single("name=eq.a").send().await.is(200);
    assert_eq!(one.json(), json!({"name": "a"}));
    assert_eq!(one.header("content-type"), "application/vnd.pgrst.object+json; charset=utf-8");
    for (filter, found) in [("name=eq.x", 0), ("name=neq.x", 2)] {
        let answer = single(filter).send().await.refused(406, "PGRST116");
        assert_eq!(answer.json()["details"], format!("The result contains {found} rows"));
    }
});

portal_test!(invalid_query_is_rejected, async |portal| {
    let joao = portal.client("joao").await;
    for (path, status, code) in [
        ("nonesuch", 404, "PGRST205"),
        ("Documents", 404, "PGRST205"),
        ("users", 404, "PGRST205"),
        ("documents%00", 404, "PGRST205"),
        ("%2e%2e", 404, "PGRST205"),
        ("documents;v=1", 404, "PGRST205"),
        ("documents/", 404, "PGRST125"),
        ("documents/x", 404, "PGRST125"),
        ("documents?select=nonesuch", 400, "42703"),
        ("documents?nonesuch=eq.1", 400, "42703"),
        ("documents?order=nonesuch", 400, "42703"),
        ("documents?select=id&select=name", 400, "PGRST100"),
        ("documents?name=is1", 400, "PGRST100"),
        ("documents?name=eq", 400, "PGRST100"),
        ("documents?id=foo.1", 400, "PGRST100"),
        ("documents?select=id,", 400, "PGRST100"),
        ("documents?select=id(", 400, "PGRST100"),
        ("documents?or=(id.eq.1", 400, "PGRST100"),
        ("documents?name=%ff", 400, "PGRST100"),
        ("documents?id=eq.7", 400, "22P02"),
        ("documents?size=eq.x", 400, "22P02"),
        ("documents?size=eq.99999999999999999999", 400, "22003"),
        ("documents?name=eq.%00", 400, "22P05"),
        ("documents?name=like.%00", 400, "22P05"),
        ("documents?size=like.1", 404, "42883"),
        ("documents?name=is.true", 400, "42804"),
        ("documents?select=name.sum()", 404, "42883"),
        ("documents?select=count(),name&order=size", 400, "42803"),
        ("documents?select=client_id.count()", 400, "42703"),
        ("documents?select=name::interval", 400, "PGRST127"),
    ] {
        rows(portal, &joao, path).send().await.refused(status, code);
    }
    for kind in ["text/xml", "application/geo+json", "application/vnd.pgrst.plan+json"] {
        let other = rows(portal, &joao, "documents").header("accept", kind).send().await;
        other.refused(406, "PGRST107");
    }
    let schema = rows(portal, &joao, "documents").header("accept-profile", "auth").send().await;
    schema.refused(406, "PGRST106");
    let trace = portal.request("TRACE", "/rest/v1/documents").auth(&joao).send().await;
    trace.refused(405, "PGRST117");
});

portal_test!(clients_are_searched_and_sorted_without_accents, async |portal| {
    let ana = portal.admin().await;
    for (email, name) in [
        ("a@x.com", "Zélia"),
        ("b@x.com", "Álvaro Conceição"),
        ("c@x.com", "Bento"),
        ("d@x.com", ""),
    ] {
        portal.create_user(json!({"email": email, "user_metadata": {"full_name": name}})).await;
    }
    let sorted = read(portal, &ana, "clients?select=email&order=search_name.asc,id.asc").await;
    assert_eq!(column(&sorted, "email"), ["d@x.com", "b@x.com", "c@x.com", "a@x.com"]);
    let found = read(portal, &ana, "clients?select=email&search_name=ilike.*conceicao*").await;
    assert_eq!(column(&found, "email"), ["b@x.com"]);
    // The key follows changes of the name.
    let zelia = &read(portal, &ana, "clients?select=id&email=eq.a@x.com").await[0]["id"];
    let path = format!("/auth/v1/admin/users/{}", zelia.as_str().unwrap());
    let renamed = json!({"user_metadata": {"full_name": "Aída"}});
    portal.put(&path).auth(&ana).json(&renamed).send().await.is(200);
    let found = read(portal, &ana, "clients?select=email&search_name=eq.aida").await;
    assert_eq!(column(&found, "email"), ["a@x.com"]);
});
