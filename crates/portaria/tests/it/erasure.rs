//! Erasure of personal data: from database pages, files, exports and restored backups.

use std::{fs, sync::Arc};

use jiff::SignedDuration;
use portaria::{
    audit::ChainVerifier,
    jobs::{garbage_collect, nightly},
    privacy::erasure,
};
use serde_json::{Value, json};

use crate::backup::{make_and_record, rows};
use crate::harness::{PASSWORD, PDF, TestPortal, TestUser, object, portal_test};
use crate::notifications::push_service::Browser;

/// Marker in all data of the erased person, and nowhere else.
const MARKER: &str = "Zuleica-Marcadora";
/// The marker as it appears in e-mail addresses and paths.
const SMALL: &str = "zuleica-marcadora";
/// The end of the marker's second word as the search indexes contain it. They omit the beginning that it shares with the
/// word before it.
const STEM_END: &str = "rcador";
/// Marker in data under a legal hold.
const KEPT: &str = "Nota-Fiscal-Guardada";

fn pdf(marker: &str) -> Vec<u8> {
    [PDF, b"% ", marker.as_bytes()].concat()
}

/// All bytes of the data folder and the store, and all rows on PostgreSQL.
fn all_bytes(portal: &TestPortal) -> Vec<u8> {
    let mut bytes = Vec::new();
    for path in [".", "blobs"].into_iter().flat_map(|folder| portal.files_in(folder)) {
        bytes.extend_from_slice(path.as_os_str().as_encoded_bytes());
        bytes.extend(fs::read(path).unwrap());
    }
    let url = portal.database_url().to_owned();
    if !url.is_empty() {
        let rows = std::thread::spawn(move || {
            let mut client = postgres::Client::connect(&url, postgres::NoTls).unwrap();
            let tables = "SELECT table_name FROM information_schema.tables \
                WHERE table_schema = 'public' AND table_type = 'BASE TABLE'";
            let mut text = String::new();
            for table in client.query(tables, &[]).unwrap() {
                let table: String = table.get(0);
                let rows = client.query(&format!("SELECT t::text FROM {table} t"), &[]).unwrap();
                text.extend(rows.iter().map(|row| row.get::<_, String>(0)));
            }
            text
        });
        bytes.extend(rows.join().unwrap().into_bytes());
    }
    bytes
}

/// Counts the occurrences of a text, ignoring case.
fn count(bytes: &[u8], marker: &str) -> usize {
    let (bytes, marker) = (bytes.to_ascii_lowercase(), marker.to_ascii_lowercase());
    bytes.windows(marker.len()).filter(|window| *window == marker.as_bytes()).count()
}

async fn run_nightly_jobs(portal: &TestPortal) {
    nightly::run(&portal.app).await.unwrap();
    portal.advance(SignedDuration::from_hours(2));
    garbage_collect::run(&portal.app).await.unwrap();
    portal.advance(SignedDuration::from_hours(24));
    nightly::run(&portal.app).await.unwrap();
}

async fn marked(portal: &TestPortal) -> TestUser {
    let email = format!("{SMALL}@cliente.com.br");
    let name = json!({"full_name": format!("{MARKER} da Silva"), "tax_id": "52998224725"});
    portal.create_user(json!({"email": email, "user_metadata": name})).await;
    let request = portal.post("/auth/v1/token?grant_type=password").header("user-agent", MARKER);
    let session = request.json(&json!({"email": email, "password": PASSWORD})).send().await;
    TestUser::from_session(&session.is(200).json())
}

async fn put(portal: &TestPortal, user: &TestUser, path: &str, marker: &str) {
    let request = portal.post(path).auth(user);
    request.bytes("application/pdf", pdf(marker)).send().await.is(200);
}

/// Creates a document whose file, path and name contain a marker.
async fn document(
    portal: &TestPortal,
    ana: &TestUser,
    of: &TestUser,
    folder: &str,
    marker: &str,
) -> String {
    let path = format!("public/{}/{folder}/1-{marker}.pdf", of.id);
    put(portal, ana, &object(&path), marker).await;
    let row = json!({"name": marker, "folder_id_supabase": folder, "type": "pdf", "file_url": path,
        "uploaded_at": portal.now().to_string()});
    portal.insert("documents", row).await
}

