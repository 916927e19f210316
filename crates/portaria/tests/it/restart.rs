//! The portal as a whole: many at once, and what is still there after it was stopped.

use futures_util::future::join_all;
use portaria::db;
use sea_query::{Expr, ExprTrait, Query};
use serde_json::{Value, json};

use crate::harness::{PDF, object, portal_test};

portal_test!(a_hundred_inserts_at_once_are_all_there_after_a_restart, async |world| {
    let ana = world.admin().await;
    let answers = join_all((0..100).map(|number| {
        let row = json!({"subject": format!("Ticket {number:03}"), "message": "Uma mensagem longa o bastante."});
        let request = world.post("/rest/v1/tickets").as_(&ana).single().json(&row);
        // Every tenth is refused, and takes none of its neighbours along.
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
    world.restart();
    let rows = world.get("/rest/v1/tickets?select=subject&order=subject").as_(&ana).send().await;
    let rows = rows.is(200).json();
    let expected: Vec<Value> = (0..100)
        .filter(|number| number % 10 != 0)
        .map(|number| json!({"subject": format!("Ticket {number:03}")}))
        .collect();
    assert_eq!(rows, json!(expected));
});

portal_test!(people_rows_and_files_outlive_the_process, async |world| {
    let (ana, joao) = (world.admin().await, world.client("joao").await);
    let document = world.document(&joao, "contratos", "a.pdf").await;
    world.restart();
    // Also their sessions: the secret lies in the settings or the data folder.
    let rows = world.get("/rest/v1/documents?select=id").as_(&joao).send().await;
    assert_eq!(rows.is(200).json(), json!([{"id": document.id}]));
    assert_eq!(world.get(&object(&document.path)).as_(&joao).send().await.is(200).body, PDF);
    world.refresh(&joao.refresh_token).await.is(200);
    world.get("/auth/v1/admin/users").as_(&ana).send().await.is(200);
    world.sign_in(&joao.email).await;
});

portal_test!(what_a_crash_left_half_written_is_gone_at_the_next_start, async |world| {
    let joao = world.client("joao").await;
    let document = world.document(&joao, "contratos", "a.pdf").await;
    let left = world.folder("tmp").join("half");
    std::fs::write(&left, b"%PDF-1.7").unwrap();
    world.restart();
    assert!(!left.exists());
    assert_eq!(world.get(&object(&document.path)).as_(&joao).send().await.is(200).body, PDF);
});

portal_test!(a_database_of_a_newer_program_is_left_alone, async |world| {
    let write = |tx: &mut db::Tx<'_>| tx.insert("migrations", [("name", "9999_future".into())]);
    world.app.db.write(write).await.unwrap();
    let refusal = world.try_restart().unwrap_err();
    assert!(refusal.contains("newer version"), "{refusal}");
});

portal_test!(a_fault_names_its_request_and_tells_nothing_else, async |world| {
    let joao = world.client("joao").await;
    // What no version of the program writes.
    let user = joao.id.clone();
    let write = move |tx: &mut db::Tx<'_>| {
        tx.execute(
            Query::update()
                .table("users")
                .value("user_metadata", "no JSON")
                .and_where(Expr::col("id").eq(user)),
        )
    };
    world.app.db.write(write).await.unwrap();
    let answer =
        world.get("/auth/v1/user").as_(&joao).send().await.refused(500, "unexpected_failure");
    let request = answer.header("x-request-id");
    assert_eq!(answer.json()["msg"], format!("Unexpected failure, request {request}"));
});

portal_test!(a_statement_without_end_is_cut_off, async |world| {
    let endless = sea_query::Expr::cust(
        "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n)",
    );
    let statement = sea_query::Query::select().expr(endless).take();
    let cut = world.app.db.read(move |tx| tx.rows(&statement).map(drop)).await;
    assert!(matches!(cut, Err(portaria::db::Error::TimedOut)), "{cut:?}");
    world.get("/ready").send().await.is(200);
});
