//! The whole portal across restarts: concurrent writes and durability.

use futures_util::future::join_all;
use portaria::db;
use sea_query::{Expr, ExprTrait, Query};
use serde_json::{Value, json};

use crate::harness::{PDF, object, portal_test};

portal_test!(exclusive hundred_concurrent_inserts_survive_a_restart, async |portal| {
    let ana = portal.admin().await;
    let answers = join_all((0..100).map(|number| {
        let row = json!({"subject": format!("Ticket {number:03}"), "message": "Uma mensagem longa o bastante."});
        let request = portal.post("/rest/v1/tickets").auth(&ana).single().json(&row);
        // Every tenth insert is refused and does not affect the others of its transaction group.
        let bad = number % 10 == 0;
        let request = if bad { request.json(&json!({"subject": "x", "message": "curta"})) } else { request };
        request.send()
    }))
    .await;
    for (number, answer) in answers.into_iter().enumerate() {
        if number % 10 == 0 {
            answer.refused(400, "23514")
        } else {
            answer.is(201)
        };
    }
    portal.restart();
    let rows = portal.get("/rest/v1/tickets?select=subject&order=subject").auth(&ana).send().await;
    let rows = rows.is(200).json();
    let expected: Vec<Value> = (0..100)
        .filter(|number| number % 10 != 0)
        .map(|number| json!({"subject": format!("Ticket {number:03}")}))
        .collect();
    assert_eq!(rows, json!(expected));
});

portal_test!(users_rows_and_files_survive_a_restart, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let document = portal.document(&joao, "contratos", "a.pdf").await;
    portal.restart();
    // Sessions survive too, because the signing secret is stored in the settings or the data folder.
    let rows = portal.get("/rest/v1/documents?select=id").auth(&joao).send().await;
    assert_eq!(rows.is(200).json(), json!([{"id": document.id}]));
    assert_eq!(portal.get(&object(&document.path)).auth(&joao).send().await.is(200).body, PDF);
    portal.refresh(&joao.refresh_token).await.is(200);
    portal.get("/auth/v1/admin/users").auth(&ana).send().await.is(200);
    portal.sign_in(&joao.email).await;
});

portal_test!(partial_files_of_a_crash_are_removed_at_the_next_start, async |portal| {
    let joao = portal.client("joao").await;
    let document = portal.document(&joao, "contratos", "a.pdf").await;
    let left = portal.folder("tmp").join("half");
    std::fs::write(&left, b"%PDF-1.7").unwrap();
    portal.restart();
    assert!(!left.exists());
    assert_eq!(portal.get(&object(&document.path)).auth(&joao).send().await.is(200).body, PDF);
});

portal_test!(database_of_a_newer_version_is_rejected_unchanged, async |portal| {
    let write = |tx: &mut db::Tx<'_>| tx.insert("migrations", [("name", "9999_future".into())]);
    portal.app.db.write(write).await.unwrap();
    let refusal = format!("{:#}", portal.try_restart().unwrap_err());
    assert!(refusal.contains("newer version"), "{refusal}");
});

portal_test!(internal_error_reveals_only_the_request_id, async |portal| {
    let joao = portal.client("joao").await;
    // Data that no version of the program writes.
    let user = joao.id.clone();
    let write = move |tx: &mut db::Tx<'_>| {
        tx.execute(
            Query::update()
                .table("users")
                .value("user_metadata", "no JSON")
                .and_where(Expr::col("id").eq(user)),
        )
    };
    portal.app.db.write(write).await.unwrap();
    let answer =
        portal.get("/auth/v1/user").auth(&joao).send().await.refused(500, "unexpected_failure");
    let request = answer.header("x-request-id");
    assert_eq!(answer.json()["msg"], format!("Internal error, request {request}"));
});

portal_test!(endless_statement_is_interrupted, async |portal| {
    let endless = sea_query::Expr::cust(
        "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n)",
    );
    let statement = sea_query::Query::select().expr(endless).take();
    let cut = portal.app.db.read(move |tx| tx.rows(&statement).map(drop)).await;
    assert!(matches!(cut, Err(portaria::db::Error::TimedOut)), "{cut:?}");
    portal.get("/ready").send().await.is(200);
});