/// Creates personal data in every place that stores any.
async fn live(portal: &TestPortal, ana: &TestUser, user: &TestUser) {
    let on = json!([{"document_type_event": "contrato_new", "enabled": true}]);
    portal.post("/rest/v1/email_notification_settings").auth(ana).json(&on).send().await.is(201);
    let contract = document(portal, ana, user, "contratos", MARKER).await;
    let lost = format!("public/{}/contratos/2-{MARKER}.pdf", user.id);
    put(portal, ana, &object(&lost), MARKER).await;
    let receipt = json!({"document_id": contract, "action": "opened"});
    portal.post("/rest/v1/document_receipts").auth(user).json(&receipt).send().await.is(201);
    portal.get(&object(&lost)).auth(ana).send().await.is(200);

    let row = json!({"subject": MARKER, "message": format!("Sou {MARKER}, pode me ajudar?")});
    let ticket = portal.post("/rest/v1/tickets").auth(user).single().json(&row).send().await;
    let ticket = ticket.is(201).json()["id"].as_str().unwrap().to_owned();
    for (sender, folder, internal) in
        [(user, user.id.as_str(), false), (ana, "office", false), (ana, "office", true)]
    {
        let mut row = json!({"ticket_id": ticket, "body": format!("Para {MARKER}")});
        if internal {
            row["internal"] = json!(true);
        }
        let message = portal.post("/rest/v1/ticket_messages").auth(sender).single().json(&row);
        let message = message.send().await.is(201).json();
        let path = format!("{folder}/{ticket}/{internal}-{MARKER}.pdf");
        put(portal, sender, &format!("/storage/v1/object/ticket-attachments/{path}"), MARKER).await;
        let row = json!({"message_id": message["id"], "name": MARKER, "file_url": path});
        portal.post("/rest/v1/ticket_attachments").auth(sender).json(&row).send().await.is(201);
    }
    let unsent = format!("{}/{ticket}/solto-{MARKER}.pdf", user.id);
    put(portal, user, &format!("/storage/v1/object/ticket-attachments/{unsent}"), MARKER).await;
    send_files(portal, ana, user).await;
    let close = portal.patch(&format!("/rest/v1/tickets?id=eq.{ticket}")).auth(user);
    close.json(&json!({"status": "closed"})).send().await.is(204);
    portal.post("/rest/v1/muted_topics").auth(user).json(&json!({"topic": "tickets"})).send().await;
    portal.post("/account/v1/calendar").auth(user).send().await.is(200);
    let browser = Browser::new(&format!("https://fcm.googleapis.com/fcm/send/{MARKER}"));
    let device = portal.post("/account/v1/push/devices").auth(user);
    device.json(&browser.subscription(MARKER)).send().await.is(204);
    // Mails to two addresses, one of which is not confirmed.
    let other = json!({"email": format!("{SMALL}-nova@cliente.com.br")});
    portal.put("/auth/v1/user").auth(user).json(&other).send().await.is(200);
    portal.post("/auth/v1/recover").json(&json!({"email": user.email})).send().await.is(200);
    portal.try_sign_in(&user.email, "não é esta").await.is(400);
    // Rows that were updated and deleted leave earlier versions in free pages of the file.
    for number in 0..5 {
        let name = json!({"data": {"full_name": format!("{MARKER} {number}")}});
        portal.put("/auth/v1/user").auth(user).json(&name).send().await.is(200);
    }
    let gone = document(portal, ana, user, "faturas", &format!("Antiga-{MARKER}")).await;
    portal.delete(&format!("/rest/v1/documents?id=eq.{gone}")).auth(ana).send().await.is(204);
    let half = portal.post("/storage/v1/upload/resumable").auth(ana);
    let metadata = |text: &str| base64::Engine::encode(&base64::prelude::BASE64_STANDARD, text);
    let name = format!("public/{}/contratos/3-{MARKER}.pdf", user.id);
    half.header("tus-resumable", "1.0.0")
        .header(
            "upload-metadata",
            &format!("bucketName {},objectName {}", metadata("client-documents"), metadata(&name)),
        )
        .header("upload-length", "1000")
        .send()
        .await
        .is(201);
}

