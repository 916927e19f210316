//! JSON in filters, order and casts: paths compare like jsonb, and casts of their values may be refused.

use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, portal_test};
use crate::rest::{column, rows};

/// Creates clients with these values of the key `v`; one without a value. Their names are their places.
async fn with_values(portal: &TestPortal, values: &[Value]) -> TestUser {
    let ana = portal.admin().await;
    for (place, value) in values.iter().enumerate() {
        let email = format!("c{place:02}@x.com");
        let metadata = json!({"n": place, "v": [value]});
        portal.create_user(json!({"email": email, "user_metadata": metadata})).await;
    }
    portal.create_user(json!({"email": "none@x.com", "user_metadata": {"n": -1}})).await;
    ana
}

/// The places of the clients that a test of `v` finds.
async fn found(portal: &TestPortal, ana: &TestUser, name: &str, test: &str) -> Vec<Value> {
    let request = rows(portal, ana, "clients?order=email").query("select", "user_metadata->n");
    column(&request.query(name, test).send().await.is(200).json(), "n")
}

portal_test!(json_path_compares_numbers_by_value_and_kinds_in_order, async |portal| {
    let values = [
        json!(null),
        json!("10"),
        json!("Zé"),
        json!("a"),
        json!(9),
        json!(10.0),
        json!(90210),
        json!(false),
        json!(true),
        json!([1]),
        json!({"a": 1, "b": [2]}),
    ];
    let ana = with_values(portal, &values).await;
    let name = "user_metadata->v->0";
    for (test, expected) in [
        ("eq.90210", vec![6]),
        ("eq.10", vec![5]),
        ("eq.1e1", vec![5]),
        ("eq.\"10\"", vec![1]),
        ("eq.null", vec![0]),
        ("eq.{\"b\":[2.0],\"a\":1}", vec![10]),
        ("neq.10", vec![0, 1, 2, 3, 4, 6, 7, 8, 9, 10]),
        ("not.eq.10", vec![0, 1, 2, 3, 4, 6, 7, 8, 9, 10]),
        ("isdistinct.10", vec![0, 1, 2, 3, 4, 6, 7, 8, 9, 10, -1]),
        ("in.(9,true,[1],\"\\\"a\\\"\")", vec![3, 4, 8, 9]),
        ("not.in.(9,true)", vec![0, 1, 2, 3, 5, 6, 7, 9, 10]),
        ("in.()", vec![]),
        ("eq(any).{9,90210}", vec![4, 6]),
        ("gt(all).{9,10}", vec![6, 7, 8, 9, 10]),
        ("gt.9", vec![5, 6, 7, 8, 9, 10]),
        ("gte.10", vec![5, 6, 7, 8, 9, 10]),
        ("lt.9", vec![0, 1, 2, 3]),
        ("lte.9.0", vec![0, 1, 2, 3, 4]),
        // Texts compare by code point, whatever the collation of the database is.
        ("gt.\"Zé\"", vec![3, 4, 5, 6, 7, 8, 9, 10]),
        ("gte.\"a\"", vec![3, 4, 5, 6, 7, 8, 9, 10]),
        ("lt.\"a\"", vec![0, 1, 2]),
        ("lte.\"Zé\"", vec![0, 1, 2]),
        ("lt.false", vec![0, 1, 2, 3, 4, 5, 6]),
        ("gt.null", vec![1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
        ("is.null", vec![-1]),
        ("not.is.null", (0..=10).collect()),
    ] {
        assert_eq!(found(portal, &ana, name, test).await, expected, "{test}");
    }
    assert_eq!(found(portal, &ana, "user_metadata->v->0->b->0", "eq.2").await, [10]);
    assert_eq!(found(portal, &ana, "user_metadata", "eq.{\"v\":[9.0],\"n\":4}").await, [4]);
    let tree = "(user_metadata->v->0.eq.9,user_metadata->v->0.gt.90000)";
    assert_eq!(found(portal, &ana, "or", tree).await, [4, 6, 7, 8, 9, 10]);
    let refused = |test: &'static str| rows(portal, &ana, "clients").query(name, test).send();
    refused("eq.Zé").await.refused(400, "22P02");
    refused("gt.[1]").await.refused(400, "PGRST127");
    refused("is.true").await.refused(400, "42804");
    let many = format!("eq(any).{{{}}}", vec!["1"; 501].join(","));
    rows(portal, &ana, "clients").query(name, &many).send().await.refused(400, "PGRST127");
    refused("like.1*").await.refused(404, "42883");
});

portal_test!(json_path_sorts_by_kind_and_value, async |portal| {
    let sorted = [
        json!(null),
        json!(""),
        json!("Zé"),
        json!("a-b"),
        json!("ab"),
        json!(-1e300),
        json!(-1.5),
        json!(-1),
        json!(0.05),
        json!(2),
        json!(10),
        json!(9_007_199_254_740_993_i64),
        json!(1e21),
        json!(false),
        json!(true),
        // Arrays and objects sort by their text.
        json!(["B"]),
        json!(["a"]),
        json!([]),
        json!({"a": 1}),
        json!({}),
    ];
    let shuffled: Vec<Value> =
        (0..sorted.len()).map(|place| sorted[place * 7 % sorted.len()].clone()).collect();
    let ana = with_values(portal, &shuffled).await;
    let values = async |order: &str| {
        let request = rows(portal, &ana, "clients").query("select", "v:user_metadata->v->0");
        column(&request.query("order", order).send().await.is(200).json(), "v")
    };
    let upwards: Vec<Value> = sorted.iter().cloned().chain([Value::Null]).collect();
    let downwards: Vec<Value> = upwards.iter().rev().cloned().collect();
    assert_eq!(values("user_metadata->v->0").await, upwards);
    assert_eq!(values("user_metadata->v->0.desc").await, downwards);
    let last = values("user_metadata->v->0.desc.nullslast").await;
    assert_eq!(last, [&downwards[1..], &[Value::Null]].concat());
});

portal_test!(json_path_into_another_column_is_refused, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    for name in ["name->x", "name->>x"] {
        for (parameter, value) in [(name, "eq.1"), ("order", name), ("select", name)] {
            let request = rows(portal, &ana, "documents").query(parameter, value);
            request.send().await.refused(404, "42883");
        }
    }
    // A column for staff does not exist for clients, whatever the path is.
    for (parameter, value) in [("client_id->x", "eq.1"), ("order", "client_id->x")] {
        let request = rows(portal, &joao, "documents").query(parameter, value);
        request.send().await.refused(400, "42703");
    }
    let groups = rows(portal, &ana, "clients?order=user_metadata-%3Ex");
    let groups = groups.query("select", "email,count()").send().await;
    groups.refused(400, "PGRST127");
});

portal_test!(values_inside_json_are_cast, async |portal| {
    let metadata = json!({
        "age": "42", "price": 2.5, "ok": true, "cep": "01310", "list": "[1, 2]", "born": "1990-05-17", "none": null,
    });
    let ana = portal.admin().await;
    portal.create_user(json!({"email": "a@x.com", "user_metadata": metadata})).await;
    let select = async |select: &str| {
        rows(portal, &ana, "clients?email=eq.a@x.com").query("select", select).send().await
    };
    for (path, expected) in [
        ("->>age::int", json!(42)),
        ("->>age::bigint", json!(42)),
        ("->>cep::numeric", json!(1310)),
        ("->>price::numeric", json!(2.5)),
        ("->>price::float8", json!(2.5)),
        ("->price::int", json!(3)),
        ("->>ok::boolean", json!(true)),
        ("->ok::bool", json!(true)),
        ("->>list::json", json!([1, 2])),
        ("->>list::text", json!("[1, 2]")),
        ("->list::json", json!("[1, 2]")),
        ("->>born::date", json!("1990-05-17")),
        ("->>none::int", json!(null)),
        ("->>nothing::int", json!(null)),
    ] {
        let found = select(&format!("v:user_metadata{path}")).await.is(200).json();
        assert_eq!(found, json!([{"v": expected}]), "{path}");
    }
    for (path, code) in [
        ("->>price::int", "22P02"),
        ("->age::int", "22P02"),
        ("->>list::uuid", "22P02"),
        ("->>age::date", "22007"),
        ("->>age::interval", "PGRST127"),
        ("->>age::nonesuch", "42704"),
        ("->>age::int,count()", "PGRST127"),
    ] {
        let refusal = select(&format!("v:user_metadata{path}")).await.refused(400, code);
        // The message does not repeat the value.
        assert!(!refusal.text().contains("2.5") && !refusal.text().contains("42\""), "{path}");
    }
    let large = json!({"email": "b@x.com", "user_metadata": {"age": "2147483648"}});
    portal.create_user(large).await;
    let all = |path: &str| {
        rows(portal, &ana, "clients?order=email").query("select", &format!("v:user_metadata{path}"))
    };
    all("->>age::int").send().await.refused(400, "22003");
    assert_eq!(
        all("->>age::int8").send().await.is(200).json(),
        json!([{"v": 42}, {"v": 2_147_483_648_i64}])
    );
    // A row that the filters exclude is not cast.
    let one = all("->>age::int").query("email", "eq.a@x.com").send().await;
    assert_eq!(one.is(200).json(), json!([{"v": 42}]));
    // Neither is one that is only counted.
    let counted = portal.head("/rest/v1/clients").query("select", "v:user_metadata->>age::int");
    counted.auth(&ana).send().await.is(200);
});
