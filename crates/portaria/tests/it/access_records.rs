//! Retention of access records (openings and sign-ins): dropped after their retention period, and protected against
//! earlier truncation.

use jiff::SignedDuration;
use portaria::{audit::ChainBreak, jobs::nightly};
use sea_query::{Expr, ExprTrait, Query};
use serde_json::{Value, json};

use crate::{
    audit::{log, tamper, verify},
    harness::portal_test,
};

portal_test!(access_records_are_dropped_after_retention_and_protected_before, async |portal| {
    let ana = portal.admin().await;
    let joao = portal.client("joao").await;
    let document = portal.document(&joao, "contratos", "a.pdf").await;
    let receipt = json!({"document_id": document.id, "action": "opened"});
    portal.post("/rest/v1/document_receipts").auth(&joao).json(&receipt).send().await.is(201);
    nightly::run(&portal.app).await.unwrap();
    // Five months and some days have passed. The retention period of six months ends on 21 May.
    portal.advance(SignedDuration::from_hours(24 * 170));
    let young = portal.sign_in(&joao.email).await;
    nightly::run(&portal.app).await.unwrap();
    let before = verify(portal).await;
    assert_eq!((before.dropped, &*before.breaks), (0, &[] as &[ChainBreak]));
    portal.advance(SignedDuration::from_hours(24 * 12));
    nightly::run(&portal.app).await.unwrap();
    let found = verify(portal).await;
    assert_eq!((found.events, &*found.breaks), (1, &[] as &[ChainBreak]));
    assert_eq!(u64::try_from(found.dropped).unwrap(), before.events - 1);
    assert_eq!(found.head, before.head);
    let ana = portal.sign_in(&ana.email).await;
    let lines = log(portal, &ana).await;
    assert_eq!(lines[0]["event"], "session.began");
    assert_eq!(lines[0]["actor_id"], json!(young.id));
    let receipts = portal.get("/rest/v1/document_receipts").auth(&ana).send().await.is(200);
    assert_eq!(receipts.json(), json!([]));
    let opened = portal.get("/rest/v1/documents?select=was_opened").auth(&ana).send().await.is(200);
    assert_eq!(opened.json(), json!([{"was_opened": true}]));

    // A log that was truncated by hand has no valid seal.
    let cut = before.head.0;
    tamper(portal, move |tx| {
        let hash = tx.rows(
            Query::select().column("hash").from("activity").and_where(Expr::col("number").eq(cut)),
        )?;
        let hash = hash.first().unwrap().text(0)?.to_owned();
        let mut start = Query::update();
        start.table("activity_ends").values([("number", cut.into()), ("hash", hash.into())]);
        tx.execute(start.and_where(Expr::col("name").eq("start")))?;
        tx.execute(Query::delete().from_table("activity").and_where(Expr::col("number").lte(cut)))
    })
    .await;
    assert_eq!(verify(portal).await.breaks, [ChainBreak::TruncatedPrefix(cut)]);
});

portal_test!(access_records_are_dropped_in_batches, async |portal| {
    let ana = portal.admin().await;
    nightly::run(&portal.app).await.unwrap();
    for _ in 0..5 {
        let rows: Vec<Value> =
            (0..500).map(|n| json!({"title": format!("{n}"), "body": "x"})).collect();
        portal.post("/rest/v1/saved_replies").auth(&ana).json(&json!(rows)).send().await.is(201);
    }
    portal.advance(SignedDuration::from_hours(24 * 200));
    let (one, two) = (portal.another_node(), portal.another_node());
    let (one, two) = futures_util::future::join(nightly::run(&one), nightly::run(&two)).await;
    one.unwrap();
    two.unwrap();
    let found = verify(portal).await;
    assert_eq!((found.events, found.dropped, found.breaks), (0, found.head.0, vec![]));
    assert!(found.dropped > 2_500);
    portal.sign_in(&ana.email).await;
    assert_eq!(verify(portal).await.breaks, []);
});
