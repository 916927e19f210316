//! SIGKILL while the inbox is read and published: each file is read, each document is published once, and each client is
//! mailed once about it. A withdrawal hides the document and cancels its mail, or does neither.

use std::{
    collections::BTreeSet,
    thread::sleep,
    time::{Duration, Instant},
};

use portaria::clock::Clock;
use serde_json::{Value, json};

use crate::{
    capabilities::{can_strace, is_long, say},
    server_process::Portal,
    strace::{Strace, Threads},
    workload::Office,
};

/// Time from the request until a publication, in which strace attaches.
const DELAY: Duration = Duration::from_millis(1_500);
/// Timeout for the reader and the publisher, which also wait for a restarted program.
const PATIENCE: Duration = Duration::from_secs(40);
const FILES: usize = 3;

/// An office that mails clients about new documents, with a mail server that cannot be reached.
fn office() -> Office {
    let mut portal = Portal::new();
    portal.set("smtp_url", "smtp://127.0.0.1:1");
    portal.set("mail_from", "Portal <portal@exemplo.com.br>");
    portal.up();
    let office = Office::of(portal);
    let enabled = json!({"document_type_event": "contrato_new", "enabled": true}).to_string();
    let path = "/rest/v1/email_notification_settings?on_conflict=document_type_event";
    let headers = [("content-type", "application/json"), ("prefer", "resolution=merge-duplicates")];
    let answer = office.send("POST", path, &headers, enabled.as_bytes()).unwrap();
    assert!(answer.is_success(), "{answer:?}");
    office
}

/// Puts files with these names into the inbox.
fn add_files(office: &Office, names: &[String]) {
    for name in names {
        let path = format!("/storage/v1/object/inbox/{name}.txt");
        let text = format!("Texto de {name}.");
        let answer = office.send("POST", &path, &[("content-type", "text/plain")], text.as_bytes());
        let answer = answer.unwrap();
        assert!(answer.is_success(), "{answer:?}");
    }
}

fn filter(names: &[String]) -> String {
    names.iter().map(|name| format!("{name}.txt")).collect::<Vec<_>>().join(",")
}

/// The files with these names when all of them satisfy the condition.
fn wait_for(office: &Office, names: &[String], is_done: fn(&Value) -> bool) -> Vec<Value> {
    let path = format!("inbox_files?select=id,name,state,document_id&name=in.({})", filter(names));
    let begun = Instant::now();
    loop {
        let files = office.rows(&path);
        assert_eq!(files.len(), names.len(), "a file is lost or listed twice: {files:?}");
        if files.iter().all(is_done) {
            return files;
        }
        assert!(begun.elapsed() < PATIENCE, "{files:?}");
        sleep(Duration::from_millis(20));
    }
}

fn is_read(file: &Value) -> bool {
    file["state"] == "ready"
}

fn is_published(file: &Value) -> bool {
    file["state"] == "published"
}

/// Decides about files, and publishes them after [`DELAY`].
fn publish(office: &Office, files: &[Value]) {
    let json_type = ("content-type", "application/json");
    for file in files {
        let name = file["name"].as_str().unwrap().trim_end_matches(".txt");
        let review = json!({
            "client_id": office.client, "folder_id_supabase": "contratos", "document_name": name,
        });
        let path = format!("/rest/v1/inbox_files?id=eq.{}", file["id"].as_str().unwrap());
        let answer = office.send("PATCH", &path, &[json_type], review.to_string().as_bytes());
        let answer = answer.unwrap();
        assert!(answer.is_success(), "{answer:?}");
    }
    let ids: Vec<&Value> = files.iter().map(|file| &file["id"]).collect();
    let at = (Clock::system().now() + DELAY).to_string();
    let call = json!({"files": ids, "at": at}).to_string();
    let answer = office.send("POST", "/rest/v1/rpc/publish_inbox", &[json_type], call.as_bytes());
    let answer = answer.unwrap();
    assert!(answer.is_success(), "{answer:?}");
}

/// Checks that each of the files became one document with one mail about it.
fn are_published_once(office: &Office, names: &[String]) {
    let files = wait_for(office, names, is_published);
    let list = names.join(",");
    let documents = office.rows(&format!("documents?select=id,name,file_url&name=in.({list})"));
    let published: BTreeSet<&str> =
        documents.iter().map(|document| document["id"].as_str().unwrap()).collect();
    assert_eq!(documents.len(), names.len(), "{documents:?}");
    for file in &files {
        assert!(published.contains(file["document_id"].as_str().unwrap()), "{file}");
    }
    for document in &documents {
        let id = document["id"].as_str().unwrap();
        let mails = office.rows(&format!("outbox?select=event&document_id=eq.{id}"));
        assert_eq!(mails.len(), 1, "{document}: {mails:?}");
    }
}

