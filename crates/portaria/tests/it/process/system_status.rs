//! `system_status`: what the page "Sistema" shows of the running portal, to administrators only.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use jiff::SignedDuration;
use portaria::jobs::{nightly, notify_expiry};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::harness::{SECRET, TestPortal, TestUser, portal_test, request::Request};

fn ask(portal: &TestPortal, user: &TestUser) -> Request {
    portal.post("/rest/v1/rpc/system_status").auth(user).json(&json!({}))
}

fn find<'a>(report: &'a Value, check: &str) -> &'a Value {
    let checks = report["checks"].as_array().unwrap();
    let found = checks.iter().find(|found| found["check"] == check);
    found.unwrap_or_else(|| panic!("{check} in {report:#}"))
}

/// Accepts connections and never answers. Returns the port and the number of connections so far.
async fn silent_server() -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let count = Arc::new(AtomicUsize::new(0));
    let connections = Arc::clone(&count);
    tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((socket, _)) = listener.accept().await {
            connections.fetch_add(1, Ordering::SeqCst);
            held.push(socket);
        }
    });
    (port, count)
}

portal_test!(system_status_examines_the_running_portal, async |portal| {
    let ana = portal.admin().await;
    let files = portal.files_in("blobs");
    notify_expiry::run(&portal.app).await.unwrap();
    nightly::run(&portal.app).await.unwrap();
    portal.advance(SignedDuration::from_hours(25));
    notify_expiry::run(&portal.app).await.unwrap();
    let ana = portal.sign_in(&ana.email).await;
    let answer = ask(portal, &ana).send().await.is(200);
    assert!(!answer.text().contains(SECRET), "{}", answer.text());
    let report = answer.json();
    for check in [
        "version",
        "service",
        "database",
        "migrations",
        "storage",
        "permissions",
        "disk",
        "mail_queue",
        "certificate",
        "job_expiry_notices",
    ] {
        assert_eq!(find(&report, check)["status"], "ok", "{check}: {report:#}");
    }
    for check in ["smtp", "backup", "job_nightly"] {
        assert_eq!(find(&report, check)["status"], "warning", "{check}: {report:#}");
        assert!(!find(&report, check)["advice"].as_str().unwrap().is_empty(), "{report:#}");
    }
    let ran = find(&report, "job_expiry_notices")["message"].as_str().unwrap();
    assert!(ran.starts_with("Rodou em ") && ran.contains("A próxima vez é em "), "{ran}");
    // The clock of the tests is not that of the database.
    assert_eq!(
        (&find(&report, "clock")["status"], &report["status"]),
        (&json!("error"), &json!("error"))
    );
    assert_eq!(portal.files_in("blobs"), files, "the test file remains");
});

portal_test!(system_status_is_for_administrators, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    ask(portal, &ana).send().await.is(200);
    for role in ["employee", "reader"] {
        let colleague = portal.colleague(role, role, false).await;
        ask(portal, &colleague).send().await.refused(403, "42501");
    }
    ask(portal, &joao).send().await.refused(404, "PGRST202");
    let unknown = portal.post("/rest/v1/rpc/system_status").auth(&ana).json(&json!({"a": 1}));
    unknown.send().await.refused(404, "PGRST202");
});

portal_test!(system_status_answers_while_a_service_hangs, async |portal| {
    let (mail, connections) = silent_server().await;
    let (store, _) = silent_server().await;
    portal.set("mail_from", "portal@prado.com.br");
    portal.set("smtp_url", &format!("smtp://ana:senha-secreta@127.0.0.1:{mail}"));
    let bucket = format!("s3://chave:senha-secreta@cofre?endpoint=http://127.0.0.1:{store}");
    portal.set("storage_url", &bucket);
    let ana = portal.admin().await;
    let begun = Instant::now();
    let ask = || ask(portal, &ana).send();
    let answers = tokio::join!(ask(), ask(), ask(), ask());
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    for answer in [answers.0, answers.1, answers.2, answers.3] {
        let text = answer.is(200).text();
        assert!(!text.contains("senha-secreta") && !text.contains("\"cause\""), "{text}");
        let report: Value = serde_json::from_str(&text).unwrap();
        for check in ["smtp", "storage"] {
            let found = find(&report, check);
            assert_eq!(found["message"], "Sem resposta em 4 segundos.", "{report:#}");
            assert_eq!(found["status"], "error");
        }
        assert_eq!(find(&report, "database")["status"], "ok", "{report:#}");
    }
    assert_eq!(connections.load(Ordering::SeqCst), 1, "four callers caused one examination");
});

portal_test!(system_status_keeps_the_texts_of_errors_for_the_log, async |portal| {
    portal.set("mail_from", "portal@prado.com.br");
    portal.set("smtp_url", "smtp://ana:senha-secreta@127.0.0.1:9");
    let ana = portal.admin().await;
    let answer = ask(portal, &ana).send().await.is(200);
    let report = answer.json();
    assert_eq!(find(&report, "smtp")["status"], "error", "{report:#}");
    assert!(find(&report, "smtp")["cause"].is_null(), "{report:#}");
    assert!(!answer.text().contains("refused"), "{}", answer.text());
});
