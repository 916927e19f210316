//! Rows of versions without text search are found by it after the upgrade.

use jiff::SignedDuration;
use portaria::{db::Error, jobs::nightly};
use sea_query::{Expr, ExprTrait, Query};
use serde_json::json;

use crate::harness::portal_test;

portal_test!(rows_of_earlier_versions_are_found_by_text_search, async |portal| {
    let joao = portal.client("joao").await;
    let row =
        json!({"name": "Declaração", "folder_id_supabase": "contratos", "client_id": joao.id});
    portal.insert("documents", row).await;
    let mut update = Query::update();
    update.table("documents").value("name_words", Expr::cust("NULL"));
    let mut forget = Query::delete();
    forget.from_table("migrations").and_where(Expr::col("name").eq("0011_fill_search_words"));
    let write = move |tx: &mut portaria::db::Tx<'_>| {
        tx.execute(&update)?;
        tx.execute(&forget)
    };
    portal.app.db.write::<_, Error, _>(write).await.unwrap();

    let path = "/rest/v1/documents?select=name&name=fts.declaracoes";
    assert_eq!(portal.get(path).auth(&joao).send().await.is(200).json(), json!([]));
    portal.restart();
    let found = portal.get(path).auth(&joao).send().await.is(200).json();
    assert_eq!(found, json!([{"name": "Declaração"}]));
});

portal_test!(row_of_an_older_node_is_found_after_a_night, async |portal| {
    let joao = portal.client("joao").await;
    for name in ["Declaração", "Nota"] {
        let row = json!({"name": name, "folder_id_supabase": "contratos", "client_id": joao.id});
        portal.insert("documents", row).await;
    }
    let mut update = Query::update();
    update.table("documents").value("name_words", Expr::cust("NULL"));
    update.and_where(Expr::col("name").eq("Declaração"));
    let write = move |tx: &mut portaria::db::Tx<'_>| tx.execute(&update);
    portal.app.db.write::<_, Error, _>(write).await.unwrap();

    nightly::run(&portal.app).await.unwrap();
    portal.advance(SignedDuration::from_hours(24));
    nightly::run(&portal.app).await.unwrap();
    let joao = portal.sign_in(&joao.email).await;
    for (word, name) in [("declaracoes", "Declaração"), ("notas", "Nota")] {
        let path = format!("/rest/v1/documents?select=name&name=fts.{word}");
        let found = portal.get(&path).auth(&joao).send().await.is(200).json();
        assert_eq!(found, json!([{"name": name}]));
    }
});
