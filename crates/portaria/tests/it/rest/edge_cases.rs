//! Edge cases: requests beyond the limits, and values on which the two databases differ.

use serde_json::json;

use crate::harness::portal_test;
use crate::rest::{column, read, rows};

portal_test!(request_beyond_the_limits_is_rejected_before_the_query, async |portal| {
    let joao = portal.client("joao").await;
    let many = |part: &str, times: usize| vec![part; times].join(",");
    let embeds = |times: usize| -> String {
        (0..times).map(|number| format!("e{number}:folders(name)")).collect::<Vec<_>>().join(",")
    };
    for path in [
        format!("select={}", many("*", 11)),
        format!("select={}", many("*", 501)),
        format!("select={}", embeds(4)),
        format!("or=({})", many("size.eq.1", 501)),
        format!("order={}", many("name", 501)),
        format!("size=in.({})", many("1", 1_001)),
        // Each condition on an embed repeats the conditions of the embed.
        format!(
            "select=folders!inner(documents!inner())&folders.documents.size=in.({})&{}&{}",
            many("1", 1_000),
            ["folders=not.is.null"; 100].join("&"),
            ["folders.documents=not.is.null"; 100].join("&")
        ),
    ] {
        let answer = rows(portal, &joao, &format!("documents?{path}")).send().await;
        answer.refused(400, "PGRST127");
    }
    for path in [
        format!("select={}", many("*", 10)),
        format!("select={}", embeds(3)),
        format!("or=({})", many("size.eq.1", 490)),
        format!("order={}", many("name", 490)),
        vec![format!("size=in.({})", many("1", 1_000)); 3].join("&"),
    ] {
        assert_eq!(read(portal, &joao, &format!("documents?{path}")).await, json!([]));
    }
});

portal_test!(pattern_ending_with_its_escape_is_rejected, async |portal| {
    let ana = portal.admin().await;
    for (pattern, status) in
        [("\\", 400), ("a\\", 400), ("%\\\\\\", 400), ("a\\\\", 200), ("\\%", 200)]
    {
        for operator in ["like", "ilike", "not.like"] {
            let request =
                rows(portal, &ana, "documents").query("name", &format!("{operator}.{pattern}"));
            let answer = request.send().await;
            if status == 400 {
                answer.refused(400, "22025")
            } else {
                answer.is(200)
            };
        }
    }
});

portal_test!(nul_is_rejected_everywhere, async |portal| {
    let ana = portal.admin().await;
    let key = "user_metadata-%3E%3E%22a%00%22";
    for path in [
        format!("{key}=eq.x"),
        format!("or=({key}.eq.x)"),
        format!("order={key}"),
        format!("select={key}"),
        "email=in.(a,%00)".to_owned(),
    ] {
        let answer = rows(portal, &ana, &format!("clients?{path}")).send().await;
        answer.refused(400, "22P05");
    }
    for (path, body) in [
        ("rpc/delete_folder", json!({"folder": "\0"})),
        ("rpc/order_folders", json!({"folders": ["contratos", "\0"]})),
        ("rpc/mail_audience", json!({"a\0": 1})),
        ("folders", json!({"id_supabase": "novos", "name": "\0"})),
    ] {
        let request = portal.post(&format!("/rest/v1/{path}")).auth(&ana).json(&body);
        request.send().await.refused(400, "22P05");
    }
    let listed = portal.get("/auth/v1/admin/users?filter=%00").auth(&ana).send().await;
    listed.refused(400, "validation_failed");
});

portal_test!(order_of_equal_rows_reveals_nothing_hidden, async |portal| {
    let joao = portal.client("joao").await;
    // Clients cannot see the id of a folder, which breaks ties for the office.
    for name in ["zebra", "abelha", "macaco"] {
        portal
            .insert("folders", json!({"id_supabase": name, "name": "Igual", "position": 9}))
            .await;
    }
    let upwards = ["abelha", "macaco", "zebra"];
    let downwards = ["zebra", "macaco", "abelha"];
    for (order, expected) in
        [("", upwards), ("&order=name", upwards), ("&order=position.desc", downwards)]
    {
        let path = format!("folders?select=id_supabase&name=eq.Igual{order}");
        let seen = column(&read(portal, &joao, &path).await, "id_supabase");
        assert_eq!(seen, expected, "{path}");
    }
});

portal_test!(text_inside_json_compares_like_text_columns, async |portal| {
    let ana = portal.admin().await;
    for (name, full_name) in [("a", "banana"), ("b", "Abacaxi"), ("c", "Ábaco"), ("d", "a-b")] {
        let fields = json!({"email": format!("{name}@cliente.com.br"), "user_metadata": {"full_name": full_name, "list": ["x"]}});
        portal.create_user(fields).await;
    }
    let names = async |path: &str| {
        let path = format!("clients?select=n:user_metadata->>full_name&{path}").replace('>', "%3E");
        column(&read(portal, &ana, &path).await, "n")
    };
    let sorted = ["Abacaxi", "a-b", "banana", "Ábaco"];
    assert_eq!(names("order=user_metadata->>full_name").await, sorted);
    assert_eq!(
        names("user_metadata->>full_name=gt.a&order=user_metadata->>full_name").await,
        sorted[1..]
    );
    assert_eq!(names("user_metadata->>full_name=ilike.%C3%A1BA%25").await, ["Ábaco"]);
    assert_eq!(names("user_metadata->list->>0=ilike.X&limit=1&order=email").await, ["banana"]);
    assert_eq!(names("user_metadata->list->>-1=eq.x&limit=1&order=email").await, ["banana"]);
    assert_eq!(names("user_metadata->list->>7=eq.x").await, [] as [&str; 0]);
    let beyond = rows(portal, &ana, "clients").query("user_metadata->list->>99999999999", "eq.x");
    let beyond = beyond.send().await;
    beyond.refused(400, "PGRST100");
});

portal_test!(conflict_on_two_keys_names_the_primary_key, async |portal| {
    let ana = portal.admin().await;
    let id = portal.insert("folders", json!({"id_supabase": "guias", "name": "Guias"})).await;
    let row = json!({"id": id, "id_supabase": "faturas", "name": "Outra"});
    let refusal = portal.post("/rest/v1/folders").auth(&ana).json(&row).send().await;
    let refusal = refusal.refused(409, "23505").json();
    assert_eq!(refusal["details"], format!("Key (id)=({id}) already exists."));
});
