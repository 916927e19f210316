//! Completeness of the export: `personal_data.txt` names, for each table and column of the database, the exported file
//! or the reason for its absence. A new table or column without a line fails the test.

use std::collections::{BTreeMap, BTreeSet};

use portaria::db::{Error, Tx, dialect::Dialect};
use sea_query::{Expr, Query};
use serde_json::{Value, json};

use crate::account::export::{entries, export, json_of, send_file};
use crate::auth::passkeys::{register, sign_in, use_domain};
use crate::harness::{TestPortal, portal_test};
use crate::notifications::push_service::Browser;

const TABLE: &str = include_str!("personal_data.txt");

const SQLITE: &str = "(SELECT group_concat(m.name || '.' || c.name) FROM pragma_table_list m, \
    pragma_table_info(m.name) c WHERE m.schema = 'main' AND m.type = 'table' AND m.name <> 'sqlite_schema')";
const POSTGRES: &str = "(SELECT string_agg(c.table_name::text || '.' || c.column_name::text, ',') \
    FROM information_schema.columns c JOIN information_schema.tables t \
    ON t.table_name = c.table_name AND t.table_schema = c.table_schema \
    WHERE t.table_type = 'BASE TABLE' AND c.table_schema = 'public')";

/// `table.column` of the whole database.
async fn columns(portal: &TestPortal) -> BTreeSet<String> {
    let ask = |tx: &mut Tx<'_>| {
        let all = if tx.dialect() == Dialect::Sqlite { SQLITE } else { POSTGRES };
        let rows = tx.rows(Query::select().expr(Expr::cust(all)))?;
        Ok::<_, Error>(rows.first().unwrap().text(0)?.split(',').map(str::to_owned).collect())
    };
    portal.app.db.read(ask).await.unwrap()
}

/// The lines of the table: columns, and the file if there is one.
fn lines() -> Vec<(&'static str, Vec<&'static str>, Option<&'static str>)> {
    let listed = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    listed
        .map(|line| {
            let (table, rest) = line.split_once(": ").unwrap();
            let (columns, file) = match rest.split_once(" > ") {
                Some((columns, file)) => (columns, Some(file)),
                None => {
                    (rest.split_once(" - ").unwrap_or_else(|| panic!("no reason: {line}")).0, None)
                }
            };
            (table, columns.split(' ').collect(), file)
        })
        .collect()
}

portal_test!(personal_data_table_covers_every_column, async |portal| {
    let all = columns(portal).await;
    let mut listed = BTreeSet::new();
    for (table, columns, _) in lines() {
        for column in columns {
            let prefix = format!("{table}.");
            let named: Vec<String> = match column {
                "*" => all.iter().filter(|name| name.starts_with(&prefix)).cloned().collect(),
                column => vec![format!("{prefix}{column}")],
            };
            for name in named {
                assert!(listed.insert(name.clone()), "{name} occurs twice");
            }
        }
    }
    let missing: Vec<_> = all.difference(&listed).collect();
    let unknown: Vec<_> = listed.difference(&all).collect();
    assert!(missing.is_empty(), "personal_data.txt has no line for {missing:?}");
    assert!(unknown.is_empty(), "personal_data.txt names unknown columns {unknown:?}");
});

