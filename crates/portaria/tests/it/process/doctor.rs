//! `portaria doctor`: what it finds, its exit code, and that it prints no secrets.

use std::{fs, process::Command};

use serde_json::Value;

use crate::harness::{PROCESSORS, SECRET, TestPortal, portal_test, run_blocking};

/// Runs `portaria doctor --json`. Returns the exit code and the report.
fn examine(configure: impl FnOnce(&mut Command)) -> (i32, Value) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_portaria"));
    command.args(["doctor", "--json", "--config", "/dev/null"]).env_clear();
    configure(&mut command);
    let output = run_blocking(|| command.output()).unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let report = serde_json::from_str(&printed);
    let report =
        report.unwrap_or_else(|_| panic!("{printed}{:?}", String::from_utf8(output.stderr)));
    assert!(!printed.contains(SECRET) && !printed.contains("senha-secreta"), "{printed}");
    (output.status.code().unwrap(), report)
}

fn examine_portal(portal: &TestPortal, changes: &[(&str, &str)]) -> (i32, Value) {
    examine(|command| {
        command.env("PORTARIA_DATA_DIR", portal.folder("."));
        for (name, value) in portal.settings() {
            command.env(format!("PORTARIA_{}", name.to_uppercase()), value);
        }
        command.envs(changes.iter().copied());
    })
}

fn status<'a>(report: &'a Value, check: &str) -> &'a str {
    let checks = report["checks"].as_array().unwrap();
    let found = checks.iter().find(|found| found["check"] == check);
    found.unwrap_or_else(|| panic!("{check} in {report:#}"))["status"].as_str().unwrap()
}

portal_test!(doctor_examines_an_office, async |portal| {
    let files = portal.files_in("blobs");
    let (code, report) = examine_portal(portal, &[]);
    assert_eq!(code, 0, "{report:#}");
    for check in [
        "version",
        "database",
        "migrations",
        "storage",
        "permissions",
        "disk",
        "mail_queue",
        "clock",
        "certificate",
    ] {
        assert_eq!(status(&report, check), "ok", "{check}: {report:#}");
    }
    for check in ["smtp", "backup", "service"] {
        assert_eq!(status(&report, check), "warning", "{check}: {report:#}");
    }
    assert_eq!(report["settings"]["jwt_secret"]["value"], "********");
    assert_eq!(report["settings"]["data_dir"]["source"], "PORTARIA_DATA_DIR");
    assert_eq!(report["settings"]["password_min"]["source"], "default");
    assert_eq!(portal.files_in("blobs"), files, "the test file remains");
});

portal_test!(doctor_names_what_fails, async |portal| {
    let (code, report) = examine_portal(
        portal,
        &[
            ("PORTARIA_STORAGE_URL", "s3://chave:senha-secreta@cofre?endpoint=http://127.0.0.1:9"),
            ("PORTARIA_SMTP_URL", "smtp://ana:senha-secreta@127.0.0.1:9"),
            ("PORTARIA_MAIL_FROM", "portal@prado.com.br"),
            ("PORTARIA_TLS_CERT", "missing.pem"),
            ("PORTARIA_TLS_KEY", "missing.pem"),
            ("PORTARIA_SITE_URL", "https://portal.prado.com.br"),
            ("PORTARIA_MIN_FREE_SPACE", "1000000 GiB"),
            ("PORTARIA_BACKUP_TO", "s3://chave:senha-secreta@outro?endpoint=http://127.0.0.1:9"),
        ],
    );
    assert_eq!(code, 1, "{report:#}");
    for check in ["storage", "smtp", "certificate", "disk", "backup_target"] {
        assert_eq!(status(&report, check), "error", "{check}: {report:#}");
    }
    assert_eq!((status(&report, "database"), status(&report, "rehearsal")), ("ok", "warning"));
    let checks = report["checks"].as_array().unwrap();
    for finding in checks.iter().filter(|finding| finding["status"] != "ok") {
        assert!(finding["advice"].as_str().is_some_and(|advice| !advice.is_empty()), "{finding}");
    }
});

#[tokio::test]
async fn doctor_creates_no_office() {
    let _processors = PROCESSORS.read().await;
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let (code, report) = examine(|command| {
        command.env("PORTARIA_DATA_DIR", &data);
    });
    assert_eq!((code, status(&report, "database")), (1, "error"), "{report:#}");
    assert!(!fs::exists(&data).unwrap());
}
