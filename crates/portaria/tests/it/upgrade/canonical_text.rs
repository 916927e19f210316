//! Rows of versions that stored addresses and texts in other forms are found after the upgrade.

use std::iter;

use jiff::SignedDuration;
use portaria::{
    audit::ChainVerifier,
    db::{Error, Tx},
};
use sea_query::{Alias, Expr, ExprTrait, Query};
use serde_json::{Value, json};

use crate::{
    auth::passkeys::use_domain,
    backup::rows,
    harness::{PASSWORD, TestPortal, portal_test},
    upgrade::office,
};

const COMPOSED: &str = "Declaração anual";
const DECOMPOSED: &str = "Declarac\u{327}a\u{303}o anual";
/// Ten characters, the minimum of a ticket's message, of which NFC leaves five.
const SHORT: &str = "a\u{303}a\u{303}a\u{303}a\u{303}a\u{303}";

/// Columns with texts that people write.
const COLUMNS: &[(&str, &str)] = &[
    ("folders", "name"),
    ("folders", "legal_hold_reason"),
    ("documents", "name"),
    ("documents", "type"),
    ("documents", "legal_hold_reason"),
    ("tickets", "subject"),
    ("tickets", "message"),
    ("ticket_messages", "body"),
    ("ticket_attachments", "name"),
    ("saved_replies", "title"),
    ("saved_replies", "body"),
    ("email_templates", "name"),
    ("email_templates", "subject"),
    ("email_templates", "html_content"),
    ("email_templates", "description"),
    ("outbox", "subject"),
];

/// Sets a column of all rows, or of those with a key, as an earlier version stored it.
async fn store(
    portal: &TestPortal,
    (table, column): (&'static str, &'static str),
    key: Option<(&'static str, &str)>,
    text: &str,
) {
    let mut update = Query::update();
    update.table(table).value(column, text);
    if let Some((column, key)) = key {
        update.and_where(Expr::col(column).eq(key));
    }
    let written = portal.app.db.write::<_, Error, _>(move |tx| tx.execute(&update)).await;
    assert!(written.unwrap() > 0, "{table}.{column}");
}

/// The different texts of a column.
async fn stored(portal: &TestPortal, table: &'static str, column: &'static str) -> Vec<String> {
    let read = move |tx: &mut Tx<'_>| {
        let mut query = Query::select();
        query.distinct().column(column).from(Alias::new(table));
        let rows = tx.rows(query.and_where(Expr::col(column).is_not_null()))?;
        rows.iter().map(|row| row.text(0).map(str::to_owned)).collect()
    };
    portal.app.db.read::<_, Error, _>(read).await.unwrap()
}

/// Starts this version on the data of a version without the migration.
async fn upgrade(portal: &mut TestPortal) {
    let mut forget = Query::delete();
    forget.from_table("migrations").and_where(Expr::col("name").eq("0008_canonical_text"));
    portal.app.db.write::<_, Error, _>(move |tx| tx.execute(&forget)).await.unwrap();
    portal.restart();
}

async fn store_email(portal: &TestPortal, id: &str, email: &str) {
    store(portal, ("users", "email"), Some(("id", id)), email).await;
}

portal_test!(addresses_of_earlier_versions_are_found, async |portal| {
    let (ana, maria) = (portal.client("ana").await, portal.client("maria").await);
    let code = json!({"email": ana.email, "create_user": false});
    portal.post("/auth/v1/otp").json(&code).send().await.is(200);
    store_email(portal, &ana.id, "ana@pão.com.br").await;
    for column in [("one_time_tokens", "email"), ("outbox", "recipient")] {
        store(portal, column, Some(("user_id", &ana.id)), "ana@pão.com.br").await;
    }
    store(portal, ("users", "new_email"), Some(("id", &maria.id)), "maria@pão.com.br").await;
    upgrade(portal).await;

    for address in ["ana@pão.com.br", "ana@PA\u{303}O.com.br", "ana@xn--po-sia.com.br"] {
        assert_eq!(portal.sign_in(address).await.id, ana.id);
    }
    assert_eq!(stored(portal, "users", "new_email").await, ["maria@xn--po-sia.com.br"]);
    let code = portal.mail("magic_link", "ana@xn--po-sia.com.br").await.code();
    let verify = json!({"type": "email", "email": "ana@pão.com.br", "token": code});
    portal.post("/auth/v1/verify").json(&verify).send().await.is(200);
});

