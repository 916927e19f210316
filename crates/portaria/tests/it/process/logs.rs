//! The log contains events without personal data or secrets.

use serde_json::Value;

use crate::harness::{SECRET, portal_test};
use crate::process::{
    Start,
    log_privacy::{MARK, Traffic, live},
    wait_until,
};

portal_test!(log_contains_no_personal_data_or_secrets, async |portal| {
    let inbox = tempfile::tempdir().unwrap();
    std::fs::write(inbox.path().join(format!("{MARK}.exe")), "MZ").unwrap();
    let program = Start::over(portal)
        .with("PORTARIA_INBOX_DIR", inbox.path().to_str().unwrap())
        .with("PORTARIA_LOG_FORMAT", "json")
        .with("RUST_LOG", "trace")
        .with("PORTARIA_SMTP_URL", &format!("smtp://{MARK}:{MARK}@127.0.0.1:1"))
        .with("PORTARIA_MAIL_FROM", "Escritório <portal@escritorio.com.br>")
        .serve()
        .await;
    let mut traffic = Traffic::over(&program);
    traffic.secrets.push(SECRET.to_owned());
    live(&mut traffic).await;
    let Traffic { ids, secrets, .. } = traffic;
    // The failed delivery and the refused file are logged too.
    wait_until("the file is refused", async || program.log().contains("was not accepted")).await;
    wait_until("mails fail", async || program.log().contains("SMTP server unavailable")).await;
    let log = program.log();
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).expect("every line is an object"))
        .collect();
    let answered: Vec<&Value> =
        lines.iter().filter(|line| line["target"] == "portaria::request").collect();
    assert_eq!(answered.len(), ids.len());
    for (line, id) in answered.iter().zip(&ids) {
        assert_eq!(line["request"], id.as_str());
        assert!(line["ms"].is_f64() && line["status"].is_u64() && line["method"].is_string());
        let route = line["route"].as_str().unwrap();
        assert!(route.starts_with('/'), "{line}");
    }
    for mark in [MARK, &MARK.to_uppercase(), "cliente.com.br", "eyJ"] {
        assert!(!log.contains(mark), "{mark} occurs in the log:\n{log}");
    }
    for secret in secrets {
        assert!(!log.contains(&secret), "{secret} occurs in the log");
    }
    let routes: Vec<&str> = answered.iter().filter_map(|line| line["route"].as_str()).collect();
    for route in [
        "/auth/v1/token",
        "/auth/v1/admin/users/{id}",
        "/rest/v1/tickets",
        "/rest/v1/{table}",
        "/calendario/{file}",
        "/assets/*",
        "/*",
    ] {
        assert!(routes.contains(&route), "{route} in {routes:?}");
    }
});