#[test]
fn publication_survives_a_kill_at_every_call() {
    if !can_strace("the publication from the inbox") {
        return;
    }
    let mut office = office();
    let (mut round, mut kills) = (0, 0);
    for call in ["pwrite64", "fsync"] {
        let mut count = 1;
        loop {
            round += 1;
            let names: Vec<String> =
                (0..FILES).map(|number| format!("publicar-{round}-{number}")).collect();
            add_files(&office, &names);
            publish(&office, &wait_for(&office, &names, is_read));
            let strace = Strace::kill(&office.portal, Threads::Writer, call, count);
            let begun = Instant::now();
            let list = filter(&names);
            let open = format!("inbox_files?select=id&name=in.({list})&state=eq.scheduled");
            let died = loop {
                if office.portal.ends_within(Duration::ZERO).is_some() {
                    break true;
                }
                // A request that the death interrupts has no answer.
                let answer = office.send("GET", &format!("/rest/v1/{open}"), &[], b"");
                if answer.is_ok_and(|answer| answer.body == b"[]") {
                    break false;
                }
                assert!(begun.elapsed() < PATIENCE, "{call} {count}: not published");
                sleep(Duration::from_millis(20));
            };
            drop(strace);
            if died {
                kills += 1;
                office.portal.up();
            }
            are_published_once(&office, &names);
            office.portal.is_whole();
            if !died {
                break;
            }
            count += if is_long() { 1 } else { count };
        }
    }
    assert!(kills >= 4, "too few kills: {kills}");
    say(&format!("inbox: {kills} kills, each document published once"));
}

#[test]
fn reading_goes_on_after_a_kill() {
    let mut office = office();
    for round in 0..5 {
        let names: Vec<String> = (0..8).map(|number| format!("ler-{round}-{number}")).collect();
        add_files(&office, &names);
        sleep(Duration::from_millis(30 * round));
        office.portal.kill();
        office.portal.up();
        wait_for(&office, &names, is_read);
    }
    office.portal.is_whole();
}

/// Publishes documents at once, whose mails wait for the mail server. Returns their ids.
fn add_documents(office: &Office, round: u32) -> Vec<String> {
    let names = (0..FILES).map(|number| format!("recolher-{round}-{number}.pdf"));
    let add = |name: String| {
        assert!(office.upload(&name, b"%PDF-1.4\n").is_some());
        let row = json!({
            "name": name, "client_id": office.client, "folder_id_supabase": "contratos",
            "file_url": office.place(&name), "type": "pdf",
        });
        let headers = [("content-type", "application/json"), ("prefer", "return=representation")];
        let path = "/rest/v1/documents?select=id";
        let answer = office.send("POST", path, &headers, row.to_string().as_bytes()).unwrap();
        assert!(answer.is_success(), "{answer:?}");
        answer.json()[0]["id"].as_str().unwrap().to_owned()
    };
    names.map(add).collect()
}

#[test]
fn withdrawal_survives_a_kill_at_every_call() {
    if !can_strace("the withdrawal of documents") {
        return;
    }
    let mut office = office();
    let (mut round, mut kills) = (0, 0);
    for call in ["pwrite64", "fsync"] {
        let mut count = 1;
        loop {
            round += 1;
            let ids = add_documents(&office, round);
            let body = json!({"documents": ids}).to_string();
            let strace = Strace::kill(&office.portal, Threads::Writer, call, count);
            let path = "/rest/v1/rpc/withdraw_documents";
            let answer =
                office.send("POST", path, &[("content-type", "application/json")], body.as_bytes());
            let is_done = answer.is_ok_and(|answer| answer.is_success());
            // An answer may precede the kill by the next call of the same thread.
            let died =
                office.portal.ends_within(Duration::from_millis(if is_done { 0 } else { 5_000 }));
            drop(strace);
            if died.is_some() || office.portal.ends_within(Duration::ZERO).is_some() {
                kills += 1;
                office.portal.up();
            }
            let list = ids.join(",");
            let documents =
                office.rows(&format!("documents?select=id,withdrawn_at&id=in.({list})"));
            assert_eq!(documents.len(), FILES, "{documents:?}");
            let is_withdrawn = |document: &&Value| !document["withdrawn_at"].is_null();
            let withdrawn = documents.iter().filter(is_withdrawn).count();
            assert!(withdrawn == FILES || (withdrawn == 0 && !is_done), "{documents:?}");
            let mails = office.rows(&format!("outbox?select=state&document_id=in.({list})"));
            assert_eq!(mails.len(), FILES, "{mails:?}");
            // A mail that waits in a digest is `sent` with it.
            let is_cancelled = |mail: &Value| (mail["state"] == "cancelled") == (withdrawn > 0);
            assert!(mails.iter().all(is_cancelled), "{documents:?} {mails:?}");
            office.portal.is_whole();
            if is_done && died.is_none() {
                break;
            }
            count += if is_long() { 1 } else { count };
        }
    }
    assert!(kills >= 2, "too few kills: {kills}");
    say(&format!("inbox: {kills} kills, each withdrawal with its mails"));
}
