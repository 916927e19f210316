//! Abuse cases of the table API.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use crate::harness::{TestPortal, TestUser, portal_test};

async fn rows(portal: &TestPortal, user: &TestUser, path: &str) -> Vec<Value> {
    let answer = portal.get(&format!("/rest/v1/{path}")).auth(user).send().await;
    answer.is(200).json().as_array().unwrap().clone()
}

portal_test!(r05_hidden_column_is_no_conflict_target, async |portal| {
    let joao = portal.client("joao").await;
    let ticket = json!({"subject": "Dúvida", "message": "Uma mensagem longa o bastante."});
    for preference in ["resolution=merge-duplicates", "resolution=ignore-duplicates"] {
        let mut seen = Vec::new();
        for column in ["user_id", "nonesuch"] {
            let request =
                portal.post(&format!("/rest/v1/tickets?on_conflict={column}")).auth(&joao);
            let answer = request.json(&ticket).prefer(preference).send().await;
            // Operations that clients have no right to are refused for every column alike.
            let answer = answer.refused(403, "42501");
            seen.push((answer.status, answer.text().replace(column, "COLUMN")));
        }
        assert_eq!(seen[0], seen[1], "{preference}");
    }
    assert_eq!(rows(portal, &joao, "tickets").await, [] as [Value; 0]);
});

portal_test!(r15_duplicate_parameters_are_rejected_except_filters, async |portal| {
    let joao = portal.client("joao").await;
    portal.document(&joao, "contratos", "a.pdf").await;
    assert_eq!(rows(portal, &joao, "documents?name=eq.a.pdf&name=neq.b.pdf").await.len(), 1);
    assert_eq!(rows(portal, &joao, "documents?name=eq.a.pdf&name=eq.b.pdf").await.len(), 0);
    for (key, first, last) in [
        ("select", "id", "name"),
        ("order", "name", "id"),
        ("limit", "1", "2"),
        ("offset", "0", "1"),
        ("folders.order", "name", "id_supabase"),
        ("columns", "name", "kind"),
        ("on_conflict", "id", "id"),
    ] {
        let select = if key == "select" { "" } else { "&select=id,folders(name)" };
        let path = format!("/rest/v1/documents?{key}={first}&{key}={last}{select}");
        let answer = portal.get(&path).auth(&joao).send().await.refused(400, "PGRST100");
        let details = format!("\"{key}\" is given more than once");
        assert_eq!(answer.json()["details"], details, "{path}");
    }
    // A range header that narrows the page is compatible with the parameters.
    let page = portal.get("/rest/v1/documents?limit=5&offset=0").auth(&joao).header("range", "0-0");
    assert_eq!(page.send().await.is(200).json().as_array().unwrap().len(), 1);
});

portal_test!(r19_invalid_utf8_is_rejected, async |portal| {
    let ana = portal.admin().await;
    for bytes in [
        // An overlong slash, a truncated character, a surrogate, a code point above U+10FFFF, UTF-16 with a byte order
        // mark.
        &b"{\"name\":\"\xc0\xaf\"}"[..],
        b"{\"name\":\"\xc3\"}",
        b"{\"name\":\"\xed\xa0\x80\"}",
        b"{\"name\":\"\xf4\x90\x80\x80\"}",
        b"\xff\xfe{\0}\0",
        b"\xef\xbb\xbf{\"name\":\"a\",\"folder_id_supabase\":\"contratos\"}",
        b"{\"name\":\"\\udfff\\ud800\"}",
    ] {
        let request = portal.post("/rest/v1/documents").auth(&ana);
        let request = request.bytes("application/json", bytes.to_vec());
        request.send().await.refused(400, "PGRST102");
    }
    for query in ["name=eq.%c0%af", "name=eq.%c3", "name=eq.%ed%a0%80", "%ff=eq.1", "select=%fe"] {
        let request = portal.get(&format!("/rest/v1/documents?{query}")).auth(&ana);
        request.send().await.refused(400, "PGRST100");
    }
    assert_eq!(rows(portal, &ana, "documents").await, [] as [Value; 0]);
});

portal_test!(r21_payload_of_a_million_rows_is_rejected, async |portal| {
    let ana = portal.admin().await;
    let million = format!("[{}]", vec!["{}"; 1_000_000].join(","));
    let request = portal.post("/rest/v1/folders").auth(&ana).bytes("application/json", million);
    request.send().await.refused(413, "PGRST102");
});

portal_test!(r28_client_update_requires_a_filter, async |portal| {
    let joao = portal.client("joao").await;
    portal.ticket(&joao, "Dúvida").await;
    let close = portal.patch("/rest/v1/tickets").auth(&joao).json(&json!({"status": "closed"}));
    close.send().await.refused(400, "21000");
    let delete = portal.delete("/rest/v1/tickets").auth(&joao).send().await;
    assert!(delete.status.is_client_error(), "{}", delete.text());
    assert_eq!(rows(portal, &joao, "tickets?status=eq.open").await.len(), 1);
});

portal_test!(r39_table_is_reachable_by_its_exact_name_only, async |portal| {
    let joao = portal.client("joao").await;
    for path in [
        "DOCUMENTS",
        "Documents",
        "documents/",
        "/documents",
        "documents%00",
        "documents%20",
        "documents%2f",
        "%2e%2e",
        "..",
        "documents;v=1",
        "public.documents",
        "\"documents\"",
        "pg_catalog.pg_user",
        "sqlite_master",
        "outbox",
        "documents,tickets",
    ] {
        let path = path.replace('"', "%22");
        let answer = portal.get(&format!("/rest/v1/{path}")).auth(&joao).send().await.is(404);
        assert!(answer.json()["message"].is_string(), "{path}");
    }
});

portal_test!(r41_aborted_insert_is_complete_or_absent, async |portal| {
    let ana = portal.admin().await;
    for number in 0..100_u64 {
        let both = ["a", "b"].map(|half| {
            json!({"id_supabase": format!("{half}{number}"), "name": "Pasta", "icon": number.to_string()})
        });
        let insert = portal.post("/rest/v1/folders").auth(&ana).json(&json!(both)).send();
        // The request is aborted after ever more polls: before it is read, while queued, while written, and after.
        timeout(Duration::from_micros(number * 40), insert).await.ok();
    }
    // The next request finds no open transaction.
    let row = json!({"id_supabase": "depois", "name": "Depois"});
    portal.insert("folders", row).await;
    let kept = rows(portal, &ana, "folders?select=id_supabase&name=eq.Pasta").await;
    let names: Vec<&str> = kept.iter().map(|row| row["id_supabase"].as_str().unwrap()).collect();
    for name in &names {
        let other = if let Some(number) = name.strip_prefix('a') {
            format!("b{number}")
        } else {
            name.replacen('b', "a", 1)
        };
        assert!(names.contains(&other.as_str()), "{name} without {other}");
    }
});