/// Files for a request item and without one, of which the office filed one.
async fn send_files(portal: &TestPortal, ana: &TestUser, user: &TestUser) {
    let item = json!({"client_id": user.id, "name": MARKER, "hint": MARKER, "month": "2026-11"});
    let item = portal.insert("request_items", item).await;
    for (place, item_id) in [(item.as_str(), Some(&item)), ("unrequested", None)] {
        let path = format!("{}/{place}/{MARKER}.pdf", user.id);
        put(portal, user, &format!("/storage/v1/object/received-files/{path}"), MARKER).await;
        let row = json!({"item_id": item_id, "name": MARKER, "file_url": path, "note": MARKER});
        let row = portal.post("/rest/v1/received_files").auth(user).single().json(&row);
        let row = row.send().await.is(201).json();
        if item_id.is_none() {
            let names = json!({row["id"].as_str().unwrap(): MARKER});
            let filing = portal.post("/rest/v1/rpc/file_received_files").auth(ana);
            let filing = filing.json(&json!({"folder": "contratos", "names": names}));
            filing.send().await.is(200);
        }
    }
    let unsent = format!("{}/{item}/solto-{MARKER}.pdf", user.id);
    put(portal, user, &format!("/storage/v1/object/received-files/{unsent}"), MARKER).await;
}

fn place(user: &TestUser) -> String {
    format!("/auth/v1/admin/users/{}/erasure", user.id)
}

async fn erase(portal: &TestPortal, ana: &TestUser, user: &TestUser) -> Value {
    let typed = json!({"email": format!(" {} ", user.email.to_uppercase())});
    portal.post(&place(user)).auth(ana).json(&typed).send().await.is(200).json()
}

