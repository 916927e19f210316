//! Rows of versions without text search are found by it after the upgrade.

use portaria::db::Error;
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