portal_test!(account_with_a_non_ascii_local_part_still_works, async |portal| {
    let joao = portal.client("joao").await;
    store_email(portal, &joao.id, "joa\u{303}o@cliente.com.br").await;
    upgrade(portal).await;

    let address = "joão@cliente.com.br";
    let joao = portal.sign_in(address).await;
    assert_eq!(joao.email, address);
    for (route, event) in [("recover", "recovery"), ("otp", "magic_link")] {
        portal.advance(SignedDuration::from_mins(1));
        let request = portal.post(&format!("/auth/v1/{route}"));
        request.json(&json!({"email": address})).send().await.is(200);
        portal.mail(event, address).await;
    }
    let code = portal.mail("magic_link", address).await.code();
    let verify = json!({"type": "email", "email": address, "token": code});
    portal.post("/auth/v1/verify").json(&verify).send().await.is(200);

    // A form sends the address along with other changes.
    let row = json!({"email": address, "user_metadata": {"full_name": "João"}});
    let change = format!("/auth/v1/admin/users/{}", joao.id);
    let office = || portal.put(&change).bearer(&portal.app.keys.service_role);
    office().json(&row).send().await.is(200);
    let own = json!({"email": address, "data": {"full_name": "João Silva"}});
    portal.put("/auth/v1/user").auth(&joao).json(&own).send().await.is(200);
    let other = json!({"email": "josé@cliente.com.br"});
    office().json(&other).send().await.refused(400, "email_address_not_ascii");
    let own = portal.put("/auth/v1/user").auth(&joao).json(&other).send().await;
    own.refused(400, "email_address_not_ascii");
    office().json(&json!({"email": "joao@cliente.com.br"})).send().await.is(200);
    portal.sign_in("joao@cliente.com.br").await;
});

portal_test!(address_that_another_account_has_stays_as_it_is, async |portal| {
    let (old, bia) = (portal.client("rui").await, portal.client("bia").await);
    let new = portal.create_user(json!({"email": "rui@pão.com.br"})).await;
    store_email(portal, &old.id, "rui@pão.com.br").await;
    store_email(portal, &bia.id, "bia@pão.com.br").await;
    upgrade(portal).await;

    assert_eq!(portal.sign_in("rui@pão.com.br").await.id, new["id"]);
    assert_eq!(portal.sign_in("bia@pão.com.br").await.id, bia.id);
    // The account exists, and the office can change its address.
    let path = format!("/auth/v1/admin/users/{}", old.id);
    let service = &portal.app.keys.service_role;
    let account = portal.get(&path).bearer(service).send().await.is(200).json();
    assert_eq!(account["email"], "rui@pão.com.br");
    let change = json!({"email": "rui2@cliente.com.br", "password": PASSWORD});
    portal.put(&path).bearer(service).json(&change).send().await.is(200);
    assert_eq!(portal.sign_in("rui2@cliente.com.br").await.id, old.id);
});

portal_test!(texts_of_earlier_versions_are_found, async |portal| {
    use_domain(portal);
    office::furnish(portal).await;
    let service = portal.app.keys.service_role.clone();
    let replies = iter::repeat_n(json!({"title": "Título", "body": "Texto"}), 250);
    let replies = json!(replies.collect::<Vec<Value>>());
    let request = portal.post("/rest/v1/saved_replies").bearer(&service);
    request.json(&replies).send().await.is(201);
    for column in COLUMNS {
        store(portal, *column, None, DECOMPOSED).await;
    }
    let metadata = json!({"full_name": DECOMPOSED, "list": [DECOMPOSED, 1.5, null]});
    store(portal, ("users", "user_metadata"), None, &metadata.to_string()).await;
    // The hashes of the audit log cover its texts.
    let activity = rows(&portal.app.config).remove("activity");
    upgrade(portal).await;

    for (table, column) in COLUMNS {
        assert_eq!(stored(portal, table, column).await, [COMPOSED], "{table}.{column}");
        let path = format!("/rest/v1/{table}?select={column}&limit=1");
        let request = portal.get(&path).query(column, &format!("eq.{COMPOSED}"));
        let found = request.bearer(&service).send().await.is(200).json();
        assert_eq!(found, json!([{*column: COMPOSED}]), "{table}.{column}");
    }
    let metadata = json!({"full_name": COMPOSED, "list": [COMPOSED, 1.5, null]});
    assert_eq!(stored(portal, "users", "user_metadata").await, [metadata.to_string()]);
    assert_eq!(rows(&portal.app.config).remove("activity"), activity);
    assert_eq!(ChainVerifier::run(&portal.app).await.unwrap().breaks, []);
});

portal_test!(text_whose_new_form_is_too_short_stays_as_it_is, async |portal| {
    let joao = portal.client("joao").await;
    let short = portal.ticket(&joao, "Dúvida").await;
    portal.ticket(&joao, "Outra").await;
    store(portal, ("tickets", "message"), None, DECOMPOSED).await;
    store(portal, ("tickets", "message"), Some(("id", &short)), SHORT).await;
    upgrade(portal).await;
    let mut messages = stored(portal, "tickets", "message").await;
    messages.sort();
    assert_eq!(messages, [COMPOSED, SHORT]);
});

portal_test!(texts_are_converted_once, async |portal| {
    let joao = portal.client("joao").await;
    portal.ticket(&joao, "Dúvida").await;
    store(portal, ("tickets", "subject"), None, DECOMPOSED).await;
    portal.restart();
    assert_eq!(stored(portal, "tickets", "subject").await, [DECOMPOSED]);
});
