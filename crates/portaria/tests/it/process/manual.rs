//! The version, the completions and the manual pages of the program.

use std::{fs, process::Command};

use crate::harness::{PROCESSORS, run_blocking};

fn print(words: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_portaria"));
    let output = run_blocking(|| command.args(words).env_clear().output()).unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test]
async fn program_describes_itself() {
    let _processors = PROCESSORS.read().await;
    let version = print(&["--version"]);
    assert!(version.starts_with(concat!("portaria ", env!("CARGO_PKG_VERSION"))), "{version}");
    for shell in ["bash", "fish", "zsh"] {
        let completions = print(&["completions", shell]);
        assert!(completions.contains("password-stdin"), "{shell}");
    }
    let folder = tempfile::tempdir().unwrap();
    print(&["man", folder.path().to_str().unwrap()]);
    for (page, expected) in [
        ("portaria.1", "doctor"),
        ("portaria-restore.1", "rehearse"),
        ("portaria-admin-add.1", "password"),
    ] {
        let text = fs::read_to_string(folder.path().join(page)).unwrap();
        assert!(text.contains(expected), "{page}: {text}");
    }
}