portal_test!(erasure_leaves_only_data_under_legal_hold, async |portal| {
    let ana = portal.admin().await;
    let (zuleica, maria) = (marked(portal).await, portal.client("maria").await);
    // Mails about the client go to another person, too.
    portal.add_member(&zuleica, &maria).await;
    live(portal, &ana, &zuleica).await;
    let held = document(portal, &ana, &zuleica, "faturas", KEPT).await;
    let law = json!({"legal_hold_reason": "Código Tributário Nacional, art. 173"});
    let folder = portal.patch("/rest/v1/folders?id_supabase=eq.faturas").auth(&ana);
    folder.json(&law).send().await.is(204);
    portal.document(&maria, "contratos", "da-maria.pdf").await;
    assert!(count(&all_bytes(portal), MARKER) > 30, "the marker is not found before the erasure");

    let plan = portal.get(&place(&zuleica)).auth(&ana).send().await.is(200).json();
    assert_eq!(plan["documents"], 3);
    assert_eq!(plan["tickets"], 1);
    assert_eq!(plan["held_count"], 1);
    assert_eq!(plan["held"][0]["name"], KEPT);
    assert_eq!(plan["held"][0]["reason"], law["legal_hold_reason"]);
    assert_eq!(plan["mentions"], json!([]));

    let erased = erase(portal, &ana, &zuleica).await;
    // Rows are erased immediately. Blobs and database pages follow in the nightly job.
    let hash = portaria::security::keys::sha256_hex(&zuleica.email);
    for (table, rows) in rows(&portal.app.config) {
        for mark in [MARKER, SMALL, &hash] {
            assert!(!rows.iter().any(|row| row.contains(mark)), "{mark} is left in {table}");
        }
    }
    for number in ["documents", "tickets", "mails"] {
        assert_eq!(erased[number], plan[number], "{number}");
    }
    assert_eq!(erased["held"], 1);
    assert!(erased["lines"].as_u64() >= plan["lines"].as_u64());
    portal.get("/auth/v1/user").auth(&zuleica).send().await.refused(403, "user_not_found");
    portal.try_sign_in(&zuleica.email, PASSWORD).await.refused(400, "invalid_credentials");
    portal.post("/auth/v1/recover").json(&json!({"email": zuleica.email})).send().await.is(200);
    portal.post("/auth/v1/recover").json(&json!({"email": maria.email})).send().await.is(200);

    run_nightly_jobs(portal).await;
    let ana = portal.sign_in(&ana.email).await;
    let left = all_bytes(portal);
    assert_eq!(count(&left, MARKER), 0);
    assert_eq!(count(&left, STEM_END), 0);
    assert_eq!(count(&left, "52998224725"), 0);
    assert!(count(&left, KEPT) > 0);
    assert!(count(&left, "da-maria.pdf") > 0);
    // The rows that remain are found by their words.
    let found = portal.get("/rest/v1/documents?select=client_id&name=plfts.maria").auth(&ana);
    assert_eq!(found.send().await.is(200).json(), json!([{"client_id": maria.id}]));
    let kept = portal.get(&format!("/rest/v1/documents?id=eq.{held}&select=*,clients(*)"));
    let kept = kept.auth(&ana).single().send().await.is(200).json();
    assert_eq!((&kept["client_id"], &kept["clients"]), (&Value::Null, &Value::Null));
    assert_eq!(kept["erased_client_id"], json!(zuleica.id));
    let file = kept["file_url"].as_str().unwrap();
    assert_eq!(portal.get(&object(file)).auth(&ana).send().await.is(200).body, pdf(KEPT));
    let found = ChainVerifier::run(&portal.app).await.unwrap();
    assert_eq!(found.breaks, []);
    assert!(found.erased > 10);
    let last = portal.get("/rest/v1/activity?event=eq.account.erased").auth(&ana).single();
    let last = last.send().await.is(200).json();
    assert_eq!((&last["person_id"], &last["person_name"]), (&json!(zuleica.id), &Value::Null));

    // When the legal hold ends, the document is deleted automatically.
    let free = portal.patch("/rest/v1/folders?id_supabase=eq.faturas").auth(&ana);
    free.json(&json!({"legal_hold_reason": null})).send().await.is(204);
    run_nightly_jobs(portal).await;
    let ana = portal.sign_in(&ana.email).await;
    let gone = portal.get(&format!("/rest/v1/documents?id=eq.{held}")).auth(&ana).send().await;
    assert_eq!(gone.is(200).json(), json!([]));
    portal.get(&object(file)).auth(&ana).send().await.refused(400, "NoSuchKey");
});

portal_test!(restored_backup_contains_no_erased_person, async |portal| {
    let ana = portal.admin().await;
    let zuleica = marked(portal).await;
    live(portal, &ana, &zuleica).await;
    let before = tempfile::tempdir().unwrap();
    fs::write(before.path().join("erased"), format!("{}\n", zuleica.id)).unwrap();
    // The state after a restore: the erasure list contains entries that the database does not.
    let listed = erasure::read_tombstones(before.path()).unwrap();
    erasure::merge(&portal.folder("."), &listed).unwrap();
    assert_eq!(erasure::reapply_tombstones(&portal.app).await.unwrap(), 1);
    assert_eq!(erasure::reapply_tombstones(&portal.app).await.unwrap(), 0);
    run_nightly_jobs(portal).await;
    assert_eq!(count(&all_bytes(portal), MARKER), 0);
    let ana = portal.sign_in(&ana.email).await;
    let lines = portal.get("/rest/v1/activity?event=eq.account.erased").auth(&ana).single();
    assert_eq!(lines.send().await.is(200).json()["actor"], "program");
});

portal_test!(erasure_is_recorded_outside_the_database, async |portal| {
    let ana = portal.admin().await;
    let joao = portal.client("joao").await;
    erase(portal, &ana, &joao).await;
    let listed = erasure::read_tombstones(&portal.folder(".")).unwrap();
    assert_eq!(listed.into_iter().collect::<Vec<_>>(), [joao.id.parse().unwrap()]);
    let text = fs::read_to_string(portal.folder("erased")).unwrap();
    assert_eq!(text, format!("{}\n", joao.id), "the list must contain ids only");
});