portal_test!(export_contains_the_columns_of_the_table, async |portal| {
    use_domain(portal);
    let ana = portal.admin().await;
    let on = json!([{"document_type_event": "fatura_new", "enabled": true}]);
    portal.post("/rest/v1/email_notification_settings").auth(&ana).json(&on).send().await.is(201);
    let joao = portal.client("joao").await;
    let ask = json!({"approval_request": "approve"});
    let document = portal.document_with(&joao, "faturas", "guia.pdf", ask).await;
    let answer = json!({
        "document_id": document.id, "file_url": document.path, "outcome": "refused", "reason": "Valor errado",
    });
    portal.post("/rest/v1/document_approvals").auth(&joao).json(&answer).send().await.is(201);
    let receipt = json!({"document_id": document.id, "action": "opened"});
    portal.post("/rest/v1/document_receipts").auth(&joao).json(&receipt).send().await.is(201);
    let payment = json!({"document_id": document.id, "paid_on": "2026-11-20"});
    portal.post("/rest/v1/document_payments").auth(&joao).json(&payment).send().await.is(201);
    let contact = json!({"document_id": document.id, "kind": "whatsapp"});
    portal.insert("document_contacts", contact).await;
    let file = portal.upload(&joao, "contratos", "nova.pdf").await;
    let gone = portal.document(&joao, "contratos", "apagado.pdf").await;
    let replaced = portal.patch(&format!("/rest/v1/documents?id=eq.{}", gone.id)).auth(&ana);
    replaced.json(&json!({"file_url": file})).send().await.is(204);
    portal.delete(&format!("/rest/v1/documents?id=eq.{}", gone.id)).auth(&ana).send().await.is(204);
    let links = format!("/account/v1/documents/{}/links", document.id);
    portal.post(&links).auth(&ana).send().await.is(200);
    let ticket = portal.ticket(&joao, "Dúvida").await;
    send_file(portal, &joao, &ticket, false, &format!("{}/{ticket}/1-a.pdf", joao.id)).await;
    let item = json!({"client_id": joao.id, "name": "Extrato", "month": "2026-11"});
    let item = portal.insert("request_items", item).await;
    let path = format!("{}/{item}/extrato.pdf", joao.id);
    let upload = portal.post(&format!("/storage/v1/object/received-files/{path}")).auth(&joao);
    upload.bytes("application/pdf", crate::harness::PDF).send().await.is(200);
    let row = json!({"item_id": item, "name": "extrato.pdf", "file_url": path});
    portal.post("/rest/v1/received_files").auth(&joao).json(&row).send().await.is(201);
    let mute = json!({"topic": "tickets"});
    portal.post("/rest/v1/muted_topics").auth(&joao).json(&mute).send().await.is(201);
    portal.delete("/account/v1/push/topics/tickets").auth(&joao).send().await.is(204);
    let browser = Browser::new("https://fcm.googleapis.com/fcm/send/joao");
    let device = portal.post("/account/v1/push/devices").auth(&joao);
    device.json(&browser.subscription("Chrome no Android")).send().await.is(204);
    portal.post("/account/v1/calendar").auth(&joao).send().await.is(200);
    let person = json!({
        "email": "carla@padaria.example", "name": "Carla", "role": "member", "folders": ["faturas"],
    });
    portal.post("/account/v1/members").auth(&joao).json(&person).send().await.is(204);
    let factor = json!({"factor_type": "totp"});
    portal.post("/auth/v1/factors").auth(&joao).json(&factor).send().await.is(200);
    let (mut device, _) = register(portal, &joao, "telefone").await;
    sign_in(portal, &mut device).await;
    let entries = entries(&export(portal, &joao).await.is(200));
    let mut files: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (_, columns, file) in lines() {
        if let Some(file) = file {
            files.entry(file).or_default().extend(columns);
        }
    }
    for (file, mut columns) in files {
        let found = json_of(&entries, file);
        let row = if found.is_array() { found[0].clone() } else { found };
        let Value::Object(row) = row else { panic!("{file} is empty") };
        let mut held: Vec<&str> = row.keys().map(String::as_str).collect();
        held.sort_unstable();
        columns.sort_unstable();
        assert_eq!(held, columns, "{file}");
    }
    let events = json_of(&entries, "registro.json").to_string();
    for event in [
        "account.created",
        "session.began",
        "document.created",
        "document.opened",
        "document.refused",
        "payment.reported",
        "document.reminded",
        "ticket.created",
        "received_file.created",
    ] {
        assert!(events.contains(event), "{event}");
    }
    assert!(!events.contains("Ana Prado"));
});
