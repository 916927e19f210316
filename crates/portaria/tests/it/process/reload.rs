//! SIGHUP: the settings are read again, and the program goes on.

use std::fs;

use rustix::process::{Pid, Signal, kill_process};

use crate::harness::PROCESSORS;
use crate::process::{Program, Start, wait_until};

/// Writes the settings and sends the signal. Returns the new part of the log, when it contains `expected`.
async fn reload(program: &Program, settings: &str, expected: &str) -> String {
    fs::write(program.file("portaria.toml"), settings).unwrap();
    let before = program.log().len();
    kill_process(Pid::from_child(&program.child), Signal::HUP).unwrap();
    let mut new = String::new();
    wait_until(expected, async || {
        new = program.log().split_off(before);
        new.contains(expected)
    })
    .await;
    new
}

#[tokio::test]
async fn hangup_reloads_the_settings_and_never_ends_the_program() {
    let _processors = PROCESSORS.read().await;
    let program = Start::new().serve().await;
    assert_eq!(program.get("/health").await.status, 200);
    assert!(program.log().contains("answered"), "{}", program.log());

    let quiet = "log_filter = \"info,portaria::request=off\"\n";
    reload(&program, quiet, "settings reloaded").await;
    let before = program.log().len();
    assert_eq!(program.get("/health").await.status, 200);
    assert!(!program.log().split_off(before).contains("answered"));

    let said = reload(&program, &format!("{quiet}quota = \"1 GiB\"\n"), "a restart applies").await;
    assert!(said.contains("quota") && !said.contains("log_filter"), "{said}");
    let said = reload(&program, "quotta = 1\n", "settings reload failed").await;
    assert!(said.contains("did you mean quota?"), "{said}");
    assert_eq!(program.get("/health").await.status, 200);
}