portal_test!(erasure_list_is_copied_to_the_backups, async |portal| {
    let folder = tempfile::tempdir().unwrap();
    let backups = folder.path().join("backups");
    let target = portaria::config::BackupDestination::Folder(backups.clone());
    portal.set("backup_to", backups.to_str().unwrap());
    let ana = portal.admin().await;
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    erase(portal, &ana, &joao).await;
    make_and_record(portal, &target).await;
    assert_eq!(erasure::read_tombstones(&backups).unwrap().len(), 1);
    erase(portal, &ana, &maria).await;
    assert_eq!(erasure::read_tombstones(&backups).unwrap().len(), 2);
    make_and_record(portal, &target).await;
});

portal_test!(erasure_is_confirmed_to_the_office_and_the_address, async |portal| {
    let ana = portal.admin().await;
    let joao = portal.client("joao").await;
    let typed = |email: &str| json!({"email": email});
    for user in [None, Some(&joao)] {
        let request = portal.post(&place(&joao));
        let request = if let Some(user) = user { request.auth(user) } else { request };
        let answer = request.json(&typed(&joao.email)).send().await;
        if user.is_some() {
            answer.refused(403, "not_admin")
        } else {
            answer.refused(401, "no_authorization")
        };
    }
    for email in ["", "outra@cliente.com.br"] {
        let wrong = portal.post(&place(&joao)).auth(&ana).json(&typed(email)).send().await;
        wrong.refused(422, "erasure_not_confirmed");
    }
    portal.get("/auth/v1/user").auth(&joao).send().await.is(200);
    let own = portal.post(&place(&ana)).auth(&ana).json(&typed(&ana.email)).send().await;
    own.refused(422, "staff_account");
    erase(portal, &ana, &joao).await;
    let again = portal.post(&place(&joao)).auth(&ana).json(&typed(&joao.email)).send().await;
    again.refused(404, "user_not_found");
});

portal_test!(office_texts_that_name_the_person_are_listed, async |portal| {
    let ana = portal.admin().await;
    let (zuleica, maria) = (marked(portal).await, portal.client("maria").await);
    let text = format!("Como fizemos com {MARKER} DA SILVA.");
    let reply = json!({"title": "Pronta", "body": text});
    portal.post("/rest/v1/saved_replies").auth(&ana).json(&reply).send().await.is(201);
    let ticket = portal.ticket(&maria, "Outra pessoa").await;
    let answer = json!({"ticket_id": ticket, "body": text});
    portal.post("/rest/v1/ticket_messages").auth(&ana).json(&answer).send().await.is(201);
    portal.ticket(&zuleica, MARKER).await;
    let plan = portal.get(&place(&zuleica)).auth(&ana).send().await.is(200).json();
    let mentions: Vec<_> = plan["mentions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|mention| (mention["table"].as_str().unwrap(), mention["name"].as_str().unwrap()))
        .collect();
    assert_eq!(mentions, [("saved_replies", "Pronta"), ("tickets", "Outra pessoa")]);
});

portal_test!(document_on_legal_hold_cannot_be_deleted_or_replaced, async |portal| {
    let ana = portal.admin().await;
    let joao = portal.client("joao").await;
    let held = portal.document(&joao, "contratos", "a.pdf").await;
    let free = portal.document(&joao, "contratos", "b.pdf").await;
    let this = |id: &str| format!("/rest/v1/documents?id=eq.{id}");
    let reason = json!({"legal_hold_reason": "Processo 123"});
    portal.patch(&this(&held.id)).auth(&ana).json(&reason).send().await.is(204);
    let both = format!("/rest/v1/documents?id=in.({},{})", held.id, free.id);
    portal.delete(&both).auth(&ana).send().await.refused(409, "document_held");
    let other = portal.upload(&joao, "contratos", "c.pdf").await;
    let replaced = portal.patch(&this(&held.id)).auth(&ana).json(&json!({"file_url": other}));
    replaced.send().await.refused(409, "document_held");
    portal.delete(&object(&held.path)).auth(&ana).send().await.refused(400, "AccessDenied");
    let several = json!({"prefixes": [held.path, free.path]});
    let removed = portal.delete("/storage/v1/object/client-documents").auth(&ana).json(&several);
    // Files of documents are deleted with their documents only.
    assert_eq!(removed.send().await.is(200).json(), json!([]));
    // Deleting the account leaves the document.
    portal.delete(&format!("/auth/v1/admin/users/{}", joao.id)).auth(&ana).send().await.is(200);
    let left = portal.get("/rest/v1/documents?select=id,erased_client_id").auth(&ana).send().await;
    assert_eq!(left.is(200).json(), json!([{"id": held.id, "erased_client_id": joao.id}]));
    assert_eq!(portal.get(&object(&held.path)).auth(&ana).send().await.is(200).body, PDF);
    let freed = portal.patch(&this(&held.id)).auth(&ana).json(&json!({"legal_hold_reason": null}));
    freed.send().await.is(204);
    portal.delete(&this(&held.id)).auth(&ana).send().await.is(204);
});

portal_test!(deleted_client_can_be_erased_and_staff_cannot, async |portal| {
    let ana = portal.admin().await;
    let zuleica = marked(portal).await;
    live(portal, &ana, &zuleica).await;
    portal.delete(&format!("/auth/v1/admin/users/{}", zuleica.id)).auth(&ana).send().await.is(200);
    let lines = async || {
        let lines = portal.get("/rest/v1/activity").auth(&ana).send().await.is(200);
        count(lines.text().as_bytes(), MARKER)
    };
    assert!(lines().await > 5, "the audit log contains names of deleted accounts");
    let [gone, staff] = [&zuleica, &ana].map(|user| user.id.parse().unwrap());
    let erased = erasure::erase_from_cli(&portal.app, gone).await.unwrap().unwrap();
    assert_eq!((erased.documents, erased.tickets), (0, 0));
    assert!(erasure::read_tombstones(&portal.folder(".")).unwrap().contains(&gone));
    assert_eq!(lines().await, 0);
    assert_eq!(erasure::erase_from_cli(&portal.app, staff).await.unwrap(), None);
    portal.get("/auth/v1/user").auth(&ana).send().await.is(200);
});

portal_test!(concurrent_erasures_and_sign_ins_leave_no_names, async |portal| {
    let ana = portal.admin().await;
    let zuleica = marked(portal).await;
    let (app, user) = (Arc::clone(&portal.app), zuleica.id.parse().unwrap());
    let signing = (0..6).map(|_| portal.try_sign_in(&zuleica.email, PASSWORD));
    let erasing = erasure::erase_from_cli(&app, user);
    let (_, erased) =
        futures_util::future::join(futures_util::future::join_all(signing), erasing).await;
    erased.unwrap();
    let lines = portal.get("/rest/v1/activity").auth(&ana).send().await.is(200);
    assert_eq!(count(lines.text().as_bytes(), MARKER) + count(lines.text().as_bytes(), SMALL), 0);
    assert_eq!(ChainVerifier::run(&portal.app).await.unwrap().breaks, []);
});

portal_test!(reassigned_ticket_keeps_its_files_after_erasure, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let ticket = portal.ticket(&joao, "Nota fiscal").await;
    let message = json!({"ticket_id": ticket, "body": "Segue a nota."});
    let message = portal.post("/rest/v1/ticket_messages").auth(&joao).single().json(&message);
    let message = message.send().await.is(201).json();
    let path = format!("{}/{ticket}/1-nota.pdf", joao.id);
    let file = format!("/storage/v1/object/ticket-attachments/{path}");
    put(portal, &joao, &file, "nota").await;
    let row = json!({"message_id": message["id"], "name": "nota.pdf", "file_url": path});
    portal.post("/rest/v1/ticket_attachments").auth(&joao).json(&row).send().await.is(201);
    let change = portal.patch(&format!("/rest/v1/tickets?id=eq.{ticket}")).auth(&ana);
    change.json(&json!({"user_id": maria.id})).send().await.is(204);
    erase(portal, &ana, &joao).await;
    portal.get(&file).auth(&maria).send().await.is(200);
});
